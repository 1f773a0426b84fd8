"""The joint stage of a tree: chains that stopped end with the same bits."""

import numpy as np
import pytest

import ffbm
from ffbm.blocks.align import align_blocks
from ffbm.config import FitConfig
from ffbm.pipeline import run as running
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.hierarchy import sample_hierarchies
from ffbm.pipeline.joint_tree import sample_tree
from ffbm.store.checkpoints import Checkpoints
from ffbm.theta.design import make_design

CONFIG = FitConfig(
    hierarchy=True, target="joint", weight_prior="learned", n_sweeps=60, n_chains=2, seed=3, tempering=False
)
QUIET = RunContext(1)
pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")


class Stop(BaseException):
    """What ends a run at once, like the power going."""


def test_chains_that_stopped_end_with_the_same_bits(tmp_path, monkeypatch):
    rng = np.random.default_rng(5)
    b = np.repeat(np.arange(4), 15)
    chance = np.where(b[:, None] == b, 0.7, np.where(b[:, None] // 2 == b // 2, 0.15, 0.02))
    ends = np.argwhere(np.triu(rng.random((60, 60)) < chance, 1))
    net = ffbm.as_network(ends, np.column_stack((b // 2, b == 0, rng.integers(0, 2, 60))))
    sampled = sample_hierarchies(net.graph, CONFIG, 1.0, QUIET)
    labels, design = align_blocks(sampled.blocks).labels, make_design(net.features, True)
    whole = sample_tree(sampled, labels, design, CONFIG, 1.0, QUIET)
    monkeypatch.setattr(running, "_SEGMENT_SECONDS", 1e-4)
    monkeypatch.setattr(running, "_SAVE_SECONDS", 0.0)
    stops = []

    def stop(event):
        if event.stage == "joint tree" and event.done > 15 * (1 + len(stops)) and len(stops) < 2:
            stops.append(event.done)
            raise Stop

    found, context = None, RunContext(1, stop, Checkpoints(tmp_path, {}))
    while found is None:
        try:
            found = sample_tree(sampled, labels, design, CONFIG, 1.0, context)
        except Stop:
            continue
    assert len(stops) == 2
    assert stops[1] > stops[0]
    assert np.array_equal(found.blocks.labels, whole.blocks.labels)
    assert np.array_equal(found.blocks.entropy, whole.blocks.entropy)
    assert np.array_equal(found.inclusion, whole.inclusion)
    assert found.blocks.settings["omega"] == whole.blocks.settings["omega"]
