"""Doors from Python to inner kernels, for checks: what a single-vertex move claims, and the moves themselves."""

from numba import njit

from ffbm.kernels.compilation import DOOR
from ffbm.kernels.ledger import look_around
from ffbm.kernels.mergesplit import many_at_once
from ffbm.kernels.single import log_proposal_ratio
from ffbm.kernels.target import entropy_change, move


@njit(**DOOR)
def make_move(model, ledger, i, s):
    """Move vertex i to block s."""
    move(model, ledger, i, s)


@njit(**DOOR)
def claimed_change(model, ledger, i, s, blocks, links, marks):
    """Return the change of S that is claimed for a move of vertex i to block s. blocks, links, marks (B+1,) int64."""
    n_near = look_around(model.graph, ledger, i, blocks, links, marks)
    return entropy_change(model, ledger, i, s, blocks, links, n_near)


@njit(**DOOR)
def claimed_ratio(model, ledger, i, s, epsilon, blocks, links, marks):
    """Return ln of the chance of the way back over that of the way there, as claimed before the move."""
    n_near = look_around(model.graph, ledger, i, blocks, links, marks)
    return log_proposal_ratio(model.graph, ledger, i, s, epsilon, blocks, links, n_near)


@njit(**DOOR)
def move_many(rng, model, ledger, kind, beta, n_scans, totals, work, scratch):
    """Try a move of one kind of many vertices at once; return whether it was accepted."""
    return many_at_once(rng, model, ledger, kind, beta, n_scans, totals, work, scratch)
