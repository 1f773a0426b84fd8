"""Fits under the learned prior: what they decide, say, save and refuse."""

import json
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.cli import run
from ffbm.config import FitConfig
from ffbm.diagnostics import Verdict
from ffbm.errors import OptionError
from ffbm.plain import finite
from ffbm.report.charts import draw_checks
from ffbm.report.tables import column_table, ranking_table
from ffbm.results.answer import answer_paragraphs, warning_paragraphs
from ffbm.results.block_features import set_apart
from ffbm.results.by_mode import inclusion_by_mode, tell_by_mode
from ffbm.results.columns import _shown, columns_text
from ffbm.results.html import fit_html
from ffbm.results.record import fit_record
from ffbm.results.report import subject_of
from ffbm.results.sentence import _edges, _more
from ffbm.scoring import PredictedBlocks, predict_blocks

from ..planted import planted_network, two_flags

SHORT = {"n_blocks": 2, "n_sweeps": 200, "n_warmup": 100, "n_draws": 200, "n_chains": 2, "seed": 3, "progress": False}

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")


@pytest.fixture(scope="module")
def fitted():
    net, _ = planted_network(5, two_flags)
    return ffbm.fit(net, weight_prior="learned", n_kept=1, **SHORT)


def test_the_answer(fitted):
    assert fitted.relevance.matters == ("x1",)
    assert fitted.relevance.sentence == "of 2 columns 1 matters: x1"
    assert fitted.weights.selected.settings["n_partitions"] == 10
    assert len(fitted.weights.rows) == fitted.network.n_nodes  # weights and decisions come from all vertices
    assert fitted.scores.n_test == fitted.network.n_nodes  # in five folds
    assert np.isfinite(fitted.explanation.held_out).all()
    assert {value.feature for value in fitted.relevance.values} == {"x1"}


def test_the_ranking_follows_inclusion(fitted):
    ranking = fitted.ranking
    assert ranking.rule == "inclusion"
    assert ranking.order.tolist() == [1, 0]
    assert ranking.kept == ("x1",)
    assert np.isnan(ranking.cutoff)
    assert ranking.table["score"].tolist() == sorted(fitted.relevance.inclusion, reverse=True)
    assert repr(ranking) == f"<Ranking of 2 columns by inclusion: x1 1.00, x0 {ranking.scores[0]:.2f}>"
    assert fitted.reduced.features.names == ("x1",)
    paper = ffbm.rank_features(fitted.weights, rule="paper", n_kept=1)
    assert paper.rule == "paper"
    assert paper.inclusion is None


def test_the_sentence_stands_first(fitted):
    text = fitted.summary(verbose=True)
    paragraphs = [part for part in text.split("\n\n") if not part.startswith("NOT CONVERGED")]
    assert paragraphs[0] == "Of 2 columns 1 matters: x1."
    assert paragraphs[1].startswith("What each column explains")
    assert "Ranking (" not in text
    assert "10 of the kept partitions" in text


def test_saved_and_loaded(fitted, tmp_path):
    fitted.save(tmp_path / "run")
    again = ffbm.load_fit(tmp_path / "run")
    assert again.relevance.sentence == fitted.relevance.sentence
    assert again.relevance.values == fitted.relevance.values
    for name in ("inclusion", "chance", "scales", "weights", "energy", "accepted", "partition", "full_start"):
        assert np.array_equal(getattr(again.weights.selected, name), getattr(fitted.weights.selected, name)), name
    assert np.array_equal(again.ranking.order, fitted.ranking.order)
    assert again.config == fitted.config
    record = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert record["relevance"]["matters"] == ["x1"]
    assert record["relevance"]["n_partitions"] == again.relevance.n_partitions == 10
    assert record["relevance"]["is_precise"] is again.relevance.is_precise is again.weights.selected.is_precise
    page = (tmp_path / "run" / "report.html").read_text()
    assert "Of 2 columns 1 matters: x1." in page


