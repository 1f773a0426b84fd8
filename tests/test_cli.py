"""The command line: what it prints, where, and how it ends."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import ffbm
from ffbm.cli import run
from ffbm.cli.options import split_drop
from ffbm.cli.screen import align, print_json
from ffbm.data.registry import cache_folder

HEAVY = {"numba", "numpy", "pandas", "scipy", "networkx", "igraph", "pooch"}


@pytest.fixture(autouse=True)
def _apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.delenv("FFBM_DATA", raising=False)


@pytest.fixture
def friends(tmp_path):
    """Twelve people in a ring, a loop and a second edge between two of them, and one alone."""
    edges = [f"p{i},p{(i + 1) % 12}" for i in range(12)] + ["p0,p0", "p3,p4"]
    (tmp_path / "edges.csv").write_text("source,target\n" + "\n".join(edges) + "\n")
    rows = [f"p{i},Person {i},{20 + i * i},{'yes' if i % 3 else 'no'},{'MFX'[i % 3]},x" for i in range(12)]
    header = "id,name,age,member,gender,planet\n"
    (tmp_path / "nodes.csv").write_text(header + "\n".join(rows) + "\nlone,Lone,NA,,F,x\n")
    return ["describe", "edges.csv", "--nodes", "nodes.csv"]


def call(*arguments):
    return subprocess.run([sys.executable, *arguments], capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["describe", "--help"], []])
def test_the_door_is_light(arguments):
    code = f"import sys; from ffbm.cli import run; run({arguments}); print(sorted({HEAVY} & set(sys.modules)))"
    done = call("-c", code)
    assert done.stdout.splitlines()[-1] == "[]"
    assert done.stderr == ""


def test_python_m_ffbm():
    done = call("-m", "ffbm", "--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"ffbm {ffbm.__version__}\n", "")


def test_one_line_and_no_traceback_from_outside():
    done = call("-m", "ffbm", "describe", "nowhere.csv")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("ffbm: nowhere.csv ")
    assert done.stderr.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="pipes as POSIX has them")
@pytest.mark.parametrize("arguments", [["datasets"], ["--help"], ["describe", "polbooks", "--json"]])
def test_a_reader_that_leaves(arguments):
    with subprocess.Popen(
        [sys.executable, "-m", "ffbm", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 0


def test_datasets(capsys):
    assert run(["datasets"]) == 0
    shown = capsys.readouterr()
    lines = shown.out.splitlines()
    assert lines[:4] == [
        "name      vertices   edges  features  here",
        "polbooks       105     441         3  yes",
        "school         238   5,539        13  no, downloaded on first use",
        "facebook       747  30,025       480  no, downloaded on first use",
    ]
    assert all(part in shown.out for part in ("V. Krebs", "CC BY-NC-SA", "snap.stanford.edu", "McAuley", "bundled"))
    # a path is never broken: in a deep folder it may be as long as it likes
    assert max(len(line) for line in lines if str(cache_folder()) not in line) <= 80
    assert shown.err == ""


def test_datasets_as_json(capsys, tmp_path, monkeypatch):
    (tmp_path / "school").mkdir()
    monkeypatch.setenv("FFBM_DATA", str(tmp_path))
    assert run(["datasets", "--json"]) == 0
    shown = capsys.readouterr()
    entries = {entry["name"]: entry for entry in json.loads(shown.out)["datasets"]}
    assert [entry["is_here"] for entry in entries.values()] == [True, True, False]
    assert entries["school"]["where"] == str(tmp_path / "school")
    assert entries["facebook"]["where"] is None
    assert (entries["facebook"]["n_nodes"], entries["facebook"]["n_edges"]) == (747, 30025)
    assert shown.err == ""


def test_describe_a_data_set(capsys):
    assert run(["describe", "polbooks"]) == 0
    text = capsys.readouterr().out
    assert text.startswith("polbooks\n  vertices      105  0 without an edge\n")
    assert "  value   3 values, a flag each  105 (100%)\n" in text
    assert "  value=liberal       43 (41%)\n" in text
    assert "column 'label' left out" in text


def test_describe_files(capsys, friends):
    assert run(friends) == 0
    shown = capsys.readouterr()
    for part in (
        "  vertices       13  1 without an edge\n",
        "  edges          14  undirected; 1 self-loop, 1 parallel\n",
        "  features        5  from 3 columns\n",
        "  age     numbers, standardised\n",
        "  member  1 flag                   8 (62%)\n",
        "  gender=F               5 (38%)\n",
        "column 'name' left out",
        "column 'planet' left out",
        "column 'age' has 1 missing cell (1 written 'NA')",
    ):
        assert part in shown.out
    assert max(map(len, shown.out.splitlines())) <= 80
    assert shown.err == ""


def test_describe_says_what_it_takes_a_file_for(capsys, friends, tmp_path):
    assert run([*friends, "--directed"]) == 0
    text = capsys.readouterr().out
    assert "  edges          14  directed; 1 self-loop, 1 parallel\n" in text
    assert "out, and as much in" in text
    assert "adding 1 to both degrees" in text
    assert run([*friends, "--directed", "--json"]) == 0
    it = json.loads(capsys.readouterr().out)
    assert it["directed"] is True
    assert it["mean_degree"] == pytest.approx(14 / 13)
    (tmp_path / "links.gml").write_text(
        "graph [ directed 1 node [ id 1 ] node [ id 2 ] edge [ source 2 target 1 ] ]", encoding="utf-8"
    )
    for options, said in (([], "directed; "), (["--undirected"], "undirected; ")):
        assert run(["describe", str(tmp_path / "links.gml"), *options]) == 0
        assert f"edges           1  {said}" in capsys.readouterr().out
    assert run(["describe", "polbooks", "--directed"]) == 2
    assert "leave out --directed" in capsys.readouterr().err


def test_describe_as_json(capsys, friends):
    assert run([*friends, "--json", "--drop", "gender=X", "--exclude", "age", "--missing", "flag"]) == 0
    it = json.loads(capsys.readouterr().out)
    assert (it["n_components"], it["largest_component"]) == (2, 12)
    assert (it["n_nodes"], it["n_edges"], it["n_isolates"], it["n_loops"], it["n_parallel"]) == (
        13,
        14,
        1,
        1,
        1,
    )
    assert [feature["name"] for feature in it["features"]] == [
        "member",
        "member=missing",
        "gender=F",
        "gender=M",
        "gender=missing",
    ]
    assert [(c["name"], c["read_as"], c["support"]) for c in it["columns"]] == [
        ("member", "flags", 9),
        ("gender", "values", 13),
    ]
    assert {"constant", "dropped", "excluded", "identifier", "missing"} <= {note["code"] for note in it["notes"]}


@pytest.mark.parametrize(
    ("options", "names"),
    [
        (["--include", "name", "--exclude", "age", "--exclude", "member", "--exclude", "gender"], 13),
        (["--min-support", "5"], 3),
        (["--drop", "gender=M", "--drop", "gender=F"], 3),
    ],
)
def test_reading_options_reach_the_encoder(options, names, capsys, friends):
    assert run([*friends, *options, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["n_features"] == names


def test_a_long_list_is_cut_short(capsys, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    flags = [",".join(str((j + 1) >> i & 1) for j in range(50)) for i in range(7)]  # no two columns alike
    header = "id," + ",".join(f"flag{j}" for j in range(50))
    rows = [f"{name},{cells}" for name, cells in zip("abcdefg", flags, strict=True)]
    (tmp_path / "nodes.csv").write_text("\n".join([header, *rows]) + "\n")
    assert run(["describe", "edges.csv", "--nodes", "nodes.csv"]) == 0
    text = capsys.readouterr().out
    assert "... and 30 more features (--json shows all)" in text
    assert "flag20" not in text


def test_what_steers_a_terminal_is_not_passed_on(capsys, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\n")
    (tmp_path / "nodes.csv").write_text("id,team\na,\x1b[31mred\nb,\x1b[31mred\nc,blue\n")
    assert run(["describe", "edges.csv", "--nodes", "nodes.csv"]) == 0
    assert "\x1b" not in capsys.readouterr().out


REFUSED = {
    "no source": (["describe"], "SOURCE"),
    "unknown command": (["nope"], "nope"),
    "unknown option": (["describe", "polbooks", "--nope"], "--nope"),
    "no such set": (["describe", "karate"], "polbooks, school, facebook"),
    "no such file": (["describe", "nowhere.csv"], "nowhere.csv"),
    "no such table": (["describe", "edges.csv", "--nodes", "nowhere.csv"], "nowhere.csv"),
    "a folder": (["describe", str(Path(__file__).parent)], "is a folder, not a file"),
    "options of a registered set": (["describe", "polbooks", "--nodes", "n.csv"], "--nodes"),
    "drop without a value": (["describe", "edges.csv", "--drop", "gender"], "COLUMN=VALUE"),
    "unknown column": (
        ["describe", "edges.csv", "--nodes", "nodes.csv", "--exclude", "sex"],
        "nodes.csv: --exclude names 'sex'",
    ),
    "close to a set": (["describe", "Polboks"], "did you mean 'polbooks'?"),
    "a table without its option": (
        ["describe", "edges.csv", "nodes.csv"],
        "a table of attributes goes with --nodes nodes.csv",
    ),
    "no value": (["describe", "edges.csv", "--id"], "--id takes a value, and none is given; see ffbm describe --help"),
    "close to an option": (["describe", "polbooks", "--noodes", "x"], "did you mean --nodes? See ffbm describe --help"),
    "no such set to reproduce": (["reproduce", "polbok"], "got 'polbok': did you mean 'polbooks'?"),
    "no blocks": (["describe", "polbooks", "--blocks", "0"], "--blocks must be a whole number, at least 1; got 0"),
    "unknown choice": (
        ["describe", "edges.csv", "--nodes", "nodes.csv", "--missing", "mean"],
        "--missing must be one of none, flag; got 'mean'",
    ),
    "not a number": (
        ["describe", "edges.csv", "--min-support", "few"],
        "--min-support must be a whole number; got 'few'\n",
    ),
    "too small": (
        ["describe", "edges.csv", "--nodes", "nodes.csv", "--min-support", "0"],
        "ffbm: --min-support must be a whole number, at least 1; got 0",
    ),
}


@pytest.mark.usefixtures("friends")
@pytest.mark.parametrize("case", REFUSED)
def test_refused_in_one_line(case, capsys):
    arguments, part = REFUSED[case]
    assert run(arguments) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("ffbm: ")
    assert shown.err.count("\n") == 1
    assert part in shown.err


@pytest.mark.parametrize(
    ("error", "code", "last"),
    [
        (ffbm.errors.DataError("first\nsecond"), 2, "ffbm: first second"),
        (PermissionError(13, "Permission denied", "secret.csv"), 2, "ffbm: secret.csv: Permission denied"),
        (OSError("disk gone"), 2, "ffbm: disk gone"),
        (KeyboardInterrupt(), 130, "ffbm: interrupted"),
        (ZeroDivisionError("slip"), 70, "ffbm: this is a bug: please report it with the lines above"),
        (EOFError("slip"), 70, "ffbm: this is a bug: please report it with the lines above"),
    ],
)
def test_how_it_ends(error, code, last, capsys, monkeypatch):
    def fail(_):
        raise error

    monkeypatch.setattr("ffbm.data.registry.locate_dataset", fail)
    assert run(["datasets"]) == code
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines()[-1].startswith(last)
    assert ("Traceback" in shown.err) == (code == 70)


def test_without_a_network(capsys, monkeypatch, tmp_path):
    import dataclasses

    from ffbm.data.registry import DATASETS

    monkeypatch.setenv("NO_PROXY", "127.0.0.1")
    monkeypatch.setattr("ffbm.data.registry.user_cache_path", lambda *_, **__: tmp_path / "cache")
    address = "http://127.0.0.1:9/school.gexf.gz"  # the port that discards: nothing listens there
    monkeypatch.setitem(DATASETS, "school", dataclasses.replace(DATASETS["school"], address=address))
    assert run(["describe", "school"]) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert all(part in error for part in (address, str(tmp_path / "cache"), "FFBM_DATA"))


def test_json_is_strict(capsys):
    print_json({"a": float("nan"), "b": [float("inf"), 1.5], "c": {"d": None}, "e": "é\n"})
    text = capsys.readouterr().out
    assert json.loads(text) == {"a": None, "b": [None, 1.5], "c": {"d": None}, "e": "é\n"}
    assert text.count("\n") == 1


def test_drop_pairs():
    assert split_drop(["a=b", "a=c=d", "e="]) == {"a": ["b", "c=d"], "e": [""]}
    assert split_drop(None) == {}


def test_the_first_column_gives_way(monkeypatch):
    monkeypatch.setenv("COLUMNS", "40")
    lines = align([["x" * 90, "12 (3%)"], ["short", "1 (2%)"]], right=[1]).splitlines()
    assert [len(line) for line in lines] == [40, 40]
    assert "xx...xx" in lines[0]  # cut in the middle: names of one column differ at their ends
    assert lines[0].endswith("x  12 (3%)")


def test_unknown_ids_and_parallel_edges_from_the_command_line(capsys, friends):
    edges = Path("edges.csv")
    edges.write_text(f"{edges.read_text()}p1,stranger\n")
    assert run(friends) == 2
    said = capsys.readouterr().err
    assert "'stranger'; add it there, or keep it with --unknown keep" in said
    assert run([*friends, "--json", "--unknown", "keep", "--parallel", "merge"]) == 0
    it = json.loads(capsys.readouterr().out)
    assert (it["n_nodes"], it["n_edges"], it["n_parallel"]) == (14, 14, 0)
    assert {"unknown", "merged"} <= {note["code"] for note in it["notes"]}
    for option in ("--unknown", "--parallel"):
        for command in ("describe", "fit"):
            assert run([command, *friends[1:], option, "nonsense"]) == 2
            assert f"ffbm: {option} must be" in capsys.readouterr().err


def test_describe_estimates_a_default_fit(capsys, friends, monkeypatch):
    monkeypatch.setattr("ffbm.pipeline.estimate._VISIT_PER_BLOCK", 1e-3)
    assert run(friends) == 0
    duration = r"\na fit takes \d+ \w+ or more on \d cores?: .* converged\. After 10 minutes \(--max-minutes\) "
    duration += r"it is to end, report included\n"
    assert re.search(duration, capsys.readouterr().out.replace("\n  ", " "))
    monkeypatch.setenv("COLUMNS", "60")
    assert run([*friends, "--blocks", "2"]) == 0
    shown = capsys.readouterr().out
    assert re.search(r"\na fit with 2 blocks takes \d+ seconds or more on \d cores?: ", shown)
    assert max(map(len, shown.splitlines())) <= 60


def test_the_estimate_grows_with_the_blocks(capsys, friends):
    told = []
    for blocks in ([], ["--blocks", "2"], ["--blocks", "12"]):
        assert run([*friends, "--json", *blocks]) == 0
        told.append(json.loads(capsys.readouterr().out)["fit"])
    assert [it["n_blocks"] for it in told] == [4, 2, 12]
    assert told[0]["seconds_low"] < told[0]["seconds"]
    assert told[1]["seconds_low"] == told[1]["seconds"] < told[2]["seconds"]


def test_notes_on_the_screen_name_options(capsys, friends):
    assert run([*friends, "--exclude", "gender"]) == 0
    shown = capsys.readouterr().out
    assert "column 'gender' left out by --exclude" in shown
    assert "exclude=" not in shown
