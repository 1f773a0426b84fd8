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
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.goodness import fit_of_law

_LABELS = ((0, 0, 1), (0, 1, 2), (1, 1, 4))

Edges = tuple[tuple[int, int], ...]


def multigraphs(n_nodes: int, n_edges: int, directed: bool = False) -> list[Edges]:
    """Return all multigraphs with so many vertices and edges, as sorted edges.

    >>> len(multigraphs(3, 2)), len(multigraphs(3, 2, directed=True))
    (21, 45)
    """
    pairs = [(i, j) for i in range(n_nodes) for j in range(0 if directed else i, n_nodes)]
    return list(combinations_with_replacement(pairs, n_edges))


def edges_of(graph: Graph) -> Edges:
    """Return the edges of a graph in the form of ``multigraphs``."""
    return tuple(sorted((int(i), int(j)) for i, j in graph.edges))


def model_law(
    labels: tuple[int, ...], n_edges: int, degree_corrected: bool = True, directed: bool = False
) -> dict[Edges, float]:
    """Return p(A | b) for every multigraph on these labels."""
    n_nodes = len(labels)
    measure = partial(description_length, labels=labels, degree_corrected=degree_corrected)
    return {
        edges: exp(-measure(graph_of(edges, n_nodes, directed)).without_partition)
        for edges in multigraphs(n_nodes, n_edges, directed)
    }


def law_sums_to_one(directed: bool, effort: Effort) -> Finding:
    """Sum p(A | b) over all multigraphs of small sizes."""
    sizes = range(1, 5 if effort.full and not directed else 4)
    cases = product((*_LABELS, (0, 0, 0)), sizes, (True, False), (directed,))
    return Finding(max(abs(sum(model_law(*case).values()) - 1) for case in cases), 1e-12)


def exact_draws(directed: bool, effort: Effort) -> Finding:
    """Draw multigraphs of three vertices and three edges (directed: two), and compare frequencies with p(A | b)."""
    n_draws, n_edges = 20_000 if effort.full else 2_000, 2 if directed else 3
    p_values = {}
    for labels, degree_corrected in product(_LABELS, (True, False)):
        rng, likelihood = np.random.default_rng([effort.seed, *labels]), likelihood_of(degree_corrected)
        draw = partial(draw_multigraph, rng, np.array(labels), 5, n_edges, likelihood, directed)
        law = model_law(labels, n_edges, degree_corrected, directed)
        p_values[f"{labels}, {likelihood.name}"] = fit_of_law([edges_of(draw()) for _ in range(n_draws)], law)
    return Finding(min(p_values.values()), 1e-3 / len(p_values), at_least=True, details={"p": p_values})


CHECKS = (
    Check(
        "law of multigraphs",
        "largest |sum of p(A|b) over all multigraphs - 1|",
        "B in place of B_b in P(e|b), q with cells missing, a factorial left out",
        partial(law_sums_to_one, False),
    ),
    Check(
        "exact draws",
        "smallest p of simulated multigraphs against p(A|b)",
        "edge counts that are multinomial, degrees that are not a uniform partition, half-edges paired unfairly",
        partial(exact_draws, False),
    ),
    Check(
        "law of directed multigraphs",
        "largest |sum of p(A|b) over all directed multigraphs - 1|",
        "one histogram for both degrees, pairs of blocks counted without their order",
        partial(law_sums_to_one, True),
    ),
    Check(
        "exact draws, directed",
        "smallest p of simulated directed multigraphs against p(A|b)",
        "tails and heads of a block dealt alike, arcs that lose their direction",
        partial(exact_draws, True),
    ),
)