def test_a_run_in_a_folder_is_the_same_and_can_be_resumed(fitted, tmp_path):
    options = {"weight_prior": "learned", "n_kept": 1, "out": tmp_path / "run", **SHORT}
    run_there = ffbm.fit(fitted.network, **options)
    again = ffbm.fit(fitted.network, resume=True, **options)
    for fit in (run_there, again):
        assert np.array_equal(fit.weights.selected.chance, fitted.weights.selected.chance)
        assert np.array_equal(fit.weights.weights, fitted.weights.weights)


def test_given_blocks_are_one_partition():
    net, labels = planted_network(5, two_flags)
    fit = ffbm.fit(net, blocks=labels, weight_prior="learned", n_kept=None, **{**SHORT, "n_blocks": "auto"})
    assert fit.weights.selected.by_partition.shape == (1, 2)
    assert fit.reduced is None
    assert "the given blocks" in fit.summary(verbose=True)


@pytest.mark.users_defaults
def test_of_noise_nothing_is_named():
    rng = np.random.default_rng(8)
    labels = np.repeat([0, 1, 2, 3], [120, 110, 90, 80])
    noise = pd.DataFrame({"coin": rng.integers(0, 2, 400), "town": [f"t{v}" for v in rng.integers(0, 60, 400)]})
    net = ffbm.as_network(np.column_stack((np.arange(400), np.roll(np.arange(400), 1))), noise)
    fit = ffbm.fit(net, blocks=labels, **{**SHORT, "n_blocks": "auto", "n_draws": 100})
    assert fit.weights.weight_prior == "learned"
    assert fit.reduced is None
    text = fit.summary()
    assert "None of 2 columns matters" in text
    assert fit.relevance.values == ()
    assert (fit.column_table["sets_apart"] == "").all()
    answer = " ".join(answer_paragraphs(fit, PredictedBlocks.of(np.eye(4)[labels], labels)))
    for told in (text, answer, fit.sentence(), repr(fit), fit._repr_html_()):
        assert "coin=" not in told
        assert "town=" not in told
    assert "none of 2 columns matters" in fit.sentence()
    paper = ffbm.rank_features(fit.weights, rule="paper")
    assert (paper.scores > 0).any()  # the paper's rule would have named some


def test_what_misleads_stands_first(fitted):
    scores = replace(fitted.scores, bits_test=-0.3, bits_se_test=0.1)
    wrong = replace(fitted, explanation=replace(fitted.explanation, scores=scores))
    said = "Features mislead: on held-out vertices they lose 0.30 (95 % 0.10 to 0.50) bits per vertex."
    paragraphs = [part for part in wrong.summary().split("\n\n") if not part.startswith("NOT CONVERGED")]
    assert " ".join(paragraphs[0].split()) == said
    assert paragraphs[1] == "Of 2 columns 1 matters: x1."
    assert wrong.sentence().startswith(said)
    assert wrong.ranking.notes[0].code == "misleading"
    assert fitted.ranking.notes == ()
    assert any(text == said for text in warning_paragraphs(wrong))


def test_many_columns_that_matter_fit_on_a_screen():
    n = 40
    table = pd.DataFrame(
        {"inclusion": np.linspace(0.3, 1, n), "decision": ["matters" if g > 10 else "not decided" for g in range(n)]}
    )
    assert _shown(table, 5, 10_000) == [*range(5), *range(11, n)]
    assert _shown(table, 5, 3) == [*range(11, 19)]
    few = table.head(14)
    assert _shown(few, 5, 3) == [*range(5), 11, 12, 13]
    assert _shown(table.head(6), 5, 3) == [*range(6)]


