"""A fit as a report: what the page is to say, worked out here, drawn and written by ``ffbm.report``."""

import os
from collections.abc import Callable
from math import floor, inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ffbm.diagnostics import BlockDiagnostics, WeightDiagnostics
from ffbm.errors import OptionError
from ffbm.progress import Listener
from ffbm.results.answer import answer_paragraphs, warning_paragraphs
from ffbm.results.block_features import marks_of, name_of_sure, set_apart
from ffbm.results.checks import N_REPLICATES, Check, affordable_replicates, check_fit
from ffbm.results.columns import column_remarks
from ffbm.results.comparison_text import tell_blocks, tell_warning
from ffbm.results.differences import Differences
from ffbm.results.imputed import missing_by_column
from ffbm.results.pairs import pair_summary, seconds_of_pairs
from ffbm.results.sentence import sentence_of
from ffbm.results.tables import table_of_blocks
from ffbm.scoring import predict_blocks
from ffbm.store.parts import FitParts
from ffbm.types import Array

if TYPE_CHECKING:
    from ffbm.report import Contrast, Subject, Table

REPORT = "report.html"
SHOWN = 30  # features whose effects are reported
APART = 8  # features that set a block apart
_CHECKED = 20_000  # edges of networks that are compared with replicates
_ROWS = 30  # of the tables of a comparison
_NAN = float("nan")

Measured = tuple[str, float, float, float]  # what, R-hat, bulk ESS, tail ESS


def save_report(
    fit: FitParts, path: str | os.PathLike[str], against: FitParts | None = None, check: Check | None = None
) -> Path:
    """Write the report of a fit to a file whose name ends in .html or .htm, and return its path."""
    return write_report(path, lambda: report_text(fit, against, check))


def write_report(path: str | os.PathLike[str], text: Callable[[], str]) -> Path:
    """Write a page to a file whose name ends in .html or .htm, and return its path."""
    from ffbm.store.folder import write_file

    file = Path(path)
    if file.suffix.lower() not in (".html", ".htm"):
        raise OptionError(f"a report is a file that ends in .html; got {os.fspath(path)!r}")
    if not file.parent.is_dir():
        raise OptionError(f"the folder of a report must exist; there is no {os.fspath(file.parent)!r}")
    if file.is_dir():
        raise OptionError(f"a report is a file; {os.fspath(path)!r} is a folder")
    write_file(file, text())
    return file


def report_text(
    fit: FitParts,
    against: FitParts | None = None,
    check: Check | None = None,
    tell: Listener | bool = False,
    end: float = inf,
) -> str:
    """Return the page, with a section on how another fit of the same network differs if one is given."""
    from ffbm.report import render_page

    return render_page(subject_of(fit, against, check, tell, end))


def subject_of(
    fit: FitParts,
    against: FitParts | None = None,
    check: Check | None = None,
    tell: Listener | bool = False,
    end: float = inf,
) -> "Subject":
    """Work out what the page tells; ``tell`` hears how far the replicates are, which are to be drawn by ``end``."""
    from ffbm.report import Subject

    unchecked = ""
    if check is None:
        check, unchecked = _check(fit, tell, end)
    diagnostics = fit.diagnostics
    stages: dict[str, Any] = {"Blocks": diagnostics.blocks, "Weights": diagnostics.weights}
    if diagnostics.reduced is not None:
        stages["Weights of the kept features"] = diagnostics.reduced
    if diagnostics.joint is not None:
        stages["Labels and weights together"] = diagnostics.joint
    predicted = predict_blocks(fit.weights, fit.network.features, fit.memberships.labels)
    return Subject(
        parts=fit,
        verdicts={name: stage.converged for name, stage in stages.items()},
        convergence=_convergence(fit),
        warnings=warning_paragraphs(fit),
        answer=answer_paragraphs(fit, predicted),
        effects=fit.explanation.effects([fit.ranking.names[j] for j in fit.ranking.order[:SHOWN]]),
        predicted=predicted,
        blocks=table_of_blocks(fit),
        apart=set_apart(fit, APART) if fit.memberships.n_blocks > 1 else (),
        marks=marks_of(fit),
        name_of_sure=name_of_sure(fit),
        sentence=sentence_of(fit),
        remarks=tuple(text.replace(" +- ", " ± ") for text in column_remarks(fit)),
        checks=None if check is None else check.table,
        unchecked=unchecked,
        inside=None if check is None else check.columns,
        pairs=None if check is None else check.pairs,
        calibration=None if check is None else check.calibration,
        summary_of_pairs="" if check is None or check.pairs is None else pair_summary(check.pairs),
        imputed=missing_by_column(fit) if fit.config.impute else None,
        contrast=None if against is None else _contrast(fit, against),
    )


