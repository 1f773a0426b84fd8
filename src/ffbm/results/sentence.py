"""The answer in two sentences that a results section can take over."""

import numpy as np

from ffbm.columntable import CLEAR
from ffbm.plain import count_of
from ffbm.store.parts import FitParts
from ffbm.types.columns import ColumnBits

_NAMED = 3  # columns told one by one


def sentence_of(fit: FitParts) -> str:
    """Say how many bits columns explain, with 95 % intervals, and which model, blocks, folds and version that is of.

    Intervals are two standard errors over vertices each way.
    """
    bits, n_blocks = fit.explanation.columns, fit.memberships.n_blocks
    if n_blocks == 1:
        said = "The network shows one block, and there is nothing for attributes to explain."
    elif bits is None or not bits.n_vertices:
        said = "No vertex was held out, so what attributes explain of unseen vertices is not known."
    else:
        said = _findings(fit, bits)
    return f"{said} {_basis(fit, bits)}"


def _findings(fit: FitParts, bits: ColumnBits) -> str:
    table, n = fit.column_table, len(bits.names)
    explains = table[table["verdict"].str.contains("explains")]
    needed = f"of the {bits.needed:.2f} bits that name the block of a vertex held out"
    s = fit.scores
    if n == 1:
        only = table.iloc[0]
        told = _amount(only["bits_alone"], only["bits_alone_se"])
        return f"The attribute {only['column']} explains {told} {needed}{_chance(only['p_value'], bits)}."
    whole = f"Together {count_of(n, 'attribute')} explain {_amount(s.bits_test, s.bits_se_test)} {needed}"
    if explains.empty:
        return f"{whole}; there is no sign that any of them matters."
    parts = []
    for row in explains.head(_NAMED).to_dict("records"):
        beyond = ""
        if np.isfinite(row["bits_unique"]):
            beyond = f" and {_amount(row['bits_unique'], row['bits_unique_se'])} beyond the others"
        alone = _amount(row["bits_alone"], row["bits_alone_se"])
        parts.append(f"{row['column']} {alone} alone{beyond}{_chance(row['p_value'], bits)}")
    left = len(explains) - len(parts)
    parts += [f"{left} more explain too"] if left > 0 else []
    rest = table["column"][~table["verdict"].str.contains("explains")].tolist()
    if rest:
        which = rest[0] if len(rest) == 1 else f"the other {len(rest):,}"
        parts.append(f"for {which} there is no sign in these blocks")
    return f"{whole}: {'; '.join(parts)}."


def _amount(bits: float, error: float) -> str:
    low, high = bits - CLEAR * error, bits + CLEAR * error
    return f"{bits:.2f} (95 % {low:.2f} to {high:.2f})"


def _chance(p_value: float, bits: ColumnBits) -> str:
    if not np.isfinite(p_value):
        return ""
    least = 1 / (1 + bits.n_permutations)
    return f", p = {p_value:.3f}" if p_value > least else f", p = {least:.2g}, the least possible"


def _basis(fit: FitParts, bits: ColumnBits | None) -> str:
    config, net = fit.config, fit.network
    if "given" in fit.blocks.settings:
        blocks = f"{fit.memberships.n_blocks} given blocks"
    else:
        blocks = (
            f"B = {fit.memberships.n_blocks} blocks{'' if config.degree_corrected else ' without degree correction'}"
        )
    folds = 1 if bits is None else bits.n_folds
    held = "one split" if folds == 1 else f"{folds} folds"
    parts = [
        f"Feature-First Block Model, {config.target} posterior, {config.weight_prior} weight prior",
        f"{blocks}, N = {net.n_nodes:,}, E = {net.n_edges:,}",
        f"bits of {held}, intervals of two standard errors over vertices",
        f"ffbm {fit.provenance.get('ffbm', '')}, seed {config.seed}".replace("ffbm ,", "ffbm,"),
    ]
    judged = fit.converged
    if not judged:
        parts.insert(2, f"chains {judged.grade}, not converged")
    return f"({'; '.join(parts)}.)"