def test_a_multimodal_fit_gives_no_average(fitted, monkeypatch):
    members = fitted.memberships
    mode_of = np.zeros(members.mode_of.shape, dtype=np.int64)
    mode_of[1] = 1
    two = replace(fitted, memberships=replace(members, modes=members.modes * 2, mode_of=mode_of))
    monkeypatch.setattr(type(two), "converged", Verdict("multimodal", "blocks: two pictures", ""))
    assert "Of 2 columns 1 matters in every mode: x1." in " ".join(two.summary().split())
    assert "depends on the mode" not in two.summary()
    text = columns_text(two, 5, 3, verbose=False)
    assert "Inclusion: the least and the largest over modes." in " ".join(text.split())
    assert "1 matters in every mode: x1 " in two.sentence()
    record = fit_record(two)["relevance"]
    assert record["sentence"] == "of 2 columns 1 matters in every mode: x1"
    assert [row["mode"] for row in record["by_mode"]] == [0, 0, 1, 1]
    for row in record["by_mode"]:
        inclusion = row["inclusion"]
        assert inclusion == 1 or row["bayes_factor"] == pytest.approx(2 * inclusion / (1 - inclusion))


def test_a_multimodal_fit_has_its_table_by_mode(fitted, monkeypatch):
    members = fitted.memberships
    mode_of = np.zeros(members.mode_of.shape, dtype=np.int64)
    mode_of[1] = 1
    two = replace(fitted, memberships=replace(members, modes=members.modes * 2, mode_of=mode_of))
    one = fitted.column_table.set_index("column")
    assert one.loc["x1", "decision"] == "matters"
    assert set_apart(fitted)[0]
    monkeypatch.setattr(type(two), "converged", Verdict("multimodal", "blocks: two pictures", ""))
    table = two.column_table.set_index("column")
    assert table["inclusion"].isna().all()
    assert table["decision"].to_dict() == {"x1": "matters", "x0": "not decided"}
    assert table["sets_apart"].to_dict() == one["sets_apart"].to_dict()
    assert table.loc["x1", "decision_mode_0"] == table.loc["x1", "decision_mode_1"] == "matters"
    means = table[["inclusion_mode_0", "inclusion_mode_1"]].mean(axis=1)
    assert means.to_dict() == pytest.approx(one["inclusion"].to_dict())
    assert [[(v.feature, v.weight) for v in block] for block in set_apart(two)] == [
        [(v.feature, v.weight) for v in block] for block in set_apart(fitted)
    ]
    record = fit_record(two)
    assert record["relevance"]["matters"] == ["x1"]
    assert record["relevance"]["columns"] == []
    assert [value["feature"] for value in record["relevance"]["values"]] == ["x1", "x1"]
    assert record["relevance"]["none_included"] is None
    assert {row["inclusion"] for row in finite(record["columns"])} == {None}
    assert "inclusion by mode" in fit_html(two)
    predicted = predict_blocks(two.weights, two.network.features, two.memberships.labels)
    assert "No feature sets apart" not in " ".join(answer_paragraphs(two, predicted))
    told = column_table(subject_of(two))
    assert "inclusion by mode" in told.head
    assert "inclusion" not in told.head
    monkeypatch.setattr("ffbm.results.block_features.values_in_every_mode", lambda _: [])
    assert set_apart(two) == ((),) * two.memberships.n_blocks  # nothing is named on average over modes


def test_groups_and_folds():
    net, labels = planted_network(5, two_flags)
    fit = ffbm.fit(
        net, blocks=labels, weight_prior="learned", column_groups={"both": ["x0", "x1"]}, folds=2, fdr=0.2,
        **{**SHORT, "n_blocks": "auto"},
    )  # fmt: skip
    assert fit.relevance.column_names == ("both",)
    assert fit.relevance.fdr == 0.2
    assert FitConfig.from_toml(fit.config.to_toml()) == fit.config


