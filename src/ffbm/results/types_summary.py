"""A fit with types of vertices as text, and as plain values."""

from math import log
from typing import Any

from ffbm.diagnostics import Verdict
from ffbm.plain import count_of, visible
from ffbm.results.columns import columns_text
from ffbm.results.summary import (
    GLOSSARY,
    LONG,
    MEDIUM,
    SHORT,
    TIGHT,
    Length,
    blocks_text,
    ranking_text,
    reading_text,
    tree_text,
)
from ffbm.results.types_parts import names_of, numbers_of, parts_of
from ffbm.results.types_report import longer_run, tell_type
from ffbm.store.parts import TypedParts
from ffbm.types.relevance import list_of
from ffbm.typeset import sentence, wrap

_SCREEN = 33  # lines; where the files are comes below


def judge(fit: TypedParts) -> Verdict:
    """Return whether the chains of blocks and of the weights of every type agree: a grade and its reason."""
    judged: Verdict = fit.blocks.converged.named("blocks")
    for value, explanation in fit.explanations.items():
        judged = judged & explanation.converged.named(f"weights, {value}")
    return judged


def typed_summary(fit: TypedParts, verbose: bool = False) -> str:
    """Return the answer: whether to rely on it, the network, then each type with its columns and blocks.

    What does not fit on a screen is shortened, as in that of a fit without types.
    """
    if verbose:
        return _text(fit, LONG)
    short, medium, tight = (_text(fit, length) for length in (SHORT, MEDIUM, TIGHT))
    return next((text for text in (short, medium) if text.count("\n") < _SCREEN), tight)


def _text(fit: TypedParts, length: Length) -> str:
    net, verbose, is_tight = fit.network, length is LONG, length.is_tight
    together = "\n" if is_tight else "\n\n"
    head = [
        f"{visible(net.name) or 'the network'}: {count_of(net.n_nodes, 'vertex', 'vertices')},"
        f" {net.graph.edges_in_words}, {count_of(len(fit.types.values), 'type')}; seed {fit.config.seed}"
    ]
    if net.graph.weights is not None:
        head.append(wrap(f"edges weighted by {net.graph.weights.in_words} ({net.graph.weights.reason})", rest="  "))
    if verbose:
        entities = net.n_nodes + net.n_edges
        sized = zip(fit.types.sizes.tolist(), fit.types.values, strict=True)
        flat = sum(n * log(len(numbers_of(fit, value))) for n, value in sized)
        partition = fit.blocks.settings.get("hierarchy", flat) / entities
        s = fit.blocks.entropy_per_entity
        head.append(f"description length {s:.4f} nats per vertex and edge ({s + partition:.4f} with the partition)")
    parts = ["\n".join(head)]
    for value in fit.types.values:
        message = wrap(f"{visible(value)}: {' '.join(tell_type(fit, value))}".replace(" ± ", " +- "), rest="  ")
        type_parts = [message]
        if value in fit.explanations:
            fitted = parts_of(fit, value)
            type_parts += [columns_text(fitted, length.columns, length.more, verbose, not length.has_words)]
            type_parts += [tree_text(fitted.hierarchy, "the type", is_tight), blocks_text(fitted, length)]
            type_parts += [ranking_text(fitted, length)] if fitted.relevance is None else []
        parts.append(together.join(part for part in type_parts if part))
    if verbose:
        parts += [reading_text(net), GLOSSARY]
    elif net.notes:
        notes = f"{count_of(len(net.notes), 'note')} on reading the data"
        why = "" if judge(fit) else "what speaks against convergence and "
        parts.append(wrap(f"With --verbose, or summary(verbose=True): {why}{notes}."))
    judged = judge(fit)
    parts.insert(0, wrap(_tell_grade(fit, judged, verbose)))
    return "\n\n".join(part for part in parts if part)


def _tell_grade(fit: TypedParts, judged: Verdict, verbose: bool) -> str:
    """Say the grade, and the stages that have not converged or, with ``verbose``, why they have not."""
    if judged:
        return "The chains converged."
    if verbose:
        why = f": {judged.reason}"
    else:
        stages = [] if fit.blocks.converged else ["blocks"]
        stages += [f"weights of {visible(value)}" for value, one in fit.explanations.items() if not one.converged]
        why = f" ({list_of(stages)})"
    grade = f"The chains are usable, not converged{why}" if judged.is_usable else f"NOT CONVERGED: {judged.grade}{why}"
    return f"{sentence(grade)} {longer_run(fit)}"


def typed_record(fit: TypedParts) -> dict[str, Any]:
    """Return everything short that the fit says, by type."""
    record, names, judged = {}, names_of(fit), judge(fit)
    for value, size in zip(fit.types.values, fit.types.sizes.tolist(), strict=True):
        blocks, explanation = numbers_of(fit, value), fit.explanations.get(value)
        record[value] = {
            "n_nodes": size,
            "blocks": blocks.tolist(),
            "block_names": [names[r] for r in blocks],
            "block_sizes": fit.memberships.sizes[blocks].tolist(),
            "scores": None if explanation is None else explanation.scores.to_dict(),
            "relevance": None
            if explanation is None or explanation.relevance is None
            else explanation.relevance.sentence,
            "columns": [] if explanation is None else explanation.column_table.astype(object).to_dict("records"),
            "tree": fit.trees[value].to_dict() if fit.trees else None,
        }
    return {
        "n_nodes": fit.network.n_nodes,
        "n_edges": fit.network.n_edges,
        "node_type": fit.types.column,
        "seed": fit.config.seed,
        "config": fit.config.to_dict(),
        "convergence": {"grade": judged.grade, "reason": judged.reason},
        "types": record,
        "provenance": fit.provenance,
    }
