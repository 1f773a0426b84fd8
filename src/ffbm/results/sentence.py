"""The answer in two sentences that a results section can take over."""

from typing import TYPE_CHECKING

import numpy as np

from ffbm.columntable import inclusion_in_words
from ffbm.plain import count_of, with_interval
from ffbm.results.by_mode import decided_by_mode, tell_decisions
from ffbm.results.sentences import name_one_block
from ffbm.store.parts import FitParts
from ffbm.types.columns import ColumnBits
from ffbm.types.relevance import BY_MODE, MATTERS, list_of
from ffbm.typeset import sentence

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 3  # columns named one by one
_MODES = 8  # modes whose shares are listed


def sentence_of(fit: FitParts, named: int = _NAMED) -> str:
    """Say which columns matter and how many bits they explain, and of which model, blocks, folds and version.

    See ``claim_of``.
    """
    return f"{claim_of(fit, named)} {_basis(fit, fit.explanation.columns)}"


def claim_of(fit: FitParts, named: int = _NAMED) -> str:
    """Say which columns matter and how many bits they explain.

    Bits are given of as many as ``named`` columns. Intervals are two standard errors over vertices each way. Under
    the fixed prior, which decides nothing, columns are named whose bits are clear of 0.
    """
    bits, n_blocks = fit.explanation.columns, fit.memberships.n_blocks
    if n_blocks == 1:
        message = name_one_block(fit)
    elif bits is None or not bits.n_vertices:
        message = "No vertex was held out, so what attributes explain of unseen vertices is not known."
    else:
        message = _findings(fit, bits, named)
    warning = "" if fit.scores.misleads is None else f"{sentence(fit.scores.misleads.message)} "
    return f"{warning}{message}"


def _findings(fit: FitParts, bits: ColumnBits, named: int) -> str:
    table, n = fit.column_table, len(bits.names)
    clear = table[_is_clear(fit, table)]
    s = fit.scores  # with more or fewer vertices held out than the bits of columns have, where time was short
    needed = f"of the {s.base_rate_loss_test / np.log(2):.2f} bits that name the block of a vertex held out"
    if n == 1:
        only = table.iloc[0]
        amount = with_interval(s.bits_test, s.bits_se_test)
        how = f"{only['inclusion']:.2f}" if decided_by_mode(fit) is None else f"{inclusion_in_words(table)[0]} by mode"
        sure = "" if fit.relevance is None else f"; it matters with probability {how}"
        return f"The attribute {only['column']} explains {amount} {needed}{_chance(only['p_value'], bits)}{sure}."
    whole = f"Together {count_of(n, 'attribute')} explain {with_interval(s.bits_test, s.bits_se_test)} {needed}"
    if clear.empty:
        none = "there is no sign that any of them matters"
        return f"{whole}; {none if fit.relevance is None else tell_decisions(fit)}."
    parts = []
    for row in clear.head(named).to_dict("records"):
        alone, beyond = "", ""
        if np.isfinite(row["bits_unique"]):
            beyond = f" and {with_interval(row['bits_unique'], row['bits_unique_se'])} beyond the others"
        if round(row["bits_unique"], 2) > round(s.bits_test, 2):
            beyond += ", more than all together, since without it the others score below 0"
        others = row["shares_with"].split(", ") if row["shares_with"] else []
        same = f", much of which {list_of(others)} explain{'s' if len(others) == 1 else ''} too" if others else ""
        if np.isfinite(row["bits_alone"]):  # there may have been no time for it
            amount = with_interval(row["bits_alone"], row["bits_alone_se"])
            alone = f" {amount} alone{same}{',' if same and beyond else ''}"
        parts.append(f"{row['column']}{alone}{beyond}{_chance(row['p_value'], bits)}")
    verb = "explain" if fit.relevance is None else "matter"
    left = len(clear) - len(parts)
    parts += [f"{left} more {verb}{'s' if left == 1 else ''} too"] if left > 0 else []
    by_mode = decided_by_mode(fit) is not None
    sets = () if fit.relevance is None or by_mode else fit.relevance.one_of
    parts += [f"one of {{{', '.join(part)}}} matters, the data cannot say which" for part in sets]
    varying = table.loc[table["decision"] == BY_MODE, "column"].tolist()
    parts += [f"for {list_of(varying)} that depends on the mode"] if varying else []
    mentioned = {*clear["column"], *varying, *(name for part in sets for name in part)}
    rest = [name for name in table["column"] if name not in mentioned]
    if rest:
        which = rest[0] if len(rest) == 1 else f"the other {len(rest):,}"
        unclear = "there is no sign in these blocks" if fit.relevance is None else "that is not decided"
        parts.append(f"for {which} {unclear}")
    matter = "" if fit.relevance is None else f", and {len(clear):,} matter{'s' if len(clear) == 1 else ''}"
    return f"{whole}{matter}{' in every mode' if by_mode else ''}: {'; '.join(parts)}."


