"""The modes of a set of partitions: groups of draws that show different pictures of the network."""

import math
from itertools import combinations

import numpy as np

from ffbm.blocks.groups import Group, predict, reassign
from ffbm.blocks.separation import LEAST_DRAWS, LEAST_SHARE, are_two_modes, distance, evidence, together
from ffbm.rng import stream
from ffbm.types import Array

MOST_VERTICES = 5_000  # compared, drawn at random: 5 % of them is known to 0.3 %
MOST_DRAWS = 1_000  # searched, evenly spaced; the others then join the mode that predicts them best
MOST_GROUPS = 32  # that the draws are cut into before those that are one mode are joined
_STEPS = 30  # of the power method


def find_modes(draws: Array, order: Array) -> Array:
    """Return the mode of each draw (T,), numbered by decreasing weight.

    The draws are cut in two along their main direction of variation, the parts again, and so on, as long as that
    shortens the description of the draws; then groups that are not two modes are joined, the closest first: see
    ``are_two_modes``. The search looks at a bounded number of vertices and draws, so all takes time that is linear
    in the number of labels.

    Parameters
    ----------
    draws : (T, N) integers
        Labels, as the chains numbered them.
    order : (T, B) integers
        A common numbering of the blocks of each draw, to begin with.

    Examples
    --------
    >>> one, other = np.repeat([0, 1], 20), np.tile([0, 1], 20)
    >>> draws = np.array([one, one, one, other, other, one], dtype=np.uint8)
    >>> find_modes(draws, np.tile([0, 1], (6, 1))).tolist()
    [0, 0, 0, 1, 1, 0]
    """
    n_all, n_nodes = draws.shape
    if order.shape[1] == 1 or n_all < 2 * LEAST_DRAWS:
        return np.zeros(n_all, dtype=np.int64)
    vertices = np.arange(n_nodes)
    if n_nodes > MOST_VERTICES:
        vertices = np.sort(stream(0, "modes", "vertices").choice(n_nodes, MOST_VERTICES, replace=False))
    which = np.unique(np.linspace(0, n_all - 1, min(n_all, MOST_DRAWS)).astype(np.int64))
    seen = np.ascontiguousarray(draws[np.ix_(which, vertices)])
    least = max(LEAST_DRAWS, math.ceil(LEAST_SHARE * len(which)))
    groups = _join(_divide(Group(seen, which, order[which].astype(np.int64))), least)
    if len(groups) > 1:
        groups = _join(reassign(groups), least)
    return _by_weight(_place_all(draws, vertices, groups))


def _divide(whole: Group) -> list[Group]:
    """Cut the draws into groups, always where that saves most, until nothing is saved."""
    final: list[Group] = []
    waiting = [_cut(whole)]
    while waiting and len(final) + len(waiting) < MOST_GROUPS:
        waiting.sort(key=lambda cut: cut[0])
        saved, group, parts = waiting.pop()
        if saved <= 0:
            final.append(group)
        else:
            waiting += [_cut(part) for part in parts]
    return final + [group for _, group, _ in waiting]


def _cut(group: Group) -> tuple[float, Group, list[Group]]:
    """Return what the best cut of a group saves, the group, and its two parts; nothing saved if there is no cut."""
    if group.n_draws < 2 * LEAST_DRAWS:
        return 0.0, group, []
    upper = _upper_part(_main_direction(group))
    parts = reassign([group.part(upper), group.part(~upper)])
    if len(parts) < 2 or min(part.n_draws for part in parts) < LEAST_DRAWS:
        return 0.0, group, []
    one, other = parts
    return evidence(one, other.like(one)), group, parts


def _main_direction(group: Group) -> Array:
    """Return where each draw lies (M,) along the first principal component of the labels as indicators."""
    odd = np.zeros(group.n_draws)
    odd[group.sums(group.counts).argmin()] = 1.0  # seen from the draw that fits in least, to begin with
    direction = odd
    for _ in range(_STEPS):
        direction = group.sums(group.weighted(direction))
        direction -= direction.mean()
        length = np.linalg.norm(direction)
        if length == 0:
            break
        direction /= length
    return direction


def _upper_part(position: Array) -> Array:
    """Cut positions on a line in two so that they vary least within the parts; return which are in the upper one."""
    at = np.argsort(position, kind="stable")
    below = np.arange(1, len(position))
    total = np.cumsum(position[at])
    between = (total[:-1] * len(position) / below - total[-1]) ** 2 * below / (len(position) - below)
    upper = np.zeros(len(position), dtype=bool)
    upper[at[int(between.argmax()) + 1 :]] = True
    return upper


def _join(groups: list[Group], least: int) -> list[Group]:
    """Join groups that are not two modes, the closest first, until all that are left are modes."""
    by_name = dict(enumerate(groups))
    close: dict[tuple[int, int], float] = {}
    fresh = list(combinations(by_name, 2))
    while True:
        for a, b in fresh:
            one, other = by_name[a], by_name[b]
            if not are_two_modes(one, other, least):
                close[a, b] = distance(one, other.like(one))
        if not close:
            return list(by_name.values())
        a, b = min(close, key=lambda pair: (close[pair], pair))
        new = max(by_name) + 1
        joined = together(by_name.pop(a), by_name.pop(b))
        close = {pair: apart for pair, apart in close.items() if not {a, b} & set(pair)}
        fresh = [(name, new) for name in by_name]
        by_name[new] = joined


def _place_all(draws: Array, vertices: Array, groups: list[Group]) -> Array:
    """Return the group of every draw (T,): its own, or the one that predicts it best."""
    group_of = np.full(len(draws), -1, dtype=np.int64)
    for k, group in enumerate(groups):
        group_of[group.which] = k
    rest = np.flatnonzero(group_of < 0)
    for first in range(0, len(rest), MOST_DRAWS):
        which = rest[first : first + MOST_DRAWS]
        seen = np.ascontiguousarray(draws[np.ix_(which, vertices)])
        group_of[which] = np.argmax([predict(group, seen, which)[1] for group in groups], axis=0)
    return group_of


def _by_weight(group_of: Array) -> Array:
    """Give groups numbers by decreasing size; of equal ones the first to appear goes first.

    >>> _by_weight(np.array([2, 0, 0, 1])).tolist()
    [1, 0, 0, 2]
    """
    _, first, group, size = np.unique(group_of, return_index=True, return_inverse=True, return_counts=True)
    rank = np.argsort(np.lexsort((first, -size)))
    return rank[group]
