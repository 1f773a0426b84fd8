"""One small network in the forms in which people publish networks: all give the same vertices, edges and columns."""

import json

import networkx as nx
import numpy as np
import pandas as pd
import pytest

from ffbm.data import read_network
from ffbm.errors import DataError

N = 30
LINKS = sorted({(min(i, j), max(i, j)) for i in range(N) for j in ((i + 3) % N, (i * 7 + 1) % N) if i != j})
TEAM = ["red" if i % 3 == 0 else "blue" for i in range(N)]
PLACES = [str(i + 1) for i in range(N)]
NAMES = [f"p{i:02d}" for i in range(N)]


def rows(names, *columns, separator=","):
    cells = zip(*columns, strict=True) if columns else [()] * len(LINKS)
    return "".join(
        separator.join([names[i], names[j], *map(str, more)]) + "\n" for (i, j), more in zip(LINKS, cells, strict=True)
    )


def matrix():
    values = np.zeros((N, N), int)
    for i, j in LINKS:
        values[i, j] = values[j, i] = 1
    return "\n".join(" ".join(map(str, row)) for row in values) + "\n"


def neighbours(names, both_ways=False):
    links = [*LINKS, *((b, a) for a, b in LINKS if both_ways)]
    return "".join(" ".join([names[i], *(names[b] for a, b in links if a == i)]) + "\n" for i in range(N))


def nodes(names, head="id,team"):
    return head + "\n" + "".join(f"{name},{team}\n" for name, team in zip(names, TEAM, strict=True))


PAJEK = (
    f"*Vertices {N}\n" + "".join(f'{i + 1} "{NAMES[i]}"\n' for i in range(N)) + "*Edges\n" + rows(PLACES, separator=" ")
)
LINK = json.dumps(
    {
        "directed": False,
        "nodes": [{"id": name, "team": team, "tags": ["x"]} for name, team in zip(NAMES, TEAM, strict=True)],
        "links": [{"source": NAMES[i], "target": NAMES[j], "value": 1} for i, j in LINKS],
    }
)
D3 = json.dumps(
    {
        "nodes": [{"name": name, "team": team} for name, team in zip(NAMES, TEAM, strict=True)],
        "links": [{"source": i, "target": j} for i, j in LINKS],
    }
)
CYTOSCAPE = json.dumps(
    {
        "elements": {
            "nodes": [{"data": {"id": name, "team": team}} for name, team in zip(NAMES, TEAM, strict=True)],
            "edges": [
                {"data": {"id": str(k), "source": NAMES[i], "target": NAMES[j]}} for k, (i, j) in enumerate(LINKS)
            ],
        }
    }
)
PARTITION = f"*Vertices {N}\n" + "".join(f" {len(team)}\n" for team in TEAM)
LABELLED = "Id,Label,team\n" + "".join(f"{i},{NAMES[i]},{TEAM[i]}\n" for i in range(N))
BARE = "".join(f"{i + 1} {TEAM[i]}\n" for i in range(N))
SENT = "weight,Sender,Receiver\n" + "".join(f"1,{NAMES[i]},{NAMES[j]}\n" for i, j in LINKS)

