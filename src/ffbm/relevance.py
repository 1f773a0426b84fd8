"""Which columns matter: decisions made of draws of inclusion under the learned prior."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from ffbm.check import check_real
from ffbm.errors import OptionError
from ffbm.types.graph import Array
from ffbm.types.relevance import NamedValue, Relevance
from ffbm.types.weights import INTERCEPT

LEAST = 0.5  # a column that is less likely in than out is no finding
ANY = 0.9  # how surely some column of a set is included
MOST_OF_A_SET = 5
LEAST_OF_A_SET = 0.1  # the inclusion of each of its columns
COVERED = 0.95  # from this share of the vertices on, flags are confounded with the intercept


def judge_columns(weights: Any, fdr: float = 0.1) -> Relevance:
    """Decide which columns matter, which of them cannot be told apart, and which values set which block apart.

    Parameters
    ----------
    weights : WeightTrace
        From ``sample_weights(weight_prior="learned")``.
    fdr : float
        The share of false ones that is allowed, on average: among the columns that matter, and among the values that
        are named within each of them.

    Notes
    -----
    A column matters if it is more likely in than out and belongs to the largest set of the surest columns whose mean
    probability of being out is at most ``fdr`` (Bayesian false discovery rate). Columns that stand for each other
    share their inclusion, and none is decided alone: a set of at most five with P(any included) >= 0.9 is a finding of
    its own. "None matters" is said only if P(none included) > 0.5.

    Within a column that matters a value is named for a block by the sign probability of its weight, given inclusion:
    the weight less its mean over blocks and, where the column's flags cover nearly all vertices, less its mean over
    values, weighted by support. Values are named up to the same false discovery rate within the column.

    Examples
    --------
    >>> from ffbm.pipeline.weights import sample_weights
    >>> labels = np.repeat([0, 1], 20)
    >>> x = np.column_stack((labels, np.resize([1, 0, 0], 40)))  # a flag that tells blocks apart, and one that does not
    >>> relevance = judge_columns(sample_weights(x, labels, weight_prior="learned", n_draws=200, seed=1))
    >>> relevance.sentence
    'of 2 columns 1 matters: 0'
    >>> [(value.feature, value.block, value.mean > 0) for value in relevance.values]
    [('0', 1, True), ('0', 0, False)]
    """
    fdr = check_real("fdr", fdr, low=0, high=1)
    selected = getattr(weights, "selected", None)
    if selected is None:
        raise OptionError(
            'judge_columns takes weights sampled with weight_prior="learned"; got'
            f" {type(weights).__name__} without draws of inclusion"
        )
    inclusion = selected.probability
    n_columns = len(inclusion)
    drawn = selected.inclusion.reshape(-1, n_columns)
    decided = find_decided(inclusion, fdr)
    sets = find_sets(drawn, inclusion, decided)
    values = [value for g in decided for value in name_values(weights, g, fdr)]
    return Relevance(
        column_names=selected.column_names,
        n_features=np.bincount(selected.of_feature[selected.of_feature >= 0], minlength=n_columns),
        inclusion=inclusion,
        error=selected.error,
        bayes_factor=bayes_factors(inclusion),
        decided=decided,
        sets=sets,
        none_included=float((~drawn.any(axis=1)).mean()) if n_columns else 1.0,
        values=tuple(values),
        fdr=fdr,
        n_partitions=len(selected.by_partition),
    )


def bayes_factors(inclusion: Array) -> Array:
    """Return the odds of inclusion of each of G columns over the prior odds, 1 to G; infinite where it is sure.

    >>> bayes_factors(np.array([0.5, 0.2])).tolist()
    [2.0, 0.5]
    """
    with np.errstate(divide="ignore"):
        return np.asarray(inclusion / (1 - inclusion) * len(inclusion))


def find_decided(inclusion: Array, fdr: float) -> tuple[int, ...]:
    """Return the columns that matter, the surest first: Bayesian FDR at most ``fdr``, and more likely in than out.

    >>> find_decided(np.array([0.2, 0.99, 0.85, 0.6]), 0.1)  # the third would make it 0.19
    (1, 2)
    """
    order = np.argsort(-inclusion, kind="stable")
    rate = np.cumsum(1 - inclusion[order]) / np.arange(1, len(order) + 1)
    good = np.flatnonzero(rate <= fdr)
    n_first = int(good[-1]) + 1 if len(good) else 0
    return tuple(int(g) for g in order[:n_first] if inclusion[g] > LEAST)


def find_sets(drawn: Array, inclusion: Array, decided: Sequence[int]) -> tuple[tuple[int, ...], ...]:
    """Return sets of columns of which one matters, none being decided alone, from draws of inclusion (T, G).

    >>> first = np.random.default_rng(1).random(1000) < 0.5
    >>> find_sets(np.column_stack((first, ~first, first < 0)), np.array([0.5, 0.5, 0.0]), ())
    ((0, 1),)
    """
    free = [g for g in np.argsort(-inclusion, kind="stable") if g not in decided and inclusion[g] >= LEAST_OF_A_SET]
    sets = []
    while free:
        chosen, any_in = [free[0]], drawn[:, free[0]]
        while any_in.mean() < ANY and len(chosen) < MOST_OF_A_SET:
            gains = [(~any_in & drawn[:, g]).mean() if g not in chosen else -1.0 for g in free]
            best = int(np.argmax(gains))
            if gains[best] <= 0:
                break
            chosen.append(free[best])
            any_in = any_in | drawn[:, free[best]]
        if any_in.mean() < ANY:
            break
        for g in chosen[:-1]:  # none that is not needed
            others = [h for h in chosen if h != g]
            if len(others) > 1 and drawn[:, others].any(axis=1).mean() >= ANY:
                chosen = others
        sets.append(tuple(sorted(int(g) for g in chosen)))
        free = [g for g in free if g not in chosen]
    return tuple(part for part in sets if len(part) > 1)


class IncludedMoments(NamedTuple):
    """What draws say of each weight (B, D), given that its column is included; 0 where it never is."""

    mean: Array
    sd: Array
    low: Array  # the ends of the 95 % interval
    high: Array
    positive: Array  # the share of draws above 0; one half where a column never is included
    sure: Array  # how surely the weight has its sign


def included_moments(weights: Any) -> IncludedMoments:
    """Summarise the weights that decisions are made of: ``included_weights`` of every column."""
    moments = IncludedMoments(*np.zeros((6, weights.n_blocks, weights.n_features)))
    moments.positive[:] = 0.5
    for g in range(len(weights.column_names)):
        features, w = included_weights(weights, g)
        if not len(w):
            continue
        low, high = np.quantile(w, (0.025, 0.975), axis=0)
        above, below = (w > 0).mean(axis=0), (w < 0).mean(axis=0)
        from_draws = (w.mean(axis=0), w.std(axis=0), low, high, above, np.maximum(above, below))
        for array, values in zip(moments, from_draws, strict=True):
            array[:, features] = values
    return moments


def included_weights(weights: Any, g: int, draws: Array | None = None) -> tuple[Array, Array]:
    """Return the features of a column, and their centred weights (T, B, J) in the draws that include it.

    ``draws`` (C, T / thin) are those to look at; all if left out.
    """
    selected = weights.selected
    features = np.flatnonzero(selected.of_feature == g)
    w = selected.weights[..., features].reshape(-1, weights.n_blocks, len(features))
    w = w if draws is None else w[draws.ravel()]
    w = w[w.any(axis=(1, 2))]
    return features, centre_values(w, weights.support[features], _n_vertices(weights))


def name_values(weights: Any, g: int, fdr: float, draws: Array | None = None) -> list[NamedValue]:
    """Return which values of a column set which block apart, the surest first: by FDR, and each by itself.

    ``draws`` (C, T / thin) are those to look at; all if left out.
    """
    selected = weights.selected
    features, w = included_weights(weights, g, draws)
    if not len(w) or weights.n_blocks < 2:
        return []
    surest = np.maximum((w > 0).mean(axis=0), (w < 0).mean(axis=0))
    block, feature = np.unravel_index(np.argsort(-surest, axis=None, kind="stable"), surest.shape)
    rate = np.cumsum(1 - surest[block, feature]) / np.arange(1, len(block) + 1)
    good = np.flatnonzero(rate <= fdr)
    n_first = int(good[-1]) + 1 if len(good) else 0
    mean = w.mean(axis=0)
    named = [(int(r), int(j)) for r, j in zip(block[:n_first], feature[:n_first], strict=True)]
    return [
        NamedValue(
            column=selected.column_names[g],
            feature=weights.names[features[j]],
            block=r,
            mean=float(mean[r, j]),
            probability=float(surest[r, j]),
        )
        for r, j in sorted(named, key=lambda at: (-surest[at], -mean[at]))
        if surest[r, j] >= 1 - fdr  # none rides on the sureness of others
    ]


def centre_values(w: Array, support: Array, n_vertices: int) -> Array:
    """Take from weights (T, B, J) of a column their mean over values, weighted by support, if these cover all vertices.

    Then a value is compared with the others, not with the intercept, which the flags together are confounded with.

    >>> centre_values(np.array([[[1.0, 3.0]]]), np.array([30, 10]), 40).tolist()
    [[[-0.5, 1.5]]]
    >>> centre_values(np.array([[[1.0, 3.0]]]), np.array([3, 1]), 40).tolist()
    [[[1.0, 3.0]]]
    """
    total = support.sum()
    if w.shape[2] < 2 or not COVERED * n_vertices <= total <= n_vertices / COVERED:
        return w
    return np.asarray(w - (w @ (support / total))[..., np.newaxis])


def _n_vertices(weights: Any) -> int:
    """Return N: an intercept stands on all vertices; without one, the training vertices are all that is known."""
    if weights.names and weights.names[-1] == INTERCEPT:
        return int(weights.support[-1])
    return len(weights.rows)
