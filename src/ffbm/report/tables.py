"""The tables of a page: what each figure shows, in rows."""

from typing import TYPE_CHECKING, Any

import numpy as np

from ffbm.columntable import inclusion_in_words, name_of_inclusion
from ffbm.plain import EACH_WAY
from ffbm.report.charts import SHOWN, drawn_points, intervals
from ffbm.report.network import edge_counts, vertex_texts
from ffbm.report.scene import Scene
from ffbm.report.subject import Subject
from ffbm.report.table import Table
from ffbm.scoring import contradicting
from ffbm.types import Array, BlockTrace, Memberships

if TYPE_CHECKING:
    import pandas as pd

_CONTRARY = 30  # vertices listed that contradict their features
_BITS = 1e-12
_TRACED = 100  # draws of a trace
_VERTICES = 2_000  # rows of the table of vertices


def vertex_table(scene: Scene) -> Table:
    """One row per vertex: id, block, how sure, memberships, features."""
    net, members = scene.network, scene.members
    n = min(net.n_nodes, _VERTICES)
    own_texts = {name: texts[:n] for name, texts in vertex_texts(scene).items()}
    degrees = {"degree": net.graph.degrees}
    if net.graph.is_directed:
        degrees = {"out-degree": net.graph.out_degrees, "in-degree": net.graph.in_degrees}
    columns: dict[str, Any] = {
        "vertex": own_texts["id"],
        "block": [scene.called[r] for r in members.labels[:n]],
        "share of draws": members.probs[np.arange(n), members.labels[:n]],
        "memberships": own_texts["members"],
        **({} if scene.train is None else {"training": np.isin(np.arange(n), scene.train)}),
        **{name: k[:n] for name, k in degrees.items()},
        "features": own_texts["features"],
    }
    rows = list(zip(*columns.values(), strict=True))
    left = f"The first {n:,} of {net.n_nodes:,} vertices; all are in nodes.csv of the run." if n < net.n_nodes else ""
    return Table("Vertices", tuple(columns), rows, is_long=True, left_out=left)


def column_table(subject: Subject) -> Table:
    """One row per column: bits alone and beyond the others, p value, verdict."""
    table = subject.parts.column_table
    learned = subject.parts.relevance is not None
    names = {
        "column": "column", "kind": "kind", "n_features": "features", "inclusion": "inclusion",
        "bits_alone": "bits alone", "bits_alone_se": "± 95 %", "bits_unique": "beyond the others",
        "bits_unique_se": "± 95 %", "p_value": "p, who with whom", "p_value_degrees": "p, how many",
        "verdict": "verdict", "sets_apart": "set apart", "shares_with": "explain much of the same",
        "splits": "in the tree",
    }  # fmt: skip
    if learned and name_of_inclusion(table) != "inclusion":  # in place of an average over modes
        table = table.assign(inclusion=inclusion_in_words(table))
        names["inclusion"], names["decision"] = name_of_inclusion(table), "decision"
    for name in ("bits_alone_se", "bits_unique_se"):
        table = table.assign(**{name: EACH_WAY * table[name]})
    kept = {name: head for name, head in names.items() if name in table and (name != "inclusion" or learned)}
    return _with_heads("Columns, by what each adds", table, kept, digits=3, is_long=True)


def weight_table(subject: Subject) -> Table:
    """One row for each feature shown and block: the centred weight and its 95 % interval."""
    ranking = subject.parts.ranking
    shown = ranking.order[:SHOWN]
    low, high = intervals(subject, shown)
    rows = [
        (ranking.names[j], r, ranking.centred_mean[r, j], low[r, at], high[r, at], ranking.centred_positive[r, j])
        for at, j in enumerate(shown)
        for r in range(ranking.n_blocks)
    ]
    left = ""
    if ranking.n_features > SHOWN:
        left = f"The first {SHOWN} of {ranking.n_features:,} features; all are in ranking.csv of the run."
    head = ("feature", "block", "centred weight", "low", "high", "probability above 0")
    return Table("Weights with 95 % intervals", head, rows, is_long=True, left_out=left)


def ranking_table(subject: Subject) -> Table:
    """One row per feature, all of them."""
    ranking, numbers = subject.parts.ranking, subject.parts.network.features.names_of_numbers
    is_cut = not ranking.is_kept.all()  # else all would say yes
    rows = [
        (
            row.rank,
            row.feature,
            row.score,
            row.block,
            row.centred_mean,
            row.centred_sd,
            None if row.feature in numbers else row.support,  # a number is on all vertices
            *((row.kept,) if is_cut else ()),
        )
        for row in ranking.table.itertuples(index=False)
    ]
    head = ("rank", "feature", "score", "block", "centred weight", "sd", "vertices", *(("kept",) if is_cut else ()))
    caption = f"All {ranking.n_features:,} features" if ranking.n_features > 1 else "The one feature"
    return Table(caption, head, rows, is_long=True)


