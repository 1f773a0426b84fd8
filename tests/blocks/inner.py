"""Doors from tests to inner kernels, which have none of their own."""

import numpy as np
from numba import njit

from ffbm.kernels import logq, single, tables
from ffbm.kernels.entry_points import claimed_change as entropy_change
from ffbm.kernels.entry_points import claimed_ratio as log_proposal_ratio
from ffbm.kernels.entry_points import make_move as move

__all__ = ["add", "as_matrix", "entropy_change", "log_proposal_ratio", "log_q", "look", "move", "propose"]


@njit
def log_q(m, n, lf, exact, few, shape):
    return logq.log_q(m, n, lf, exact, few, shape)


@njit
def propose(model, ledger, i, epsilon, u, v):
    return single.propose(model.graph, ledger, i, epsilon, u, v)


@njit
def look(table, r, t):
    return tables.look(table, r, t)


@njit
def add(table, r, t, d):
    tables.add(table, r, t, d)


def as_matrix(table, n_rows):
    """A table of counts, dense or compact, as a matrix."""
    if table.ndim == 2:
        return table
    return np.array([[look(table, r, t) for t in range(table[0])] for r in range(n_rows)])
