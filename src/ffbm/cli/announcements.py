"""What is printed on standard error while a command runs, and the option that leaves it out."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock
from typing import Annotated

import typer

from ffbm.cli.screen import print_error
from ffbm.plain import in_words
from ffbm.progress import Listener, Progress, hearing

Quiet = Annotated[bool, typer.Option("--quiet", help="Nothing on standard error but errors.")]
Verbose = Annotated[
    bool,
    typer.Option(
        "--verbose", "-v", help="Losses, description lengths, notes, and what each number means, as in summary.txt."
    ),
]

_SHORT = 10.0  # seconds: a run that takes no longer prints nothing
_OFTEN = 60.0  # seconds between two lines of one stage


@contextmanager
def announcing(quiet: bool) -> Iterator[Listener | bool | None]:
    """Show what the stages log, such as the first compilation, on standard error while they run.

    Yields what to give them as ``progress``: a bar on a terminal; elsewhere, as in a log file, a line now and then.
    """
    if quiet:
        yield False
        return
    with hearing(print_error):
        yield None if sys.stderr.isatty() else SignsOfLife()


class SignsOfLife:
    """Print a line at each new stage of a run that takes more than some seconds, then at most one per minute."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._begun = clock()
        self._told = self._begun
        self._stages: set[str] = set()
        self._lock = Lock()

    def __call__(self, event: Progress) -> None:
        """Hear of progress from any thread."""
        with self._lock:
            now = self._clock()
            is_new = event.stage not in self._stages
            if now - self._begun < _SHORT or event.done >= event.total or not (is_new or now - self._told >= _OFTEN):
                return
            self._stages.add(event.stage)
            self._told = now
            print_error(f"{event}, after {in_words(now - self._begun)}")