def effect_table(subject: Subject) -> Table:
    """One row for each feature shown and block: the change in its probability."""
    table = subject.effects
    columns = ("feature", "block", "effect", "low", "high", "kind", "support")
    rows = list(zip(*(table[name] for name in columns), strict=True))
    head = ("feature", "block", "change", "low (2.5 %)", "high (97.5 %)", "kind", "vertices")
    return Table("Changes in probability", head, rows, is_long=True)


def block_table(subject: Subject) -> Table:
    """One row per block: sizes, how sure, accuracies and bits explained."""
    scores, table = subject.parts.scores, subject.blocks
    label = [("given label", table["given"])] if "given" in table else []
    columns: list[tuple[str, Any]] = [
        ("block", table["block"]), *label, ("vertices", table["vertices"]), ("mean membership", table["membership"]),
        ("accuracy, training", scores.accuracy_train), ("accuracy, held out", scores.accuracy_test),
        ("bits, training", scores.bits_by_block_train), ("bits, held out", scores.bits_by_block_test),
        ("± 95 %", EACH_WAY * scores.bits_se_by_block_test), ("held-out vertices", scores.n_by_block_test),
    ]  # fmt: skip
    rows = list(zip(*(values for _, values in columns), strict=True))
    return Table("Blocks", tuple(name for name, _ in columns), rows)


def score_table(subject: Subject) -> Table:
    """One row per score, of all features and of the kept ones, on training and held-out vertices."""
    parts = subject.parts
    sides = [("all features", parts.scores)]
    if parts.reduced is not None:
        sides.append((f"the {len(parts.ranking.kept)} kept", parts.reduced.scores))
    head = ["score", *(f"{name}, {side}" for name, _ in sides for side in ("training", "held out"))]
    rows = [
        (text, *(times * getattr(scores, f"{key}_{side}") for _, scores in sides for side in ("train", "test")))
        for text, key, times in (
            ("vertices", "n", 1), ("bits explained per vertex", "bits", 1), ("± 95 %", "bits_se", EACH_WAY),
            ("loss per draw (nats)", "loss", 1), ("loss of the averaged prediction", "predictive_loss", 1),
            ("loss of the base rate", "base_rate_loss", 1),
        )
    ]  # fmt: skip
    return Table("Scores", tuple(head), rows, digits=3)


def contrary_table(subject: Subject) -> Table:
    """List the vertices whose features speak for another block, by how strongly they do."""
    net, members, p = subject.parts.network, subject.parts.memberships, subject.predicted
    n = np.arange(net.n_nodes)
    sure = members.probs[n, members.labels]
    odd = contradicting(p, members.labels, subject.degrees)
    bits = np.log2(np.maximum(p.best[odd], _BITS) / np.maximum(p.own[odd], _BITS)) * sure[odd]
    first = odd[np.argsort(-bits, kind="stable")][:_CONTRARY]
    training = np.isin(first, subject.parts.train)
    rows = list(
        zip(
            net.node_ids[first], members.labels[first], sure[first], p.own[first], p.block[first],
            p.best[first], training, strict=True,
        )
    )  # fmt: skip
    head = (
        "vertex",
        "block",
        "share of draws",
        "its block, by features",
        "features say",
        "with probability",
        "training",
    )
    left = f"The first {_CONTRARY} of {len(odd):,}." if len(odd) > _CONTRARY else ""
    return Table("Vertices that contradict their features", head, rows, is_long=True, left_out=left)


def matrix_table(scene: Scene) -> Table:
    """One row for each pair of blocks: edges, and edges for each pair of vertices."""
    counts, density = edge_counts(scene)
    is_directed, called = scene.network.graph.is_directed, scene.called
    pairs = np.argwhere(np.ones_like(counts) if is_directed else np.triu(np.ones_like(counts)))
    rows = [(called[r], called[s], counts[r, s], density[r, s]) for r, s in pairs.tolist()]
    names = ("from block", "to block") if is_directed else ("block", "and block")
    head = (*names, "edges", "edges per pair of vertices")
    return Table("Edges between blocks", head, rows, digits=4, is_long=True)


