"""Groups of draws, each under one numbering of the blocks: what modes are made of."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.optimize import linear_sum_assignment

from ffbm.kernels.overlap import add_draws, shared_vertices, sum_along
from ffbm.types import Array

_ROUNDS = 20  # of moving draws between groups: few are needed, and a cycle must end


@dataclass(frozen=True, eq=False)
class Group:
    """Some of the draws, and how their blocks are numbered.

    Parameters
    ----------
    draws : (M, n) integers
        Their labels, as the chains numbered them.
    which : (M,) int64
        Their numbers among all draws.
    order : (M, B) int64
        The number of each block of each draw in this group.
    """

    draws: Array
    which: Array
    order: Array

    @property
    def n_draws(self) -> int:
        """M."""
        return len(self.which)

    @cached_property
    def counts(self) -> Array:
        """How often each vertex is in each block (n, B)."""
        return self.weighted(np.ones(self.n_draws))

    @cached_property
    def main(self) -> Array:
        """The block in which each vertex is most often (n,)."""
        return self.counts.argmax(axis=1)

    def part(self, chosen: Array) -> "Group":
        """Return the group of the chosen draws (M,) truth values."""
        return Group(self.draws[chosen], self.which[chosen], self.order[chosen])

    def weighted(self, factors: Array) -> Array:
        """Return the sum of factors over the draws in which each vertex is in each block (n, B)."""
        total = np.zeros((self.draws.shape[1], self.order.shape[1]))
        add_draws(self.draws, self.order, factors, total)
        return total

    def sums(self, table: Array) -> Array:
        """Return the sum of table[i, block of i] over the vertices, for each draw (M,)."""
        out = np.empty(self.n_draws)
        sum_along(self.draws, self.order, table, out)
        return out

    def like(self, other: "Group") -> "Group":
        """Return this group with its blocks numbered as those of another that they overlap with most."""
        new = best_match(self.counts.T @ other.counts)
        return Group(self.draws, self.which, new[self.order])


def best_match(shared: Array) -> Array:
    """Return for each row the column of its own that makes the sum of shared (B, B) largest.

    >>> best_match(np.array([[1, 5], [2, 3]])).tolist()
    [1, 0]
    """
    best: Array = shared.argmax(axis=1)
    if len(set(best.tolist())) == len(best):  # no two rows have their maximum in one column
        return best
    return linear_sum_assignment(shared, maximize=True)[1]


def number_like(draws: Array, main: Array, n_blocks: int) -> Array:
    """Return the numbering of each draw (M, B) that overlaps most with the labels ``main`` (n,)."""
    order = np.empty((len(draws), n_blocks), dtype=np.int64)
    shared = np.empty((n_blocks, n_blocks))
    for labels, new in zip(draws, order, strict=True):
        shared[:] = 0
        shared_vertices(labels, main, shared)
        new[:] = best_match(shared)
    return order


def pool(groups: list[Group]) -> Group:
    """Return the draws of all groups as one, each draw numbered as in its own, in the order of the draws."""
    which = np.concatenate([group.which for group in groups])
    at = np.argsort(which)
    draws = np.concatenate([group.draws for group in groups])[at]
    return Group(draws, which[at], np.concatenate([group.order for group in groups])[at])


def reassign(groups: list[Group]) -> list[Group]:
    """Move every draw to the group that predicts it best and number it there, again until nothing changes.

    The prediction of a draw by a group of M others, in which vertex i was n_ir times in block r, is
    prod_i (n_ir + 1/B) / (M + 1). Groups that lose all their draws go.
    """
    everyone = pool(groups)
    group_of = np.empty(everyone.n_draws, dtype=np.int64)
    for k, group in enumerate(groups):
        group_of[np.searchsorted(everyone.which, group.which)] = k
    for _ in range(_ROUNDS):
        score = np.empty((len(groups), everyone.n_draws))
        orders = []
        for k, group in enumerate(groups):
            order, score[k] = predict(group, everyone.draws, everyone.which)
            orders.append(order)
        new = score.argmax(axis=0)
        kept = [k for k in range(len(groups)) if (new == k).any()]
        groups = [Group(everyone.draws[new == k], everyone.which[new == k], orders[k][new == k]) for k in kept]
        if np.array_equal(new, group_of):
            break
        group_of = np.searchsorted(kept, new)
    return groups


def predict(group: Group, draws: Array, which: Array) -> tuple[Array, Array]:
    """Return the numbering (M, B) of draws by a group, and how well it predicts them (M,), in nats.

    A draw of the group is predicted by the others in it.
    """
    n_blocks = group.order.shape[1]
    order = number_like(draws, group.main, n_blocks)
    members = Group(draws, which, order)
    score = members.sums(np.log((group.counts + 1 / n_blocks) / (group.n_draws + 1)))
    is_member = np.isin(which, group.which)
    if is_member.any():
        others = np.maximum(group.counts - 1, 0)
        score[is_member] = members.part(is_member).sums(np.log((others + 1 / n_blocks) / group.n_draws))
    return order, score
