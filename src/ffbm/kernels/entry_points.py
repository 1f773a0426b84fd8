"""Entry points from Python to inner kernels, for checks: what a single-vertex move claims, and the moves themselves."""

from numba import njit

from ffbm.kernels.compilation import ENTRY
from ffbm.kernels.ledger import list_neighbour_blocks
from ffbm.kernels.mergesplit import many_at_once
from ffbm.kernels.single import log_proposal_ratio
from ffbm.kernels.target import entropy_change, move


@njit(**ENTRY)
def make_move(model, ledger, i, s):
    """Move vertex i to block s."""
    move(model, ledger, i, s)


@njit(**ENTRY)
def claimed_change(model, ledger, i, s, blocks, links, marks):
    """Return the change of S that a move of vertex i to block s claims. blocks, links and marks are (B+1,) int64."""
    n_near = list_neighbour_blocks(model.graph, ledger, i, blocks, links, marks)
    return entropy_change(model, ledger, i, s, blocks, links, n_near)


@njit(**ENTRY)
def claimed_ratio(model, ledger, i, s, epsilon, blocks, links, marks):
    """Return ln of the reverse over the forward proposal probability, as claimed before the move."""
    n_near = list_neighbour_blocks(model.graph, ledger, i, blocks, links, marks)
    return log_proposal_ratio(model.graph, ledger, i, s, epsilon, blocks, links, n_near)


@njit(**ENTRY)
def move_many(rng, model, ledger, kind, beta, n_scans, totals, work, scratch):
    """Try a move of one kind of many vertices at once; return whether it was accepted."""
    return many_at_once(rng, model, ledger, kind, beta, n_scans, totals, work, scratch)
