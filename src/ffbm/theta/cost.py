"""How long a Hamiltonian move of the weights takes, about, and how many of them are worth their time.

In a large network a move takes longer and fewer of them are needed: the posterior is narrow, and a prediction averaged
over 50 draws is as good as one over 250. Lengths follow the size of the data and never a clock, so the draws are the
same everywhere.
"""

from math import floor

import numpy as np

from ffbm.theta.design import Design
from ffbm.types.graph import Array

_GRADIENT_PER_WEIGHT = 3e-9  # seconds of one core, for each cell of the features and each block
_GRADIENTS_PER_MOVE = 8
_LONGEST = 0.5  # seconds of a move: beyond, some of the vertices are enough
_LEAST_VERTICES = 10_000  # whatever the time


def seconds_of_moves(n_cells: int, n_blocks: int, n_moves: int = 1) -> float:
    """Return about how many seconds of one core so many moves take.

    ``n_cells`` counts the cells of the features that are not 0, an intercept's included; equal rows count once.

    >>> round(seconds_of_moves(440_000, 15), 2)
    0.16
    """
    return n_moves * _GRADIENTS_PER_MOVE * _GRADIENT_PER_WEIGHT * n_cells * n_blocks


def affordable_moves(n_cells: int, n_blocks: int, seconds: float, least: int, most: int) -> int:
    """Return how many moves take so many seconds: ``most`` of them where they are quick, never fewer than ``least``.

    >>> affordable_moves(1_000, 3, 5.0, 50, 250), affordable_moves(440_000, 15, 5.0, 20, 250)
    (250, 31)
    """
    each = seconds_of_moves(max(n_cells, 1), n_blocks)
    return max(min(most, floor(seconds / each)), min(least, most))


def affordable_vertices(design: Design, rows: Array, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return these training vertices, or some of them at random where moves would take more than half a second.

    That is beyond 100,000 vertices or so. Fewer vertices give wider posteriors; tens of thousands are plenty.

    >>> from ffbm.theta.design import make_design
    >>> affordable_vertices(make_design(np.eye(3)), np.arange(3), 2, np.random.default_rng(0)).tolist()
    [0, 1, 2]
    """
    seconds = seconds_of_moves(design.x.nnz, n_blocks) * len(rows) / max(design.n_nodes, 1)
    n = max(floor(len(rows) * _LONGEST / max(seconds, 1e-9)), _LEAST_VERTICES)
    return rows if n >= len(rows) else np.sort(rng.choice(rows, n, replace=False))
