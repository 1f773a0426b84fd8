"""Faults planted in the chain of hierarchies: the check must catch each of them, at the size of a quick run."""

import numpy as np
import pytest

from ffbm.kernels import dispatch
from ffbm.nested.chain import NestedSettings, NestedSetup, advance, start, unpack
from ffbm.nested.target import Layout, NestedTarget, nested_model
from ffbm.types import Graph
from ffbm.verification.findings import Effort
from ffbm.verification.hierarchies import follow_the_law

from ..mutants import planted

MOVES = [
    f"ffbm.kernels.{name}" for name in ("compilation", "dispatch", "mergesplit", "nestedmoves", "nestedchain")
]  # what is below them is as it was
LEVELS = [
    f"ffbm.kernels.{name}"
    for name in ("compilation", "tower", "levelprior", "levelsums", "nested", "nestedmoves", "nestedchain")
]
PARTITIONS = "    nats += partition_cost(lf, n_members + more, n_groups) - partition_cost(lf, n_members, n_groups)\n"
WITH_WEIGHTS = (
    "return with_weights(likelihood.sums, likelihood.inner, nats, likelihood.tower, likelihood.level, g, c, i, s)"
)
FAULTS = {
    "the chance of a split left out": (
        "mergesplit",
        [("path[FIELD], -forward", "path[FIELD], 0.0")],
        MOVES,
        "two levels",
    ),
    "the chance of the way back left out": (
        "mergesplit",
        [("path[FIELD], reverse\n", "path[FIELD], 0.0\n")],
        MOVES,
        "two levels",
    ),
    "merges tried half as often as the splits that they undo": (
        "nestedmoves",
        [
            (
                "    splits = r == s\n",
                "    splits = r == s\n    if not splits and rng.random() < 0.5:\n        return 0.0, 0.0, IMPOSSIBLE\n",
            )
        ],
        MOVES,
        "two levels",
    ),
    "levels opened for nothing": (
        "nestedmoves",
        [("-beta * cost if opens else beta * cost", "0.0")],
        MOVES,
        "three levels",
    ),
    "the partition of the level above forgotten": ("tower", [(PARTITIONS, "")], LEVELS, "two levels"),
    "weights not looked at": (
        "nested",
        [(WITH_WEIGHTS, "return nats")],
        LEVELS,
        "weighted, two levels",
    ),
    "sums of weights on the levels above not looked at": (
        "levelsums",
        [("return nats + change + propagate(", "return nats + change + 0.0 * propagate(")],
        LEVELS,
        "weighted, two levels",
    ),
    "weights not counted again": (
        "nestedmoves",
        [("    recount(m.likelihood, m.graph, c)\n", "")],
        LEVELS,
        "weighted, two levels",
    ),
    "a partition of all types as if of one": (
        "levelprior",
        [
            (
                "    if n_types(prior.used) == 1:\n        return prior.used_cost[c.used[0]], ",
                "    if True:\n        return prior.used_cost[c.used[0]], ",
            )
        ],
        LEVELS,
        "types, two levels",
    ),
}
ONE_LEVEL = ("        r, s = np.int64(b[u, r]), np.int64(b[u, s])\n", "        r = s\n")


def forget_answers(monkeypatch):
    """Faulty likelihoods register too: take that back at the end."""
    kept = {name: dict(functions) for name, functions in dispatch._IMPLEMENTATIONS.items()}
    monkeypatch.setattr(dispatch, "_IMPLEMENTATIONS", kept)


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_caught(fault, monkeypatch):
    where, changes, order, check = FAULTS[fault]
    forget_answers(monkeypatch)
    made = planted(f"ffbm.kernels.{where}", *changes, order=order)
    monkeypatch.setattr("ffbm.nested.chain.run_nested", made["ffbm.kernels.nestedchain"].run_nested)
    found = follow_the_law(check, Effort(False, 0, lambda function, items: [function(item) for item in items]))
    assert found.figure > found.bound


@pytest.mark.slow
def test_edges_carried_up_one_level_only_are_seen_in_s(monkeypatch):
    """On tiny networks levels that high are rare; S as it is carried tells at once."""
    rng, layout = np.random.default_rng(1), Layout(16, 16, 4)
    graph = Graph.from_edges(*rng.integers(0, 32, (2, 200)), 32)
    target = NestedTarget(graph)
    setup = NestedSetup(target, nested_model(target, layout), layout, NestedSettings(0, 1, beta=0.05))
    levels = [np.arange(32) // 4, np.arange(8) // 2, np.arange(4) // 2, np.zeros(2, dtype=int)]
    _, draws = advance(setup, start(setup, levels, rng), 5)
    assert draws.entropy[-1] == pytest.approx(target.entropy(unpack(setup, draws.labels[-1])), abs=1e-8)
    forget_answers(monkeypatch)
    made = planted("ffbm.kernels.tower", ONE_LEVEL, order=LEVELS)
    monkeypatch.setattr("ffbm.nested.chain.run_nested", made["ffbm.kernels.nestedchain"].run_nested)
    _, draws = advance(setup, start(setup, levels, rng), 5)
    assert abs(draws.entropy[-1] - target.entropy(unpack(setup, draws.labels[-1]))) > 1e-3
