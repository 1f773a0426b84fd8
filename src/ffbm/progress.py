"""Progress: stages send how far they are to a callable; on a terminal that draws a bar."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ffbm.errors import OptionError


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is: ``done`` of ``total`` units."""

    stage: str
    done: int
    total: int


Listener = Callable[[Progress], None]


@contextmanager
def listening(progress: Listener | bool | None) -> Iterator[Listener]:
    """Turn the public ``progress=`` argument into a listener for the length of a run.

    ``None`` shows a bar on a terminal or in a notebook and nothing elsewhere, ``True`` shows it
    always, ``False`` never; a callable receives every :class:`Progress`.

    >>> seen = []
    >>> with listening(seen.append) as tell:
    ...     tell(Progress("blocks", 1, 2))
    >>> seen
    [Progress(stage='blocks', done=1, total=2)]
    """
    if callable(progress):
        yield progress
    elif progress is False or (progress is None and not _is_watched()):
        yield lambda _: None
    elif progress is True or progress is None:
        with _bar() as tell:
            yield tell
    else:
        raise OptionError(f"progress must be None, True, False or a callable; got {progress!r}")


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


@contextmanager
def _bar() -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True)) as bar:
        tasks = {}

        def tell(event: Progress) -> None:
            if event.stage not in tasks:
                tasks[event.stage] = bar.add_task(event.stage, total=event.total)
            bar.update(tasks[event.stage], completed=event.done, total=event.total)

        yield tell
