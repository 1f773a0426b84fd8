"""-ln P of the weights of edges given blocks, a term for each pair of blocks, written to be read.

The m edges between two blocks have weights with the sum x and, around their mean, the sum of squares v. Microcanonical:
all weights with these sums are equally probable; so are the sums of the pairs given the sum X of all, which has no
prior. In a hierarchy the sums of counts and of exponential weights are explained level by level: those of the pairs of
groups of one level are equally probable given their sums over the pairs of groups of the next.
Conjugate: weights between two blocks have a law with a parameter of its own, which is integrated out. The kernels are
held to this file.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaln, gammaln

from ffbm.blocks.edges import log_binomial
from ffbm.types import Array, EdgeWeights, Graph


class PairSums(NamedTuple):
    """Of each pair of blocks with edges between them."""

    m: Array  # edges
    x: Array  # the sum of their weights
    v: Array  # the sum of squares around their mean


def weight_parts(graph: Graph, b: Array) -> tuple[float, float]:
    """Return -ln P of the weights given the sums of all pairs of blocks, and that of the sums given their total.

    The sums of squares v of normal weights, given their total, are in the former.
    Under a conjugate prior the former is all of it, and the latter 0.
    """
    if graph.weights is None or not graph.n_edges:
        return 0.0, 0.0
    weights, sums = graph.weights, pair_sums(graph, b)
    given_sums = constant(graph)
    if weights.prior is not None:
        return given_sums + float(conjugate(weights.model, weights.prior, sums).sum()), 0.0
    least = least_square(weights)
    if is_summed(weights):
        if weights.model == "poisson":
            given_sums += float((sums.x * np.log(sums.m) - gammaln(sums.x + 1)).sum())
        else:
            given_sums += float(ways_to_sum(weights, sums.m, sums.x).sum())
        return given_sums, float(ways_to_sum(weights, len(sums.m), weights.values.sum()))
    spread = np.maximum(sums.v, least * sums.m)[sums.m > 1]
    given_sums += float(sphere(sums.m, sums.v, least).sum()) + float(
        simplex(len(spread), spread.sum()) if len(spread) else 0
    )
    return given_sums, float(sphere(len(sums.m), np.square(sums.x - sums.x.mean()).sum(), least))


def level_parts(graph: Graph, levels: Sequence[Array]) -> list[float]:
    """Return what the weights cost on each level of a hierarchy: labels of vertices, of their groups, and so on.

    The first entry is -ln P of the weights given the sums of pairs of blocks, each further one that of the sums of one
    level given those of the next. A pair of groups with m pairs of members that have edges between them, and the sum x,
    costs what a pair of blocks with m edges does; of Poisson weights what one of geometric weights does. Sums that are
    left on top are a part of the last level. Where the sums are not explained by levels all is in the first entry.
    """
    given_sums, sums = weight_parts(graph, levels[0])
    if graph.weights is None or not graph.n_edges or not is_summed(graph.weights):
        return [given_sums + sums, *(0.0 for _ in levels[1:])]
    ends, pair = pairs_of(graph, levels[0][graph.edges])
    parts, x = [given_sums], np.bincount(pair, weights=graph.weights.scored)
    for labels in levels[1:]:
        ends, pair = pairs_of(graph, labels[ends])
        x = np.bincount(pair, weights=x)
        parts.append(float(ways_to_sum(graph.weights, np.bincount(pair), x).sum()))
    parts[-1] += float(ways_to_sum(graph.weights, len(x), x.sum()))
    return parts


def is_summed(weights: EdgeWeights) -> bool:
    """Return whether sums are all that the law of the weights counts, so that levels can explain them.

    Of normal weights every level would leave a sum of squares without a prior, and hierarchies of different depth would
    not be compared on one measure; a conjugate prior has no prior of sums.
    """
    return weights.prior is None and weights.model in ("geometric", "poisson", "exponential")


def ways_to_sum(weights: EdgeWeights, m: Any, x: Any) -> Any:
    """Return ln of the number of ways, or of the volume of all ways, in which m weights sum to x."""
    return simplex(m, x) if weights.model == "exponential" else log_binomial(np.asarray(m) - 1 + x, x)


def weight_nats(graph: Graph, b: Array) -> float:
    """Return -ln P of the weights given the blocks; 0 for a graph without weights."""
    return sum(weight_parts(graph, b))


def constant(graph: Graph) -> float:
    """Return what does not depend on the blocks: sum_e ln x_e! of a Poisson law, the Jacobian sum_e ln x_e of a log."""
    if graph.weights is None:
        return 0.0
    if graph.weights.model == "poisson":
        return float(gammaln(graph.weights.values + 1).sum())
    return float(np.log(graph.weights.values).sum()) if graph.weights.model == "log-normal" else 0.0


def pair_sums(graph: Graph, b: Array) -> PairSums:
    """Return the sums of each pair of blocks with edges between them; of a directed graph each way by itself."""
    assert graph.weights is not None
    y = graph.weights.scored
    _, pair = pairs_of(graph, b[graph.edges])
    m, x = np.bincount(pair), np.bincount(pair, weights=y)
    return PairSums(m, x, np.bincount(pair, weights=np.square(y - (x / m)[pair])))


def pairs_of(graph: Graph, ends: Array) -> tuple[Array, Array]:
    """Return the pairs of groups among the ends (E, 2) of edges, and the number of each edge's pair."""
    ends = ends if graph.is_directed else np.sort(ends, axis=1)
    pairs, number = np.unique(ends, axis=0, return_inverse=True)
    return pairs, number.ravel()


