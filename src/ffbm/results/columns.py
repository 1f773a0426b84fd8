"""What each column explains, as a table in plain text."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ffbm.columntable import NO_SIGN, inclusion_in_words, pairs_that_share
from ffbm.plain import EACH_WAY, count_of, with_interval
from ffbm.results.by_mode import decided_by_mode
from ffbm.store.parts import FitParts
from ffbm.types.columns import ColumnBits
from ffbm.types.relevance import BY_MODE, IN_A_SET, MATTERS, OPEN
from ffbm.typeset import number, tabulate, wrap

if TYPE_CHECKING:
    import pandas as pd

_PAIRS = 5
_OVER_MODES = "Inclusion: the least and the largest over modes."
_LIKELY = 0.5  # inclusion of columns that are shown wherever they stand


def columns_text(fit: FitParts, most: int, more: int, verbose: bool, is_tight: bool = False) -> str:
    """Return a line of numbers and one of words for each column, by what it adds; nothing with one block.

    These are the first ones, ``most``, and as many as ``more`` of those that matter or are likely to. With ``verbose``
    the values of a column that set blocks apart, and what the numbers mean. Where there is little room the decision
    stands in the line of numbers, in place of words.
    """
    bits, table = fit.explanation.columns, fit.column_table
    if bits is None or fit.memberships.n_blocks == 1:
        return ""
    inclusion = [] if fit.relevance is None else inclusion_in_words(table)
    which = _shown(table, most, more)
    named = [] if fit.relevance is None else ["inclusion"]
    by_word = is_tight and fit.relevance is not None
    head = ["column", "decision" if by_word else "features", *named, "bits alone", "bits beyond", "p"]
    shown = table.iloc[which].to_dict("records")
    rows = [head, *(_numbers(row, inclusion[at : at + 1], by_word) for at, row in zip(which, shown, strict=True))]
    lines = tabulate(rows, right=range(1 + by_word, len(head)), gives=0).split("\n")
    messages = [lines[0]]
    for line, row in zip(lines[1:], shown, strict=True):
        is_plain = by_word or (row["verdict"] == NO_SIGN and row["decision"] not in (MATTERS, BY_MODE))
        messages += [line] if is_plain else [line, wrap(_words(row, verbose), "      ", "      ")]
    if not by_word and any(row["verdict"] == NO_SIGN for row in shown):
        messages.append(f"  (no words: {NO_SIGN})")
    is_ordered = len(table) > 1 and np.isfinite(table["bits_unique"]).any()
    order = ", by bits beyond the others" if is_ordered else ""
    title = f"What each column explains{order}{warning_mark(fit)}"
    remarks = column_remarks(fit) if verbose else _short_remarks(fit, is_tight)
    if len(which) < len(table):
        remarks = (
            f"... and {count_of(len(table) - len(which), 'more column')} (columns.csv, or fit.column_table).",
            *remarks,
        )
    return "\n".join([title, *messages, *(wrap(text, "  ", "  ") for text in remarks)])


def _shown(table: "pd.DataFrame", most: int, more: int) -> list[int]:
    """Return the rows that are shown: the first ones, and columns that matter or are more likely in than out.

    A single row more is shown too: it takes no more room than to say that it is left out. Where there are too many,
    columns that matter go before those that are likely, these before the first.
    """
    modes = [name for name in map(str, table) if name.startswith("inclusion_mode_")]
    matters = (table["decision"] == MATTERS).to_numpy()
    is_likely = (table[modes or ["inclusion"]] > _LIKELY).any(axis=1).to_numpy() | matters
    which = np.flatnonzero(is_likely | (np.arange(len(table)) < most))
    if len(which) > most + more:
        which = np.sort(np.lexsort((np.arange(len(table)), ~is_likely, ~matters))[: most + more])
    return list(range(len(table))) if len(which) == len(table) - 1 else [int(row) for row in which]


def warning_mark(fit: FitParts) -> str:
    """Return what stands behind the title of a ranking of features that mislead."""
    return "" if fit.scores.misleads is None else " - THE FEATURES MISLEAD"


def _numbers(row: dict[Any, Any], inclusion: list[str], by_word: bool) -> list[str]:
    p_value = "-" if np.isnan(row["p_value"]) else f"{row['p_value']:.3f}"
    cells = [row["column"], _in_a_word(row) if by_word else f"{row['n_features']:,}", *inclusion]
    return [*cells, *(amount(row[f"bits_{name}"], row[f"bits_{name}_se"]) for name in ("alone", "unique")), p_value]


def amount(bits: float, error: float) -> str:
    """Write bits and half of their 95 % interval; a dash if there are none."""
    return "-" if np.isnan(bits) else f"{number(bits, 2)} +- {number(EACH_WAY * error, 2)}"


def _in_a_word(row: dict[Any, Any]) -> str:
    """Return the decision, or that there is no sign of anything to decide."""
    return "no sign" if row["verdict"] == NO_SIGN and row["decision"] == OPEN else str(row["decision"])


def _words(row: dict[Any, Any], verbose: bool) -> str:
    decision, verdict = row["decision"], row["verdict"]
    if decision == IN_A_SET and not verbose:
        return f"{IN_A_SET}, named above"
    decided = f"{decision}; " if decision in (MATTERS, BY_MODE) and not verdict.startswith("matters") else ""
    apart = f": {row['sets_apart']}" if row["sets_apart"] and verbose else ""
    return f"{decided}{verdict}{apart}"


def _short_remarks(fit: FitParts, is_tight: bool) -> tuple[str, ...]:
    """Say what the numbers are in a line or two, and whether inclusion is not known well."""
    message = "(bits per vertex held out, over the base rate, +- 95 %)"
    if decided_by_mode(fit) is not None:
        message += f" {_OVER_MODES}"
    elif fit.relevance is not None and not fit.relevance.is_precise:
        error = f"Monte Carlo error of inclusion up to {fit.relevance.error.max(initial=0.0):.3f}"
        message = f"(bits per vertex, +- 95 %; {error})" if is_tight else f"{message} {error}: sample longer."
    bits = fit.explanation.columns
    return (message, *(() if bits is None else _untested(bits)))


def _untested(bits: ColumnBits) -> list[str]:
    """Say how many columns were not tested beyond the others, if any."""
    left = len(bits.names) - bits.n_tested
    if not left or not bits.n_vertices or bits.notes:  # what there was no time for is said with the rest of it
        return []
    which = "1 column was" if left == 1 else f"{left:,} columns were"
    return [f"{which} not tested beyond the others: --columns all does."]


def column_remarks(fit: FitParts) -> tuple[str, ...]:
    """Say which pairs of columns share their bits, how many columns were not tested, and what the numbers mean."""
    bits = fit.explanation.columns
    if bits is None or fit.memberships.n_blocks == 1:
        return ()
    pairs = [
        f"{bits.names[pair.first]} and {bits.names[pair.second]} {with_interval(pair.bits, pair.error)}"
        for pair in pairs_that_share(bits)
    ]
    lines = []
    if pairs:
        more = f" and {count_of(len(pairs) - _PAIRS, 'more pair')}" if len(pairs) > _PAIRS else ""
        lines.append(f"Pairs that explain the same bits in part: {', '.join(pairs[:_PAIRS])}{more}.")
    lines += _untested(bits)
    if (np.nan_to_num(bits.unique) > bits.whole + 0.005).any():
        lines.append("Bits beyond the others exceed those of all columns where the others alone score below 0.")
    held = "one split" if bits.n_folds == 1 else f"{bits.n_folds} folds"
    lines.append(
        f"Bits per vertex over the base rate, {count_of(bits.n_vertices, 'vertex', 'vertices')} held out, {held}: of a"
        " column alone, and what all columns lose without it (beyond), +- 95 % (two standard errors, vertices taken as"
        f" independent). p: who is linked with whom, {bits.n_permutations:,} permutations."
    )
    return (*lines, *_selection(fit))


def _selection(fit: FitParts) -> list[str]:
    """Return what inclusion means, and how surely it is known."""
    relevance = fit.relevance
    if relevance is None:
        return []
    if decided_by_mode(fit) is not None:
        return [_OVER_MODES]
    blocks = "the given blocks" if relevance.n_partitions == 1 else f"{relevance.n_partitions} of the kept partitions"
    worst = float(relevance.error.max(initial=0.0))
    enough = "" if relevance.is_precise else ", MORE THAN 0.01: sample longer"
    return [
        f"Inclusion: the probability that a column matters, from all vertices, on average over {blocks}; Monte Carlo"
        f" error up to {worst:.3f}{enough}; at most {relevance.fdr:.0%} of the columns that matter should be false."
    ]
