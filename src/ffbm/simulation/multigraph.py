"""The graph of the model itself: edge counts, degrees and a multigraph, each drawn from its exact law given the blocks.

P(e|b) is uniform over the edge counts between non-empty blocks, P(k|e,b) uniform over the degree counts of each block
and over who has which, P(A|k,e,b) that of half-edges paired at random; together exp(-S(b)) without the partition.
Without degree correction every half-edge of a block goes to any of its vertices alike. Of a directed graph e counts
arcs, and the tails and heads of a block have degrees of their own.
"""

from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from ffbm.blocks.likelihoods import DEGREE_CORRECTED, UNCORRECTED, Likelihood
from ffbm.blocks.logq import partition_tables
from ffbm.kernels.degrees import draw_parts
from ffbm.types import Array, Graph


def draw_multigraph(
    rng: np.random.Generator,
    labels: Array,
    n_blocks: int,
    n_edges: int,
    likelihood: Likelihood = DEGREE_CORRECTED,
    directed: bool = False,
) -> Graph:
    """Draw A from p(A | b): a multigraph with loops and parallel edges.

    Parameters
    ----------
    rng : Generator
    labels : (N,) whole numbers below ``n_blocks``
        b; a block may be empty.
    n_blocks, n_edges : int
        B and E.
    likelihood : Likelihood
        With or without degree correction.
    directed : bool
        Whether A is a directed multigraph.

    Examples
    --------
    >>> graph = draw_multigraph(np.random.default_rng(1), np.array([0, 0, 1, 1]), 3, 7)
    >>> graph.n_edges, int(graph.degrees.sum())
    (7, 14)
    """
    sizes, draw = np.bincount(labels, minlength=n_blocks), _DEGREES[likelihood.name]
    if directed:
        arcs = draw_arc_counts(rng, sizes, n_edges)
        return join_arcs(rng, labels, draw(rng, labels, arcs.sum(axis=1)), draw(rng, labels, arcs.sum(axis=0)), arcs)
    counts = draw_edge_counts(rng, sizes, n_edges)
    degrees = draw(rng, labels, counts.sum(axis=1))
    return pair_half_edges(rng, labels, degrees, counts)


def draw_edge_counts(rng: np.random.Generator, sizes: Array, n_edges: int) -> Array:
    """Draw e (B, B) from P(e | b): e_rs half-edges from block r to s, e_rr twice the edges inside r.

    The edges m_rs, r <= s, are a uniform weak composition of E into B_b (B_b + 1)/2 parts (stars and bars), B_b the
    number of non-empty blocks.
    """
    used = np.flatnonzero(sizes)
    row, column = np.triu_indices(len(used))
    edges = _composition(rng, n_edges, len(row))
    e = np.zeros((len(sizes), len(sizes)), dtype=np.int64)
    np.add.at(e, (used[row], used[column]), edges)
    np.add.at(e, (used[column], used[row]), edges)  # the diagonal twice, as it should be
    return e


def draw_arc_counts(rng: np.random.Generator, sizes: Array, n_edges: int) -> Array:
    """Draw e (B, B) of a directed graph from P(e | b): a uniform weak composition of E into B_b^2 parts."""
    used = np.flatnonzero(sizes)
    e = np.zeros((len(sizes), len(sizes)), dtype=np.int64)
    e[np.ix_(used, used)] = _composition(rng, n_edges, len(used) ** 2).reshape(len(used), len(used))
    return e


def _composition(rng: np.random.Generator, total: int, n_parts: int) -> Array:
    """Draw whole numbers (n_parts,) from 0 that add up to ``total``, all such alike: stars and bars."""
    bars = np.sort(rng.choice(total + n_parts - 1, n_parts - 1, replace=False))
    return np.diff(np.concatenate(([-1], bars, [total + n_parts - 1]))) - 1


def draw_nested_multigraph(rng: np.random.Generator, labels: Array, parents: Sequence[Array], n_edges: int) -> Graph:
    """Draw A given the leaf of each vertex in a tree, from the root down; leaves and groups may be empty.

    Parameters
    ----------
    rng : Generator
    labels : (N,) whole numbers
        The leaf of each vertex.
    parents : sequence of arrays
        The group of each leaf, of each of these, and so on; the last has one group.
    n_edges : int

    Examples
    --------
    >>> tree = [np.array([0, 0, 1]), np.array([0, 0])]
    >>> draw_nested_multigraph(np.random.default_rng(1), np.array([0, 0, 2, 2]), tree, 7).n_edges
    7
    """
    occupied = [np.unique(labels)]
    for members in parents:
        occupied.append(np.unique(members[occupied[-1]]))
    counts = np.full((1, 1), 2 * n_edges)
    for below, members in zip(reversed(occupied[:-1]), reversed(parents), strict=True):
        counts = deal_down(rng, counts, np.unique(members[below], return_inverse=True)[1])
    leaves = np.searchsorted(occupied[0], labels)
    return pair_half_edges(rng, leaves, draw_degrees(rng, leaves, counts.sum(axis=1)), counts)


