from pathlib import Path

import pytest

from ffbm.data.readers import read_network

NODES = '# index, name, club, _pos\n0, ann, red, "array([0.1, 2.0])"\n1, bob, blue, "array([0.4, 1.0])"\n'
NODES += '2, cem, red, "array([0.3, 0.5])"\n'
EDGES = "# source, target, weight\n0, 1, 3\n1, 2, 5\n"


def read(folder: Path, edges: str, nodes: str | None = None, **options):
    (folder / "edges.csv").write_text(edges)
    if nodes is not None:
        (folder / "nodes.csv").write_text(nodes)
        options["nodes"] = folder / "nodes.csv"
    return read_network(folder / "edges.csv", **options)


def codes(net) -> list[str]:
    return [note.code for note in net.notes]


def test_files_of_netzschleuder_are_read_without_help(tmp_path: Path):
    net = read(tmp_path, EDGES, NODES, edge_weight="weight")
    assert net.node_ids.tolist() == ["0", "1", "2"]
    assert net.features.names == ("club=blue", "club=red")
    assert sorted(net.graph.weights.values) == [3, 5]
    assert codes(net).count("header") == 2
    assert "comments" not in codes(net)
    assert "spaces" not in codes(net)


def test_ids_are_the_column_that_has_those_of_the_edges(tmp_path: Path):
    nodes = "# index, id, club\n0, 1, red\n1, 2, blue\n2, 3, red\n"
    net = read(tmp_path, EDGES, nodes)
    assert net.node_ids.tolist() == ["0", "1", "2"]
    assert net.features.names == ("club=blue", "club=red")
    assert "id-column" in codes(net)
    net = read(tmp_path, EDGES.replace("0, 1", "3, 1"), nodes)
    assert net.node_ids.tolist() == ["1", "2", "3"]


@pytest.mark.parametrize(
    ("comment", "row"), [("# kept by, ann", "id,team"), ("# of 2020, by ann", "id,team"), ("# people", "id,team")]
)
def test_a_comment_above_names_is_a_comment(tmp_path: Path, comment, row):
    net = read(tmp_path, "source,target\na,b\n", f"{comment}\n{row}\na,red\nb,blue\n")
    assert net.features.names == ("team=blue", "team=red")
    assert "comments" in codes(net)


def test_a_comment_of_numbers_names_nothing(tmp_path: Path):
    net = read(tmp_path, "# 34 78\n1 2\n2 3\n")
    assert "header" not in codes(net)
    assert "comments" in codes(net)


def test_the_column_called_id_holds_the_ids_if_it_can(tmp_path: Path):
    net = read(tmp_path, "1,2\n2,3\n", "rank,id,team\n2,1,red\n3,2,blue\n1,3,red\n")
    assert net.node_ids.tolist() == ["1", "2", "3"]
    assert "id-column" not in codes(net)


@pytest.mark.parametrize(("kind", "directed", "n_nodes"), [("sym", False, 3), ("asym", True, 3), ("bip", False, 4)])
def test_files_of_konect_say_what_their_graph_is(tmp_path: Path, kind, directed, n_nodes):
    net = read(tmp_path, f"% {kind} unweighted\n% 2 3 3\n1 2\n1 3\n")
    assert net.graph.is_directed == directed
    assert net.n_nodes == n_nodes - (kind == "bip")
    assert ("konect" in codes(net)) == (kind != "sym")
    assert ("two-mode" in codes(net)) == (kind == "bip")
    assert next(note for note in net.notes if note.code == "comments").message.endswith(
        "2 lines beginning with % skipped"
    )


def test_the_same_id_on_both_sides_of_a_two_mode_file_is_two_vertices(tmp_path: Path):
    assert read(tmp_path, "% bip\n1 1\n2 1\n2 2\n").n_nodes == 4


@pytest.mark.parametrize("first", ["0", "10"])
def test_a_table_that_begins_with_an_id_has_no_header(tmp_path: Path, first):
    net = read(tmp_path, f"{first} 1\n1 2\n", f"{first} red 3\n1 blue 4\n2 red 5\n")
    assert net.node_ids.tolist() == [first, "1", "2"]
    assert net.features.names == ("2=blue", "2=red", "3")
    assert "no-header" in codes(net)


def test_a_table_whose_names_are_in_a_doubtful_header_keeps_its_own(tmp_path: Path):
    net = read(tmp_path, "name,friend\nann,bob\nbob,cem\n", "name,team\nann,red\nbob,blue\ncem,red\n")
    assert net.node_ids.tolist() == ["ann", "bob", "cem"]


def contacts(n_rows: int, head: str = "") -> str:
    return head + "".join(f"{31220 + 20 * (row // 2)} {1 + row % 7} {1 + (row * 3 + 1) % 7}\n" for row in range(n_rows))


@pytest.mark.parametrize("head", ["", "t i j\n"])
def test_times_before_the_ends_are_no_ends(tmp_path: Path, head):
    net = read(tmp_path, contacts(60, head))
    assert net.n_nodes == 7
    assert "times" in codes(net)
    assert "times" not in codes(read(tmp_path, contacts(60), source_column="1", target_column="2"))


def test_weights_after_the_ends_are_no_ends(tmp_path: Path):
    rows = "".join(
        f"{100 + row // 3} {1 + row % 20} {1 + row % 3}\n" for row in range(60)
    )  # two-mode, sorted, weighted
    net = read(tmp_path, rows)
    assert net.n_nodes == 40
    assert "times" not in codes(net)
