"""Effects: how much the probability of each block changes with a feature, in the user's own terms."""

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ffbm.check import check_int
from ffbm.errors import OptionError
from ffbm.kernels.prediction import draw_probs, mean_by_state
from ffbm.rng import stream
from ffbm.scoring.rows import match_design
from ffbm.theta.design import Design
from ffbm.types.graph import Array
from ffbm.types.weights import INTERCEPT, WeightTrace
from ffbm.workers import open_workers

if TYPE_CHECKING:
    import pandas as pd

_PIECE = 2**23  # probabilities held at a time: 64 MiB
LOW, HIGH = 0.025, 0.975
_DRAWS = 200, 1000  # looked at by default: the least and the most
_PROBABILITIES = 2**31  # worked out by default, for each feature at the most
_AVERAGED = 50_000  # vertices, drawn at random where more differ: the standard error of an effect is at most 0.0045


class Family(NamedTuple):
    """Features of which a vertex has at most one, and which it has."""

    kind: str  # "flag", "value" (one of several exclusive flags of a column) or "number"
    features: Array  # (V,) their places in the trace
    state: Array  # (R,) int64: 0 for none, v + 1 for the v-th; a number is always added to, from state 0
    counts: Array  # (V+1,) vertices in each state


def effects(
    trace: WeightTrace,
    features: Any,
    names: Sequence[str] | None = None,
    *,
    n_draws: int | None = None,
    workers: int | None = None,
) -> "pd.DataFrame":
    """Return how much the probability of each block changes with each feature, averaged over the vertices.

    Parameters
    ----------
    trace : WeightTrace
    features : Features, or (N, D) array or sparse matrix
        Of the vertices to average over, as given to ``sample_weights``.
    names : feature names, optional
        The features to speak of, in this order; all of them if left out. An intercept is no feature.
    n_draws : int, optional
        At most so many draws, evenly spaced over the chains, are used: 1,000 if left out, and down to 200 where
        vertices differ in many ways.
    workers : int, optional

    Returns
    -------
    DataFrame
        One row for each feature and block: ``feature``, ``column``, ``block``, ``effect`` (the mean over draws),
        ``low`` and ``high`` (2.5 % and 97.5 % of the draws), ``support`` (vertices on which the feature is
        not zero), ``kind``.

    Notes
    -----
    Where more than 50,000 vertices have different features, the mean is over a fixed random choice of as many.

    Let Q_u(r) be the mean over vertices of P(block r | x) after all vertices are brought to state u, everything else
    about them as it is.

    - *flag*: Q_1 - Q_0, the flag set against the flag not set.
    - *value*: the flags of one column of the user's table of which no vertex has two. A vertex that is given one value
      loses its other one, so nobody is in two classes at once. Value v is compared with the others as often as they
      occur, vertices without a value among them: Q_v - sum_{u != v} n_u Q_u / sum_{u != v} n_u.
    - *number*: x + 1 against x as it is; standardised numbers are thus one standard deviation up.

    The effects of a feature sum to 0 over blocks. They say what the model predicts, not what would happen if someone
    changed a vertex.

    Examples
    --------
    >>> from ffbm.pipeline.weights import sample_weights
    >>> x = np.repeat(np.eye(2), 20, axis=0)
    >>> trace = sample_weights(x, np.repeat([0, 1], 20), n_draws=500, seed=1, weight_prior="fixed")
    >>> table = effects(trace, x)
    >>> table["effect"].round(1).tolist()          # flag 0 in blocks 0 and 1, then flag 1
    [0.4, -0.4, -0.4, 0.4]
    """
    import pandas as pd

    design = match_design(trace, features)
    if len(design.counts) > _AVERAGED:
        some = stream(0, "effects", "vertices").choice(design.n_nodes, _AVERAGED, replace=False)
        design = design.of(some)
    n_draws = _affordable(design, trace.n_blocks) if n_draws is None else check_int("n_draws", n_draws, low=1)
    wanted = _places(trace, names)
    families = list(_families(trace, design, set(wanted)))
    means = _means(trace, design, families, _evenly(trace.weights, n_draws), workers)
    by_feature = {
        int(d): (family.kind, _contrast(q, v, family.counts))
        for family, q in zip(families, means, strict=True)
        for v, d in enumerate(family.features, start=1)
    }
    tables = []
    for d in wanted:
        kind, draws = by_feature[d]
        low, high = np.quantile(draws, (LOW, HIGH), axis=0)
        record: dict[str, Any] = {"feature": trace.names[d], "column": trace.columns[d]}
        record |= {"block": np.arange(trace.n_blocks), "effect": draws.mean(axis=0), "low": low, "high": high}
        tables.append(pd.DataFrame(record | {"support": int(trace.support[d]), "kind": kind}))
    if not tables:
        return pd.DataFrame(columns=["feature", "column", "block", "effect", "low", "high", "support", "kind"])
    return pd.concat(tables, ignore_index=True)


