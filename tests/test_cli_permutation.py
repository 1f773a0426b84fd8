"""``ffbm test``: the table, the sentences, the JSON, and what is refused."""

import json
from pathlib import Path

import numpy as np
import pytest

import ffbm
from ffbm.cli import run
from ffbm.cli.test import _sentence, _sentences


@pytest.fixture(autouse=True)
def _apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def files(tmp_path):
    """Two teams that keep to themselves; floor is the team but for one; age and shoe are noise; "a,b" is a coin."""
    rng = np.random.default_rng(6)
    labels = np.repeat([0, 1], 30)
    made = ffbm.simulate(labels=labels, features=1, n_edges=250, contrast=8, seed=2)
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"{i},{j}\n" for i, j in made.network.graph.edges))
    floors = 1 + (labels ^ (np.arange(60) == 7))
    rows = [
        f"{i},{'red' if labels[i] else 'blue'},{floors[i]}. floor,{rng.integers(20, 70)},{rng.integers(0, 2)}"
        for i in range(60)
    ]
    (tmp_path / "nodes.csv").write_text('id,team,floor,age,"a,b"\n' + "\n".join(rows) + "\n")
    return ["edges.csv", "--nodes", "nodes.csv", "--permutations", "200", "--no-gamma"]


def ask(capsys, *arguments):
    assert run(["test", *arguments, "--json", "--quiet"]) == 0
    shown = capsys.readouterr()
    assert shown.err == ""
    return json.loads(shown.out, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def test_the_table_and_its_sentences(files, capsys):
    assert run(["test", *files]) == 0
    shown = capsys.readouterr().out
    assert shown.startswith("edges.csv: 200 permutations of each column, seed 0\n")
    assert max(map(len, shown.splitlines())) <= 80
    names = [line.split()[0] for line in shown.splitlines()[3:7]]
    assert set(names[:2]) == {"team", "floor"}
    assert set(names[2:]) == {"age", "a,b"}
    text = " ".join(shown.split())
    assert "- team (2 values): who with whom: related to the edges (p = 0.005, q = 0.01;" in text
    assert "; how many: no sign that degrees differ (p = " in text
    assert "age (4 values, cut at its quartiles: " in text
    assert "a,b (a flag): who with whom: no sign of a relation to the edges (p = " in text


ROW = {
    "column": "rank", "read_as": "values", "n_values": 3, "n_permuted": 50, "adjacency_saved": 4.21,
    "degrees_saved": 20.0, "p_adjacency": 0.01, "q_adjacency": 0.02, "p_adjacency_matched": 0.3, "p_degrees": 0.001,
    "q_degrees": 0.002,
}  # fmt: skip


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({}, "related to the edges (p = 0.01, q = 0.02; 4.2 nats saved), but p = 0.3 among vertices of like degree"),
        ({"p_adjacency_matched": 0.01}, "related to the edges (p = 0.01, q = 0.02; 4.2 nats saved); how many: degrees"),
        ({"p_degrees": 0.4}, "related to the edges (p = 0.01, q = 0.02; 4.2 nats saved); how many: "),
        (
            {"q_adjacency": 0.9, "p_adjacency": 0.9, "p_adjacency_matched": 0.001},
            "no sign of a relation to the edges (p = 0.9), but p = 0.001 among vertices of like degree",
        ),
        ({"q_adjacency": 0.2}, "no sign of a relation to the edges beyond what so many columns show by chance (p ="),
        ({"q_degrees": 0.1}, "how many: no sign that degrees differ beyond what so many columns show by chance"),
        ({"n_permuted": 0}, "rank (3 values): not tested: all vertices with a value have the same"),
    ],
)
def test_sentences(changes, words):
    assert words in _sentence(ROW | changes, None)


def test_json_is_that_of_python(files, capsys):
    told = ask(capsys, *files)
    assert (told["source"], told["n_permutations"], told["within"], told["seed"]) == ("edges.csv", 200, None, 0)
    assert told["best_description_length"] is None
    net = ffbm.read_network("edges.csv", nodes="nodes.csv")
    table = ffbm.permutation_test(net, n_permutations=200, blocks=None).set_index("column")
    for row in told["columns"]:
        assert row.pop("sentence").startswith(row["column"])
        known = table.loc[row.pop("column")]
        assert row.pop("gamma") is None
        assert row == pytest.approx(known.drop("gamma").to_dict())
    order = [(row["p_adjacency"], -row["adjacency_saved"]) for row in told["columns"]]
    assert order == sorted(order)
    assert told["notes"] == [note.to_dict() for note in net.notes]


