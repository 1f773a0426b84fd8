"""One sweep over the columns: birth, death, refreshment and exchange.

The state is which columns are inside, with their contrasts; scales and omega are integrated out, s being drawn from its
law given the contrasts whenever a move needs it. ``worth`` is that of ``kernels/columnweight.py``.
"""

from math import exp, lgamma, log, sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.arrow import NOW, WITHOUT, centre_intercept, inner_product, shift, shift_all
from ffbm.kernels.bare import bare
from ffbm.kernels.columnweight import locate_scale, propose_log_scale, weigh
from ffbm.kernels.compilation import ENTRY, INLINE, INNER, ONCE, copy, copy_table
from ffbm.kernels.slab import draw_scale, log_odds_of_one_more, slab_constant

BIRTHS, DEATHS, REFRESHED, EXCHANGED = range(4)


class ColumnData(NamedTuple):
    """What columns are weighed against."""

    counts: np.ndarray  # (R,) training vertices of each row
    sums: np.ndarray  # (A, B) the response X'y
    freedom: np.ndarray  # (G,) the free contrasts of each column


class ColumnArrays(NamedTuple):
    """What a sweep over the columns changes in place."""

    w: np.ndarray  # (A, B) contrasts, 0 of columns that are out
    inside: np.ndarray  # (G,) bool
    logits: np.ndarray  # (R, B) of the intercept and the columns inside
    accepted: np.ndarray  # (4,) or more: moves made, by kind


@njit(**INNER)
def _square(columns: Any, g: int, w: Any) -> float:
    total = 0.0
    for t in range(columns.start[g], columns.start[g + 1]):
        total += inner_product(w[columns.feature[t]], w[columns.feature[t]])
    return total


@njit(**INNER)
def _count_others(g: int, inside: Any) -> int:
    """Return how many columns other than g are inside."""
    count = 0
    for h in range(len(inside)):
        count += int(inside[h] and h != g)
    return count


@njit(**INNER)
def _copy_union(columns: Any, g: int, source: Any, target: Any) -> None:
    for t in range(columns.union_start[g], columns.union_start[g + 1]):
        i = columns.union[t]
        for k in range(source.shape[1]):
            target[i, k] = source[i, k]


@njit(**INNER)
def _subtract_column(columns: Any, g: int, w: Any, work: Any) -> None:
    """Subtract the logits of a column that is inside from ``work.base``."""
    for t in range(columns.start[g], columns.start[g + 1]):
        shift(columns, columns.feature[t], w[columns.feature[t]], work.base, -1.0)


@njit(**INNER)
def _copy_weights(columns: Any, g: int, w: Any, work: Any) -> None:
    """Fill ``work.value`` with the weights of a column."""
    for f in range(columns.start[g + 1] - columns.start[g]):
        copy(w[columns.feature[columns.start[g] + f]], work.value[f])


@njit(**INNER)
def _write_column(columns: Any, g: int, w: Any, work: Any) -> None:
    """Write the weights of ``work.value`` to a column, and add its logits to ``work.base``."""
    for f in range(columns.start[g + 1] - columns.start[g]):
        j = columns.feature[columns.start[g] + f]
        copy(work.value[f], w[j])
        shift(columns, j, w[j], work.base, 1.0)


@njit(**INNER)
def _clear(columns: Any, g: int, w: Any) -> None:
    """Set the weights of a column to 0."""
    for t in range(columns.start[g], columns.start[g + 1]):
        for k in range(w.shape[1]):
            w[columns.feature[t], k] = 0.0


@njit(**INNER)
def _whole_intercept(rng: Any, columns: Any, w: Any, a: Any) -> None:
    """Fill ``a`` (B,) with the intercept: its contrasts, and a mean over blocks drawn from the prior."""
    mean = rng.standard_normal() / sqrt(columns.tightness * len(a))
    for k in range(len(a)):
        a[k] = w[columns.intercept, k] + mean


