"""Networks at the edge of what a fit takes, through all commands: no traceback, strict JSON, the right exit codes."""

import json
import math

import numpy as np
import pytest

import ffbm
from ffbm.cli import run

SHORT = ["--sweeps", "40", "--draws", "30", "--warmup", "30", "--chains", "2", "--seed", "1", "--workers", "1"]
STAR = [("hub", f"leaf{i}") for i in range(12)]
RING = [(f"v{i}", f"v{(i + 1) % 12}") for i in range(12)]
CLIQUE = [(f"v{i}", f"v{j}") for i in range(6) for j in range(i)]
ODD = ["<b>&amp;", 'say "hi"', "naïve, ü", "007", "NA", "=1+1", "a;b", "שלום"]


def rows_of(ids, *columns):
    return [(one, *(column[k] for column in columns)) for k, one in enumerate(ids)]


NETWORKS = {
    "two vertices": ([("a", "b")], ("kind",), [("a", "x"), ("b", "y")]),
    "a loop alone": ([("a", "a"), ("b", "b")], ("kind",), [("a", "x"), ("b", "y")]),
    "no edges": ([], ("kind",), [("a", "x"), ("b", "y"), ("c", "x")]),
    "star": (STAR, ("role", "age"), rows_of(["hub", *(b for _, b in STAR)], ["boss"] + ["hand"] * 12, range(13))),
    "ring": (RING, ("odd",), rows_of([a for a, _ in RING], [k % 2 for k in range(12)])),
    "clique": (CLIQUE, ("z",), rows_of([f"v{i}" for i in range(6)], [0.5, 1.5, -2, 3, 1e9, 0])),
    "rows without an answer": (
        RING, ("team", "age"), rows_of([a for a, _ in RING], ["", "x", "y"] * 4, ["", 20, 31] * 4),
    ),
    "names that are odd": (
        [(ODD[i], ODD[j]) for i in range(8) for j in range(i) if (i < 4) == (j < 4)] + [(ODD[0], ODD[7])],
        ("a=b: <i>c</i>",), rows_of(ODD, ["x;y", "=2", "<script>", "x;y"] * 2),
    ),
    "isolates and loops": (
        [*RING[:6], ("v0", "v0"), ("v1", "v1")], ("team",), rows_of([f"v{i}" for i in range(12)], ["p", "q"] * 6),
    ),
}  # fmt: skip


def cell(text):
    return '"' + str(text).replace('"', '""') + '"'


def strictly(text):
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not JSON"))


def finite(value):
    if isinstance(value, dict | list):
        return all(map(finite, value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)


@pytest.mark.users_defaults
@pytest.mark.parametrize("name", NETWORKS)
def test_every_command_takes_it(name, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    edges, columns, nodes = NETWORKS[name]
    for file, head, rows in (("edges.csv", ("source", "target"), edges), ("nodes.csv", ("id", *columns), nodes)):
        lines = [",".join(map(cell, row)) for row in (head, *rows)]
        (tmp_path / file).write_text("\n".join(lines) + "\n", encoding="utf-8")
    source = ["edges.csv", "--nodes", "nodes.csv"]
    assert run(["describe", *source]) == 0
    assert run(["fit", *source, *SHORT, "--out", "run"]) == 0
    shown = capsys.readouterr()
    assert "Traceback" not in shown.err
    assert "nan" not in shown.out.replace("naïve", "").split()
    record = strictly((tmp_path / "run" / "summary.json").read_text(encoding="utf-8"))
    assert finite(record)
    assert run(["fit", *source, *SHORT, "--json"]) == 0
    assert strictly(capsys.readouterr().out)["n_blocks"] == record["n_blocks"]
    assert run(["test", *source, "--permutations", "19", "--json"]) == 0
    strictly(capsys.readouterr().out)
    assert run(["check", "run", "--replicates", "20", "--json"]) == 0
    assert finite(strictly(capsys.readouterr().out))
    has_both = name not in ("no edges", "a loop alone", "clique", "two vertices")  # pairs with and without an edge
    code = run(["links", "run", "--json"])
    shown = capsys.readouterr()
    assert code == 0 if has_both else code in (0, 2)
    assert "link_scores" not in shown.err
    assert run(["report", "run", "--out", "again.html"]) == 0
    fit = ffbm.load_fit(tmp_path / "run")
    frame = fit.to_frame()
    assert sorted(frame["id"]) == sorted({str(row[0]) for row in nodes})
    assert np.isfinite(frame.filter(like="membership").to_numpy(dtype=float)).all()
    assert fit.sentence()
