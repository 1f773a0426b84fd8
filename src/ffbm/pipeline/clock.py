"""The clock of a run: when it is to end, where chains may stop, and what progress reports meanwhile."""

import math
import time
from typing import NamedTuple

from ffbm.progress import Progress


class Clock(NamedTuple):
    """When a stretch of chains is to end; without an end they run their length."""

    end: float = math.inf  # by time.monotonic()
    multiple: int = 1  # chains stop after a multiple of so many steps
    stage: str = ""  # what progress reports, if not the stretch
    before: int = 0  # steps of the stretches before
    note: str = ""
    least: int = 0  # steps that are made whatever the time

    def is_over(self) -> bool:
        """Tell whether time is up."""
        return time.monotonic() >= self.end

    def next_stop(self, n_steps: int) -> int:
        """Return where chains that are about to make so many steps may stop.

        >>> Clock(multiple=25).next_stop(51), Clock(least=120, multiple=25).next_stop(51)
        (75, 120)
        """
        return self.least + -(-max(n_steps - self.least, 0) // self.multiple) * self.multiple

    def progress(self, stage: str, done: int, total: int) -> Progress:
        """Return how far a stage is, the stretches before counted."""
        return Progress(self.stage or stage, self.before + done, self.before + total, self.note)


def end_in(minutes: float | None) -> float:
    """Return when so many minutes are over; never, if None."""
    return math.inf if minutes is None else time.monotonic() + 60 * minutes


def minutes_left(end: float) -> float:
    """Return how many minutes are left until the end, next to none if it is past."""
    return max((end - time.monotonic()) / 60, 1e-9)