def deal_down(rng: np.random.Generator, counts: Array, groups: Array) -> Array:
    """Draw the half-edges (B, B) between members of groups (B,) given those between groups, all ways to deal alike."""
    below = np.zeros((len(groups), len(groups)), dtype=np.int64)
    for r, s in zip(*np.triu_indices(len(counts)), strict=True):
        first, second = (np.flatnonzero(groups == group) for group in (r, s))
        if r == s:
            row, column = (first[side] for side in np.triu_indices(len(first)))
        else:
            row, column = (side.ravel() for side in np.meshgrid(first, second, indexing="ij"))
        edges = _composition(rng, int(counts[r, s]) // (2 if r == s else 1), len(row))
        np.add.at(below, (row, column), edges)
        np.add.at(below, (column, row), edges)
    return below


def draw_degrees(rng: np.random.Generator, labels: Array, ends: Array) -> Array:
    """Draw k (N,) from P(k | e, b): in each block a uniform partition of e_r into at most n_r parts, dealt at random.

    ends : (B,) e_r, the half-edges of each block.
    """
    degrees = np.zeros(len(labels), dtype=np.int64)
    tables = partition_tables(int(ends.max(initial=0)), len(labels))
    lf = gammaln(np.arange(1.0, len(labels) + 3))
    for r in np.unique(labels):
        inside = np.flatnonzero(labels == r)
        parts = np.empty(len(inside), dtype=np.int64)
        draw_parts(rng, int(ends[r]), lf, tables.exact, tables.few_parts, tables.many_parts, parts)
        degrees[rng.permutation(inside)] = parts
    return degrees


def scatter_half_edges(rng: np.random.Generator, labels: Array, ends: Array) -> Array:
    """Draw k (N,) without degree correction: each half-edge of a block is at any of its vertices alike."""
    degrees = np.zeros(len(labels), dtype=np.int64)
    for r in np.unique(labels):
        inside = np.flatnonzero(labels == r)
        degrees[inside] = np.bincount(rng.integers(0, len(inside), int(ends[r])), minlength=len(inside))
    return degrees


_DEGREES = {DEGREE_CORRECTED.name: draw_degrees, UNCORRECTED.name: scatter_half_edges}


def pair_half_edges(rng: np.random.Generator, labels: Array, degrees: Array, counts: Array) -> Graph:
    """Draw A from P(A | k, e, b): shuffle each block's half-edges, deal e_rs of them to each s, pair in that order."""
    halves = rng.permutation(np.repeat(np.arange(len(labels)), degrees))
    halves = halves[np.argsort(labels[halves], kind="stable")]  # block after block, each in random order
    block = labels[halves]
    other = np.repeat(np.tile(np.arange(len(counts)), len(counts)), counts.ravel())
    inside = halves[block == other]
    is_out, is_back = block < other, block > other
    order = np.lexsort((block[is_back], other[is_back]))  # in the order of is_out: by smaller, then larger block
    source = np.concatenate((inside[::2], halves[is_out]))
    target = np.concatenate((inside[1::2], halves[is_back][order]))
    return Graph.from_edges(source, target, len(labels))


def join_arcs(rng: np.random.Generator, labels: Array, out_degrees: Array, in_degrees: Array, counts: Array) -> Graph:
    """Draw a directed A from P(A | k, e, b): shuffle each block's tails, deal e_rs of them to each s; so with heads."""
    tails, heads = (
        halves[np.argsort(labels[halves], kind="stable")]  # block after block, each in random order
        for halves in (rng.permutation(np.repeat(np.arange(len(labels)), k)) for k in (out_degrees, in_degrees))
    )
    block = np.arange(len(counts))
    origin = np.repeat(np.tile(block, len(counts)), counts.T.ravel())  # of each head, as dealt
    order = np.lexsort((labels[heads], origin))  # as the tails lie: by where from, then where to
    return Graph.from_edges(tails, heads[order], len(labels), directed=True)
