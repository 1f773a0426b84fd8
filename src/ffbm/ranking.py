"""Which features matter: the paper's rule for ranking and keeping them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import compress
from typing import Any

import numpy as np

from ffbm.check import check_choice, check_int, check_real
from ffbm.errors import DataError, OptionError
from ffbm.relevance import included_moments
from ffbm.types.graph import Array
from ffbm.types.network import Features
from ffbm.types.ranking import Ranking
from ffbm.types.weights import INTERCEPT

_CHUNK = 2**18  # weights worked on at a time


def rank_features(
    weights: Any,
    k: float = 1.0,
    n_kept: int = 10,
    *,
    names: Sequence[str] | None = None,
    columns: Sequence[str] | None = None,
    rule: str | None = None,
) -> Ranking:
    """Rank features, by the inclusion of their columns or by the paper's score, and keep the first ``n_kept``.

    Parameters
    ----------
    weights : WeightTrace, or (C, T, B, D) or (T, B, D) float64
        Draws of the weights; the means and standard deviations (ddof 0) are over all chains and draws.
    k : float
        How many standard deviations a mean must stand clear; 0 ranks by the means alone.
    n_kept : int
        D', the number of features to keep; under the rule "inclusion", of columns whose features are kept.
    names, columns : D names each
        For plain arrays: the features ("0", "1", ... if not given) and the columns they come from (their
        own names if not given).
    rule : {"inclusion", "paper"}, optional
        By the inclusion probability of columns, and within a column by how surely a feature's weight has its sign in
        some block; or by how far some block's weight stands clear of 0. If left out, the first under the learned prior
        and the second under the fixed one.

    Notes
    -----
    The paper keeps feature j at cutoff c > 0 if for some block i the interval mu_ij -+ k sd_ij misses
    (-c, c). That is score_j >= c with::

        score_j = max_i (|mu_ij| - k sd_ij)

    so the largest c that keeps D' features, c*, is the score number D'. What stands in the way of that
    is said in ``.notes``: a score number D' shared by several features (of which the first in the table are
    kept), one that is not positive (no c > 0 keeps D' features: ``.cutoff`` is NaN, the D' highest are kept
    all the same), or D' > D (all are kept, ``.cutoff`` is NaN). An intercept, named "(intercept)", is no
    feature: it is listed apart and neither ranked nor kept.

    Examples
    --------
    >>> draws = np.zeros((1, 2, 2, 3))            # one chain, two draws, two blocks, three features
    >>> draws[0, :, 0] = [[2, 0, 1], [4, 0, 1]]   # block 0: means 3, 0, 1 and deviations 1, 0, 0
    >>> ranking = rank_features(draws, k=1, n_kept=2, names=["a", "b", "c"])
    >>> ranking.kept, ranking.cutoff, ranking.scores.tolist()
    (('a', 'c'), 1.0, [2.0, 0.0, 1.0])
    """
    k, n_kept = check_real("k", k, low=0), check_int("n_kept", n_kept, low=1)
    selected: Any = getattr(weights, "selected", None)
    if rule is None:
        rule = "paper" if selected is None else "inclusion"
    check_choice("rule", rule, ("inclusion", "paper"))
    if rule == "inclusion" and selected is None:
        raise OptionError('rule="inclusion" needs weights sampled with weight_prior="learned": or give rule="paper"')
    draws = _read(weights, names, columns)
    is_feature = np.array([name != INTERCEPT for name in draws.names], dtype=bool)
    if not is_feature.any():
        raise DataError(f"rank_features needs a feature to rank; got weights for {draws.names or 'none'}")
    mean, sd, centred_mean, centred_sd, positive, centred_positive = _moments(draws)
    intercept = None if is_feature.all() else int(np.argmin(is_feature))
    of_columns: dict[str, Any] = {}
    if rule == "inclusion":
        of_columns["inclusion"] = np.append(selected.probability, 0.0)[selected.of_feature][is_feature]
        moments = included_moments(weights)  # centred weights are those that decisions are made of
        centred_mean, centred_sd, centred_positive = moments.mean, moments.sd, moments.positive
        of_columns["certainty"] = moments.sure.max(axis=0)[is_feature]
        of_columns |= {"centred_low": moments.low[:, is_feature], "centred_high": moments.high[:, is_feature]}
        number = selected.of_feature[is_feature]
        of_columns["columns"] = tuple(selected.column_names[g] for g in number)
    return Ranking(
        mean=mean[:, is_feature],
        sd=sd[:, is_feature],
        centred_mean=centred_mean[:, is_feature],
        centred_sd=centred_sd[:, is_feature],
        positive=positive[:, is_feature],
        centred_positive=centred_positive[:, is_feature],
        names=tuple(compress(draws.names, is_feature)),
        **{"columns": tuple(compress(draws.columns, is_feature))} | of_columns,
        support=None if draws.support is None else draws.support[is_feature],
        k=k,
        n_kept=n_kept,
        intercept_mean=None if intercept is None else mean[:, intercept],
        intercept_sd=None if intercept is None else sd[:, intercept],
    )


def keep_features(features: Features, ranking: Ranking) -> Features:
    """Return the features that a ranking keeps, in the order of the table."""
    return features.take(kept_features(ranking))


def kept_features(ranking: Ranking) -> Array:
    """Return the numbers of the features that a ranking keeps, in increasing order."""
    return np.flatnonzero(ranking.is_kept)


@dataclass(frozen=True, eq=False)
class _Draws:
    """Draws (C, T, B, D) with the names of their last axis and, from a trace, the moments it kept."""

    weights: Array
    names: tuple[str, ...]
    columns: tuple[str, ...]
    support: Array | None
    mean: Array | None
    sd: Array | None


def _read(weights: Any, names: Sequence[str] | None, columns: Sequence[str] | None) -> _Draws:
    """Bring a trace or a plain array into one form, and refuse what cannot be ranked."""
    if hasattr(weights, "ranking"):
        raise OptionError(
            "rank_features takes draws of weights; got a fit: its ranking is fit.ranking, or give fit.weights"
        )
    if hasattr(weights, "weights"):
        if names is not None or columns is not None:
            raise OptionError("names and columns are for plain arrays; a trace of weights has its own")
        w, names, columns = np.asarray(weights.weights), weights.names, weights.columns
        support, mean, sd = (getattr(weights, part, None) for part in ("support", "mean", "sd"))
    else:
        w, support, mean, sd = np.asarray(weights), None, None, None
    if w.ndim == 3:
        w = w[np.newaxis]
    if w.ndim != 4 or w.dtype.kind not in "iuf" or 0 in w.shape[:3]:
        raise DataError(
            "weights must be numbers of shape (chains, draws, blocks, features) or (draws, blocks, features)"
            f" with at least one draw and block; got {w.dtype} of shape {w.shape}"
        )
    names = [str(j) for j in range(w.shape[3])] if names is None else list(names)
    columns = names if columns is None else list(columns)
    if not len(names) == len(columns) == w.shape[3] or len(set(names)) < len(names):
        raise OptionError(
            f"names and columns must be one for each of the {w.shape[3]} features, and names different;"
            f" got {len(names)} names ({len(set(names))} different) and {len(columns)} columns"
        )
    support = None if support is None else np.asarray(support)
    return _Draws(w, tuple(names), tuple(columns), support, mean, sd)


def _moments(draws: _Draws) -> tuple[Array, Array, Array, Array, Array, Array]:
    """Return mean, sd, centred mean and sd, and the shares above 0 of both (B, D), in pieces of bounded size.

    The mean and sd that a trace kept of all its draws go before those of the draws it still holds.
    """
    n_blocks, n_features = draws.weights.shape[2:]
    n_draws = draws.weights.shape[0] * draws.weights.shape[1]
    total = np.zeros((n_blocks, n_features))
    for piece in _pieces(draws.weights):
        bad = ~np.isfinite(piece)
        if bad.any():
            name = draws.names[int(bad.any(axis=(0, 1)).argmax())]
            raise DataError(f"weights must be finite to be ranked; those of feature {name!r} are not: sample again")
        total += piece.sum(axis=0)
    mean = total / n_draws
    centred_mean = mean - mean.mean(axis=0)
    square, centred_square, above, centred_above = np.zeros((4, n_blocks, n_features))
    for piece in _pieces(draws.weights):
        above += (piece > 0).sum(axis=0)
        off = piece - mean
        square += np.einsum("tij,tij->ij", off, off)
        off -= off.mean(axis=1, keepdims=True)
        centred_square += np.einsum("tij,tij->ij", off, off)
        centred_above += (off + centred_mean > 0).sum(axis=0)
    sd, centred_sd = np.sqrt(square / n_draws), np.sqrt(centred_square / n_draws)
    if draws.mean is not None and draws.sd is not None:
        mean, sd = draws.mean, draws.sd
        centred_mean = mean - mean.mean(axis=0)
    return mean, sd, centred_mean, centred_sd, above / n_draws, centred_above / n_draws


def _pieces(weights: Array) -> Iterator[Array]:
    """Yield the draws (n, B, D), chain after chain, some at a time in double precision."""
    step = max(1, _CHUNK // max(1, weights[0, 0].size))
    for chain in weights:
        for first in range(0, len(chain), step):
            yield np.asarray(chain[first : first + step], dtype=np.float64)
