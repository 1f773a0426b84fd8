"""Small multigraphs with everything that goes wrong: isolates, loops, parallel edges."""

import numpy as np

from ffbm.blocks.chain import block_counts, block_model
from ffbm.verification.changes import random_graph
from ffbm.verification.enumeration import graph_of

__all__ = ["LAYOUTS", "graph_of", "model_and_counts", "random_graph"]

LAYOUTS = ("near", "square", "compact")


def model_and_counts(graph, labels, n_blocks, field=None, layout="near", prior="uniform"):
    """The tables of counts with neighbours' blocks, without them, and with nothing dense at all."""
    model = block_model(graph, n_blocks, field, prior)
    counts = block_counts(model, np.asarray(labels), n_blocks, dense=layout != "compact")
    return model, counts._replace(near=np.zeros((0, 0), dtype=np.int32)) if layout == "square" else counts
