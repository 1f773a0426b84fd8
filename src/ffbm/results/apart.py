"""What sets each block apart: the features whose weight there has a clear sign."""

from collections.abc import Iterator

import numpy as np

from ffbm.results.by_mode import decided_by_mode
from ffbm.results.sentences import interval_of
from ffbm.store.parts import FitParts
from ffbm.types import Array
from ffbm.types.relevance import SetApart


def name_of_sure(fit: FitParts) -> str:
    """Name what ``SetApart.sure`` holds: an interval under the fixed prior, a probability under the learned one."""
    return "95 % interval" if fit.relevance is None else "sign sure by"


def none_apart(fit: FitParts) -> str:
    """Say why no feature is named for a block."""
    return "no feature clearly" if decided_by_mode(fit) is None else "depends on the mode"


def set_apart(fit: FitParts, most: int | None = None) -> tuple[tuple[SetApart, ...], ...]:
    """Return for each block the features that set it apart, the clearest first.

    Under the learned prior these are the values named of columns that matter; under the fixed one, of the ``most``
    clearest features those whose 95 % interval leaves out 0. Of a fit graded multimodal there are none under the
    learned prior: what sets a block apart depends on the mode.
    """
    if decided_by_mode(fit) is not None:
        return ((),) * fit.memberships.n_blocks
    numbers = fit.network.features.names_of_numbers
    if fit.relevance is not None:
        found: list[list[SetApart]] = [[] for _ in range(fit.memberships.n_blocks)]
        for value in fit.relevance.values:
            sure = f"{value.probability:.1%}"
            one = SetApart(value.column, value.feature, value.mean, sure, value.feature in numbers)
            found[value.block].append(one)
        return tuple(tuple(values[:most]) for values in found)
    ranking = fit.ranking
    clear = np.abs(ranking.centred_mean) - 2 * ranking.centred_sd
    return tuple(
        tuple(_clear_of_zero(fit, block, np.argsort(-clear[block], kind="stable")[:most], numbers))
        for block in range(fit.memberships.n_blocks)
    )


def _clear_of_zero(fit: FitParts, block: int, places: Array, numbers: frozenset[str]) -> Iterator[SetApart]:
    """Yield the features at these places whose interval in a block leaves out 0."""
    ranking = fit.ranking
    for j in places:
        name = ranking.names[j]
        low, high = interval_of(fit, block, name)
        if low > 0 or high < 0:
            weight = float(ranking.centred_mean[block, j])
            yield SetApart(ranking.columns[j], name, weight, f"{low:+.2f} to {high:+.2f}", name in numbers)
