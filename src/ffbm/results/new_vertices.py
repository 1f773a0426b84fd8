"""Predictions for vertices that a fit has not seen, from a table as the user has it, and from their edges."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp, softmax

from ffbm.blocks.additions import count_arcs
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, likelihood_of
from ffbm.check import check_real
from ffbm.data.encode_like import encode_like
from ffbm.errors import DataError
from ffbm.scoring import predict
from ffbm.store.parts import FitParts
from ffbm.types import Array, Features, Graph
from ffbm.types.weights import WeightTrace

_DRAWS = 50  # partitions that are averaged over, evenly spaced


def predict_unseen(trace: WeightTrace, known: Features, features: Any, encoded: bool = False) -> Array:
    """Return the probability of each block (n, B) for vertices in a table, or with features encoded already.

    A table is encoded as ``known`` was; what of it could not be used is logged.
    """
    if isinstance(features, list) and features and all(isinstance(row, Mapping) for row in features):
        features = pd.DataFrame(features)
    if isinstance(features, Mapping):
        raise DataError("vertices must come as a table or a list of dicts; got one dict: put it into a list")
    if isinstance(features, pd.DataFrame) and not encoded:
        features, notes = encode_like(known, features, is_averaged=trace.imputed is not None)
        for note in notes:
            level = logging.INFO if note.code == "unused-columns" else logging.WARNING
            logging.getLogger("ffbm").log(level, note.message)
    elif isinstance(features, Features):
        features = _read_like(known, features)
    elif isinstance(features, pd.DataFrame):
        features = _by_name(known, features)
    return predict(trace, features)


def predict_linked(fit: FitParts, by_features: Array, edges: Sequence[Sequence[Any]]) -> Array:
    """Return the probability of each block (n, B) for vertices that also have edges to known ones.

    With b a kept partition and v in block r, p(r | A, edges, x) is proportional to softmax_r(W x) times the mean over
    b of p(A with v | b, r) / p(A | b): the change of S, exactly.
    """
    graph = fit.network.graph
    if graph.is_directed:
        raise DataError(
            "edges of new vertices are for undirected networks: leave edges out, or read with directed=False"
        )
    if len(edges) != len(by_features):
        raise DataError(f"edges must have one list for each of {len(by_features)} vertices; got {len(edges)}")
    index_of = {str(name): at for at, name in enumerate(fit.network.node_ids)}
    labels = aligned_labels(fit, _DRAWS)
    likelihood = likelihood_of(fit.blocks.settings.get("degree_corrected", True))
    before = np.array([sum(likelihood.parts(graph, b)) for b in labels])
    out = np.empty_like(by_features)
    for row, (prior, names) in enumerate(zip(by_features, edges, strict=True)):
        unknown = [name for name in names if str(name) not in index_of]
        if unknown:
            raise DataError(f"vertex {row} has an edge to {unknown[0]!r}, which is no vertex of the network")
        ends = [index_of[str(name)] for name in names]
        new = np.column_stack((np.full(len(ends), graph.n_nodes), ends)).astype(np.int64).reshape(-1, 2)
        first, second = np.concatenate((graph.edges, new)).T
        larger = Graph.from_edges(first, second, graph.n_nodes + 1)
        gains = np.array(
            [
                [was - sum(likelihood.parts(larger, np.append(b, r))) for r in range(len(prior))]
                for b, was in zip(labels, before, strict=True)
            ]
        )
        out[row] = softmax(np.log(np.maximum(prior, 1e-300)) + logsumexp(gains, axis=0))
    return out


def expected_links(fit: FitParts, by_features: Array, degree: Any = None) -> Array:
    """Return how many edges (n, N) new vertices are expected to have with each known one: see ``Fit.expected_links``.

    A half-edge of a vertex in block r goes to block s with probability e_rs / e_r, and there to j with k_j / e_s.
    """
    graph, n_blocks = fit.network.graph, by_features.shape[1]
    degree = graph.n_edges / graph.n_nodes * (1 if graph.is_directed else 2) if degree is None else degree
    degrees = np.array([check_real("degree", one, low=0) for one in np.ravel(degree).tolist()])
    if len(degrees) not in (1, len(by_features)):
        raise DataError(
            f"degree must be one number, or one for each of {len(by_features)} vertices; got {len(degrees)}"
        )
    is_corrected = likelihood_of(fit.blocks.settings.get("degree_corrected", True)).name == DEGREE_CORRECTED.name
    heads = (graph.in_degrees if graph.is_directed else graph.degrees) if is_corrected else np.ones(graph.n_nodes)
    labels, chances = aligned_labels(fit, _DRAWS), np.zeros((len(by_features), graph.n_nodes))
    for b in labels:
        edges = count_arcs(graph, b, n_blocks).astype(np.float64)
        edges = edges if graph.is_directed else edges + edges.T
        ends = edges.sum(axis=1, keepdims=True)
        anywhere = edges.sum(axis=0) / max(edges.sum(), 1.0)  # from a block without edges
        onward = np.where(ends > 0, edges / np.maximum(ends, 1.0), anywhere)
        inside = np.bincount(b, weights=heads, minlength=n_blocks)
        chances += (by_features @ onward)[:, b] * (heads / np.maximum(inside[b], 1.0))
    return np.asarray(degrees[:, np.newaxis] * chances / len(labels))


def aligned_labels(fit: FitParts, n_wanted: int) -> Array:
    """Return some partitions (T, N) of a fit, evenly spaced, in the fit's own numbering of the blocks."""
    n_draws = fit.blocks.n_chains * fit.blocks.n_draws
    which = np.unique(np.linspace(0, n_draws - 1, n_wanted).astype(np.int64))
    order, labels = (array.reshape(n_draws, -1)[which] for array in (fit.memberships.order, fit.blocks.labels))
    return np.take_along_axis(order.astype(np.int64), labels.astype(np.int64), axis=1)


def _read_like(known: Features, features: Features) -> Features:
    """Read columns that may be codes as a fit has read them, and leave out those that it took for repeats."""
    if not features.other:
        return features
    for name, values in features.other.items():
        if set(values.names) <= set(known.names):
            features = features.with_values(name, values)
    index_of = {name: j for j, name in enumerate(features.names)}
    if not set(known.names) <= set(index_of):
        return features
    return features.take(np.array([index_of[name] for name in known.names]))


def _by_name(known: Features, table: pd.DataFrame) -> Array:
    """Return the columns of a table of encoded features, in the order of the fit."""
    lacking = [name for name in known.names if name not in table.columns]
    if lacking:
        raise DataError(f"a table with encoded=True has a column for each feature; {lacking[0]!r} is not there")
    return table[list(known.names)].to_numpy(dtype=np.float64)