def test_gamma_of_a_registered_set(capsys):
    told = ask(capsys, "polbooks", "--permutations", "500", "--workers", "1")
    assert told["best_description_length"] == pytest.approx(1343.89, abs=0.01)
    assert told["columns"][0]["gamma"] == pytest.approx(0.275, abs=0.01)


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["--columns", "team,age"], {"team", "age"}),
        (["--columns", "a,b", "--columns", "floor , age"], {"a,b", "floor", "age"}),
        (["--within", "age"], {"team", "floor", "a,b"}),
        (["--exclude", "team", "--exclude", "a,b"], {"floor", "age"}),
    ],
)
def test_columns_that_are_chosen(files, arguments, names, capsys):
    assert {row["column"] for row in ask(capsys, *files, *arguments)["columns"]} == names


def test_within_a_column_that_is_the_same_nothing_is_tested(files, capsys, tmp_path):
    nodes, both = tmp_path / "nodes.csv", ["--include", "team", "--include", "floor", "--include", "age"]
    nodes.write_text(nodes.read_text().replace("7,blue,2. floor", "7,blue,1. floor"))
    files = [*files, *both]  # columns that say the same, which are read as one unless they are named
    told = ask(capsys, *files, "--within", "team")
    row = next(row for row in told["columns"] if row["column"] == "floor")
    assert (row["p_adjacency"], row["n_permuted"]) == (None, 0)
    assert row["sentence"] == "floor (2 values): not tested: it does not vary inside team"
    assert run(["test", *files, "--within", "team"]) == 0
    shown = capsys.readouterr().out
    assert "200 permutations of each column inside the values of team, seed 0" in shown
    assert shown.index("\n  age") < shown.index("\n  floor")  # what was not tested comes last


def test_many_columns_are_cut_short(tmp_path, capsys):
    rng = np.random.default_rng(0)
    names = [f"f{j}" for j in range(25)]
    rows = [f"{i}," + ",".join(map(str, rng.integers(0, 2, 25))) for i in range(20)]
    (tmp_path / "n.csv").write_text("id," + ",".join(names) + "\n" + "\n".join(rows) + "\n")
    (tmp_path / "e.csv").write_text("source,target\n" + "".join(f"{i},{(i + 1) % 20}\n" for i in range(20)))
    command = ["e.csv", "--nodes", "n.csv", "--permutations", "20", "--no-gamma"]
    assert run(["test", *command]) == 0
    assert "  ... and 5 more columns (--json shows all)\n" in capsys.readouterr().out
    assert len(ask(capsys, *command)["columns"]) == 25


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--columns", "tem"], "--columns must name columns of the network; got 'tem': did you mean 'team'?"),
        (["--within", "nowhere"], "--within must name columns of the network; got 'nowhere': its columns are 'team'"),
        (["--columns", "team", "--within", "team"], "--within and --columns both name 'team'"),
        (["--permutations", "0"], "--permutations must be a whole number, at least 1; got 0"),
        (["--workers", "0"], "--workers must be a whole number, at least 1; got 0"),
        (["--missing", "mean"], "--missing must be one of none, flag"),
    ],
)
def test_what_is_refused(files, arguments, words, capsys):
    assert run(["test", *files, *arguments]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith(f"ffbm: {words}")
    assert shown.err.count("\n") == 1


def test_a_network_without_columns_is_refused(files, capsys):
    assert run(["test", "edges.csv"]) == 2
    assert capsys.readouterr().err == (
        "ffbm: a test is of columns, which become features, and this network has none: give a table of vertex"
        " attributes with --nodes\n"
    )
    table = Path("nodes.csv").read_text().splitlines()
    Path("same.csv").write_text("id,all\n" + "".join(f"{line.partition(',')[0]},x\n" for line in table[1:]))
    assert run(["test", "edges.csv", "--nodes", "same.csv"]) == 2
    assert "and none of its columns became one (column 'all' left out: it is 'x'" in capsys.readouterr().err


def test_many_columns_without_a_sign_have_one_sentence():
    rows = [{"column": f"q{j}", "p_adjacency": 0.3, "p_degrees": 0.2, "sentence": f"q{j}: none"} for j in range(4)]
    rows.insert(1, {"column": "team", "p_adjacency": 0.001, "p_degrees": 0.4, "sentence": "team: related"})
    rows.append({"column": "one", "p_adjacency": np.nan, "p_degrees": np.nan, "sentence": "one: not tested"})
    quiet = "q0, q1, q2, q3: no sign of a relation to the edges, nor that degrees differ"
    assert _sentences(rows) == ["team: related", "one: not tested", quiet]
    assert _sentences(rows[:4]) == ["q0: none", "team: related", "q1: none", "q2: none"]