# file, its text, table of vertices (a file and its text), the code of a note that must be there
FORMS = {
    "an adjacency list": ("g.adjlist", "# made by hand\n" + neighbours(NAMES), ("n.csv", nodes(NAMES)), None),
    "LGL": (
        "g.lgl",
        "".join(f"# {NAMES[i]}\n" + "".join(f"{NAMES[b]} 2.5\n" for a, b in LINKS if a == i) for i in range(N)),
        ("n.csv", nodes(NAMES)),
        "edge-columns",
    ),
    "DL, full matrix": (
        "g.dl",
        f"DL N={N}\nFORMAT = FULLMATRIX DIAGONAL PRESENT\nLABELS:\n{','.join(NAMES)}\nDATA:\n{matrix()}",
        ("n.csv", nodes(NAMES)),
        None,
    ),
    "DL, embedded matrix": (
        "g.txt",
        f"dl n = {N}, format = fullmatrix\nlabels embedded\ndata:\n{' '.join(NAMES)}\n"
        + "".join(f"{name} {row}\n" for name, row in zip(NAMES, matrix().splitlines(), strict=True)),
        ("n.csv", nodes(NAMES)),
        None,
    ),
    "DL, list of edges": (
        "g.txt",
        f"dl n={N} format=edgelist1\nlabels:\n{chr(10).join(NAMES)}\ndata:\n{rows(PLACES, separator=' ')}",
        ("n.csv", nodes(NAMES)),
        "triangular",
    ),
    "DL, lists of neighbours": (
        "g.txt",
        f"DL N={N} FORMAT=NODELIST1\nLABELS EMBEDDED\nDATA:\n{neighbours(NAMES, both_ways=True)}",
        ("n.csv", nodes(NAMES)),
        None,
    ),
    "Pajek with a partition": ("g.net", PAJEK, ("team.clu", PARTITION), None),
    "a Pajek project": (
        "g.paj",
        f"*Network g\n{PAJEK}\n*Partition team\n{PARTITION}",
        None,
        "names",
    ),
    "JSON of networkx": ("g.json", LINK, None, "nested"),
    "JSON of D3": ("g.json", D3, None, None),
    "JSON of Cytoscape": ("g.json", CYTOSCAPE, None, None),
    "UTF-16": ("e.csv", rows(NAMES).encode("utf-16"), ("n.csv", nodes(NAMES).encode("utf-16")), None),
    "KONECT, two cells above": (
        "out.g", "% sym unweighted\n" + rows(PLACES, separator=" "), ("n.csv", nodes(PLACES)), "comments"
    ),
    "an edge id first": (
        "e.csv",
        "edge,one,other,strength\n"
        + "".join(f"{k},{NAMES[i]},{NAMES[j]},1.5\n" for k, (i, j) in enumerate(LINKS)),
        ("n.csv", nodes(NAMES)),
        "ends",
    ),
    "times first, no header": (
        "e.csv",
        "".join(f"2020-01-01 10:{k % 60:02d},{NAMES[i]},{NAMES[j]}\n" for k, (i, j) in enumerate(LINKS)),
        ("n.csv", nodes(NAMES)),
        "ends",
    ),
    "known names": ("e.csv", SENT, ("n.csv", nodes(NAMES)), None),
    "ids in another column": ("e.csv", rows(NAMES), ("n.csv", LABELLED), "id-column"),
    "a matrix without names": ("m.dat", matrix(), ("n.dat", BARE), "from-one"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_every_form_gives_the_same_network(tmp_path, form):
    name, text, table, code = FORMS[form]
    (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    path = None
    if table is not None:
        path = tmp_path / table[0]
        path.write_bytes(table[1] if isinstance(table[1], bytes) else table[1].encode())
    net = read_network(tmp_path / name, path)
    assert (net.n_nodes, net.n_edges, net.graph.is_directed) == (N, len(LINKS), False)
    ids = net.node_ids.tolist()
    order = [ids.index(name if name in ids else place) for name, place in zip(NAMES, PLACES, strict=True)]
    place = {number: spot for spot, number in enumerate(order)}
    g = net.graph
    linked = {
        tuple(sorted((i, place[j]))) for i in range(N) for j in g.indices[g.indptr[order[i]] : g.indptr[order[i] + 1]]
    }
    assert linked == set(LINKS)
    assert len(net.features.column_names) == 1
    x = net.features.values
    first = np.asarray(x.todense() if hasattr(x, "todense") else x)[order, 0]
    assert len({(team, value) for team, value in zip(TEAM, first, strict=True)}) == 2
    codes = {note.code for note in net.notes}
    assert code is None or code in codes


def test_gephi_says_which_edges_are_directed(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("Source,Target,Type\na,b,Directed\nb,c,Directed\nc,a,Directed\n")
    net = read_network(path)
    assert net.graph.is_directed
    assert "as the column 'Type' says" in next(note.message for note in net.notes if note.code == "gephi")
    path.write_text("Source,Target,Type\na,b,Directed\nb,c,Undirected\n")
    assert (read_network(path).n_edges, read_network(path).graph.is_directed) == (3, True)
    path.write_text("Source,Target,Type\na,b,Undirected\nb,c,Undirected\n")
    assert not read_network(path).graph.is_directed
    path.write_text("Source,Target,Type\na,b,friend\nb,c,Directed\n")
    assert next(note.code for note in read_network(path).notes) == "edge-columns"


def test_snap_says_that_a_graph_is_directed(tmp_path):
    path = tmp_path / "wiki.txt"
    path.write_text("# Directed graph (each unordered pair of nodes is saved once): wiki.txt\n1\t2\n2\t3\n")
    assert "says-directed" in {note.code for note in read_network(path).notes}
    assert "says-directed" not in {note.code for note in read_network(path, directed=True).notes}


def test_two_modes_of_pajek_and_konect_have_names(tmp_path):
    (tmp_path / "two.net").write_text("*Vertices 4 2\n*Edges\n1 3\n2 4\n2 3\n")
    net = read_network(tmp_path / "two.net")
    assert net.features.names == ("node_type=first", "node_type=second")
    (tmp_path / "out.two").write_text("% bip unweighted\n1 1\n2 2\n2 1\n")
    net = read_network(tmp_path / "out.two")
    assert net.features.names == ("node_type=first", "node_type=second")
    assert net.node_ids.tolist() == ["first:1", "first:2", "second:1", "second:2"]


def test_a_workbook_with_edges_and_nodes_is_read_whole(tmp_path):
    pytest.importorskip("openpyxl")
    path = tmp_path / "survey.xlsx"
    with pd.ExcelWriter(path) as book:
        pd.DataFrame({"id": ["a", "b", "c"], "team": ["x", "y", "x"]}).to_excel(book, sheet_name="Nodes", index=False)
        pd.DataFrame({"source": ["a", "b"], "target": ["b", "c"]}).to_excel(book, sheet_name="Edges", index=False)
    net = read_network(path)
    assert (net.n_edges, net.features.names) == (2, ("team=x", "team=y"))
    assert not any("not:" in note.message for note in net.notes)


def test_networkx_adjacency_lists_of_any_graph(tmp_path):
    graph = nx.gnm_random_graph(25, 60, seed=2)
    nx.write_adjlist(graph, tmp_path / "g.adjlist")
    assert (read_network(tmp_path / "g.adjlist").n_nodes, read_network(tmp_path / "g.adjlist").n_edges) == (25, 60)
    (tmp_path / "g.txt").write_text((tmp_path / "g.adjlist").read_text())
    with pytest.raises(DataError, match=r"a file called \.adjlist"):
        read_network(tmp_path / "g.txt")


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("g.dl", "dl n=2 format=fullmatrix\n0 1 1 0\n", "a line 'data:'"),
        ("g.dl", "dl format=fullmatrix\ndata:\n0 1 1 0\n", "how many vertices"),
        ("g.dl", "dl n=2 format=lowerhalf\ndata:\n0 1 0\n", "one of fullmatrix, edgelist1, nodelist1"),
        ("g.dl", "dl n=3 format=fullmatrix\ndata:\n0 1 0\n", "9 cells, as N says; it has 3"),
        ("g.dl", "dl n=2\ndata:\n0 x 1 0\n", "cell 2 has 'x'"),
        ("g.dl", "dl n=2 format=edgelist1\ndata:\n1 2\n1 3\n", "line 4 has '3', none of its 2 vertices"),
        ("g.dl", "dl n=2 format=edgelist1\ndata:\n1\n", "two ends; line 3 has not"),
        ("g.dl", "dl n=2 format=edgelist1\nlabels:\na,a\ndata:\n1 2\n", "stand twice"),
        ("g.dl", "dl n=2 format=edgelist1\nlabels:\na\ndata:\n1 2\n", "2 labels, as N says; there are 1"),
        ("g.dl", "dl n=2 nm=3\ndata:\n0 1 1 0\n", "one matrix; it holds 3"),
        ("g.dl", "dl nr=2 nc=3\ndata:\n0 1 1 0 1 1\n", "two modes"),
        ("g.json", '{"nodes": [{"id": 1}]}', "a list 'nodes' and a list 'links'"),
        ("g.json", '[{"source": 1}]', "a list 'nodes' and a list 'links'"),
        ("g.json", '{"nodes": [', "damaged JSON"),
        ("g.json", '{"nodes": [{"id": 1}, {"id": 1}], "links": []}', "'1' stands twice"),
        ("g.json", '{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1}]}', "edge 1 lacks one"),
        ("g.json", '{"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 7}]}', "'7'"),
        ("g.lgl", "ann 1\n", "must begin with '# name'"),
        ("g.lgl", "#\nann 1\n", "line 1 has none"),
    ],
)
def test_defects_are_named(tmp_path, name, text, message):
    (tmp_path / name).write_text(text)
    with pytest.raises(DataError, match=message):
        read_network(tmp_path / name)


def test_a_table_of_vertices_in_json_is_refused(tmp_path):
    (tmp_path / "e.csv").write_text(rows(NAMES))
    (tmp_path / "n.json").write_text(LINK)
    with pytest.raises(DataError, match="must be a table; it looks like JSON"):
        read_network(tmp_path / "e.csv", tmp_path / "n.json")
