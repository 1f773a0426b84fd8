"""Parts of small fits, one of each kind that a run can hold."""

import numpy as np
import pytest

import ffbm
from ffbm.config import FitConfig
from ffbm.pipeline import weights as weight_stage
from ffbm.pipeline.fit import run_fit

from ..planted import noise_flag, planted_edges, telling_flag

QUICK = {"n_sweeps": 50, "n_warmup": 50, "n_draws": 60, "n_chains": 2, "n_blocks": 2}


def network():
    """A planted network with flags and a number, an id beyond ASCII, a self-loop and a parallel edge."""
    rng = np.random.default_rng(5)
    edges, labels = planted_edges(rng, (20, 20))
    edges = np.concatenate((edges, edges[:1], [[3, 3]]))
    columns = [telling_flag(labels, rng), noise_flag(labels, rng), rng.normal(3, 2, len(labels))]
    ids = [f"vertex {i}" for i in range(39)] + ['Zoë, "7" <&>']
    net = ffbm.as_network(edges, np.column_stack(columns), node_ids=ids, name="small")
    assert net.notes
    return net


@pytest.fixture(
    scope="session",
    params=["plain", "reduced", "drawn", "given", "intercept", "one block", "thinned", "all trained", "big seed"],
)
def parts(request):
    """The parts of a fit."""
    net, options, blocks = network(), dict(QUICK, seed=3), None
    if request.param in ("reduced", "intercept", "drawn"):
        options["n_kept"] = 1
    if request.param == "drawn":
        options["memberships"] = "drawn"
    elif request.param == "intercept":
        options["intercept"] = True
    elif request.param == "given":
        blocks = np.repeat(["b", "a"], (10, 30))
    elif request.param == "one block":
        options["n_blocks"] = 1
    elif request.param == "all trained":
        options["train_fraction"] = 1.0
    elif request.param == "big seed":
        options["seed"] = 2**128 - 1
    before = weight_stage.STORED_BYTES
    if request.param == "thinned":
        weight_stage.STORED_BYTES = 2000
    try:
        return run_fit(net, FitConfig(**options), blocks, progress=False)
    finally:
        weight_stage.STORED_BYTES = before
