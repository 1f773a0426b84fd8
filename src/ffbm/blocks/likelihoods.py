"""The likelihoods of a graph given blocks that there are: each to be read, and for kernels."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks import degree_corrected, uncorrected
from ffbm.blocks.edges import log_binomial
from ffbm.types import Array, Graph


class Likelihood(NamedTuple):
    """A microcanonical likelihood P(A|b)."""

    name: str
    parts: Callable[[Graph, Array], tuple[float, float]]  # -ln P of the adjacency and of the degrees, given labels
    constant: Callable[[Graph], float]  # what of them does not depend on the labels
    tables: Callable[[Graph, Array], Any]  # what its kernels score by, given -ln P(e|b) for 0 .. B blocks in use
    n_pairs: Callable[[Any], Any]  # how many edge counts there are among some blocks

    def edge_cost(self, graph: Graph, n_used: Any) -> Any:
        """Return -ln P(e|b) for one or more numbers of blocks in use: edge counts that sum to E are all alike."""
        pairs = np.maximum(self.n_pairs(n_used), 1)
        return log_binomial(pairs + graph.n_edges - 1, graph.n_edges)


def _undirected(n_used: Any) -> Any:
    return n_used * (n_used + 1) / 2


DEGREE_CORRECTED = Likelihood(
    "degree-corrected", degree_corrected.parts, degree_corrected.constant, degree_corrected.tables, _undirected
)
UNCORRECTED = Likelihood("uncorrected", uncorrected.parts, uncorrected.constant, uncorrected.tables, _undirected)


def likelihood_of(is_degree_corrected: bool) -> Likelihood:
    """Return the likelihood with or without degree correction."""
    return DEGREE_CORRECTED if is_degree_corrected else UNCORRECTED
