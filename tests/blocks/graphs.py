"""Small multigraphs with everything that goes wrong: isolates, loops, parallel edges."""

import numpy as np

from ffbm.blocks.likelihoods import DEGREE_CORRECTED
from ffbm.blocks.priors import UNIFORM
from ffbm.blocks.target import BlockTarget, block_ledger, block_model
from ffbm.verification.changes import random_graph
from ffbm.verification.enumeration import graph_of

__all__ = ["LAYOUTS", "graph_of", "model_and_ledger", "random_graph"]

LAYOUTS = ("near", "square", "compact")


def model_and_ledger(graph, labels, n_blocks, field=None, layout="near", prior=UNIFORM, likelihood=DEGREE_CORRECTED):
    """The tables of counts with neighbours' blocks, without them, and with nothing dense at all."""
    model = block_model(BlockTarget(graph, likelihood, prior), n_blocks, field)
    ledger = block_ledger(model, np.asarray(labels), n_blocks, dense=layout != "compact")
    return model, ledger._replace(links=np.zeros((0, 0), dtype=np.int32)) if layout == "square" else ledger


def check_counts(model, ledger, n_blocks):
    """Compare the counts of a ledger with those made again from its labels."""
    recounted = block_ledger(model, ledger.b, n_blocks)
    for name in ("n", "e", "ers", "eta", "links", "used"):
        assert np.array_equal(getattr(ledger, name), getattr(recounted, name)), name
