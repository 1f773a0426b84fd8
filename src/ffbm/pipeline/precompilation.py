"""The first fit of an installation: other processes compile the weight level while the block level runs."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import numpy as np
import scipy.sparse as sp

from ffbm import kernels

_FEATURES, _MEMBERS, _ROWS = sp.csr_array(np.eye(2)[[0, 1, 0, 1]]), np.full((4, 2), 0.5), [0, 1, 2]


@contextmanager
def compiling_ahead(selects: bool) -> Iterator[Callable[[], object]]:
    """If nothing is compiled yet, say so and compile the weight level beside; yield a function that waits for it.

    ``selects`` says whether columns will be selected. The other processes only fill the cache of compiled kernels:
    whatever becomes of them, kernels that are missing there are compiled when they are called.
    """
    if not kernels.is_cold():
        yield lambda: None
        return
    kernels.announce_compiling()
    nowhere = subprocess.DEVNULL
    processes: list[subprocess.Popen[bytes]] = []
    try:
        with suppress(OSError):
            for part in (compile_full_model, compile_selection) if selects else (compile_full_model,):
                name = part.__name__
                command = [sys.executable, "-c", f"from {__name__} import {name}; {name}()"]
                processes.append(subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere))
        yield lambda: [process.wait() for process in processes]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def compile_full_model() -> None:
    """Run the kernels that sample the weights of all columns, and those that score them, once, on next to nothing."""
    from ffbm.pipeline.weights import sample_weights
    from ffbm.scoring import score_weights

    trace = sample_weights(_FEATURES, _MEMBERS, rows=_ROWS, n_draws=8, n_warmup=8, n_chains=2, workers=1, n_sweeps=0)
    score_weights(trace, _FEATURES, _MEMBERS, np.arange(3))
    assert trace.diagnostics is not None


def compile_selection() -> None:
    """Run the kernels that select columns once, those that the full model has too last."""
    from ffbm.theta.design import make_design
    from ffbm.theta.prepare import weight_target
    from ffbm.theta.selection import advance_selection, set_up_selection, start_selection

    design = make_design(_FEATURES, intercept=True)
    target = weight_target(design, _MEMBERS, _ROWS, intercept=True, weight_prior="learned")
    setup = set_up_selection(target, 1, np.zeros((3, 2)))
    advance_selection(setup, start_selection(setup, np.random.default_rng(1), full=True), 2)