def test_the_command_line(tmp_path, capsys):
    edges = "\n".join(f"{i},{j}" for c in (0, 6) for i in range(c, c + 6) for j in range(c, i))
    (tmp_path / "edges.csv").write_text("source,target\n" + edges + "\n0,11")
    rows = [f"{i},{int(i < 6)},{i % 2}" for i in range(12)]
    (tmp_path / "nodes.csv").write_text("id,side,odd\n" + "\n".join(rows))
    command = ["fit", str(tmp_path / "edges.csv"), "--nodes", str(tmp_path / "nodes.csv"), "--weight-prior", "learned"]
    command += ["--fdr", "0.2", "--intercept-sd", "1.5", "--draws", "60", "--warmup", "60", "--chains", "2", "--json"]
    assert run([*command, "--sweeps", "60", "--blocks", "2", "--seed", "1", "--quiet"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["config"]["weight_prior"] == "learned"
    assert record["relevance"]["columns"][0]["column"] == "side"


def test_columns_are_grouped_by_their_names(tmp_path, capsys):
    edges = "\n".join(f"{i},{j}" for c in (0, 6) for i in range(c, c + 6) for j in range(c, i))
    (tmp_path / "edges.csv").write_text("source,target\n" + edges + "\n0,11")
    rows = [f"{i},{int(i < 6)},{i % 2},{i % 3}" for i in range(12)]
    (tmp_path / "nodes.csv").write_text("id,work;a,work;b,age\n" + "\n".join(rows))
    command = ["fit", str(tmp_path / "edges.csv"), "--nodes", str(tmp_path / "nodes.csv"), "--weight-prior", "learned"]
    command += [
        "--draws",
        "20",
        "--warmup",
        "20",
        "--chains",
        "1",
        "--json",
        "--sweeps",
        "60",
        "--blocks",
        "2",
        "--quiet",
    ]
    assert run([*command, "--seed", "1", "--group-by", ";"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert {row["column"] for row in record["relevance"]["columns"]} == {"work", "age"}
    assert run([*command, "--group-by", "/"]) == 2
    assert "must hold the separator" in capsys.readouterr().err


def test_modes_have_their_own_inclusion(fitted):
    assert inclusion_by_mode(fitted) is None
    selected, members = fitted.weights.selected, fitted.memberships
    mode_of = np.zeros(members.mode_of.shape, dtype=np.int64)
    mode_of[1] = 1
    two = replace(members, modes=members.modes * 2, mode_of=mode_of)
    table = inclusion_by_mode(replace(fitted, memberships=two))
    assert table["n_partitions"].tolist() == [5, 5, 5, 5]
    means = [rows["inclusion"].to_numpy() for _, rows in table.groupby("mode")]
    assert np.allclose(np.mean(means, axis=0), selected.by_partition.mean(axis=0))
    assert tell_by_mode(table) == "of 2 columns 1 matters in every mode: x1"
    own = (table["mode"] == 1) & (table["column"] == "x0")
    table.loc[own, ["inclusion", "decision"]] = [0.95, "matters"]
    assert tell_by_mode(table) == (
        "of 2 columns 1 matters in every mode: x1; which others do depends on the mode: in mode 0 (5 partitions) none"
        " that is decided; in mode 1 (5 partitions) x0"
    )
    table.loc[(table["mode"] == 1) & (table["column"] == "x1"), "decision"] = "not decided"
    assert tell_by_mode(table) == (
        "which columns matter depends on the mode: in mode 0 (5 partitions) x1; in mode 1 (5 partitions) x0"
    )
    table["decision"] = "not decided"
    assert tell_by_mode(table) == "in no mode is it decided that one of 2 columns matters"


def test_one_weight_everywhere(fitted):
    """What decisions are made of stands in the ranking, the table of blocks, figures and the summary."""
    ranking, values = fitted.ranking, fitted.relevance.values
    assert values
    for value in values:
        j = ranking.names.index(value.feature)
        assert ranking.centred_mean[value.block, j] == value.mean
        assert ranking.centred_low[value.block, j] <= value.mean <= ranking.centred_high[value.block, j]
        assert f"{value.feature} ({value.mean:+.2f})" in fitted.block_table["set_apart_by"][value.block]
        assert f"{value.mean:+.2f}" in fitted.summary()
    x, y = fitted.plot.heatmap().axes[0].lines[0].get_data()
    named = {(value.block, ranking.names[ranking.order[0]]) for value in values}
    assert {(int(a), ranking.names[ranking.order[int(b)]]) for a, b in zip(x, y, strict=True)} == named
    for block, axes in enumerate(fitted.plot.weights(n_features=2).axes):
        full = [line for line in axes.lines if line.get_marker() == "o" and line.get_markerfacecolor() != "white"]
        assert [len(line.get_xdata()) for line in full] == [sum(one == block for one, _ in named)]


def test_the_preset_of_the_paper():
    config = FitConfig(preset="paper", n_blocks=3, n_sweeps=50)
    assert config.weight_prior == "fixed"
    assert (config.intercept, config.n_kept, config.n_sweeps) == (False, 10, 50)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight_prior": "loose"}, "weight_prior must be"),
        ({"preset": "thesis"}, "preset must be"),
        ({"fdr": 2}, "fdr must be a number"),
        ({"intercept_sd": -1}, "intercept_sd must be a number"),
        ({"column_groups": {"a": ["x0"]}}, "column_groups are for"),
        ({"weight_prior": "learned", "column_groups": "x0"}, "a mapping of names"),
        ({"weight_prior": "learned", "column_groups": {"a": ["x7"]}}, "must name columns"),
        ({"weight_prior": "learned", "sigma": 2.0}, "sigma is of"),
    ],
)
def test_refused(options, message):
    net, _ = planted_network(5, two_flags)
    with pytest.raises(OptionError, match=message):
        ffbm.fit(net, **SHORT | options)


def test_ranking_by_inclusion_needs_it():
    with pytest.raises(OptionError, match='rule="inclusion" needs weights'):
        ffbm.rank_features(np.zeros((1, 2, 2, 1)), rule="inclusion")
    with pytest.raises(OptionError, match="rule must be"):
        ffbm.rank_features(np.zeros((1, 2, 2, 1)), rule="best")


def test_the_sentence_says_what_the_answer_rests_on(fitted):
    modes = (SimpleNamespace(weight=0.6), SimpleNamespace(weight=0.4))
    weights = SimpleNamespace(in_words="'trips', geometric")
    other = SimpleNamespace(
        network=SimpleNamespace(graph=SimpleNamespace(is_directed=True, weights=weights)),
        hierarchy=SimpleNamespace(n_levels=3),
        memberships=SimpleNamespace(n_modes=2, modes=modes, shares_are_known=True),
        weights=SimpleNamespace(imputed=SimpleNamespace(n_cells=7)),
    )
    assert _edges(other) == " (directed, weighted by 'trips', geometric)"
    assert _more(other) == ["a hierarchy of 3 levels", "2 modes with 60%, 40% of the draws", "7 missing cells imputed"]
    assert (_edges(fitted), _more(fitted)) == ("", [])


def test_the_sentence_says_why_bits_beyond_are_more_than_all(fitted):
    low, high = (
        replace(fitted, explanation=replace(fitted.explanation, scores=replace(fitted.scores, bits_test=bits)))
        for bits in (0.0, 2.0)
    )
    assert "more than all together" not in high.sentence()
    assert "beyond the others, more than all together, since without it the others score below 0" in low.sentence()


def test_all_notes_on_reading_are_listed(fitted):
    notes = tuple(ffbm.types.Note(f"code-{i}", f"note number {i} of them", 1) for i in range(9))
    noted = replace(fitted, network=replace(fitted.network, notes=notes))
    assert all(note.message in noted.summary(verbose=True) for note in notes)


def test_the_table_of_the_ranking_has_no_column_that_says_nothing(fitted):
    subject = subject_of(fitted)
    assert ranking_table(subject).head[-1] == "kept"
    whole = replace(fitted, explanation=replace(fitted.explanation, ranking=replace(fitted.ranking, n_kept=2)))
    assert ranking_table(subject_of(whole)).head[-1] == "vertices"


def test_bars_of_checks_are_the_true_range():
    table = pd.DataFrame(
        {"statistic": ["triangles"], "observed": [9.0], "mean": [4.0], "low": [3.0], "high": [7.0], "fits": [False]}
    )
    bars = next(one for one in draw_checks(table).renderers if "high" in one.data_source.data)
    assert (bars.data_source.data["low"].tolist(), bars.data_source.data["high"].tolist()) == ([-1.0], [3.0])
    assert (bars.glyph.x0, bars.glyph.x1) == ("low", "high")
