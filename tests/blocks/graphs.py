"""Small multigraphs with everything that goes wrong: isolates, loops, parallel edges."""

import numpy as np

from ffbm.blocks.chain import block_counts, block_model
from ffbm.types import Graph


def graph_of(edges, n_nodes):
    ends = np.array(edges, dtype=np.int64).reshape(-1, 2)
    return Graph.from_edges(ends[:, 0], ends[:, 1], n_nodes)


def random_graph(rng, n_nodes, n_edges):
    """Edges thrown at random pairs, so that loops and parallels occur, on all but the last two vertices."""
    ends = rng.integers(0, max(n_nodes - 2, 1), size=(n_edges, 2))
    return Graph.from_edges(ends[:, 0], ends[:, 1], n_nodes)


def model_and_counts(graph, labels, n_blocks, field=None, dense=True):
    model = block_model(graph, n_blocks, field)
    counts = block_counts(model, np.asarray(labels), n_blocks)
    return model, counts if dense else counts._replace(near=np.zeros((0, 0), dtype=np.int32))
