"""What each column explains, in a table and in words: the unit of the answer is the column of the user's table."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ffbm.types.columns import ColumnBits, SharedBits
from ffbm.types.graph import Array
from ffbm.types.network import Features
from ffbm.types.ranking import Ranking
from ffbm.types.relevance import IN_A_SET, MATTERS, OPEN, Relevance
from ffbm.types.weights import WeightTrace

if TYPE_CHECKING:
    import pandas as pd

CLEAR = 2.0  # standard errors: bits beyond them are clear of 0
MUCH = 0.1  # of the bits that name a block
SAME = 0.5  # of a column's bits: what is shared beyond this share is called the same
NO_SIGN = "no sign that it matters"
LINKED = "no sign in these blocks, but edges are related to it"
LEAST = 0.5  # inclusion: a column that is more likely in than out shows a sign
CHANCE = 0.05  # the false discovery rate of p values at which edges are said to be related to a column
_NAMED = 3  # values of a column that are named
_LISTED = 4  # blocks whose numbers are


def build_table(
    features: Features,
    weights: WeightTrace,
    ranking: Ranking,
    bits: ColumnBits | None,
    relevance: Relevance | None,
) -> "pd.DataFrame":
    """Return one row for each column, by what it adds: those tested beyond the others first.

    ``bits`` and ``relevance`` may be missing: what they would tell is NaN or None.
    """
    import pandas as pd

    names = weights.column_names
    n, unknown = len(names), np.full(len(names), np.nan)
    columns = _features_of(weights)
    numbers = features.names_of_numbers
    decisions: Sequence[str | None] = [None] * n if relevance is None else relevance.decisions
    table = pd.DataFrame(
        {
            "column": list(names),
            "kind": [_kind(weights, inside, numbers) for inside in columns],
            "n_features": [len(inside) for inside in columns],
            "inclusion": unknown if relevance is None else relevance.inclusion,
            "decision": np.array(decisions, dtype=object),
            "bits_alone": unknown if bits is None else bits.alone,
            "bits_alone_se": unknown if bits is None else bits.alone_se,
            "bits_unique": unknown if bits is None else bits.unique,
            "bits_unique_se": unknown if bits is None else bits.unique_se,
            "p_value": unknown if bits is None else bits.p_adjacency,
            "p_value_degrees": unknown if bits is None else bits.p_degrees,
        }
    )
    linked = np.zeros(n, dtype=bool) if bits is None else find_linked(bits.p_adjacency)
    table["verdict"] = [_verdict(g, names, bits, relevance, linked[g]) for g in range(n)]
    table["sets_apart"] = [
        _sets_apart(weights, ranking, relevance, names[g], columns[g], numbers, table["verdict"][g]) for g in range(n)
    ]
    table["shares_with"] = [
        ", ".join(names[_other(pair, g)] for pair in (() if bits is None else _sharing(bits, g))) for g in range(n)
    ]
    first = np.nan_to_num(table["bits_unique"], nan=-np.inf)
    second = np.nan_to_num(table["bits_alone"], nan=-np.inf)
    last = np.nan_to_num(table["inclusion"], nan=-np.inf)
    return table.iloc[np.lexsort((-last, -second, -first))].reset_index(drop=True)


def inclusion_in_words(table: "pd.DataFrame") -> list[str]:
    """Return the inclusion of each column of a table: a number, or where modes have their own, the range over them.

    >>> import pandas as pd
    >>> inclusion_in_words(pd.DataFrame({"inclusion_mode_0": [0.98, 1.0], "inclusion_mode_1": [0.4, 1.0]}))
    ['0.40 to 0.98', '1.00']
    """
    modes = [name for name in map(str, table) if name.startswith("inclusion_mode_")]
    if not modes:
        return ["-" if np.isnan(value) else f"{value:.3f}" for value in table["inclusion"]]
    low, high = table[modes].min(axis=1), table[modes].max(axis=1)
    words = [(f"{a:.2f}", f"{b:.2f}") for a, b in zip(low, high, strict=True)]
    return [a if a == b else f"{a} to {b}" for a, b in words]


def name_of_inclusion(table: "pd.DataFrame") -> str:
    """Name what ``inclusion_in_words`` returns."""
    return "inclusion by mode" if any(str(name).startswith("inclusion_mode_") for name in table) else "inclusion"


def pairs_that_share(bits: ColumnBits) -> list[SharedBits]:
    """Return the pairs of columns that both explain some bits, clear of 0, the largest first."""
    clear = [pair for pair in bits.shared if pair.bits > CLEAR * pair.error]
    return sorted(clear, key=lambda pair: -pair.bits)


def _sharing(bits: ColumnBits, g: int) -> list[SharedBits]:
    """Return the pairs of a column that explain much of the same, the largest first."""
    pairs = [pair for pair in pairs_that_share(bits) if g in (pair.first, pair.second)]
    return [pair for pair in pairs if pair.bits >= SAME * bits.alone[g]]


def _other(pair: SharedBits, g: int) -> int:
    return pair.second if pair.first == g else pair.first


def _features_of(weights: WeightTrace) -> list[Array]:
    """Return the features of each column."""
    if weights.selected is not None:
        of_feature = weights.selected.of_feature
        return [np.flatnonzero(of_feature == g) for g in range(len(weights.column_names))]
    return [np.flatnonzero([column == name for column in weights.columns]) for name in weights.column_names]


def _kind(weights: WeightTrace, inside: Array, numbers: frozenset[str]) -> str:
    if len({weights.columns[d] for d in inside}) > 1:
        return "group"
    if any(weights.names[d] in numbers for d in inside):
        return "number"
    return "flag" if len(inside) == 1 else "values"


def find_linked(p_values: Array) -> Array:
    """Tell which p values of the permutation test are discoveries by Benjamini and Hochberg's rule; NaN is none."""
    from scipy.stats import false_discovery_control

    tested = np.isfinite(p_values)
    is_linked = np.zeros(len(p_values), dtype=bool)
    if tested.any():
        is_linked[tested] = false_discovery_control(p_values[tested]) <= CHANCE
    return is_linked


