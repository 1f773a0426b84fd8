"""Doors from Python to inner kernels, for checks: what a single-vertex move claims, and the move itself."""

from numba import njit

from ffbm.kernels.compiling import DOOR
from ffbm.kernels.partition import entropy_change, look_around, move
from ffbm.kernels.single import log_proposal_ratio


@njit(**DOOR)
def make_move(model, counts, i, s):
    """Move vertex i to block s."""
    move(model, counts, i, s)


@njit(**DOOR)
def claimed_change(model, counts, i, s, blocks, links, marks):
    """Return the change of S that is claimed for a move of vertex i to block s. blocks, links, marks (B+1,) int64."""
    found = look_around(model, counts, i, blocks, links, marks)
    return entropy_change(model, counts, i, s, blocks, links, found)


@njit(**DOOR)
def claimed_ratio(model, counts, i, s, epsilon, blocks, links, marks):
    """Return ln of the chance of the way back over that of the way there, as claimed before the move."""
    found = look_around(model, counts, i, blocks, links, marks)
    return log_proposal_ratio(model, counts, i, s, epsilon, blocks, links, found)
