"""The likelihoods of a graph given blocks that there are: each to be read, and for kernels."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks import degree_corrected, directed_corrected, directed_uncorrected, uncorrected
from ffbm.blocks.edges import log_binomial
from ffbm.types import Array, Graph


class Form(NamedTuple):
    """What a likelihood is for undirected graphs, or for directed ones."""

    parts: Callable[[Graph, Array], tuple[float, float]]  # -ln P of the adjacency and of the degrees, given labels
    constant: Callable[[Graph], float]  # what of them does not depend on the labels
    tables: Callable[[Graph, Array], Any]  # what its kernels score by, given -ln P(e|b) for 0 .. B blocks in use
    n_pairs: Callable[[Any], Any]  # how many edge counts there are among some blocks


class Likelihood(NamedTuple):
    """A microcanonical likelihood P(A|b); whether the graph is directed says which of its forms is meant."""

    name: str
    undirected: Form
    directed: Form

    def form(self, graph: Graph) -> Form:
        """Return the form for a graph."""
        return self.directed if graph.is_directed else self.undirected

    def parts(self, graph: Graph, labels: Array) -> tuple[float, float]:
        """Return -ln P of the adjacency and of the degrees."""
        return self.form(graph).parts(graph, labels)

    def constant(self, graph: Graph) -> float:
        """Return what of them does not depend on the labels."""
        return self.form(graph).constant(graph)

    def tables(self, graph: Graph, edge_cost: Array) -> Any:
        """Return what its kernels score by, given -ln P(e|b) for 0 .. B blocks in use."""
        return self.form(graph).tables(graph, edge_cost)

    def edge_cost(self, graph: Graph, n_used: Any) -> Any:
        """Return -ln P(e|b) for one or more numbers of blocks in use: edge counts that sum to E are all alike."""
        pairs = np.maximum(self.form(graph).n_pairs(n_used), 1)
        return log_binomial(pairs + graph.n_edges - 1, graph.n_edges)


def _pairs(n_used: Any) -> Any:
    return n_used * (n_used + 1) / 2


def _ordered_pairs(n_used: Any) -> Any:
    return n_used * n_used


def _form(module: Any, n_pairs: Callable[[Any], Any]) -> Form:
    return Form(module.parts, module.constant, module.tables, n_pairs)


DEGREE_CORRECTED = Likelihood(
    "degree-corrected", _form(degree_corrected, _pairs), _form(directed_corrected, _ordered_pairs)
)
UNCORRECTED = Likelihood("uncorrected", _form(uncorrected, _pairs), _form(directed_uncorrected, _ordered_pairs))


def likelihood_of(is_degree_corrected: bool) -> Likelihood:
    """Return the likelihood with or without degree correction."""
    return DEGREE_CORRECTED if is_degree_corrected else UNCORRECTED
