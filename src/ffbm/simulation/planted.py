"""A simple graph with planted blocks: any size, no loops, no parallel edges, as many edges as asked for.

How many edges lie between two blocks is multinomial, with chances in proportion to the sum of t_i t_j M_rs over their
pairs of vertices, M the block matrix and t the vertices' own weights; there they are drawn one after the other, each
from the pairs that are still free, with chances in proportion to t_i t_j.
"""

import numpy as np

from ffbm.types import Array, Graph

_MOST_DENSE = 0.25  # above this share of a pair of blocks' own pairs, they are listed
_MOST_LISTED = 20_000_000  # pairs of vertices that may be listed at once
_PATIENCE = 20  # rounds after which they are listed as well
_BITS = 31  # of a vertex's number


def draw_planted(
    rng: np.random.Generator,
    labels: Array,
    block_matrix: Array,
    n_edges: int,
    degree_exponent: float | None,
    directed: bool = False,
) -> Graph:
    """Draw a simple graph of ``n_edges`` edges, denser where the block matrix is larger.

    Parameters
    ----------
    rng : Generator
    labels : (N,) whole numbers
    block_matrix : (B, B) float64, none negative, symmetric unless directed
        How likely an edge is between a vertex of block r and one of block s, or from r to s; only ratios count.
    n_edges : int
        At most as many as there are pairs of vertices whose entry is not 0.
    degree_exponent : float or None
        The tail of the degrees: the vertices' own weights t have density t^-exponent, t >= 1; None: all are 1.
    directed : bool
        Whether edges lead from one vertex to the other; out- and in-degrees then have weights of their own.

    Examples
    --------
    >>> graph = draw_planted(np.random.default_rng(1), np.repeat([0, 1], 50), np.eye(2), 200, None)
    >>> graph.n_edges, bool((graph.edges[:, 0] < graph.edges[:, 1]).all())
    (200, True)
    """
    weight = _vertex_weights(rng, len(labels), degree_exponent)
    other = _vertex_weights(rng, len(labels), degree_exponent) if directed else weight
    groups = _Groups(labels, (weight, other), len(block_matrix), directed)
    row, column = (
        (axis.ravel() for axis in np.indices(block_matrix.shape)) if directed else np.triu_indices(len(block_matrix))
    )
    mass, n_pairs = groups.mass[row, column] * block_matrix[row, column], groups.n_pairs[row, column]
    share = _share_out(rng, n_edges, mass, np.where(mass > 0, n_pairs, 0))
    ends = [_draw_pairs(rng, groups, *map(int, part)) for part in zip(row, column, share, strict=True) if part[2]]
    pairs = np.concatenate(ends) if ends else np.zeros((0, 2), dtype=np.int64)
    return Graph.from_edges(pairs[:, 0], pairs[:, 1], len(labels), directed)


def count_pairs(labels: Array, block_matrix: Array, directed: bool = False) -> int:
    """Return how many pairs of vertices may have an edge: those whose entry of the block matrix is not 0."""
    sizes = np.bincount(labels, minlength=len(block_matrix)).astype(float)
    if directed:
        pairs = np.outer(sizes, sizes) - np.diag(sizes)
    else:
        pairs = np.triu(np.outer(sizes, sizes), 1) + np.diag(sizes * (sizes - 1) / 2)
    return int(pairs[block_matrix > 0].sum())


