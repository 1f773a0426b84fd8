"""The answer in a few paragraphs: how much is explained, how sure it is, what is left."""

import numpy as np

from ffbm.plain import EACH_WAY
from ffbm.results.block_features import set_apart
from ffbm.results.by_mode import decided_by_mode
from ffbm.results.sentences import (
    tell_choice,
    tell_direction,
    tell_grade,
    tell_misleading,
    tell_modes,
    tell_no_answers,
    tell_notes,
    tell_readings,
    tell_relevance,
    tell_verdict,
)
from ffbm.scoring import PredictedBlocks, contradicting
from ffbm.store.parts import FitParts
from ffbm.typeset import sentence

_BLOCKS = 20  # blocks named one by one
FEATURES = 3  # features named for a block
_NAMED = 3  # features named for the whole network


def warning_paragraphs(fit: FitParts) -> tuple[str, ...]:
    """Return what must be read first: that chains are not to be relied on, features mislead, modes are several."""
    grade = "" if fit.converged.is_usable else grade_in_a_line(fit)
    return tuple(text for text in (grade, line(tell_misleading(fit)), line(tell_modes(fit))) if text)


def answer_paragraphs(fit: FitParts, predicted: PredictedBlocks) -> tuple[str, ...]:
    """Return the answer, a paragraph each; ``predicted`` are the blocks by features alone."""
    if fit.memberships.n_blocks == 1:
        return (line(tell_verdict(fit)), *_read(fit), *_notes(fit))
    paragraphs = [f"{line(tell_verdict(fit))}{_share(fit)}"]
    if fit.relevance is not None:
        paragraphs.insert(0, line(tell_relevance(fit)))
    return (paragraphs[0], *_read(fit), *paragraphs[1:], _sure(fit), _left(fit, predicted), *_notes(fit))


def _share(fit: FitParts) -> str:
    s = fit.scores
    if not s.n_test or not s.bits_test > EACH_WAY * s.bits_se_test:
        return ""
    whole = s.base_rate_loss_test / np.log(2)
    share = f" That is {s.bits_test / whole:.0%} of what is needed."
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
    lead = "The column that matters" if len(clear) == 1 else "The columns that matter"
    return f" {lead}: {', '.join(clear[:_NAMED])}{', ...' if len(clear) > _NAMED else ''}."


def _sure(fit: FitParts) -> str:
    members = fit.memberships
    sentences = (
        [] if "given" in fit.blocks.settings else [f"The draws agree on {members.agreement:.1%} of the vertices."]
    )
    choice = line(tell_choice(fit)).strip("()")
    if choice:
        sentences.append(sentence(choice))
    if fit.converged.is_usable:
        sentences.append(grade_in_a_line(fit))
    return f"How sure: {' '.join(sentences)}" if sentences else "How sure: the blocks were given."


def grade_in_a_line(fit: FitParts) -> str:
    """Say the grade of a fit, and behind it the command that would help."""
    return f"{tell_grade(fit, brief=True)} {fit.converged.command}".rstrip()


def _left(fit: FitParts, predicted: PredictedBlocks) -> str:
    """Say what is not explained."""
    s, members = fit.scores, fit.memberships
    untold = [block for block, features in enumerate(set_apart(fit, FEATURES)) if not features]
    lines = []
    if s.n_test:
        rest = s.predictive_loss_test / np.log(2)
        lines.append(f"{rest:.2f} bits of the block of a held-out vertex are not explained.")
    if untold and decided_by_mode(fit) is None:
        which = ", ".join(map(str, untold[:_BLOCKS])) + (", ..." if len(untold) > _BLOCKS else "")
        lines.append(f"No feature clearly sets apart {'block' if len(untold) == 1 else 'blocks'} {which}.")
    odd = len(contradicting(predicted, members.labels, fit.network.graph.degrees))
    if odd:
        lines.append(
            f"The features of {odd:,} of {len(members.labels):,} vertices speak for another block than theirs."
        )
    return f"What is left: {' '.join(lines) or 'no vertex was held out, so this is not known.'}"


def _read(fit: FitParts) -> tuple[str, ...]:
    """Return how edges and columns were read where that bears on the answer."""
    read = [line(text) for text in (tell_direction(fit), tell_readings(fit), tell_no_answers(fit)) if text]
    return (f"How it was read: {' '.join(read)}",) if read else ()


def _notes(fit: FitParts) -> tuple[str, ...]:
    """Return the notes of the fit."""
    lines = line(tell_notes(fit)).removeprefix("notes").strip()
    return (f"Notes: {lines.removeprefix('- ').replace(' - ', '; ')}",) if lines else ()


def line(text: str) -> str:
    """Return a text in one line, as the page writes it."""
    return " ".join(text.split()).replace(" +- ", " ± ")
