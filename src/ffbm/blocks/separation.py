"""When two groups of draws are two modes: three conditions, all of which must hold."""

import numpy as np
from scipy.special import gammaln

from ffbm.blocks.groups import Group, pool
from ffbm.types import Array

LEAST_APART = 0.05  # of the vertices: two partitions that differ less are one picture
LEAST_DRAWS = 2  # one draw has no neighbour to agree with
LEAST_SHARE = 0.01  # of all draws: less is an excursion
_RARER = 0.5  # as many draws half-way between two modes as at the lesser of them, at most


def are_two_modes(one: Group, other: Group, least: int) -> bool:
    """Return whether two groups of at least ``least`` draws are two pictures of the network.

    They are if their labels differ on enough vertices (``distance``), if draws between them are rarer than at
    either (``have_gap``), and if it takes fewer nats to describe their draws apart than as one (``evidence``).
    """
    other = other.like(one)
    return (
        min(one.n_draws, other.n_draws) >= least
        and distance(one, other) >= LEAST_APART
        and have_gap(one, other)
        and evidence(one, other) > 0
    )


def distance(one: Group, other: Group) -> float:
    """Return the share of vertices whose main block differs, each counted by how far its memberships differ.

    That is the mean over vertices of [main blocks differ] sum_r abs(p_ir - q_ir) / 2; both groups must share one
    numbering.
    """
    apart = np.abs(one.counts / one.n_draws - other.counts / other.n_draws).sum(axis=1) / 2
    return float((apart * (one.main != other.main)).mean())


def have_gap(one: Group, other: Group) -> bool:
    """Return whether draws half-way between two groups are rarer than draws at either.

    Every draw is placed on the line between the groups by how much it overlaps with each, in its own with the half of
    the draws that it is not in, the earlier or the later, since successive draws are similar. The means
    of the groups lie at 1 and -1. A group that was cut in two for no reason has as many draws near 0, or more.
    """
    of_one, of_other = _positions(one, other), -_positions(other, one)
    middle, half = (of_one.mean() + of_other.mean()) / 2, (of_one.mean() - of_other.mean()) / 2
    if half <= 0:
        return False
    position = (np.concatenate((of_one, of_other)) - middle) / half
    between, at_one, at_other = (int((np.abs(position - at) < 0.5).sum()) for at in (0, 1, -1))
    return between <= _RARER * min(at_one, at_other)


def _positions(group: Group, other: Group) -> Array:
    """Return how much more each draw overlaps with the other half of its own group than with another group (M,)."""
    late = np.arange(group.n_draws) >= group.n_draws // 2
    halves = group.part(~late), group.part(late)
    elsewhere = other.counts / other.n_draws
    return np.concatenate(
        [half.sums(rest.counts / rest.n_draws - elsewhere) for half, rest in zip(halves, reversed(halves), strict=True)]
    )


def evidence(one: Group, other: Group) -> float:
    """Return how many nats are saved by describing two groups apart, in one numbering.

    Each vertex is either the same in both or has memberships of its own in each, the second with probability 5 %;
    naming the group of every draw is paid for.
    """
    n, m = one.n_draws, other.n_draws
    saved = code_lengths(one.counts + other.counts) - code_lengths(one.counts) - code_lengths(other.counts)
    by_vertex = np.logaddexp(np.log1p(-LEAST_APART), np.log(LEAST_APART) + saved)
    naming = np.log(n + m + 1) + gammaln(n + m + 1) - gammaln(n + 1) - gammaln(m + 1)
    return float(by_vertex.sum() - naming)


def code_lengths(counts: Array) -> Array:
    """Return -ln P of the labels of each vertex (n,), given how often it was in each block (n, B).

    The vertex draws its labels from memberships that are Dirichlet(1/B, ..., 1/B) a priori::

        P = prod_r [Gamma(n_r + 1/B) / Gamma(1/B)] / M!,    M = sum_r n_r

    >>> bool(np.isclose(np.exp(-code_lengths(np.array([[1.0, 1.0]]))[0]), 1 / 2 * 1 / 4))  # P(0) P(1 | 0)
    True
    """
    n_blocks, n_draws = counts.shape[1], int(counts[0].sum())
    table = gammaln(np.arange(n_draws + 1) + 1 / n_blocks) - gammaln(1 / n_blocks)
    lengths: Array = gammaln(n_draws + 1) - table[counts.astype(np.int64)].sum(axis=1)
    return lengths


def together(one: Group, other: Group) -> Group:
    """Return two groups as one, in the numbering of the first."""
    return pool([one, other.like(one)])