def simplex(m: Any, x: Any) -> Any:
    """Return ln of the volume of the m positive numbers that sum to x."""
    return (m - 1) * np.log(x) - gammaln(m)


def sphere(m: Any, v: Any, least: float) -> Any:
    """Return ln of the volume of the m numbers with one sum and the sum of squares v around their mean; 0 for one.

    v is not taken below ``least`` m: numbers are known to so many digits.
    """
    n = np.maximum(m, 2)
    v = np.maximum(v, least * n)
    nats = -gammaln((n - 1) / 2) - np.log(n) / 2 + (n - 3) / 2 * np.log(v) + (n - 1) / 2 * np.log(np.pi)
    return np.where(np.asarray(m) > 1, nats, 0.0)


def least_square(weights: EdgeWeights) -> float:
    """Return the variance of rounding, d^2 / 12 with d the smallest difference between weights; 0 if all are equal."""
    gaps = np.diff(np.unique(weights.scored))
    return float(gaps.min()) ** 2 / 12 if len(gaps) else 0.0


def conjugate(model: str, prior: dict[str, float], sums: PairSums) -> Array:
    """Return -ln P of the weights of each pair of blocks, its parameter integrated out."""
    m, x, v = sums
    if model == "geometric":
        a, b = prior["a"], prior["b"]
        return np.asarray(betaln(a, b) - betaln(m + a, x + b))
    if model == "poisson":
        a, b = prior["a"], prior["b"]
        return np.asarray(gammaln(a) - a * np.log(b) - gammaln(x + a) + (x + a) * np.log(m + b))
    if model == "exponential":
        a, b = prior["a"], prior["b"]
        return np.asarray(gammaln(a) - a * np.log(b) - gammaln(m + a) + (m + a) * np.log(b + x))
    m0, k0, v0, nu0 = (prior[name] for name in ("m0", "k0", "v0", "nu0"))
    k, nu = k0 + m, nu0 + m
    square = nu0 * v0 + v + m * k0 / k * np.square(x / m - m0)
    nats = gammaln(nu0 / 2) - gammaln(nu / 2) + np.log(k / k0) / 2 - nu0 / 2 * np.log(nu0 * v0)
    return np.asarray(nats + nu / 2 * np.log(square) + m / 2 * np.log(np.pi))
