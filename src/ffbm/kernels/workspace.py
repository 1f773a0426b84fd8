"""The counters of block chains, by name, and the arrays that their moves may overwrite."""

from typing import NamedTuple

import numpy as np

ENTROPY, FIELD, LOWEST = 0, 1, 2  # in ``totals``: S, the field's sum, the lowest S
VISITS, MOVES, SWEEPS, TRIED, MADE = 0, 1, 2, 3, 4  # in ``tally``: the last two of moves of many vertices
BEFORE, AFTER = 0, 1  # in ``work``: the labels before and after a move of many vertices


class Counters(NamedTuple):
    """What a chain counts; visits and moves are those since the last kept draw."""

    totals: np.ndarray  # (3,) at ENTROPY, FIELD and LOWEST
    tally: np.ndarray  # (5,) int64 at VISITS, MOVES, SWEEPS, TRIED and MADE
    best: np.ndarray  # (N,) the labels of the lowest S


class Workspace(NamedTuple):
    """Arrays that moves may overwrite."""

    undo_log: np.ndarray  # (2, N) int64: moves since the lowest S of a sweep
    work: np.ndarray  # (4, N) int64: the labels before and after a move of many vertices, and two groups of vertices
    scratch: np.ndarray  # (3, B+1) int64: blocks around a vertex, links with them, and marks that are zero in between


def make_workspace(n_nodes: int, n_blocks: int) -> Workspace:
    """Return the workspace of one chain, or of one level of a hierarchy."""
    return Workspace(
        undo_log=np.empty((2, n_nodes), dtype=np.int64),
        work=np.empty((4, n_nodes), dtype=np.int64),
        scratch=np.zeros((3, n_blocks + 1), dtype=np.int64),
    )
