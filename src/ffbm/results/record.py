"""A fit as plain values: what ``summary.json`` holds and ``ffbm fit --json`` prints."""

import json
from dataclasses import asdict
from typing import Any

from ffbm.columntable import pairs_that_share
from ffbm.diagnostics import ColumnVerdict, JointDiagnostics, Verdict, WeightDiagnostics
from ffbm.plain import finite
from ffbm.results.block_features import named_values
from ffbm.results.by_mode import decided_by_mode, matters_by_mode, tell_decisions
from ffbm.results.imputed import imputed_records
from ffbm.results.provenance import describe_sizes
from ffbm.results.sentence import sentence_of
from ffbm.results.sentences import columns_if_open, out_of_time
from ffbm.results.tables import table_of_blocks
from ffbm.store.parts import FitParts
from ffbm.types import Note
from ffbm.types.relevance import Relevance


def fit_record(fit: FitParts) -> dict[str, Any]:
    """Return everything short that a fit says: the network, settings, blocks, ranking, scores and verdicts."""
    net, members = fit.network, fit.memberships
    diagnostics, judged = fit.diagnostics, fit.converged
    return {
        "network": {**describe_sizes(net), "notes": _notes(net.notes)},
        "config": fit.config.to_dict(),
        "converged": bool(judged),
        "reason": judged.reason,
        "convergence": {"grade": judged.grade, "reason": judged.reason, "command": judged.command},
        "n_blocks": members.n_blocks,
        "candidates": None if fit.blocks.candidates is None else fit.blocks.candidates.to_dict("records"),
        "agreement": members.agreement,
        "modes": [
            {
                "weight": mode.weight,
                "probability": mode.weight if members.shares_are_known else None,
                "n_draws": mode.n_draws,
                "agreement": mode.agreement,
                "chains": mode.chains.tolist(),
                "sizes": mode.sizes.tolist(),
                "changed": [mode.changed(other) for other in members.modes],
            }
            for mode in members.modes
        ],
        "best_entropy": fit.blocks.best_entropy,
        "blocks": table_of_blocks(fit).to_dict("records"),
        "ranking": [
            {name: None if value is None or value != value else value for name, value in row.items()}
            for row in fit.ranking.table.astype({"support": object}).to_dict("records")
        ],
        "nats_by_hierarchy": fit.nats_by_hierarchy,
        "tree": None if fit.hierarchy is None else fit.hierarchy.to_dict(),
        "columns": fit.column_table.astype(object).to_dict("records"),
        "shared_bits": _shared(fit),
        "sentence": sentence_of(fit),
        "imputed": imputed_records(fit),
        "relevance": None if fit.relevance is None else _relevance(fit, fit.relevance),
        "kept": list(fit.ranking.kept),
        "cutoff": fit.ranking.cutoff,
        "notes": _notes((*fit.ranking.notes, *fit.weights.notes)),
        "out_of_time": out_of_time(fit),
        "scores": fit.scores.to_dict(),
        "reduced": None if fit.reduced is None else {"scores": fit.reduced.scores.to_dict()},
        "diagnostics": {
            "blocks": {
                **_verdict(diagnostics.blocks.converged),
                "rhat_entropy": diagnostics.blocks.rhat_entropy,
                "ess_entropy": diagnostics.blocks.ess_entropy,
                "share_unsettled": diagnostics.blocks.share_unsettled,
            },
            "weights": _weights(diagnostics.weights),
            "reduced": None if diagnostics.reduced is None else _weights(diagnostics.reduced),
            "joint": None if diagnostics.joint is None else _joint(diagnostics.joint),
            "columns": _columns(columns_if_open(fit)),
        },
        "provenance": fit.provenance,
    }


def _relevance(fit: FitParts, relevance: Relevance) -> dict[str, Any]:
    by_mode = decided_by_mode(fit)
    return {
        "sentence": tell_decisions(fit),
        "by_mode": None if by_mode is None else by_mode.to_dict("records"),
        "matters": list(relevance.matters) if by_mode is None else matters_by_mode(by_mode)[0],
        "one_of": [list(part) for part in relevance.one_of] if by_mode is None else [],
        "none_included": relevance.none_included if by_mode is None else None,
        "n_partitions": relevance.n_partitions,
        "is_precise": relevance.is_precise,
        "columns": relevance.table.to_dict("records") if by_mode is None else [],
        "values": [asdict(value) for value in named_values(fit)],
    }


def _shared(fit: FitParts) -> list[dict[str, Any]]:
    bits = fit.explanation.columns
    pairs = [] if bits is None else pairs_that_share(bits)
    names = () if bits is None else bits.names
    return [
        {"columns": [names[pair.first], names[pair.second]], "bits": pair.bits, "bits_se": pair.error} for pair in pairs
    ]


def strict_json(value: Any) -> str:
    """Write plain values as strict JSON; what is not a finite number is null."""
    return json.dumps(finite(value), indent=2, allow_nan=False) + "\n"


def _verdict(judged: Verdict) -> dict[str, Any]:
    return {"converged": bool(judged), "grade": judged.grade, "reason": judged.reason}


def _weights(diagnostics: WeightDiagnostics) -> dict[str, Any]:
    names = ("max_rhat", "min_ess_bulk", "min_ess_tail", "n_divergences")
    return _verdict(diagnostics.converged) | {name: getattr(diagnostics, name) for name in names}


def _joint(diagnostics: JointDiagnostics) -> dict[str, Any]:
    names = ("rhat_log_joint", "ess_log_joint", "rhat_size", "ess_size")
    record = _verdict(diagnostics.converged) | {name: getattr(diagnostics, name) for name in names}
    return record | {"fewer_blocks": diagnostics.fewer}


def _columns(verdict: ColumnVerdict | None) -> dict[str, Any] | None:
    if verdict is None:
        return None
    return {
        "agree": bool(verdict),
        "sentence": str(verdict),
        "bits": verdict.bits.tolist(),
        "bits_se": verdict.bits_se.tolist(),
        "columns": verdict.table.to_dict("records"),
    }


def _notes(notes: tuple[Note, ...]) -> list[dict[str, Any]]:
    return [note.to_dict() for note in notes]
