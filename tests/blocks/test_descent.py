"""The budget of searches: how much work a network of some size is worth."""

import numpy as np
import pytest

from ffbm.blocks.descent import budget_for
from ffbm.types import Graph


def network(n_nodes, n_edges):
    ends = np.random.default_rng(1).integers(0, n_nodes, (2, n_edges))
    return Graph.from_edges(*ends, n_nodes)


@pytest.mark.parametrize(
    ("n_nodes", "n_edges", "visits"),
    [
        (1000, 40_000, 5e5),
        (20_000, 150_000, 2e6),  # 15 half-edges a visit
        (4000, 200_000, 3e5),  # 100: no more of them are looked at
        (1000, 400_000, 0),
    ],
)
def test_an_annealing_looks_at_no_more_half_edges_where_degrees_are_high(n_nodes, n_edges, visits):
    assert budget_for(network(n_nodes, n_edges)).visits == pytest.approx(visits)
