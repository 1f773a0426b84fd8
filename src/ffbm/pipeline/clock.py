"""The clock of a run: when it and its stages are to end, where chains may stop, and what progress reports meanwhile."""

import math
import time
from typing import NamedTuple

from ffbm.config import FitConfig
from ffbm.progress import Progress


class Clock(NamedTuple):
    """When chains are to end; without an end they run their length."""

    end: float = math.inf  # by time.monotonic()
    multiple: int = 1  # chains stop after a multiple of so many steps
    stage: str = ""  # what progress calls the stage, if not by its name
    before: int = 0  # steps that were made before, in other calls
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
        """Return how far a stage is, the steps made before counted."""
        return Progress(self.stage or stage, self.before + done, self.before + total, self.note)


OUT_OF_TIME = "out_of_time"  # the code of notes on what there was no time for
# by when the stages of a fit are to end, as shares of the time that it may take: see docs/scale.md
SHARES = {"blocks": 0.7, "chains": 0.75, "scores": 0.8, "splits": 0.85, "columns": 0.9, "check": 1.0}
_LEAST = 0.05  # the share that a stage has however late it begins


class Schedule(NamedTuple):
    """When the stages of a fit are to end: what follows the chains has its share of the time, more if they end early.

    A fit of fixed lengths has all the time there is.
    """

    start: float = 0.0  # by time.monotonic()
    seconds: float = math.inf  # that the whole fit may take

    @classmethod
    def of(cls, config: FitConfig) -> "Schedule":
        """Return the schedule of a fit that begins now.

        >>> Schedule.of(FitConfig(n_sweeps=100, n_draws=100)).end_of("columns")
        inf
        """
        return cls(time.monotonic(), 60 * config.max_minutes if config.is_open else math.inf)

    def end_of(self, stage: str) -> float:
        """Return by when a stage that begins now is to end."""
        return max(self.start + SHARES[stage] * self.seconds, time.monotonic() + _LEAST * self.seconds)


def end_in(minutes: float | None) -> float:
    """Return when so many minutes are over; never, if None."""
    return math.inf if minutes is None else time.monotonic() + 60 * minutes


def minutes_left(end: float) -> float | None:
    """Return how many minutes are left until the end, next to none if it is past; None if there is no end.

    >>> minutes_left(-math.inf), minutes_left(math.inf)
    (1e-09, None)
    """
    return None if end == math.inf else max((end - time.monotonic()) / 60, 1e-9)