def _check(fit: FitParts, tell: Listener | bool, end: float) -> tuple[Check | None, str]:
    """Compare the network with as many replicates as there is time for, or say why not and what does."""
    how = "fit.check() (ffbm check RUN) does."
    if fit.network.graph.n_edges > _CHECKED:
        return None, f"Left out: the report draws no replicates of networks of more than {_CHECKED:,} edges. {how}"
    if affordable_replicates(fit, end - seconds_of_pairs(fit)) == N_REPLICATES:
        return check_fit(fit, progress=tell), ""
    n_replicates = affordable_replicates(fit, end)
    if not n_replicates:
        return None, f"Left out: of the time that the fit had, none was left to draw replicates. {how}"
    short = f"Time was enough for {n_replicates} of {N_REPLICATES} replicates, and for no test of pairs of columns."
    return check_fit(fit, n_replicates, progress=tell, pairs=0), f"{short} {how.replace('does', 'does all of it')}"


def _convergence(fit: FitParts) -> "Table":
    diagnostics = fit.diagnostics
    weights = {"weights": diagnostics.weights}
    if diagnostics.reduced is not None:
        weights["weights of the kept features"] = diagnostics.reduced
    rows = convergence_rows(diagnostics.blocks, weights)
    if diagnostics.joint is not None:
        rows.append(("ln p(b, theta | A, X)", diagnostics.joint.rhat_log_joint, diagnostics.joint.ess_log_joint, _NAN))
        rows.append(("|W centred|²", diagnostics.joint.rhat_size, diagnostics.joint.ess_size, _NAN))
    return convergence_table(rows)


def convergence_rows(blocks: BlockDiagnostics, weights: dict[str, WeightDiagnostics]) -> list[Measured]:
    """Return R-hat and ESS of the block chains and of weight chains, by their names."""
    pairs = "pairs of vertices in one block, the worst (judged by standard errors)"
    rows: list[Measured] = [
        ("description length S", blocks.rhat_entropy, blocks.ess_entropy, _NAN),
        (pairs, blocks.max_rhat_pairs, _least(blocks.ess_pairs), _NAN),
    ]
    for name, one in weights.items():
        rows.append((f"energy of the {name}", one.rhat_energy, one.ess_energy, _NAN))
        rows.append((f"{name}, the worst", one.max_rhat, one.min_ess_bulk, one.min_ess_tail))
    return rows


def convergence_table(rows: list[Measured]) -> "Table":
    """Write them as a table of the page."""
    from ffbm.report import Table

    rounded = [(name, rhat, *(floor(e) if np.isfinite(e) else None for e in ess)) for name, rhat, *ess in rows]
    head = ("quantity", "R-hat (at most 1.01)", "bulk ESS (S: at least 800; others: 100 per chain)", "tail ESS")
    return Table("R-hat and effective sample sizes", head, rounded, digits=3)


def _least(values: Array) -> float:
    good = values[np.isfinite(values)]
    return float(good.min()) if len(good) else float("nan")


def _contrast(fit: FitParts, against: FitParts) -> "Contrast":
    from ffbm.report import Contrast, Table

    differences = Differences.between(fit, against)
    one, other = differences.names
    sentences = tuple(" ".join(text.split()) for text in (tell_warning(differences), tell_blocks(differences)) if text)
    vertices, features = differences.vertices, differences.features
    moved = ("vertex", "training", "from", "to", f"in it, {one}", f"in it, {other}")
    ranks = ("feature", f"rank, {one}", f"rank, {other}", f"score, {one}", f"score, {other}", "pull (nats)")
    columns = ["feature", "rank_before", "rank_after", "score_before", "score_after", "pull"]
    tables = [Table("Features", ranks, features[columns].head(_ROWS).to_numpy().tolist(), is_long=True)]
    if len(vertices):
        left = f"The first {_ROWS} of {len(vertices):,}." if len(vertices) > _ROWS else ""
        rows = list(vertices.head(_ROWS).itertuples(index=False, name=None))
        tables.insert(0, Table("Vertices in another block", moved, rows, is_long=True, left_out=left))
    return Contrast(sentences, tuple(tables))
