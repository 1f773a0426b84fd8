"""The public face: run the checks and gather their verdicts."""

import logging
import time

from ffbm import kernels
from ffbm.check import check_seed
from ffbm.progress import Listener, Progress, listening
from ffbm.verification.battery import CHECKS
from ffbm.verification.enumeration import RUNS
from ffbm.verification.finding import Effort
from ffbm.verification.outcome import Outcome, Verification
from ffbm.workers import open_workers


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
    >>> found = ffbm.verify()                                   # doctest: +SKIP
    >>> found.passed                                            # doctest: +SKIP
    True
    """
    seed, full = check_seed(seed), bool(full)
    chosen = [check for check in CHECKS if full or not check.full_only]
    outcomes = []
    if kernels.is_cold():
        logging.getLogger("ffbm").info("compiling kernels: once per installation, some seconds")
    with listening(progress) as tell, open_workers(workers, RUNS) as each:
        for number, check in enumerate(chosen):
            tell(Progress("checks", number, len(chosen)))
            begun = time.perf_counter()
            finding = check.run(Effort(full, seed, each))
            outcomes.append(Outcome(check, finding, time.perf_counter() - begun))
        tell(Progress("checks", len(chosen), len(chosen)))
    return Verification(tuple(outcomes), full, seed)