def _is_clear(fit: FitParts, table: "pd.DataFrame") -> "pd.Series":
    """Tell which columns are findings: those that are decided to matter, if there are modes in every one."""
    if fit.relevance is None:
        return table["verdict"].str.contains("explains")
    return table["decision"] == MATTERS


def _chance(p_value: float, bits: ColumnBits) -> str:
    if not np.isfinite(p_value):
        return ""
    least = 1 / (1 + bits.n_permutations)
    return f", p = {p_value:.3f}" if p_value > least else f", p = {least:.2g}, the least possible"


def _basis(fit: FitParts, bits: ColumnBits | None) -> str:
    config, net = fit.config, fit.network
    if "given" in fit.blocks.settings:
        blocks = count_of(fit.memberships.n_blocks, "given block")
    else:
        plain = "" if config.degree_corrected else " without degree correction"
        blocks = f"B = {count_of(fit.memberships.n_blocks, 'block')}{plain}"
    folds = 1 if bits is None else bits.n_folds
    has_bits = bits is not None and bits.n_vertices > 0 and fit.memberships.n_blocks > 1
    held = "one split" if folds == 1 else f"{folds} folds"
    parts = [
        f"Feature-First Block Model, {config.target} posterior, {config.weight_prior} weight prior",
        f"{blocks}, N = {net.n_nodes:,}, E = {net.n_edges:,}{_edges(fit)}",
        *_more(fit),
        *([f"bits of {held}, intervals of two standard errors over vertices"] if has_bits else []),
        f"ffbm {fit.provenance.get('ffbm', '')}, seed {config.seed}".replace("ffbm ,", "ffbm,"),
    ]
    judged = fit.converged
    if not judged:
        parts.insert(-2, f"chains {judged.grade}, not converged")
    return f"({'; '.join(parts)}.)"


def _edges(fit: FitParts) -> str:
    """Say of edges that they are directed or weighted, where they are."""
    graph = fit.network.graph
    parts = ["directed"] if graph.is_directed else []
    parts += [] if graph.weights is None else [f"weighted by {graph.weights.in_words}"]
    return f" ({', '.join(parts)})" if parts else ""


def _more(fit: FitParts) -> list[str]:
    """Say what else the answer rests on, where it applies: a hierarchy, modes and their shares, imputed cells."""
    members, clauses = fit.memberships, []
    if fit.hierarchy is not None:
        clauses.append(f"a hierarchy of {count_of(fit.hierarchy.n_levels, 'level')}")
    if members.n_modes > 1:
        shares = " with unknown shares"
        if members.shares_are_known:
            shown = ", ".join(f"{mode.weight:.0%}" for mode in members.modes[:_MODES])
            shares = f" with {shown}{', ...' if members.n_modes > _MODES else ''} of the draws"
        clauses.append(f"{members.n_modes} modes{shares}")
    if fit.weights.imputed is not None:
        clauses.append(f"{count_of(fit.weights.imputed.n_cells, 'missing cell')} imputed")
    return clauses
