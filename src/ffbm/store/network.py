"""A network as a data set: its graph, its features (dense or by the parts of CSR), its ids."""

import json
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
import xarray as xr

from ffbm.store.cells import from_json, from_texts, notes_from_json, notes_to_json, to_json, to_texts
from ffbm.types import EdgeWeights, Features, Graph, Network


def network_to_dataset(net: Network) -> xr.Dataset:
    """Return the network as variables over ``node`` and ``feature``.

    >>> import ffbm
    >>> sorted(network_to_dataset(ffbm.load_dataset("polbooks")).sizes)
    ['edge_end', 'feature', 'feature_entry', 'node', 'node_bound']
    """
    graph, x = net.graph, net.features
    variables: dict[str, Any] = {
        "graph_indptr": ("node_bound", graph.indptr),
        "graph_indices": ("edge_end", graph.indices),
        "graph_loops": ("node", graph.loops),
        **({} if graph.outward is None else {"graph_outward": ("node", graph.outward)}),
        **({} if graph.weights is None else {"graph_weights": ("edge", graph.weights.values)}),
        "feature_column": ("feature", to_texts(x.columns, "column names")),
        "feature_mean": ("feature", x.mean),
        "feature_sd": ("feature", x.sd),
    }
    if sp.issparse(x.values):
        variables["features_data"] = ("feature_entry", x.values.data)
        variables["features_indices"] = ("feature_entry", x.values.indices)
        variables["features_indptr"] = ("node_bound", x.values.indptr)
    else:
        variables["features"] = (("node", "feature"), x.values)
    if x.missing is not None:
        variables["missing_indices"] = ("missing_cell", x.missing.indices)
        variables["missing_indptr"] = ("node_bound", x.missing.indptr)
    ids, names = to_texts(net.node_ids, "vertex ids"), to_texts(x.names, "feature names")
    return xr.Dataset(
        variables,
        coords={"node": ids, "feature": names},
        attrs={
            "name": net.name,
            "notes": notes_to_json(net.notes),
            "fingerprint": net.fingerprint,
            "reading": to_json(net.reading),
            "replaced": to_json(x.replaced),
            **({} if graph.weights is None else {"edge_weight": json.dumps(graph.weights.to_dict())}),
        },
    )


def network_from_dataset(data: xr.Dataset) -> Network:
    """Return the network that ``network_to_dataset`` wrote; a run of 0.1.0 has no mask of missing cells."""
    indptr, indices, loops = (np.asarray(data[f"graph_{part}"]) for part in ("indptr", "indices", "loops"))
    graph = Graph(indptr, indices, loops, np.asarray(data["graph_outward"]) if "graph_outward" in data else None)
    if "graph_weights" in data:
        weights = EdgeWeights(np.asarray(data["graph_weights"]), **json.loads(data.attrs["edge_weight"]))
        graph = replace(graph, weights=weights)
    n, d = data.sizes["node"], data.sizes["feature"]
    values: Any
    if "features" in data:
        values = np.asarray(data["features"])
    else:
        parts = (np.asarray(data[f"features_{part}"]) for part in ("data", "indices", "indptr"))
        values = sp.csr_array(tuple(parts), shape=(n, d))
    features = Features(
        values,
        from_texts(data["feature"]),
        from_texts(data["feature_column"]),
        np.asarray(data["feature_mean"]),
        np.asarray(data["feature_sd"]),
        replaced=from_json(data.attrs.get("replaced", "{}")),
    )
    if "missing_indptr" in data:
        indices, indptr = (np.asarray(data[f"missing_{part}"]) for part in ("indices", "indptr"))
        cells = np.ones(len(indices), dtype=bool), indices, indptr
        features = replace(features, missing=sp.csr_array(cells, shape=(n, len(features.column_names))))
    ids = np.array(from_texts(data["node"]), dtype=object)
    reading = from_json(data.attrs.get("reading", "{}"))
    return Network(graph, features, ids, notes_from_json(data.attrs["notes"]), str(data.attrs["name"]), reading)