@njit(**INNER)
def _write_intercept(columns: Any, a: Any, w: Any, work: Any) -> None:
    """Write the contrasts of the intercept, and add it to ``work.base``."""
    mean = 0.0
    for k in range(len(a)):
        mean += a[k] / len(a)
    for k in range(len(a)):
        w[columns.intercept, k] = a[k] - mean
    shift_all(w[columns.intercept], work.base, 1.0)


@njit(**ONCE)
def consider(rng: Any, columns: Any, data: Any, g: int, h: int, chain: Any, work: Any, refreshes: bool) -> float:
    """Let column g be born, or be refreshed and then die; or, if h is another one, which is out, let h take its place.

    Return the inclusion probability of g given the rest, estimated. A column is refreshed before its death is decided
    on, not after: the worth of a column that did not die is a biased draw. Without ``refreshes`` birth and death are
    the reverse of each other, as they must be in a move that is accepted by a further ratio.
    """
    counts, sums, w, inside, logits = data.counts, data.sums, chain.w, chain.inside, chain.logits
    along, was_inside, a = columns.with_intercept[g] or columns.with_intercept[h], inside[g], work.line[NOW]
    odds = log_odds_of_one_more(_count_others(g, inside), len(inside), columns.odds[0])
    if along or g != h:
        copy_table(logits, work.base)
    else:
        _copy_union(columns, g, logits, work.base)
    if along:
        _whole_intercept(rng, columns, w, a)
        shift_all(w[columns.intercept], work.base, -1.0)
    if was_inside:
        _subtract_column(columns, g, w, work)
    if along:
        centre_intercept(columns, counts, sums, work, 8)
    worth, fresh, placed, without = 0.0, 0.0, -1, work.line[WITHOUT]
    centre, width = 0.0, 1.0
    for retrace in (True, False):  # the reverse proposal is weighed before the forward one
        if retrace and not was_inside:
            continue
        if not retrace and was_inside and not refreshes:
            copy(a, without)
            continue
        one = g if retrace else h
        if one != placed:
            if placed >= 0:
                _shift_intercept(columns, along, placed, a, work, -1.0)
            _shift_intercept(columns, along, one, a, work, 1.0)
            centre, width = locate_scale(rng, columns, counts, sums, one, work)
            placed = one
        if retrace:
            t = log(draw_scale(rng, columns.degrees[g], data.freedom[g], _square(columns, g, w)))
            _copy_weights(columns, g, w, work)
        else:
            copy(a, without)
            t = propose_log_scale(rng, columns.degrees[h], centre, width)
        value = weigh(rng, columns, counts, sums, one, t, (centre, width), a, retrace, work)
        worth, fresh = (value, fresh) if retrace else (worth, value)
    estimate, enters, dies = _sigmoid(odds + fresh), False, False
    if was_inside and not refreshes:
        estimate = _sigmoid(odds + worth)
        dies = log(rng.random()) < -odds - worth
    elif was_inside:
        enters = log(rng.random()) < fresh - worth
        share = exp(min(fresh - worth, 0.0))
        estimate = share * estimate + (1.0 - share) * _sigmoid(odds + worth)
        current = fresh if enters else worth
        dies = g == h and log(rng.random()) < -odds - current
    else:
        enters = log(rng.random()) < odds + fresh
    if not enters and not dies:
        return estimate
    if dies:
        copy(without, a)
    _shift_intercept(columns, along, h, a, work, -1.0)
    _clear(columns, g, w)
    inside[g] = False
    if not dies:
        inside[h] = True
        _write_column(columns, h, w, work)
    if along:
        _write_intercept(columns, a, w, work)
    if along or g != h:
        copy_table(work.base, logits)
    else:
        _copy_union(columns, g, work.base, logits)
    chain.accepted[DEATHS if dies else BIRTHS if not was_inside else REFRESHED if g == h else EXCHANGED] += 1
    return estimate


