"""The page of checks and links: made from its records, which show what it says."""

import json

from .loading import DOCS, load

rendering = load(DOCS / "render.py")
SOURCE = DOCS / "checks.md.in"


def record(name):
    return json.loads((rendering.BENCHMARKS / f"{name}.json").read_text(encoding="utf-8"))


def test_the_page_is_made_from_the_records():
    page = (DOCS / "checks.md").read_text(encoding="utf-8")
    assert page == rendering.render_page(SOURCE), "run python docs/render.py"
    assert "{{" not in page
    assert "Not measured yet" not in page


def test_p_values_are_uniform_with_refits_and_without_them_they_are_not():
    told = record("inside")
    for row in (*told["cut"]["rows"], *told.get("joint", {"rows": []})["rows"]):
        if row["blocks"] != "naive":
            assert row["uniform_p"] > 0.001, row
    naive = [row for row in told["cut"]["rows"] if row["blocks"] == "naive" and row["column"] == "telling"]
    assert all(row["below_5"] > 0.5 for row in naive)


def test_p_values_of_pairs_are_uniform_and_those_of_likeliest_blocks_are_not():
    told = record("pairs")
    for row in told["known"]["rows"]:
        assert row["uniform_p"] > 0.001, row
        assert row["below_5"] < 0.11, row
    evidence, naive = told["inferred"]["rows"]
    assert evidence["uniform_p"] > 0.001
    assert naive["uniform_p"] < 0.001
    assert told["power"]["rows"][-1]["known_240"] > 0.9


def test_scores_are_those_of_graph_tool():
    networks = record("links")["networks"]
    assert set(networks) == {"polbooks", "school", "sp_highschool_2013", "facebook_348"}
    for row in networks.values():
        assert row["peer"]["adjacency"] < 1e-6
        assert abs(row["peer"]["auc_ffbm"] - row["peer"]["auc_graph_tool"]) < 0.02