class _Groups:
    """The vertices of each block, with the running sums of their weights, and what each pair of blocks holds.

    ``weights`` are those of the first and of the second end of an edge, the same unless it is directed.
    """

    def __init__(self, labels: Array, weights: tuple[Array, Array], n_blocks: int, directed: bool) -> None:
        self.weights, self.directed = weights, directed
        self.members = [np.flatnonzero(labels == r) for r in range(n_blocks)]
        self.ladders = [[np.cumsum(weight[inside]) for inside in self.members] for weight in weights]
        sizes = np.array([len(inside) for inside in self.members], dtype=float)
        first, second = (np.array([weight[inside].sum() for inside in self.members]) for weight in weights)
        square = np.array([(weights[0][inside] * weights[1][inside]).sum() for inside in self.members])
        self.mass = np.outer(first, second)
        self.n_pairs = np.outer(sizes, sizes)
        ways = 1 if directed else 2  # a pair inside a block, counted from both its vertices
        np.fill_diagonal(self.mass, np.maximum(first * second - square, 0) / ways * (sizes > 1))
        np.fill_diagonal(self.n_pairs, sizes * (sizes - 1) / ways)

    def pick(self, rng: np.random.Generator, r: int, count: int, end: int) -> Array:
        """Draw vertices of block r by their weights as the first or second end."""
        ladder = self.ladders[end][r]
        position = np.searchsorted(ladder, rng.random(count) * ladder[-1], side="right")
        return self.members[r][np.minimum(position, len(ladder) - 1)]


def _vertex_weights(rng: np.random.Generator, n_nodes: int, exponent: float | None) -> Array:
    """Return t (N,), none above sqrt(N): one vertex cannot have most of the edges."""
    if exponent is None:
        return np.ones(n_nodes)
    return np.minimum((1 - rng.random(n_nodes)) ** (-1 / (exponent - 1)), np.sqrt(n_nodes))


def _share_out(rng: np.random.Generator, n_edges: int, mass: Array, n_pairs: Array) -> Array:
    """Share the edges out among pairs of blocks by their mass; what finds no room is shared out again."""
    share = np.zeros(len(mass), dtype=np.int64)
    n_left = n_edges
    while n_left:
        open_mass = np.where(share < n_pairs, mass, 0.0)
        share += rng.multinomial(n_left, open_mass / open_mass.sum())
        excess = np.maximum(share - n_pairs.astype(np.int64), 0)
        share -= excess
        n_left = int(excess.sum())
    return share


def _draw_pairs(rng: np.random.Generator, groups: _Groups, r: int, s: int, n_pairs: int) -> Array:
    """Draw different pairs of vertices of two blocks, or of one, one after the other by the product of their weights.

    Pairs drawn with replacement, of which the first of each kind is kept, follow that law; where so many are wanted
    that this takes long, the free pairs are listed, and those with the earliest exponential times of arrival taken.
    """
    n_all, n_rounds = groups.n_pairs[r, s], 0
    pairs = np.zeros(0, dtype=np.int64)
    while len(pairs) < n_pairs:
        if n_pairs > _MOST_DENSE * n_all or (n_rounds == _PATIENCE and n_all <= _MOST_LISTED):
            pairs = np.concatenate((pairs, _draw_from_list(rng, groups, r, s, n_pairs - len(pairs), pairs)))
            break
        count = int(1.1 * (n_pairs - len(pairs))) + 16
        first, second = groups.pick(rng, r, count, 0), groups.pick(rng, s, count, 1)
        fresh = np.concatenate((pairs, _keys(first, second, groups.directed)[first != second]))
        pairs = fresh[np.sort(np.unique(fresh, return_index=True)[1])][:n_pairs]
        n_rounds += 1
    return np.column_stack((pairs >> _BITS, pairs & ((1 << _BITS) - 1)))


def _draw_from_list(rng: np.random.Generator, groups: _Groups, r: int, s: int, n_pairs: int, drawn: Array) -> Array:
    if r == s and not groups.directed:
        first, second = np.triu_indices(len(groups.members[r]), 1)
    else:
        first, second = (ends.ravel() for ends in np.indices((len(groups.members[r]), len(groups.members[s]))))
    first, second = groups.members[r][first], groups.members[s][second]
    keys = _keys(first, second, groups.directed)
    arrival = rng.exponential(size=len(first)) / (groups.weights[0][first] * groups.weights[1][second])
    arrival[np.isin(keys, drawn) | (first == second)] = np.inf
    return keys[np.argpartition(arrival, n_pairs - 1)[:n_pairs]]


def _keys(first: Array, second: Array, directed: bool) -> Array:
    """Return one number for each pair of vertices, whichever comes first unless they are ordered."""
    if directed:
        return np.asarray(first << _BITS | second)
    return np.asarray(np.minimum(first, second) << _BITS | np.maximum(first, second))
