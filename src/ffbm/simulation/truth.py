"""A simulated network with the truth beside it, and the files it is written to."""

import json
import os
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from ffbm.plain import finite
from ffbm.store.folder import check_new_folder, write_file
from ffbm.types import Array, Network


@dataclass(frozen=True, eq=False)
class Simulation:
    """A network and what it was made of.

    Parameters
    ----------
    network : Network
    labels : (N,) int64
        b, the block of each vertex; blocks are the rows of ``weights`` and may be empty.
    weights : (B, D) float64, or None
        W; None if the labels were given.
    n_blocks : int
        B.
    settings : dict
        What was chosen, the seed among it.
    """

    network: Network
    labels: Array
    weights: Array | None
    n_blocks: int
    settings: dict[str, Any]

    @cached_property
    def sizes(self) -> Array:
        """n_r, the number of vertices in each block (B,)."""
        return np.bincount(self.labels, minlength=self.n_blocks)

    @cached_property
    def edge_counts(self) -> Array:
        """e_rs (B, B), the half-edges from block r to block s, e_rr twice the edges inside r; or the directed edges."""
        ends = self.labels[self.network.graph.edges]
        flat = np.bincount(ends[:, 0] * self.n_blocks + ends[:, 1], minlength=self.n_blocks**2)
        one_way = flat.reshape(self.n_blocks, self.n_blocks)
        return one_way if self.network.graph.is_directed else np.asarray(one_way + one_way.T)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write ``edges.csv`` and ``nodes.csv``, which ``read_network`` takes, and ``truth.json`` into a new folder.

        A directed network is read again with ``directed=True``, weights with ``edge_weight="weight"`` and their law.

        Examples
        --------
        >>> import ffbm, pathlib, tempfile
        >>> made = ffbm.simulate(n_nodes=30, n_blocks=2, seed=1)
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> made.save(folder)
        >>> net = ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv")
        >>> net.fingerprint == made.network.fingerprint
        True
        """
        folder = check_new_folder(path)
        for name, content in (
            ("edges.csv", _write_edges(self.network)),
            ("nodes.csv", _write_nodes(self.network)),
            ("truth.json", json.dumps(self.truth(), indent=1, allow_nan=False) + "\n"),
        ):
            write_file(Path(folder) / name, content)

    def truth(self) -> dict[str, Any]:
        """Return what the network was made of as plain values for JSON."""
        record = {
            **self.settings,
            "n_nodes": self.network.n_nodes,
            "n_edges": self.network.n_edges,
            "n_blocks": self.n_blocks,
            "sizes": self.sizes,
            "edge_counts": self.edge_counts,
            "features": self.network.features.names,
            "weights": self.weights,
            "labels": dict(zip(map(str, self.network.node_ids), self.labels.tolist(), strict=True)),
        }
        plain: dict[str, Any] = finite(record)
        return plain

    def __repr__(self) -> str:
        kind = "drawn from the model" if self.settings["exact"] else "planted"
        sizes = ", ".join(map(str, self.sizes[:12])) + (", ..." if self.n_blocks > 12 else "")
        return f"<Simulation {kind}: {self.network!r} in blocks of {sizes}>"


def _write_edges(network: Network) -> str:
    ends = network.node_ids[network.graph.edges]
    table, weights = pd.DataFrame(ends, columns=["source", "target"]), network.graph.weights
    if weights is not None:
        is_count = weights.model in ("geometric", "poisson")
        table[weights.column] = weights.values.astype(np.int64) if is_count else weights.values
    return str(table.to_csv(index=False, lineterminator="\n"))


def _write_nodes(network: Network) -> str:
    """Write the features as they were before they were standardised, which reading does again."""
    features = network.features
    values, columns = features.dense(slice(None)), dict[str, Any](id=network.node_ids)
    for j, name in enumerate(features.names):
        cells = values[:, j] * features.sd[j] + features.mean[j]
        columns[name] = cells.astype(np.int64) if np.isin(cells, (0, 1)).all() else cells
    return str(pd.DataFrame(columns).to_csv(index=False, lineterminator="\n"))
