"""The public face: run the checks and gather their verdicts."""

import threading
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from ffbm import kernels
from ffbm.check import check_int, check_seed
from ffbm.progress import Listener, Progress, listening
from ffbm.verification.battery import CHECKS
from ffbm.verification.enumeration import RUNS
from ffbm.verification.findings import Check, Effort
from ffbm.verification.outcome import Outcome, Verification
from ffbm.workers import Run, open_workers


def verify(
    full: bool = False, *, seed: int = 0, workers: int | None = None, progress: Listener | bool | None = None
) -> Verification:
    """Check on this machine that every sampler samples what it says, and that every figure is counted right.

    Parameters
    ----------
    full : bool
        Longer chains, more cases, and calibration over 500 networks of each size: some minutes in place of less
        than one.
    seed : int
        The same seed gives the same figures on any number of workers.
    workers : int, optional
        Threads; as many as cores if left out.
    progress : None, bool or callable

    Returns
    -------
    Verification
        ``passed``, and for each check its ``name``, ``figure``, ``bound`` and verdict; ``table`` is a DataFrame.

    Examples
    --------
    >>> import ffbm
    >>> verification = ffbm.verify()                            # doctest: +SKIP
    >>> verification.passed                                     # doctest: +SKIP
    True
    """
    seed, full = check_seed(seed), bool(full)
    chosen = [check for check in CHECKS if full or not check.full_only]
    if workers is not None:
        workers = check_int("workers", workers, low=1)
    kernels.announce_compiling()
    start = time.perf_counter()
    with (
        listening(progress) as tell,
        open_workers(workers, RUNS) as each,
        open_workers(workers, len(chosen)) as at_once,
    ):
        battery = _Battery(len(chosen), tell)
        effort = Effort(full, seed, partial(battery.each, each))
        try:
            outcomes = at_once(partial(battery.judge, effort), chosen)
        except BaseException as error:  # an interruption too
            raise battery.stop(error) from None
    return Verification(tuple(outcomes), full, seed, time.perf_counter() - start)


class _Battery:
    """Checks side by side: while one is at work in Python, kernels of another run.

    Checks have workers of their own, which wait for the runs that they are made of.
    """

    def __init__(self, n_checks: int, tell: Listener) -> None:
        self._cause: BaseException | None = None
        self._lock = threading.Lock()
        self._n_checks, self._done, self._tell = n_checks, 0, tell
        tell(Progress("checks", 0, n_checks))

    def judge(self, effort: Effort, check: Check) -> Outcome:
        start = time.perf_counter()
        try:
            finding = check.run(effort)
        except BaseException as error:
            raise self.stop(error) from None
        with self._lock:
            self._done += 1
            self._tell(Progress("checks", self._done, self._n_checks))
        return Outcome(check, finding, time.perf_counter() - start)

    def each(self, run: Run, function: Callable[..., Any], items: Sequence[Any], /, *shared: Any) -> list[Any]:
        return run(partial(self._unless_stopped, function), items, *shared)

    def stop(self, error: BaseException) -> BaseException:
        """Let no further run begin; return the first error, which is the cause of those that follow."""
        with self._lock:
            self._cause = self._cause or error
        return self._cause

    def _unless_stopped(self, function: Callable[..., Any], *arguments: Any) -> Any:
        if self._cause is not None:
            raise InterruptedError("the verification was stopped")
        return function(*arguments)