@njit(**INLINE)
def _sigmoid(log_odds: float) -> float:
    return 1.0 / (1.0 + exp(min(-log_odds, 700.0)))


@njit(**INNER)
def _shift_intercept(columns: Any, along: bool, g: int, a: Any, work: Any, sign: float) -> None:
    """Add sign times the intercept to ``work.base``, for a column that it does not move with."""
    if along and not columns.with_intercept[g]:
        shift_all(a, work.base, sign)


@njit(**INNER)
def _fill_logits(columns: Any, w: Any, inside: Any, logits: Any) -> None:
    """Fill the logits from the intercept and the columns inside, since sums of changes drift."""
    for i in range(logits.shape[0]):
        for k in range(logits.shape[1]):
            logits[i, k] = 0.0
    if columns.intercept >= 0:
        shift_all(w[columns.intercept], logits, 1.0)
    for g in range(len(inside)):
        if inside[g]:
            for t in range(columns.start[g], columns.start[g + 1]):
                shift(columns, columns.feature[t], w[columns.feature[t]], logits, 1.0)


@njit(**INNER)
def _visit_idle(rng: Any, g: int, inside: Any, odds: float) -> float:
    """Draw whether a column that no data inform is inside; return the probability."""
    chance = 1.0 / (1.0 + exp(-log_odds_of_one_more(_count_others(g, inside), len(inside), odds)))
    inside[g] = rng.random() < chance
    return chance


@njit(**ENTRY)
def visit_columns(rng: Any, columns: Any, data: Any, chain: Any, work: Any, rate: Any, chance: Any) -> None:
    """Make one sweep over a chain: visit columns, then pairs that resemble each other.

    A column is visited with the probability ``rate`` (G,). ``chance`` (G,) gets the inclusion probability of each given
    the rest, as of its last visit.
    """
    columns, data, chain, work = bare(columns), bare(data), bare(chain), bare(work)
    inside = chain.inside
    n_columns, n_pairs = len(inside), columns.pair.shape[0]
    _fill_logits(columns, chain.w, inside, chain.logits)
    n_visits = n_columns + min(n_pairs, n_columns)
    for visit in range(n_visits):
        g = h = visit
        if visit >= n_columns:
            at = int(rng.random() * n_pairs)
            g, h = columns.pair[at, 0], columns.pair[at, 1]
            if inside[g] == inside[h]:
                continue
            if inside[h]:
                g, h = h, g
        elif rng.random() >= rate[g]:
            continue
        elif columns.start[g + 1] == columns.start[g]:
            chance[g] = _visit_idle(rng, g, inside, columns.odds[0])
            continue
        estimate = consider(rng, columns, data, g, h, chain, work, True)
        if visit < n_columns:
            chance[g] = estimate


@njit(**ENTRY)
def enter_or_leave(rng: Any, columns: Any, data: Any, g: int, chain: Any, work: Any) -> None:
    """Let one column be born or die, without refreshment: a reversible move of its weights and its inclusion."""
    columns, data, chain, work = bare(columns), bare(data), bare(chain), bare(work)
    _fill_logits(columns, chain.w, chain.inside, chain.logits)
    consider(rng, columns, data, g, g, chain, work, False)


@njit(**ENTRY)
def log_inclusion_prior(inside: Any, degrees: Any, freedom: Any) -> float:
    """Return ln P(inclusion), omega ~ Beta(1, G) integrated out, and the constants of the Student t that are inside."""
    n_columns, n_inside, total = len(inside), 0, 0.0
    for g in range(n_columns):
        if inside[g]:
            n_inside += 1
            total += slab_constant(degrees[g], freedom[g])
    if n_columns == 0:
        return 0.0
    total += lgamma(1.0 + n_inside) + lgamma(2.0 * n_columns - n_inside) - lgamma(2.0 * n_columns + 1.0)
    return total + log(float(n_columns))
