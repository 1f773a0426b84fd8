"""Doors from tests to inner kernels, which have none of their own."""

from numba import njit

from ffbm.kernels import partition, partitions, single


@njit
def log_q(m, n, lf, exact, few, shape):
    return partitions.log_q(m, n, lf, exact, few, shape)


@njit
def move(model, counts, i, s):
    partition.move(model, counts, i, s)


@njit
def entropy_change(model, counts, i, s, blocks, links, marks):
    found = partition.look_around(model, counts, i, blocks, links, marks)
    return partition.entropy_change(model, counts, i, s, blocks, links, found)


@njit
def log_proposal_ratio(model, counts, i, s, epsilon, blocks, links, marks):
    found = partition.look_around(model, counts, i, blocks, links, marks)
    return single.log_proposal_ratio(model, counts, i, s, epsilon, blocks, links, found)


@njit
def propose(model, counts, i, epsilon, u, v):
    return single.propose(model, counts, i, epsilon, u, v)
