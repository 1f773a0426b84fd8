"""A fit with types of vertices as a report: a chapter for each type, then the network and the chains."""

from typing import TYPE_CHECKING

import numpy as np

from ffbm.plain import count_of, visible
from ffbm.results.answer import line
from ffbm.results.block_features import marks_of, name_of_sure, set_apart
from ffbm.results.columns import column_remarks
from ffbm.results.report import APART, SHOWN, convergence_rows, convergence_table
from ffbm.results.sentences import tell_misleading, tell_relevance, tell_verdict
from ffbm.results.tables import table_of_blocks
from ffbm.results.types_parts import names_of, numbers_of, parts_of, styles_of, vertices_of
from ffbm.scoring import predict_blocks
from ffbm.store.parts import TypedParts

if TYPE_CHECKING:
    from ffbm.report import Chapter, Subject, Table


_TIMES = 4  # as long as it was


def types_report_text(fit: TypedParts) -> str:
    """Return the page."""
    from ffbm.report import Scene, TypesSubject, render_types

    judged = fit.blocks.converged
    verdicts = {"Blocks": judged, **{f"Weights, {value}": one.converged for value, one in fit.explanations.items()}}
    open_ones = [f"{name}: {one.reason}" for name, one in verdicts.items() if not one.is_usable]
    warnings = [f"NOT CONVERGED. {'; '.join(open_ones)}. {longer_run(fit)}"] if open_ones else []
    chapters = tuple(_chapter(fit, value) for value in fit.types.values)
    scene = Scene(
        fit.network, fit.memberships, np.arange(fit.network.n_features), names=names_of(fit), styles=styles_of(fit)
    )
    sure = f"How sure: The draws agree on {fit.memberships.agreement:.1%} of the vertices."
    if not open_ones:
        sure += f" The chains {'converged' if all(verdicts.values()) else 'are usable, not converged'}."
    subject = TypesSubject(
        scene=scene,
        blocks=fit.blocks,
        warnings=tuple(warnings),
        answer=(*(f"{visible(one.title)}: {' '.join(one.answer)}" for one in chapters), sure),
        chapters=chapters,
        verdicts=verdicts,
        convergence=_convergence(fit),
        config=fit.config.to_dict(),
        provenance=fit.provenance,
    )
    return render_types(subject)


def longer_run(fit: TypedParts) -> str:
    """Say what would help chains that have not converged."""
    config, weights = fit.config, [one.converged for one in fit.explanations.values()]
    lengths = [("--sweeps", config.n_sweeps, config.countable_sweeps)] if not fit.blocks.converged else []
    lengths += [("--draws", config.n_draws, config.countable_draws)] if not all(weights) else []
    fixed = [f"{option} {_TIMES * number}" for option, value, number in lengths if value != "auto"]
    clock = [f"--max-minutes {_TIMES * config.max_minutes:g}"] if len(fixed) < len(lengths) else []
    return f"Let it run longer: {' '.join(fixed + clock)}."


def tell_type(fit: TypedParts, value: str) -> tuple[str, ...]:
    """Say how many blocks a type has and whether features explain them."""
    n, sizes = len(vertices_of(fit, value)), fit.memberships.sizes[numbers_of(fit, value)].tolist()
    held = " and ".join(filter(None, (", ".join(f"{k:,}" for k in sizes[:-1]), f"{sizes[-1]:,}")))
    head = f"{count_of(n, 'vertex', 'vertices')} in {count_of(len(sizes), 'block')} of {held}."
    if value not in fit.explanations:
        if len(sizes) == 1:
            return (
                head,
                "Nothing to explain: there is one block; the permutation test (ffbm test) asks without blocks.",
            )
        return (head, "Nothing to explain: no column varies among these vertices.")
    parts = parts_of(fit, value)
    sentences = (tell_misleading(parts), tell_relevance(parts), "" if parts.scores.misleads else tell_verdict(parts))
    return (head, *(line(text) for text in sentences if text))


def _chapter(fit: TypedParts, value: str) -> "Chapter":
    from ffbm.report import Chapter

    subject = _subject(fit, value) if value in fit.explanations else None
    return Chapter(value, tell_type(fit, value), subject)


def _subject(fit: TypedParts, value: str) -> "Subject":
    from ffbm.report import Subject

    parts = parts_of(fit, value)
    return Subject(
        parts=parts,
        verdicts={},
        convergence=_convergence(fit),
        warnings=(),
        answer=(),
        effects=parts.explanation.effects([parts.ranking.names[j] for j in parts.ranking.order[:SHOWN]]),
        predicted=predict_blocks(parts.weights, parts.network.features, parts.memberships.labels),
        blocks=table_of_blocks(parts),
        apart=set_apart(parts, APART),
        marks=marks_of(parts),
        name_of_sure=name_of_sure(parts),
        remarks=tuple(text.replace(" +- ", " ± ") for text in column_remarks(parts)),
        own_degrees=fit.network.graph.degrees[vertices_of(fit, value)],
    )


def _convergence(fit: TypedParts) -> "Table":
    weights = {f"weights, {value}": one.diagnostics for value, one in fit.explanations.items()}
    return convergence_table(convergence_rows(fit.blocks.diagnostics, weights))