def _verdict(
    g: int, names: Sequence[str], bits: ColumnBits | None, relevance: Relevance | None, is_linked: bool
) -> str:
    decision = None if relevance is None else relevance.decisions[g]
    if relevance is not None and decision == IN_A_SET:
        part = next(part for part in relevance.sets if g in part)
        return f"one of {{{', '.join(relevance.column_names[h] for h in part)}}} matters; the data cannot say which"
    if bits is None or not bits.n_vertices:
        return "not tested: no vertex was held out" if decision is None else f"{decision}; no vertex was held out"
    if not np.isfinite(bits.alone[g]):
        return "not tested" if decision is None else f"{decision}; not tested"
    partner = _sharing(bits, g)
    # The columns looked at beyond the others were chosen on the same vertices, so all count for both.
    clear = CLEAR if decision == MATTERS else clear_of(bits.alone)
    words = verdict_in_words(
        bits.alone[g] > clear * bits.alone_se[g],
        bool(np.isfinite(bits.unique[g])),
        bits.unique[g] > clear * bits.unique_se[g],
        bits.alone[g] >= MUCH * bits.needed,
        bits.unique[g] >= SAME * bits.alone[g],
        names[_other(partner[0], g)] if partner else "",
        "matters, but predicts too little to see" if decision == MATTERS else LINKED if is_linked else "",
        decision == MATTERS,
    )
    if decision == OPEN and relevance is not None and relevance.inclusion[g] > LEAST:  # that is a sign, if a weak one
        words = {NO_SIGN: "", LINKED: "edges are related to it"}.get(words, words)
        return f"{OPEN}; {words}".removesuffix("; ")
    return f"{OPEN}; {words}" if decision == OPEN and "explain" in words else words


def clear_of(bits: Array) -> float:
    """Return how many standard errors bits must be above 0, the best of as many columns as there are.

    Chance takes one column beyond two standard errors as often as the best of several beyond so many (Bonferroni).

    >>> [round(clear_of(np.zeros(n)), 2) for n in (1, 3, 12, 120)]
    [2.0, 2.43, 2.89, 3.55]
    """
    from scipy.stats import norm

    return float(norm.isf(norm.sf(CLEAR) / max(np.isfinite(bits).sum(), 1)))


