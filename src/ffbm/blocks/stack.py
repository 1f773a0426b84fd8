"""Levels stacked on blocks by greedy merges: a quick bound on what a hierarchy would save of the description length.

Blocks stay as they are, so that only what their edge counts cost is compared, and the sums of their weights if edges
have some: P(e|b) against the levels above.
"""

import numpy as np

from ffbm.blocks.edges import factorial_table
from ffbm.blocks.levels import coarsened, edge_matrix, level_lengths
from ffbm.types import Array, Graph

_LEAST, _MOST = 4, 160  # blocks: with fewer a hierarchy saves nothing, with more the merges take seconds


def nats_by_levels(graph: Graph, labels: Array) -> float:
    """Return by how much S falls at least if levels are put above the blocks ``labels`` (N,); 0 if it does not.

    >>> nats_by_levels(Graph.from_edges([0, 1, 2], [1, 2, 3], 4), np.array([0, 1, 1, 2]))
    0.0
    """
    blocks = np.unique(labels, return_inverse=True)[1]
    n_blocks = int(blocks.max(initial=-1)) + 1
    if not _LEAST <= n_blocks <= _MOST:
        return 0.0
    levels = [blocks, *stack_levels(edge_matrix(graph, blocks), graph.is_directed)]
    flat, *_ = level_lengths(graph, [blocks])
    lowest, *above = level_lengths(graph, [*levels, np.zeros(int(levels[-1].max()) + 1, dtype=np.int64)])
    nested = lowest.weights + sum(level.edge_counts + level.partition + level.weights for level in above)
    return max(flat.edge_counts + flat.weights - nested, 0.0)


def stack_levels(counts: Array, is_directed: bool) -> list[Array]:
    """Return labels of groups, of groups of groups, and so on, each found by greedy merges, as long as S falls."""
    levels = []
    while len(counts) >= _LEAST:
        labels, saved = merge_groups(counts, is_directed)
        if saved <= 0:
            break
        levels.append(labels)
        counts = coarsened(counts, labels)
    return levels


def merge_groups(counts: Array, is_directed: bool) -> tuple[Array, float]:
    """Return the best groups of members with these edge counts that merges come by, and what they save over one group.

    Merges begin with a group for each member; each takes the pair after which S is lowest.
    """
    state = _Merging(counts, is_directed)
    n_members, best, lowest = len(counts), np.zeros(len(counts), dtype=np.int64), np.inf
    labels, nats = np.arange(n_members), 0.0  # of the edge counts and sizes of groups, over what they are at first
    while len(state.n) > 1:
        nats += state.merge(labels)
        now = nats + state.number_cost(n_members, len(state.n))
        if len(state.n) > 1 and now < lowest:
            best, lowest = labels.copy(), now
    return best, now - lowest


class _Merging:
    """Groups that are merged in pairs, with the change of S by every merge at hand."""

    def __init__(self, counts: Array, is_directed: bool) -> None:
        self.n, self.e, self.is_directed = np.ones(len(counts), dtype=np.int64), counts.copy(), is_directed
        n_ends = int(counts.sum())
        self.n_edges = n_ends if is_directed else n_ends // 2
        most = 2 * (self.n_edges + len(counts) ** 2)  # pairs and edges of two groups
        self.lf = factorial_table(2 * most)  # the two may be one group, counted twice
        self.changes = np.zeros(counts.shape)
        for t in range(len(counts)):
            self.changes += self._through(t)

    def merge(self, labels: Array) -> float:
        """Merge the cheapest pair, bring the labels of members up to date and return the change of S."""
        changes = self.changes + self._own()
        np.fill_diagonal(changes, np.inf)
        p, q = sorted(map(int, np.unravel_index(changes.argmin(), changes.shape)))
        nats = float(changes[p, q])
        self.changes -= self._through(p) + self._through(q)
        self.n[p] += self.n[q]
        self.e[p] += self.e[q]
        self.e[:, p] += self.e[:, q]
        self.n = np.delete(self.n, q)
        self.e = np.delete(np.delete(self.e, q, axis=0), q, axis=1)
        self.changes = np.delete(np.delete(self.changes, q, axis=0), q, axis=1) + self._through(p)
        labels[labels == q] = p
        labels[labels > q] -= 1
        others = np.arange(len(self.n))
        self.changes[p] = self.changes[:, p] = [self._with(p, s, np.setdiff1d(others, (p, s))) for s in others.tolist()]
        return nats

    def number_cost(self, n_members: int, n_groups: int) -> float:
        """Return what the number of groups costs, as a partition and on top: one group of all of them."""
        lf, n_pairs = self.lf, n_groups**2 if self.is_directed else n_groups * (n_groups + 1) // 2
        partition = lf[n_members - 1] - lf[n_groups - 1] - lf[n_members - n_groups]
        top = lf[n_pairs + self.n_edges - 1] - lf[self.n_edges] - lf[n_pairs - 1]
        return float(partition + top + np.log(n_groups))

    def _through(self, t: int) -> Array:
        """Return the change of what the edges with group t cost if r and s are merged (G, G); 0 where r or s is t."""
        n, e = self.n, self.e
        one = self._between(n, n[t], e[:, t], e[t])
        both = self._between(n[:, None] + n, n[t], e[:, t][:, None] + e[:, t], e[t][:, None] + e[t])
        change = both - one[:, None] - one
        change[t] = change[:, t] = 0.0
        return change

    def _with(self, p: int, s: int, others: Array) -> float:
        """Return the change of what the edges with other groups cost if p and s are merged."""
        n, e = self.n, self.e
        both = self._between(n[p] + n[s], n[others], (e[p] + e[s])[others], (e[:, p] + e[:, s])[others])
        apart = [self._between(n[r], n[others], e[r][others], e[:, r][others]) for r in (p, s)]
        return float((both - apart[0] - apart[1]).sum())

    def _own(self) -> Array:
        """Return the change of what the edges of r and s with themselves and each other cost, and their sizes."""
        n, e, lf = self.n, self.e, self.lf
        inside = self._inside(n, e.diagonal())
        both = self._inside(n[:, None] + n, e.diagonal()[:, None] + e.diagonal() + e + e.T)
        apart = inside[:, None] + inside + self._between(n[:, None], n, e, e.T)
        return both - apart - lf[n[:, None] + n] + lf[n][:, None] + lf[n]

    def _between(self, n_r: Array, n_s: Array, e_rs: Array, e_sr: Array) -> Array:
        nats = self._ways(n_r * n_s, e_rs)
        return nats + self._ways(n_r * n_s, e_sr) if self.is_directed else nats

    def _inside(self, n: Array, e: Array) -> Array:
        return self._ways(n * n, e) if self.is_directed else self._ways(n * (n + 1) // 2, e // 2)

    def _ways(self, n_pairs: Array, n_edges: Array) -> Array:
        return np.asarray(self.lf[n_pairs + n_edges - 1] - self.lf[n_edges] - self.lf[n_pairs - 1])
