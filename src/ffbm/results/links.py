"""Which edges are missing: scores and probabilities of pairs of vertices, averaged over the partitions of a fit."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pandas as pd
from scipy.optimize import brentq
from scipy.special import expit, logsumexp

from ffbm.blocks.additions import edge_gains, multiplicities
from ffbm.blocks.likelihoods import likelihood_of
from ffbm.check import check_int
from ffbm.errors import DataError, either
from ffbm.plain import count_of
from ffbm.rng import stream
from ffbm.store.parts import FitParts
from ffbm.types import Array, Graph

_DRAWS = 100  # partitions that are averaged over, evenly spaced
_PIECE = 1 << 18  # pairs at a time
_KNOWN = 20_000  # pairs with and without an edge that the constant is fitted to
_ALL_PAIRS = 5_000_000  # up to here every pair without an edge is scored for the table
_REACH = 100.0  # nats within which the constant is sought


def link_scores(fit: FitParts, pairs: Any) -> Array:
    """Return for each pair (P,) the log odds of an edge, up to one constant: see ``Fit.link_scores``."""
    return _scores(fit, _as_places(fit, pairs))


def link_probabilities(fit: FitParts, pairs: Any) -> Array:
    """Return for each pair (P,) the probability of an edge: see ``Fit.link_probabilities``."""
    return _probabilities(fit, _scores(fit, _as_places(fit, pairs)))


def missing_links(fit: FitParts, top: int = 100) -> pd.DataFrame:
    """Return the pairs without an edge that are most likely to have one: see ``Fit.missing_links``."""
    top = check_int("top", top, low=1)
    graph, ids, labels = fit.network.graph, fit.network.node_ids, fit.memberships.labels
    pairs = _pairs_without_edge(graph)
    scores = np.concatenate([_scores(fit, part) for part in _pieces(pairs)]) if len(pairs) else np.zeros(0)
    best = np.argsort(-scores, kind="stable")[:top]
    probability = _probabilities(fit, scores[best]) if len(best) else np.zeros(0)
    i, j = pairs[best].T if len(best) else np.zeros((2, 0), dtype=np.int64)
    return pd.DataFrame(
        {
            "source": [ids[k] for k in i], "target": [ids[k] for k in j], "probability": probability,
            "score": scores[best], "source_block": labels[i], "target_block": labels[j],
        }
    )  # fmt: skip


def _probabilities(fit: FitParts, scores: Array) -> Array:
    return np.asarray(expit(scores + fit_constant(fit)))


def fit_constant(fit: FitParts) -> float:
    """Return the constant c of P(edge) = 1 / (1 + exp(-(score + c))), by maximum likelihood.

    Every pair is held out by itself: an edge is scored in the network without it. All edges and as many random pairs
    without an edge are used, at most 20,000 each, the latter with the weight of all that they stand for.
    """
    graph = fit.network.graph
    n_pairs = _n_pairs(graph)
    rng = stream(fit.config.seed or 0, "links")
    edges = np.unique(graph.edges[graph.edges[:, 0] != graph.edges[:, 1]], axis=0)
    if not len(edges) or len(edges) == n_pairs:
        raise DataError(
            f"probabilities of links need pairs with and without an edge; got {count_of(len(edges), 'pair')} with an"
            f" edge of {n_pairs:,}{either(': use link_scores')}"
        )
    some = edges if len(edges) <= _KNOWN else edges[rng.choice(len(edges), _KNOWN, replace=False)]
    others = random_pairs_without_edge(graph, min(_KNOWN, n_pairs - len(edges)), rng)
    weight = np.repeat([len(edges) / len(some), (n_pairs - len(edges)) / len(others)], [len(some), len(others)])
    scores = _scores(fit, np.concatenate((some, others)))

    def excess(constant: float) -> float:
        return float(weight @ expit(scores + constant)) - len(edges)

    middle = -float(scores.mean())
    return float(brentq(excess, middle - _REACH, middle + _REACH))


def random_pairs_without_edge(graph: Graph, n_wanted: int, rng: np.random.Generator) -> Array:
    """Return different random pairs (P, 2) of vertices without an edge, the smaller first unless directed."""
    chosen = np.zeros((0, 2), dtype=np.int64)
    while len(chosen) < n_wanted:
        pairs = rng.integers(0, graph.n_nodes, size=(2 * n_wanted + 16, 2))
        pairs = (pairs if graph.is_directed else np.sort(pairs, axis=1))[pairs[:, 0] != pairs[:, 1]]
        pairs = np.unique(np.concatenate((chosen, pairs[multiplicities(graph, pairs) == 0])), axis=0)
        chosen = pairs if len(pairs) <= n_wanted else pairs[np.sort(rng.choice(len(pairs), n_wanted, replace=False))]
    return chosen


def _scores(fit: FitParts, pairs: Array) -> Array:
    """Average over partitions: p(A + ij) / p(A) is the mean of the ratios given b; for an edge 1 / p(A - ij) / p(A)."""
    graph, settings = fit.network.graph, fit.blocks.settings
    likelihood = likelihood_of(settings.get("degree_corrected", True))
    labels = fit.blocks.labels.reshape(-1, graph.n_nodes)
    which = np.unique(np.linspace(0, len(labels) - 1, _DRAWS).astype(np.int64))
    times = multiplicities(graph, pairs)
    sign = np.where(times > 0, -1.0, 1.0)
    gains = np.array(
        [
            edge_gains(graph, b, int(b.max(initial=0)) + 1, pairs, times, likelihood)
            for b in labels[which].astype(np.int64)
        ]
    )
    return np.asarray(sign * (logsumexp(sign * gains, axis=0) - np.log(len(which))))


def _pairs_without_edge(graph: Graph) -> Array:
    """Return all pairs without an edge; in a large network those at distance two."""
    n = graph.n_nodes
    if _n_pairs(graph) <= _ALL_PAIRS:
        pairs = np.column_stack(np.triu_indices(n, 1))
        pairs = np.concatenate((pairs, pairs[:, ::-1])) if graph.is_directed else pairs
        return np.asarray(pairs[multiplicities(graph, pairs) == 0])
    rows = []
    for i in range(n):
        near = graph.indices[graph.indptr[i] : graph.indptr[i + 1]]
        two = np.unique(np.concatenate([graph.indices[graph.indptr[j] : graph.indptr[j + 1]] for j in near] or [near]))
        two = np.setdiff1d(two, np.append(near, i)) if graph.is_directed else np.setdiff1d(two[two > i], near)
        rows.append(np.column_stack((np.full(len(two), i), two)))
    return np.concatenate(rows).astype(np.int64)


def _n_pairs(graph: Graph) -> int:
    """Return how many pairs of different vertices there are, with both orders if directed."""
    return graph.n_nodes * (graph.n_nodes - 1) // (1 if graph.is_directed else 2)


def _pieces(pairs: Array) -> Iterable[Array]:
    return (pairs[first : first + _PIECE] for first in range(0, len(pairs), _PIECE))


def _as_places(fit: FitParts, pairs: Any) -> Array:
    """Return the places (P, 2) of vertices that are given by their ids."""
    rows = [tuple(pair) for pair in (pairs.to_numpy() if isinstance(pairs, pd.DataFrame) else pairs)]
    index_of = {str(name): at for at, name in enumerate(fit.network.node_ids)}
    out = np.zeros((len(rows), 2), dtype=np.int64)
    for number, row in enumerate(rows):
        if len(row) != 2:
            raise DataError(f"a pair is two ids of vertices; got {len(row)} in pair {number}: {row!r}")
        for side, name in enumerate(row):
            if str(name) not in index_of:
                raise DataError(f"pair {number} names {name!r}, which is no vertex of the network")
            out[number, side] = index_of[str(name)]
    same = np.flatnonzero(out[:, 0] == out[:, 1])
    if len(same):
        raise DataError(f"a pair is two different vertices; pair {same[0]} is {rows[same[0]][0]!r} twice")
    return out
