"""Progress: stages send how far they are to a callable; on a terminal that draws a bar."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

from ffbm.errors import OptionError


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a stage is: ``done`` of ``total`` units, and what is known so far, in a few words.

    >>> str(Progress("number of blocks", 3, 9, "lowest S 1,343.89"))
    'number of blocks: 3 of 9 (lowest S 1,343.89)'
    """

    stage: str
    done: int
    total: int
    note: str = ""

    def __str__(self) -> str:
        return f"{self.stage}: {self.done:,} of {self.total:,}{self.note and f' ({self.note})'}"


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
    [Progress(stage='blocks', done=1, total=2, note='')]
    """
    if callable(progress):
        yield progress
    elif progress is False or (progress is None and not _is_watched()):
        yield lambda _: None
    elif progress is True or progress is None:
        with _lines() if _is_bare_notebook() else _bar() as tell:
            yield tell
    else:
        raise OptionError(f"progress must be None, True, False or a callable; got {progress!r}")


def _is_watched() -> bool:
    return sys.stderr.isatty() or "ipykernel" in sys.modules


def _is_bare_notebook() -> bool:
    """Return whether this is a notebook that cannot draw a bar: rich asks for ipywidgets, again and again."""
    return "ipykernel" in sys.modules and find_spec("ipywidgets") is None


@contextmanager
def _lines() -> Iterator[Listener]:
    """Write a line for each stage, over and over while it runs."""
    stage = ""

    def tell(event: Progress) -> None:
        nonlocal stage
        if stage and stage != event.stage:
            sys.stderr.write("\n")
        stage = event.stage
        sys.stderr.write(f"\r{event}")
        sys.stderr.flush()

    with hearing(lambda text: sys.stderr.write(f"{text}\n")):
        yield tell
    if stage:
        sys.stderr.write("\n")


@contextmanager
def hearing(write: Callable[[str], object]) -> Iterator[None]:
    """Show what stages log, such as the first compilation, if nobody else does."""
    logger = logging.getLogger("ffbm")
    if logger.handlers:
        yield
        return
    handler, level = logging.Handler(), logger.level
    written: set[str] = set()

    def emit(record: logging.LogRecord) -> None:
        text = record.getMessage()
        if text not in written:
            written.add(text)
            write(text)

    handler.emit = emit  # type: ignore[method-assign]
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


@contextmanager
def _bar() -> Iterator[Listener]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar, hearing(bar.console.print):
        tasks = {}

        def tell(event: Progress) -> None:
            if event.stage not in tasks:
                tasks[event.stage] = bar.add_task(event.stage, total=event.total, note="")
            bar.update(tasks[event.stage], completed=event.done, total=event.total, note=event.note)

        yield tell
