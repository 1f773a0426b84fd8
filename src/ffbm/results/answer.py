"""The answer in a few paragraphs: how much is explained, what sets each block apart, how sure it is, what is left."""

import numpy as np

from ffbm.results.sentences import (
    interval_of,
    tell_choice,
    tell_grade,
    tell_modes,
    tell_notes,
    tell_relevance,
    tell_verdict,
)
from ffbm.results.tables import given_names
from ffbm.scoring import contradicting
from ffbm.store.parts import FitParts
from ffbm.types import Array
from ffbm.types.relevance import Relevance
from ffbm.typeset import sentence

_BLOCKS = 20  # blocks told one by one
_FEATURES = 3  # features told of a block
_NAMED = 3  # features named for the whole network


def warning_paragraphs(fit: FitParts) -> tuple[str, ...]:
    """Return what must be read first: that chains are not to be relied on, that they sit in several modes."""
    said = () if fit.converged.is_usable else (_grade(fit),)
    modes = _line(tell_modes(fit))
    return (*said, modes) if modes else said


def answer_paragraphs(fit: FitParts, predicted: Array) -> tuple[str, ...]:
    """Return the answer, a paragraph each; ``predicted`` (N, B) are the blocks by features alone."""
    if fit.memberships.n_blocks == 1:
        return (_line(tell_verdict(fit)), *_remarks(fit))
    found = [f"{_line(tell_verdict(fit))}{_share(fit)}"]
    if fit.relevance is not None:
        found.insert(0, _line(tell_relevance(fit)))
    told, untold = _blocks(fit)
    return (*found, *told, _sure(fit), _left(fit, predicted, untold), *_remarks(fit))


def _share(fit: FitParts) -> str:
    s = fit.scores
    if not s.n_test or not s.bits_test > 2 * s.bits_se_test:
        return ""
    whole = s.base_rate_loss_test / np.log(2)
    share = f" That is {s.bits_test / whole:.0%} of the structure in blocks."
    if fit.relevance is not None:
        return share
    ranking = fit.ranking
    first = [ranking.names[j] for j in ranking.order[:_NAMED] if ranking.scores[j] > 0]  # no others stand clear of 0
    return f"{share} The features that matter most: {', '.join(first)}.{_columns(fit)}" if first else share


def _columns(fit: FitParts) -> str:
    """Name the columns of the user's table that features clear of 0 come from, where a column has several."""
    table = fit.ranking.by_column
    clear = table["column"][table["score"] > 0].tolist()
    if len(table) in (1, fit.ranking.n_features) or not clear:
        return ""
    said = "The column that matters" if len(clear) == 1 else "The columns that matter"
    return f" {said}: {', '.join(clear[:_NAMED])}{', ...' if len(clear) > _NAMED else ''}."


def _blocks(fit: FitParts) -> tuple[list[str], list[int]]:
    """Return a sentence for each block with features that are clear of 0, and the blocks that have none."""
    members, ranking = fit.memberships, fit.ranking
    clear = np.abs(ranking.centred_mean) - 2 * ranking.centred_sd
    names, numbers = given_names(fit), fit.network.features.names_of_numbers
    told, untold = [], []
    for r in range(members.n_blocks):
        parts = []
        if fit.relevance is not None:
            parts = _named(fit.relevance, r, numbers)
        for j in np.argsort(-clear[r], kind="stable")[: _FEATURES if fit.relevance is None else 0]:
            low, high = interval_of(fit, r, ranking.names[j])
            if low > 0 or high < 0:
                name = ranking.names[j]
                way = "more vertices with" if low > 0 else "fewer vertices with"
                if name in numbers:
                    way = "higher" if low > 0 else "lower"
                parts.append(f"{way} {name} (weight {ranking.centred_mean[r, j]:+.2f}, 95 % {low:+.2f} to {high:+.2f})")
        if not parts:
            untold.append(r)
        elif r < _BLOCKS:
            which = f"Block {r}" if names is None else f"Block {r} = {names[r]}"
            size = int(members.sizes[r])
            told.append(f"{which} ({size:,} {'vertex' if size == 1 else 'vertices'}): {'; '.join(parts)}.")
    return told, untold


def _named(relevance: Relevance, block: int, numbers: frozenset[str]) -> list[str]:
    """Return what sets a block apart, of columns that matter."""
    parts = []
    for value in [value for value in relevance.values if value.block == block][:_FEATURES]:
        way = "more vertices with" if value.mean > 0 else "fewer vertices with"
        if value.feature in numbers:
            way = "higher" if value.mean > 0 else "lower"
        parts.append(f"{way} {value.feature} (weight {value.mean:+.2f}, sign sure by {value.probability:.1%})")
    return parts


def _sure(fit: FitParts) -> str:
    members = fit.memberships
    said = (
        []
        if "given" in fit.blocks.settings
        else [f"The draws agree on the block of {members.agreement:.1%} of the vertices."]
    )
    choice = _line(tell_choice(fit)).strip("()")
    if choice:
        said.append(sentence(choice))
    if fit.converged.is_usable:
        said.append(_grade(fit))
    return f"How sure: {' '.join(said)}" if said else "How sure: the blocks were given."


def _grade(fit: FitParts) -> str:
    return f"{tell_grade(fit)} {fit.converged.command}".rstrip()


def _left(fit: FitParts, predicted: Array, untold: list[int]) -> str:
    """Say what is not explained."""
    s, members = fit.scores, fit.memberships
    said = []
    if s.n_test:
        rest = s.predictive_loss_test / np.log(2)
        said.append(f"{rest:.2f} bits of the block of a held-out vertex are not explained.")
    if untold:
        which = ", ".join(map(str, untold[:_BLOCKS])) + (", ..." if len(untold) > _BLOCKS else "")
        said.append(f"No feature sets apart for sure: {'block' if len(untold) == 1 else 'blocks'} {which}.")
    odd = len(contradicting(predicted, members.labels, fit.network.graph.degrees))
    if odd:
        said.append(f"The features of {odd:,} of {len(predicted):,} vertices speak for another block than theirs.")
    return f"What is left: {' '.join(said) or 'no vertex was held out, so this is not known.'}"


def _remarks(fit: FitParts) -> tuple[str, ...]:
    lines = _line(tell_notes(fit)).removeprefix("notes").strip()
    return (f"Notes: {lines.removeprefix('- ').replace(' - ', '; ')}",) if lines else ()


def _line(text: str) -> str:
    return " ".join(text.split()).replace(" +- ", " ± ")