def check_table(table: "pd.DataFrame") -> Table:
    """One row for each statistic: of the network, of replicates, and the p value."""
    names = {
        "statistic": "statistic", "observed": "network", "mean": "mean of replicates", "low": "low (2.5 %)",
        "high": "high (97.5 %)", "p": "p",
    }  # fmt: skip
    return _with_heads("The network against its replicates", table, names, digits=3)


def inside_table(table: "pd.DataFrame") -> Table:
    """One row for each column: its excess inside blocks, that of refitted networks, and the p values."""
    names = {
        "column": "column", "excess": "excess", "mean": "mean of refits", "low": "low (2.5 %)",
        "high": "high (97.5 %)", "p": "p", "p_any": "p, all columns", "p_matched": "p, like degree",
    }  # fmt: skip
    return _with_heads("Columns inside blocks", table, names, digits=3, is_long=True)


def calibration_table(table: "pd.DataFrame") -> Table:
    """One row for each bin of predicted probabilities: how often vertices were in the block."""
    names = {
        "low": "from", "high": "to", "n": "pairs of vertex and block", "predicted": "predicted",
        "observed": "observed", "error": "± 95 %",
    }  # fmt: skip
    table = table.assign(error=EACH_WAY * table["error"])
    return _with_heads("Predicted against observed blocks of held-out vertices", table, names, digits=3)


def pair_table(table: "pd.DataFrame") -> Table:
    """One row for each pair of columns that was tested: p values, and the clearest cell."""
    table = table[table["p"].notna()]
    names = {
        "column": "column", "with_column": "with", "p": "p", "q": "q", "value": "clearest value",
        "with_value": "with value", "block": "block", "observed": "vertices with both there", "expected": "expected",
    }  # fmt: skip
    return _with_heads("Pairs of columns", table, names, digits=3, is_long=True)


def imputed_table(table: "pd.DataFrame") -> Table:
    """One row for each column with missing cells: how many, and how sure what was sampled for them is."""
    names = {
        "column": "column", "missing": "cells", "share": "share of vertices", "sure": "sure",
        "frequent": "most frequent answer", "sd": "sd of a number", "sd_answers": "sd of answers",
    }  # fmt: skip
    return _with_heads("Cells without an answer", table, names, is_long=True)


def _with_heads(caption: str, table: "pd.DataFrame", names: dict[str, str], **options: Any) -> Table:
    """Return the columns of a table that are named, under these heads."""
    rows = list(zip(*(table[name] for name in names), strict=True))
    return Table(caption, tuple(names.values()), rows, **options)


def split_table(subject: Subject) -> Table:
    """One row for each split of the tree of blocks."""
    tree = subject.parts.hierarchy
    rows = [] if tree is None else [
        (node.number, node.level, tree.size(node.number), ", ".join(str(tree.size(child)) for child in node.children),
         node.nats, node.support, node.bits, EACH_WAY * node.bits_se,
         ", ".join(f"{name} ({inclusion:.2f})" for name, inclusion in node.columns))
        for node in tree.splits
    ]  # fmt: skip
    head = ("node", "level", "vertices", "children", "nats", "share of draws", "bits", "± 95 %",
            "columns that matter (inclusion)")  # fmt: skip
    return Table("Splits", head, rows)


def mode_table(members: Memberships) -> Table:
    """One row per mode: its share of all draws if chains crossed, of each chain's, and the sizes of its blocks."""
    modes = members.modes
    rows = [
        (number, mode.weight if members.shares_are_known else None, mode.agreement, mode.changed(modes[0]),
         ", ".join(f"{share:.0%}" for share in mode.chains), ", ".join(map(str, mode.sizes)))
        for number, mode in enumerate(modes)
    ]  # fmt: skip
    head = ("mode", "share of draws", "agreement", "changed from mode 0", "share of each chain", "sizes of blocks")
    return Table("Modes", head, rows)


def ladder_table(blocks: BlockTrace) -> Table:
    """One row for each pair of neighbouring temperatures."""
    settings = blocks.settings
    betas = settings["tempering"]
    rows = [*zip(betas[:-1], betas[1:], settings["swap_rates"], strict=True)]
    return Table("Exchanges", ("inverse temperature", "and", "share of exchanges made"), rows)


def trace_table(values: Array, name: str) -> Table:
    """One row for each of some draws that a trace shows, one column per chain."""
    n_chains, n_draws = values.shape
    kept = drawn_points(values, _TRACED)
    left = f"{len(kept):,} of {n_draws:,} draws; all are in traces.nc of the run." if len(kept) < n_draws else ""
    head = ("kept draw", *(f"chain {chain}" for chain in range(n_chains)))
    rows = [(at, *values[:, at]) for at in kept]
    return Table(name, head, rows, is_long=True, left_out=left)
