"""How unevenly edges lie on the pairs of vertices of two blocks: the spread of A_ij around its expectation."""

import numpy as np

from ffbm.types import Array, Graph


def spread(graph: Graph, b: Array, is_corrected: bool) -> float:
    """Return the squared differences of A_ij from what is expected, over all pairs i != j, for each edge expected.

    Of e_rs edges from block r to block s, e_rs k_i k_j / (e_r e_s) are expected from i to j; without degree correction
    as many for each pair. It is about 1 if A_ij is a Poisson number; less if edges are not repeated, more if they are
    or lie on fewer pairs.

    Examples
    --------
    >>> blocks = np.array([0, 0, 1, 1])
    >>> even = Graph.from_edges([0, 0, 1, 1], [2, 3, 2, 3], n_nodes=4)
    >>> pairs = Graph.from_edges([0, 0, 1, 1], [2, 2, 3, 3], n_nodes=4)
    >>> spread(even, blocks, True), spread(pairs, blocks, True)
    (0.0, 1.0)
    """
    n, n_blocks = graph.n_nodes, int(b.max(initial=0)) + 1
    source, target = graph.edges.T
    if not graph.is_directed:  # each edge both ways, a loop twice
        source, target = np.concatenate((source, target)), np.concatenate((target, source))
    tails = np.bincount(source, minlength=n) if is_corrected else np.ones(n)
    heads = np.bincount(target, minlength=n) if is_corrected else np.ones(n)
    met = np.bincount(b[source] * n_blocks + b[target], minlength=n_blocks**2).reshape(n_blocks, n_blocks)
    pairs = np.outer(_sums(b, tails, n_blocks), _sums(b, heads, n_blocks))
    rate = np.divide(met, pairs, out=np.zeros(pairs.shape), where=pairs > 0)

    itself = rate[b, b] * tails * heads  # expected of i and i, which is no pair
    expected = (rate * pairs).sum() - itself.sum()
    squares = (rate**2 * np.outer(_sums(b, tails**2, n_blocks), _sums(b, heads**2, n_blocks))).sum()
    other = source != target
    where, times = np.unique(source[other] * n + target[other], return_counts=True)
    i, j = where // n, where % n
    linked = times * (times - 2 * rate[b[i], b[j]] * tails[i] * heads[j])
    return float((linked.sum() + squares - (itself**2).sum()) / expected) if expected > 0 else 0.0


def _sums(b: Array, values: Array, n_blocks: int) -> Array:
    return np.bincount(b, weights=values, minlength=n_blocks)
