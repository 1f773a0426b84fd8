"""The likelihoods of a graph given blocks: each written to be read, and its tables for kernels."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks import degree_corrected, uncorrected
from ffbm.blocks.edges import log_binomial
from ffbm.types import Array, Graph


class Likelihood(NamedTuple):
    """A microcanonical likelihood P(A|b), of undirected and of directed graphs."""

    name: str
    parts: Callable[[Graph, Array], tuple[float, float]]  # -ln P of the adjacency and of the degrees, given labels
    constant: Callable[[Graph], float]  # what of them does not depend on the labels
    tables: Callable[[Graph, Array], Any]  # what its kernels score by, given -ln P(e|b) for 0 .. B blocks in use

    def edge_cost(self, graph: Graph, n_used: Any) -> Any:
        """Return -ln P(e|b) for numbers of blocks in use: all edge counts that sum to E are equally probable."""
        pairs = np.maximum(n_used * n_used if graph.is_directed else n_used * (n_used + 1) / 2, 1)
        return log_binomial(pairs + graph.n_edges - 1, graph.n_edges)


def _likelihood(name: str, module: Any) -> Likelihood:
    return Likelihood(name, module.parts, module.constant, module.tables)


DEGREE_CORRECTED = _likelihood("degree-corrected", degree_corrected)
UNCORRECTED = _likelihood("uncorrected", uncorrected)


def likelihood_of(is_degree_corrected: bool) -> Likelihood:
    """Return the likelihood with or without degree correction."""
    return DEGREE_CORRECTED if is_degree_corrected else UNCORRECTED
