"""What sets each block apart: the features whose weight there has a clear sign."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import zip_longest

import numpy as np

from ffbm.results.by_mode import decided_by_mode, values_in_every_mode
from ffbm.results.sentences import interval_of
from ffbm.store.parts import FitParts
from ffbm.types import Array
from ffbm.types.relevance import NamedValue, SetApart


def name_of_sure(fit: FitParts) -> str:
    """Name what ``SetApart.sure`` holds: an interval under the fixed prior, a probability under the learned one."""
    return "95 % interval" if fit.relevance is None else "sign sure by"


def none_apart(fit: FitParts) -> str:
    """Say why no feature is named for a block."""
    return "no feature clearly" if decided_by_mode(fit) is None else "none in every mode"


def set_apart(fit: FitParts, most: int | None = None, sure: bool = True) -> tuple[tuple[SetApart, ...], ...]:
    """Return for each block the features that set it apart, the clearest first.

    Under the learned prior these are the values named of columns that matter, the surest of each column before a
    second of any; under the fixed one, of the ``most`` clearest features those whose 95 % interval leaves out 0. Of a
    fit graded multimodal they are those that every mode names. Without ``sure`` intervals, which take time, are left
    out.
    """
    numbers = fit.network.features.names_of_numbers
    if fit.relevance is not None:
        of_block: list[list[NamedValue]] = [[] for _ in range(fit.memberships.n_blocks)]
        for value in named_values(fit):
            of_block[value.block].append(value)
        return tuple(tuple(_in_turn(values, numbers))[:most] for values in of_block)
    ranking = fit.ranking
    clear = np.abs(ranking.centred_mean) - 2 * ranking.centred_sd
    return tuple(
        tuple(_clear_of_zero(fit, block, np.argsort(-clear[block], kind="stable")[:most], numbers, sure))
        for block in range(fit.memberships.n_blocks)
    )


def marks_of(fit: FitParts) -> Array | None:
    """Return which features set which block apart (B, D), for figures; None under the fixed prior."""
    if fit.relevance is None:
        return None
    ranking = fit.ranking
    marks = np.zeros((ranking.n_blocks, ranking.n_features), dtype=bool)
    index_of = {name: j for j, name in enumerate(ranking.names)}
    for value in named_values(fit):
        marks[value.block, index_of[value.feature]] = True
    return marks


def named_values(fit: FitParts) -> Sequence[NamedValue]:
    """Return which values set which block apart under the learned prior; if there are modes, in every one."""
    if fit.relevance is None:
        return ()
    return fit.relevance.values if decided_by_mode(fit) is None else values_in_every_mode(fit)


def _in_turn(values: Sequence[NamedValue], numbers: frozenset[str]) -> Iterator[SetApart]:
    """Yield the first value of each column, then the second of each, and so on."""
    by_column: dict[str, list[NamedValue]] = defaultdict(list)
    for value in values:
        by_column[value.column].append(value)
    for turn in zip_longest(*by_column.values()):
        for value in turn:
            if value is not None:
                sure = f"{value.probability:.1%}"
                yield SetApart(value.column, value.feature, value.mean, sure, value.feature in numbers)


def _clear_of_zero(
    fit: FitParts, block: int, features: Array, numbers: frozenset[str], sure: bool
) -> Iterator[SetApart]:
    """Yield the features at these places whose interval in a block leaves out 0."""
    ranking = fit.ranking
    for j in features:
        name = ranking.names[j]
        if ranking.is_clear[block, j]:
            interval = "{:+.2f} to {:+.2f}".format(*interval_of(fit, block, name)) if sure else ""
            weight = float(ranking.centred_mean[block, j])
            yield SetApart(ranking.columns[j], name, weight, interval, name in numbers)
