"""Checks of description lengths against values from whole-number arithmetic, bundled with the package."""

import json
from importlib.resources import files
from typing import Any

import numpy as np

from ffbm.blocks.entropy import description_length
from ffbm.blocks.logq import log_partitions
from ffbm.data import load_dataset
from ffbm.verification.enumeration import graph_of
from ffbm.verification.findings import Check, Effort, Finding

_PARTS = ("adjacency", "degrees", "edge_counts")


def exact_values() -> dict[str, Any]:
    """Return the bundled values: multigraphs, partitions of polbooks, ln q."""
    values: dict[str, Any] = json.loads(files("ffbm.verification").joinpath("exact_lengths.json").read_text())
    return values


def lengths(_effort: Effort) -> Finding:
    """Compare every part of S on bundled graphs and partitions."""
    values = exact_values()
    polbooks = load_dataset("polbooks").graph
    cases = [(graph_of(case["edges"], case["n_nodes"]), case) for case in values["multigraphs"]]
    cases += [(polbooks, case) for case in values["polbooks"]]
    worst = 0.0
    for graph, case in cases:
        length = description_length(graph, case["labels"])
        worst = max(worst, *(abs(getattr(length, part) - case["nats"][part]) for part in _PARTS))
    return Finding(worst, 1e-9, details={"graphs": len(cases)})


def numbers_of_partitions(_effort: Effort) -> Finding:
    """Compare ln q(m, n) where it is not from the exact table."""
    m, n, exact = np.array(exact_values()["log_q"]).T
    worst = np.abs(log_partitions(m.astype(np.int64), n.astype(np.int64)) - exact).max()
    return Finding(float(worst), 2e-6)


CHECKS = (
    Check(
        "description lengths",
        "largest error of a part of S on bundled graphs and partitions, nats",
        "q off as in graph-tool's cache, B for B_b in P(e|b), loops or parallel edges miscounted",
        lengths,
    ),
    Check(
        "ln q beyond the table",
        "largest error of ln q(m,n) for m from 2,048 to 20,000, nats",
        "a wrong approximation of the number of partitions for large networks",
        numbers_of_partitions,
    ),
)