def verdict_in_words(
    explains: bool,
    is_tested: bool,
    adds: bool,
    is_large: bool,
    is_mostly_unique: bool,
    partner: str = "",
    decided: str = "",
    matters: bool = False,
) -> str:
    """Say what a column explains.

    Parameters
    ----------
    explains, is_tested, adds : bool
        Whether its bits alone are clear of 0, whether its bits beyond the others were measured, and are clear of 0.
    is_large, is_mostly_unique : bool
        Whether it explains a tenth of what there is, and whether the others do not explain at least half of that.
    partner : str
        A column that explains much of the same.
    decided : str
        What inclusion or the test without blocks says of it, where bits say nothing.
    matters : bool
        Whether it is decided, by inclusion, that it matters.

    Examples
    --------
    >>> verdict_in_words(True, True, True, True, True)
    'explains much that no other column does'
    >>> verdict_in_words(True, True, False, True, False, "year")
    'explains, but year explains the same'
    >>> verdict_in_words(True, True, False, True, False, "year", matters=True)
    'explains much, most of which year explains too'
    >>> verdict_in_words(False, True, False, False, False)
    'no sign that it matters'
    """
    amount = "much" if is_large else "a little"
    if explains and not is_tested:
        return f"explains {amount}; not tested beyond the others"
    if explains and adds and is_mostly_unique:
        return f"explains {amount} that no other column does"
    if explains and adds:
        return f"explains {amount}, part of which {f'{partner} explains' if partner else 'others explain'} too"
    if explains and matters:
        return f"explains {amount}, most of which {f'{partner} explains' if partner else 'others explain'} too"
    if explains:
        return f"explains, but {f'{partner} explains' if partner else 'the others together explain'} the same"
    if adds:
        return "explains only together with others"
    return decided or NO_SIGN


def _sets_apart(
    weights: WeightTrace,
    ranking: Ranking,
    relevance: Relevance | None,
    name: str,
    inside: Array,
    numbers: frozenset[str],
    verdict: str,
) -> str:
    """Say which values set which blocks apart: of columns that matter; under the fixed prior, that explain."""
    signs: list[tuple[str, int, float]] = []
    if relevance is not None:
        signs = [(value.feature, value.block, value.mean) for value in relevance.values if value.column == name]
    elif "explains" in verdict:
        index_of = {feature: j for j, feature in enumerate(ranking.names)}
        which = [index_of[weights.names[d]] for d in inside]
        mean, sd = ranking.centred_mean[:, which], ranking.centred_sd[:, which]
        clear = np.argwhere(np.abs(mean) > 2 * sd)
        clear = clear[np.argsort(-(np.abs(mean) / np.maximum(sd, 1e-300))[tuple(clear.T)], kind="stable")]
        signs = [(ranking.names[which[j]], int(r), float(mean[r, j])) for r, j in clear]
    return phrase(name, signs, numbers)


def phrase(column: str, signs: Sequence[tuple[str, int, float]], numbers: Any = ()) -> str:
    """Say of a column's features in which blocks they are found: of triples of feature, block and weight.

    >>> phrase("party", [("party=left", 0, 2.0), ("party=right", 1, 1.5), ("party=left", 1, -1.0)])
    'left in block 0, right in block 1'
    >>> phrase("age", [("age", 2, -1.0), ("age", 0, 1.0)], {"age"})
    'higher in block 0, lower in block 2'
    >>> phrase("dorm", [("dorm=7", 1, 2.0), ("dorm=9", 0, -1.5)])
    'fewer with value 9 in block 0, value 7 in block 1'
    """
    features = list(dict.fromkeys(feature for feature, _, weight in signs if weight > 0))
    features += [feature for feature in dict.fromkeys(feature for feature, _, _ in signs) if feature not in features]
    parts: list[tuple[int, str]] = []
    for feature in features[:_NAMED]:
        more = sorted(block for one, block, weight in signs if one == feature and weight > 0)
        less = sorted(block for one, block, weight in signs if one == feature and weight < 0)
        if feature in numbers or feature == column:
            high, low = ("higher", "lower") if feature in numbers else ("more often", "less often")
            parts += [(-2, f"{high} in {_blocks(more)}")] if more else []
            parts += [(-1, f"{low} in {_blocks(less)}")] if less else []
        else:
            value = feature.removeprefix(f"{column}=")
            value, fewer = (f"value {value}", "fewer with") if value[:1].isdigit() else (value, "fewer")
            message = f"{value} in {_blocks(more)}" if more else f"{fewer} {value} in {_blocks(less)}"
            parts.append((more[0] if more else less[0], message))
    n_more = len(features) - _NAMED
    return ", ".join(message for _, message in sorted(parts)) + (f", and {n_more} more" if n_more > 0 else "")


def _blocks(numbers: list[int]) -> str:
    if len(numbers) == 1:
        return f"block {numbers[0]}"
    if len(numbers) > _LISTED:
        return f"{len(numbers)} blocks"
    return f"blocks {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"
