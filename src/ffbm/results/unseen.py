"""Predictions for vertices that a fit has not seen, from a table as the user has it, and from their edges."""

import logging
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from scipy.special import logsumexp, softmax

from ffbm.blocks.likelihoods import likelihood_of
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
    if isinstance(features, pd.DataFrame) and not encoded:
        features, notes = encode_like(known, features)
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
    place = {str(name): at for at, name in enumerate(fit.network.node_ids)}
    n_draws = fit.blocks.n_chains * fit.blocks.n_draws
    labels = np.take_along_axis(
        fit.memberships.order.reshape(n_draws, -1).astype(np.int64),
        fit.blocks.labels.reshape(n_draws, -1).astype(np.int64),
        axis=1,
    )[np.unique(np.linspace(0, n_draws - 1, _DRAWS).astype(np.int64))]
    likelihood = likelihood_of(fit.blocks.settings.get("degree_corrected", True))
    before = np.array([sum(likelihood.parts(graph, b)) for b in labels])
    out = np.empty_like(by_features)
    for row, (prior, names) in enumerate(zip(by_features, edges, strict=True)):
        unknown = [name for name in names if str(name) not in place]
        if unknown:
            raise DataError(f"vertex {row} has an edge to {unknown[0]!r}, which is no vertex of the network")
        ends = [place[str(name)] for name in names]
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


def _read_like(known: Features, features: Features) -> Features:
    """Read columns that may be codes as a fit has read them, and leave out those that it took for repeats."""
    if not features.other:
        return features
    for name, values in features.other.items():
        if set(values.names) <= set(known.names):
            features = features.with_values(name, values)
    place = {name: j for j, name in enumerate(features.names)}
    if not set(known.names) <= set(place):
        return features
    return features.take(np.array([place[name] for name in known.names]))


def _by_name(known: Features, table: pd.DataFrame) -> Array:
    """Return the columns of a table of encoded features, in the order of the fit."""
    lacking = [name for name in known.names if name not in table.columns]
    if lacking:
        raise DataError(f"a table with encoded=True has a column for each feature; {lacking[0]!r} is not there")
    return table[list(known.names)].to_numpy(dtype=np.float64)
