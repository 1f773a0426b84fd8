"""What is said on standard error while a command runs, and the option that leaves it out."""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Annotated

import typer

from ffbm.cli.screen import print_error

Quiet = Annotated[bool, typer.Option("--quiet", help="Nothing on standard error but errors.")]


@contextmanager
def announcing(quiet: bool) -> Iterator[None]:
    """Show what the stages log, such as the first compilation, on standard error while they run."""
    logger = logging.getLogger("ffbm")
    handler = _Announcer()
    level = logger.level
    if not quiet:
        logger.addHandler(handler)
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)


class _Announcer(logging.Handler):
    """Print each message once, whichever stages send it."""

    def __init__(self) -> None:
        super().__init__()
        self._seen: set[str] = set()

    def emit(self, record: logging.LogRecord) -> None:
        message = record.getMessage()
        if message not in self._seen:
            self._seen.add(message)
            print_error(message)