def _places(trace: WeightTrace, names: Sequence[str] | None) -> list[int]:
    index_of = {name: d for d, name in enumerate(trace.names) if name != INTERCEPT}
    if names is None:
        return list(index_of.values())
    asked = [names] if isinstance(names, str) else list(names)
    unknown = [name for name in asked if name not in index_of]
    if unknown:
        raise OptionError(
            f"names must be features of the trace, such as {next(iter(index_of), None)!r}; got {unknown[0]!r}"
        )
    return [index_of[name] for name in asked]


def _families(trace: WeightTrace, design: Design, wanted: set[int]) -> Iterator[Family]:
    """Yield the features asked for with all that stand and fall with them, column by column."""
    x, number = sp.csc_array(design.x), design.is_number
    by_column = sorted(range(len(trace.names)), key=lambda d: trace.columns[d])
    for _, group in groupby(by_column, key=lambda d: trace.columns[d]):
        members = list(group)
        if not wanted.intersection(members):
            continue
        flags = [d for d in members if not number[d]]
        rows_with = [x.indices[x.indptr[d] : x.indptr[d + 1]] for d in flags]
        together = np.concatenate(rows_with) if rows_with else np.zeros(0, dtype=np.int64)
        if len(flags) > 1 and len(np.unique(together)) == len(together) and wanted.intersection(flags):
            yield _family("value", flags, rows_with, design.counts)
        else:
            yield from (
                _family("flag", [d], [h], design.counts) for d, h in zip(flags, rows_with, strict=True) if d in wanted
            )
        yield from (_family("number", [d], [], design.counts) for d in members if number[d] and d in wanted)


def _family(kind: str, features: list[int], rows_with: list[Array], counts: Array) -> Family:
    state = np.zeros(len(counts), dtype=np.int64)
    for v, rows in enumerate(rows_with, start=1):
        state[rows] = v
    in_state = np.bincount(state, weights=counts, minlength=len(features) + 1)
    return Family(kind, np.array(features), state, in_state)


def _means(
    trace: WeightTrace, design: Design, families: list[Family], draws: Array, workers: int | None
) -> list[Array]:
    """Return Q (T, V+1, B) of each family: the mean probability of each block with all vertices in each state."""
    n_rows, n_blocks = len(design.counts), trace.n_blocks
    shares = design.counts / max(design.counts.sum(), 1)
    means = [np.empty((len(draws), len(family.features) + 1, n_blocks)) for family in families]
    size = max(1, _PIECE // max(1, n_rows * n_blocks))
    with open_workers(workers, len(families)) as run:
        for first in range(0, len(draws), size):
            part = draws[first : first + size]
            probs = np.empty((len(part), n_rows, n_blocks))
            draw_probs(design.rows, part, probs)

            def go(at: int, part: Array = part, probs: Array = probs, first: int = first) -> None:
                family = families[at]
                w = np.ascontiguousarray(part[:, :, family.features].transpose(0, 2, 1))
                mean_by_state(probs, shares, family.state, w, means[at][first : first + len(part)])

            run(go, range(len(families)))
    return means


def _contrast(q: Array, v: int, counts: Array) -> Array:
    """Return Q_v less the other states as often as they occur (T, B); less state 0 if none of them occurs."""
    others = counts.astype(np.float64)
    others[v] = 0
    if others.sum() == 0:
        others[0] = 1
    return np.asarray(q[:, v] - np.tensordot(others / others.sum(), q, axes=(0, 1)))


def _affordable(design: Design, n_blocks: int) -> int:
    """Return how many draws are looked at by default."""
    return int(np.clip(_PROBABILITIES // max(len(design.counts) * n_blocks, 1), *_DRAWS))


def _evenly(weights: Array, n_draws: int) -> Array:
    """Return at most so many draws (T', B, D), evenly spaced over all chains."""
    flat = weights.reshape(-1, *weights.shape[2:])
    n_all = len(flat)
    n = min(n_draws, n_all)
    return np.ascontiguousarray(flat[(np.arange(n) * n_all + n_all // 2) // n], dtype=np.float64)
