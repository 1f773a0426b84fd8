"""The first fit of an installation: a second process compiles the weight level while the block level runs."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import scipy.sparse as sp

from ffbm import kernels


@contextmanager
def compiling_ahead() -> Iterator[Callable[[], object]]:
    """If nothing is compiled yet, say so and compile the weight level beside; yield a function that waits for it.

    The second process only fills the cache of compiled kernels: whatever becomes of it, kernels that are missing
    there are compiled when they are called.
    """
    if not kernels.is_cold():
        yield lambda: None
        return
    kernels.announce_compiling()
    command = [sys.executable, "-c", f"from {__name__} import compile_weight_level; compile_weight_level()"]
    nowhere = subprocess.DEVNULL
    try:
        beside = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere)
    except OSError:
        yield lambda: None
        return
    try:
        yield beside.wait
    finally:
        beside.kill()
        beside.wait()


def compile_weight_level() -> None:
    """Run every kernel of the weight level once, on next to nothing."""
    from ffbm.pipeline.weights import sample_weights
    from ffbm.scoring import score_weights

    features = sp.csr_array(np.eye(2)[[0, 1, 0, 1]])
    members = np.full((4, 2), 0.5)
    trace = sample_weights(features, members, rows=[0, 1, 2], n_draws=8, n_warmup=8, n_chains=2, workers=1)
    score_weights(trace, features, members, np.arange(3))
    assert trace.diagnostics is not None
