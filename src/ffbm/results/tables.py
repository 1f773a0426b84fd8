"""The tables of a run: one row per vertex, one row per block."""

import numpy as np
import pandas as pd

from ffbm.data.decode import decode_features
from ffbm.results.block_features import set_apart
from ffbm.store.parts import FitParts

_ALL = slice(None)


def table_of_nodes(parts: FitParts, some: slice = _ALL) -> pd.DataFrame:
    """One row per vertex: ``id``, ``block``, whether it is in the training set, its degree and its memberships.

    ``some`` are the vertices, if not all. In a directed network the degree is the sum of ``out_degree`` and
    ``in_degree``.
    """
    members = parts.memberships
    in_training = np.zeros(len(members.labels), dtype=bool)
    in_training[parts.train] = True
    graph = parts.network.graph
    cells = {"id": parts.network.node_ids, "block": members.labels, "training": in_training, "degree": graph.degrees}
    if graph.is_directed:
        cells |= {"out_degree": graph.out_degrees, "in_degree": graph.in_degrees}
    table = pd.DataFrame({name: column[some] for name, column in cells.items()})
    shares = pd.DataFrame(members.probs[some], columns=[f"membership_{r}" for r in range(members.n_blocks)])
    return pd.concat([table, shares], axis=1)


def table_of_vertices(parts: FitParts) -> pd.DataFrame:
    """One row per vertex: what ``table_of_nodes`` has, and the attributes as they were read.

    An attribute with the name of another column is called ``name (attribute)``.
    """
    table, attributes = table_of_nodes(parts), decode_features(parts.network.features)
    names = {name: f"{name} (attribute)" for name in attributes if name in table}
    return pd.concat([table, attributes.rename(columns=names)], axis=1)


def table_of_blocks(parts: FitParts) -> pd.DataFrame:
    """One row per block: sizes, edges at it and inside it, how sure its vertices are, how well predicted, and more.

    ``set_apart_by`` has all features that do, the clearest first, with their centred weights.
    """
    members, graph = parts.memberships, parts.network.graph
    n_blocks, b = members.n_blocks, members.labels
    ends = b.astype(np.min_scalar_type(n_blocks))[graph.edges]
    inside = ends[:, 0] == ends[:, 1]
    sure = np.bincount(b, weights=members.probs[np.arange(len(b)), b], minlength=n_blocks)
    with np.errstate(invalid="ignore"):
        membership = sure / members.sizes
    table = pd.DataFrame(
        {
            "block": np.arange(n_blocks),
            "vertices": members.sizes,
            "training": np.bincount(b[parts.train], minlength=n_blocks),
            "expected_vertices": members.probs.sum(axis=0, dtype=np.float64),
            "membership": membership,
            "degree_sum": np.bincount(b, weights=graph.degrees, minlength=n_blocks).astype(np.int64),
            "edges_inside": np.bincount(ends[inside, 0], minlength=n_blocks),
            "accuracy_train": parts.scores.accuracy_train,
            "accuracy_test": parts.scores.accuracy_test,
        }
    )
    if graph.is_directed:
        for name, degrees in (("out_degree_sum", graph.out_degrees), ("in_degree_sum", graph.in_degrees)):
            sums = np.bincount(b, weights=degrees, minlength=n_blocks).astype(np.int64)
            table.insert(list(table).index("edges_inside"), name, sums)
    if n_blocks > 1:
        table["set_apart_by"] = [
            "; ".join(f"{one.feature} ({one.weight:+.2f})" for one in values) for values in set_apart(parts, sure=False)
        ]
    names = given_names(parts)
    if names is not None:
        table.insert(1, "given", names)
    return table


def given_names(parts: FitParts) -> list[str] | None:
    """Return the given label of each block, by its number in the answer; None if blocks were sampled."""
    labels = parts.blocks.settings.get("given")
    if labels is None:
        return None
    names = [""] * len(labels)
    for old, new in enumerate(parts.memberships.order[0, 0]):
        names[new] = labels[old]
    return names
