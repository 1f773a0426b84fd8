"""Check of exact draws from the model: every multigraph of a tiny size as often as its description length says."""

from functools import partial
from itertools import combinations_with_replacement, product
from math import exp

import numpy as np

from ffbm.blocks.entropy import description_length
from ffbm.blocks.likelihoods import likelihood_of
from ffbm.simulation.multigraph import draw_multigraph
from ffbm.types import Graph
from ffbm.verification.enumeration import graph_of
from ffbm.verification.finding import Check, Effort, Finding
from ffbm.verification.goodness import fit_of_law

_LABELS = ((0, 0, 1), (0, 1, 2), (1, 1, 4))

Edges = tuple[tuple[int, int], ...]


def multigraphs(n_nodes: int, n_edges: int) -> list[Edges]:
    """Return all multigraphs with so many vertices and edges, as sorted edges.

    >>> len(multigraphs(3, 2))
    21
    """
    pairs = [(i, j) for i in range(n_nodes) for j in range(i, n_nodes)]
    return list(combinations_with_replacement(pairs, n_edges))


def edges_of(graph: Graph) -> Edges:
    """Return the edges of a graph in the form of ``multigraphs``."""
    return tuple(sorted((int(i), int(j)) for i, j in graph.edges))


def model_law(labels: tuple[int, ...], n_edges: int, degree_corrected: bool = True) -> dict[Edges, float]:
    """Return p(A | b) for every multigraph on these labels."""
    n_nodes = len(labels)
    measure = partial(description_length, labels=labels, degree_corrected=degree_corrected)
    return {edges: exp(-measure(graph_of(edges, n_nodes)).without_partition) for edges in multigraphs(n_nodes, n_edges)}


def law_sums_to_one(effort: Effort) -> Finding:
    """Sum p(A | b) over all multigraphs of small sizes."""
    sizes = range(1, 5 if effort.full else 4)
    cases = product((*_LABELS, (0, 0, 0)), sizes, (True, False))
    return Finding(max(abs(sum(model_law(*case).values()) - 1) for case in cases), 1e-12)


def exact_draws(effort: Effort) -> Finding:
    """Draw multigraphs of three vertices and three edges and compare their frequencies with p(A | b)."""
    n_draws = 20_000 if effort.full else 2_000
    p_values = {}
    for labels, degree_corrected in product(_LABELS, (True, False)):
        rng, likelihood = np.random.default_rng([effort.seed, *labels]), likelihood_of(degree_corrected)
        draws = [edges_of(draw_multigraph(rng, np.array(labels), 5, 3, likelihood)) for _ in range(n_draws)]
        p_values[f"{labels}, {likelihood.name}"] = fit_of_law(draws, model_law(labels, 3, degree_corrected))
    return Finding(min(p_values.values()), 1e-3 / len(p_values), at_least=True, details={"p": p_values})


CHECKS = (
    Check(
        "law of multigraphs",
        "largest |sum of p(A|b) over all multigraphs - 1|",
        "B in place of B_b in P(e|b), q with cells missing, a factorial left out",
        law_sums_to_one,
    ),
    Check(
        "exact draws",
        "smallest p of simulated multigraphs against p(A|b)",
        "edge counts that are multinomial, degrees that are not a uniform partition, half-edges paired unfairly",
        exact_draws,
    ),
)
