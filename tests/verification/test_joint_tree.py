"""The joint chain of a tree against exact laws, and faults planted in it."""

import numpy as np
import pytest

from ffbm.joint import tree
from ffbm.kernels import dispatch
from ffbm.verification import joint_tree
from ffbm.verification.findings import Effort
from ffbm.verification.joint_tree import (
    CASES,
    CHECKS,
    QUANTITIES,
    SIZES,
    TRIALS,
    exact_moments,
    follow_the_law,
    follow_the_law_of_labels,
    rank_of_truth,
)
from ffbm.verification.selection import calibrate_columns

from ..mutants import planted, put_in_place

QUICK = Effort(False, 3, lambda work, items: [work(item) for item in items])


def test_every_check_has_a_name_of_its_own():
    assert len({check.name for check in CHECKS}) == len(CHECKS)


def test_points_are_enough():
    for one, other in zip(exact_moments(CASES["a flag"], 9), exact_moments(CASES["a flag"], 11), strict=True):
        np.testing.assert_allclose(one, other, atol=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("name", TRIALS)
def test_labels_follow_the_law(name):
    found = follow_the_law_of_labels(name, QUICK)
    assert found.passed, found.details


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_the_law_is_followed(name):
    found = follow_the_law(name, QUICK)
    assert found.passed, found.details


FAULTS = {
    "nodes that do not see the labels": (
        "respond(columns.target.training, child, state.ledger.b)",
        "respond(columns.target.training, child, 0 * state.ledger.b)",
    ),
    "vertices of other nodes counted": (
        "below = (taken >= 0) & (group >= 0)", "below, taken = group >= 0, np.maximum(taken, 0)",
    ),
    "labels that see the root alone": (
        "for child, columns, node in zip(self.setup.children, self.setup.columns, state.nodes, strict=True):",
        "for child, columns, node in zip(self.setup.children[:1], self.setup.columns, state.nodes, strict=False):",
    ),
    "omega of one node": (
        "[node.inside for node in state.nodes])",
        "[node.inside for node in state.nodes] + [0 * node.inside for node in 7 * state.nodes])",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_caught(fault, monkeypatch):
    right, wrong = FAULTS[fault]
    put_in_place(monkeypatch, tree, right, wrong, joint_tree, ("start", "advance", "tree_setup"))
    assert not follow_the_law("a flag", QUICK).passed


MOVED_BY = [
    f"ffbm.kernels.{name}"
    for name in ("compilation", "leaves", "target", "acceptance", "single", "mergesplit", "blockchain")
]
KERNEL_FAULTS = {
    "edges carried up one level only": (
        "        r, s, blocks, links, n_near = above_r, above_s, groups, ends, n_groups\n",
        "        return nats\n",
    ),
    "a group that opens is not counted above": (
        "closes and n[above_r] == 1, opens and n[above_s] == 0", "closes and n[above_r] == 1, False",
    ),
    "a leaf that closes beside its sister costs nothing": (
        "return nats + (resize_change(tables, n, ers, above_r, more) if more != 0 else 0.0)", "return nats",
    ),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("fault", KERNEL_FAULTS)
def test_faults_of_the_likelihood_are_caught(fault, monkeypatch):
    kept = {name: dict(functions) for name, functions in dispatch._IMPLEMENTATIONS.items()}
    monkeypatch.setattr(dispatch, "_IMPLEMENTATIONS", kept)
    made = planted("ffbm.kernels.leaves", KERNEL_FAULTS[fault], order=MOVED_BY)
    monkeypatch.setattr("ffbm.blocks.chain.run_blocks", made["ffbm.kernels.blockchain"].run_blocks)
    for name in ("Leaves", "Branches"):
        monkeypatch.setattr(tree, name, getattr(made["ffbm.kernels.leaves"], name))
    found = follow_the_law_of_labels("single-vertex moves", QUICK)
    assert found.figure > found.bound


@pytest.mark.slow
def test_the_truth_is_one_more_draw():
    found = calibrate_columns(rank_of_truth, QUANTITIES, SIZES[:1], QUICK, 60)
    assert found.passed, found.details
