"""A fit of a hierarchy: the planted tree, the columns that act at its splits, saving, text, figures and errors."""

import json
import re
from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.cli import run
from ffbm.config import FitConfig
from ffbm.errors import OptionError
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.splits import select_at_splits
from ffbm.results.record import fit_record, strict_json
from ffbm.results.sentences import tell_hierarchy
from ffbm.store.tree import from_tree, read_tree, write_tree
from ffbm.types.tree import Tree, TreeNode

OPTIONS = {"n_draws": 100, "n_warmup": 100, "n_sweeps": 200, "n_chains": 2, "workers": 1, "progress": False}
pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")


@pytest.fixture(scope="module")
def net():
    """Four blocks in each half: a column for the halves, one that acts inside the first half, one for nothing."""
    rng = np.random.default_rng(5)
    b = np.repeat(np.arange(8), 30)
    edges = set()
    while len(edges) < 2200:
        i, j = sorted(rng.integers(0, 240, 2).tolist())
        chance = 1.0 if b[i] == b[j] else 0.15 if b[i] // 4 == b[j] // 4 else 0.01
        if i != j and rng.random() < chance:
            edges.add((i, j))
    half = np.where(rng.random(240) < 0.95, b // 4, 1 - b // 4)
    inside = np.where(b < 4, b, rng.integers(0, 4, 240))
    letters = np.array(list("abcd"))
    columns = {"half": letters[half], "inside": letters[inside], "noise": letters[rng.integers(0, 3, 240)]}
    table = pd.DataFrame(columns)
    return ffbm.as_network(np.array(sorted(edges)), table)


@pytest.fixture(scope="module")
def fit(net):
    return ffbm.fit(net, hierarchy=True, seed=3, **OPTIONS)


def test_the_planted_tree_is_found_and_its_splits_are_explained(fit):
    tree, b = fit.tree, np.repeat(np.arange(8), 30)
    assert repr(tree) == "<Tree of 240 vertices: groups 8-2-1>"
    assert np.array_equal(np.sort(tree.vertices(0)), np.arange(240))
    for level, planted in enumerate((b, b // 4)):
        found = tree.level(level)
        assert np.array_equal(found[:, None] == found, planted[:, None] == planted)
    named = {tuple(sorted(set(b[tree.vertices(node.number)].tolist()))): node.columns for node in tree.splits}
    assert [name for name, _ in named[tuple(range(8))]] == ["half"]
    assert [name for name, _ in named[0, 1, 2, 3]] == ["inside"]
    assert all("noise" not in dict(columns) for columns in named.values())
    assert all(node.support > 0.8 and not node.is_uncertain for node in tree.splits)
    assert all(node.nats > 0 for node in tree.splits)


def test_nats_are_those_of_the_description_length(net, fit):
    tree = fit.tree
    one_block = ffbm.description_length(net, [np.zeros(240, dtype=int)]).total
    level = [tree.level(level) for level in range(tree.n_levels)]
    levels = [np.unique(level[0], return_inverse=True)[1]]
    for below, above in pairwise(level):
        first = np.unique(below, return_index=True)[1]
        levels.append(np.unique(above, return_inverse=True)[1][first])
    whole = ffbm.description_length(net, levels).total
    assert tree.root.nats == pytest.approx(one_block - whole)
    assert tree.description_length <= whole + 1e-6


def test_bits_add_up(fit):
    tree = fit.tree
    parts = [tree.size(node.number) / 240 * node.bits for node in tree.splits]
    assert tree.bits == pytest.approx(sum(parts))
    assert tree.root.bits > 0.4


def test_a_split_is_explained_again_the_same(fit):
    tree = fit.tree
    split = tree.split(0, progress=False)
    assert split.scores.bits_test == pytest.approx(tree.root.bits)
    assert split.relevance.matters == ("half",)
    assert dict(tree.root.columns) == {"half": split.relevance.inclusion[0]}
    assert split.weights.selected.settings["n_splits"] == 3  # all of them at once, with one omega
    assert split.weights.weights.shape[2] == 2
    sizes = [tree.size(child) for child in tree.root.children]
    assert split.scores.n_by_block_test.tolist() == sizes == sorted(sizes, reverse=True)


def test_splits_that_there_is_no_time_for_are_left_out(net, fit):
    features, quiet = net.features, RunContext(1)
    settings = {"hierarchy": True, "weight_prior": "learned", "n_chains": 2, "n_draws": 100, "seed": 3}
    short = FitConfig(**settings, max_minutes=1e-6)
    assert list(select_at_splits(features, fit.tree, short, quiet)) == [0]
    fixed = FitConfig(**settings, n_sweeps=1, column_groups={"not half": ["inside", "noise"]})
    found = select_at_splits(features, fit.tree, fixed, quiet)
    assert list(found) == [node.number for node in fit.tree.splits]
    assert {trace.column_names for trace in found.values()} == {("half", "not half")}


def test_text_record_and_figure(fit):
    lines = str(fit.tree).splitlines()
    assert len(lines) == len(fit.tree.splits)
    assert lines[0].startswith("[0] 240 vertices into [1] (120), [2] (120): ")
    assert "bits by half" in lines[0]
    assert lines[1].startswith("  [1] 120 vertices into ")
    brief = [line for line in fit.summary().splitlines() if line.lstrip().startswith("[")]
    assert brief[0].startswith("  [0] 240 into 2: ")
    assert brief[0].endswith(" bits by half")
    assert len(brief) == 3
    summary = fit.summary(verbose=True)
    assert "blocks at 3 levels" in summary
    assert "the partitions of all levels" in " ".join(summary.split())  # it may go over two lines
    record = json.loads(strict_json(fit_record(fit)))
    assert [node["n_vertices"] for node in record["tree"]["nodes"]][:3] == [240, 120, 120]
    figure = fit.plot.tree(title="tree")
    assert len(figure.axes[0].patches) == len(fit.tree.nodes)
    assert "bits by half" in figure.axes[0].texts[0].get_text()


def test_columns_say_where_in_the_tree_they_act(fit):
    tree, table = fit.tree, fit.column_table.set_index("column")
    b = np.repeat(np.arange(8), 30)
    first = next(node.number for node in tree.splits if set(b[tree.vertices(node.number)]) == {0, 1, 2, 3})
    assert table["splits"].to_dict() == {
        "half": "splits the whole", "inside": f"splits inside 1 of 2 groups ([{first}])", "noise": "",
    }  # fmt: skip
    assert tree.places == f"half splits the whole; inside splits inside 1 of 2 groups ([{first}])"
    assert f"where columns act: {tree.places}" in " ".join(fit.summary().split())
    columns = json.loads(strict_json(fit_record(fit)))["columns"]
    assert {row["column"]: row["splits"] for row in columns} == table["splits"].to_dict()


def test_words_for_where_a_column_acts():
    year, dorm = (("year", 1.0),), (("year", 0.9), ("dorm", 1.0))
    nodes = [TreeNode(0, 2, None, (1, 2, 3), columns=year), TreeNode(1, 1, 0, (4, 5), columns=dorm)]
    nodes += [TreeNode(2, 1, 0, (6, 7), columns=(("dorm", 1.0),)), TreeNode(3, 0, 0, block=0)]
    nodes += [TreeNode(4 + a, 0, 1 + a // 2, block=1 + a) for a in range(4)]
    tree = Tree(tuple(nodes), np.arange(5), 1.0)
    assert tree.where("year") == "splits the whole and inside 1 of 2 groups ([1])"
    assert tree.where("dorm") == "splits inside each of 2 groups ([1], [2])"
    assert tree.where("sex") == ""
    assert tree.places == f"year {tree.where('year')}; dorm {tree.where('dorm')}"


def test_saved_and_loaded(fit, tmp_path):
    write_tree(fit.to_datatree(), tmp_path / "traces.nc")
    again = ffbm.Fit.of(from_tree(read_tree(tmp_path / "traces.nc")))
    assert str(again.tree) == str(fit.tree)
    assert again.tree.to_dict() == fit.tree.to_dict()
    assert np.array_equal(again.blocks.labels, fit.blocks.labels)
    assert again.config.hierarchy


def test_blocks_of_draws_are_numbered_as_the_leaves(net, fit):
    labels = fit.blocks.labels
    assert labels.shape == (2, 32, 240)
    assert fit.scores.description_length * (240 + net.n_edges) == pytest.approx(fit.tree.description_length, rel=0.02)


def test_a_level_is_explained(fit):
    found = fit.level(1)
    assert found.relevance.matters == ("half",)
    assert found.weights.weights.shape[2] == 2


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"target": "joint", "weight_prior": "fixed"}, 'with target="joint" is for weight_prior="learned"; got'),
        ({"target": "joint", "weight_prior": "learned", "blocks": [0] * 240}, "blocks= is for"),
        ({"n_blocks": 3}, "hierarchy=True finds the number of blocks; got n_blocks=3"),
        ({"blocks": [0] * 240}, "hierarchy=True samples its blocks"),
        ({"hierarchy": "yes"}, "hierarchy"),
    ],
)
def test_options_that_are_refused(net, options, words):
    with pytest.raises(OptionError, match=words):
        ffbm.fit(net, **{"hierarchy": True} | options)


def test_a_joint_fit_names_the_columns_of_the_tree(net, fit, tmp_path):
    found = ffbm.fit(net, hierarchy=True, target="joint", weight_prior="learned", seed=3, **OPTIONS)
    assert str(found.tree).count("\n") == str(fit.tree).count("\n")
    assert [dict(node.columns).keys() for node in found.tree.splits] == [
        dict(node.columns).keys() for node in fit.tree.splits
    ]
    assert 0 < found.blocks.settings["omega"] < 1
    found.save(tmp_path / "run")
    assert str(ffbm.load_fit(tmp_path / "run").tree) == str(found.tree)


def test_weights_of_edges_have_no_joint_tree():
    weighted = ffbm.simulate(
        n_nodes=30, edge_weight_model="poisson", edge_weight_prior={"a": 1, "b": 1}, seed=1
    ).network
    with pytest.raises(OptionError, match="is for edges without weights"):
        ffbm.fit(weighted, hierarchy=True, target="joint", weight_prior="learned", **OPTIONS)


def test_ladders_of_hierarchies_find_the_same_tree(net, fit, tmp_path):
    options = {"hierarchy": True, "tempering": [1.0, 0.97], "seed": 3, **OPTIONS}
    found = ffbm.fit(net, **options, out=tmp_path / "run")
    assert found.blocks.settings["tempering"] == [1.0, 0.97]
    assert len(found.blocks.settings["swap_rates"]) == 1
    assert len(found.blocks.diagnostics.round_trips) == found.config.n_chains
    for level in (0, 1):
        groups, wanted = found.tree.level(level), fit.tree.level(level)
        assert np.array_equal(groups[:, None] == groups, wanted[:, None] == wanted)
    assert found.blocks.entropy.mean() == pytest.approx(fit.blocks.entropy.mean(), abs=1.5)
    assert found.plot.ladder() is not None
    assert ffbm.load_fit(tmp_path / "run").blocks.settings["tempering"] == [1.0, 0.97]


def test_questions_that_are_refused(net, fit):
    leaf = fit.tree.leaves[0].number
    with pytest.raises(OptionError, match=rf"node must be one that is split \(0, .*\); got {leaf}"):
        fit.tree.split(leaf)
    with pytest.raises(OptionError, match="level must have several groups, 0 to 1; got 3"):
        fit.level(3)
    flat = ffbm.fit(net, n_blocks=2, seed=1, **OPTIONS)
    assert flat.nats_by_hierarchy == 0.0  # two blocks have no groups
    assert "--hierarchy" not in flat.summary()
    for ask in (lambda: flat.tree, lambda: flat.level(0), lambda: flat.plot.tree()):
        with pytest.raises(OptionError, match="this one is flat"):
            ask()


def test_a_flat_fit_says_what_a_hierarchy_saves(net):
    flat = ffbm.fit(net, n_blocks=8, seed=1, **OPTIONS)
    nats = flat.nats_by_hierarchy
    best = flat.blocks.best_labels
    levels = [best, np.array([np.repeat(np.arange(2), 120)[best == r][0] for r in range(8)]), np.zeros(2, dtype=int)]
    one = ffbm.description_length(net, best, prior="full").total
    assert nats == pytest.approx(one - ffbm.description_length(net, levels).total)
    assert nats > 10
    said, brief = (" ".join(flat.summary(verbose).split()) for verbose in (True, False))
    assert f"would be shorter by {nats:,.0f} nats or more: hierarchy=True (--hierarchy)" in said
    assert f"Blocks at every scale (--hierarchy) would be shorter by {nats:,.0f} nats or more." in brief
    assert json.loads(strict_json(fit_record(flat)))["nats_by_hierarchy"] == pytest.approx(nats)


@pytest.mark.slow  # the kernels of arcs are compiled apart
def test_a_directed_network(net):
    """Arcs lead from the first half to the second more than back: one more thing that tells them apart."""
    i, j = net.graph.edges.T
    keep = (i // 120 == j // 120) | (np.random.default_rng(1).random(len(i)) < 0.9)
    flip = np.random.default_rng(2).random(len(i)) < 0.5
    flip[i // 120 != j // 120] = False
    ends = np.column_stack((np.where(flip, j, i), np.where(flip, i, j)))[keep]
    x = net.features.values
    arcs = ffbm.as_network(ends, x.toarray() if hasattr(x, "toarray") else x, directed=True)
    found = ffbm.fit(arcs, hierarchy=True, seed=3, **OPTIONS)
    b = np.repeat(np.arange(8), 30)
    assert found.network.graph.is_directed
    assert np.array_equal(found.tree.level(0)[:, None] == found.tree.level(0), b[:, None] == b)
    halves = [set((b[found.tree.vertices(child)] // 4).tolist()) for child in found.tree.root.children]
    assert all(len(half) == 1 for half in halves)
    assert "blocks at" in found.summary()


def test_little_is_not_worth_a_hint():
    assert tell_hierarchy(SimpleNamespace(nats_by_hierarchy=9.9)) == ""
    assert "shorter by 1,235 nats or more" in tell_hierarchy(SimpleNamespace(nats_by_hierarchy=1234.6))


def test_the_report_has_the_tree(fit, tmp_path):
    fit.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "The tree of blocks" in page
    assert "240 vertices into [1] (120), [2] (120)" in page
    assert "half (1.00)" in page
    boxes = re.findall(r'<div class="node" style="flex-grow: (\d+)">\s*<div class="bar([^"]*)"[^>]*>', page)
    assert sorted(int(size) for size, _ in boxes) == [30] * 8 + [120] * 2 + [240]
    assert sum("group" in kind for _, kind in boxes) == 3
    assert page.count('data-blocks="') == 11  # a click lights its vertices in the network


def test_on_the_command_line(net, tmp_path, capsys):
    rows = ["source,target", *(f"{i},{j}" for i, j in net.graph.edges.tolist())]
    (tmp_path / "edges.csv").write_text("\n".join(rows) + "\n")
    x = net.features.values.toarray() if hasattr(net.features.values, "toarray") else net.features.values
    half = x[:, list(net.features.names).index(next(name for name in net.features.names if name.startswith("half")))]
    rows = ["id,half", *(f"{i},{'ab'[int(value)]}" for i, value in zip(net.node_ids, half, strict=True))]
    (tmp_path / "nodes.csv").write_text("\n".join(rows) + "\n")
    options = "--hierarchy --sweeps 200 --draws 50 --warmup 50 --chains 2 --workers 1 --seed 1 --quiet --json"
    files = [str(tmp_path / "edges.csv"), "--nodes", str(tmp_path / "nodes.csv")]
    assert run(["fit", *files, *options.split()]) == 0
    tree = json.loads(capsys.readouterr().out)["tree"]
    assert [node["n_vertices"] for node in tree["nodes"]][:3] == [240, 120, 120]
    assert tree["nodes"][0]["columns"][0][0] == "half"
    assert run(["fit", *files, "--hierarchy", "--target", "joint"]) == 2
