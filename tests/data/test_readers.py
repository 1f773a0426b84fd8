"""The same network from each format and object has the same fingerprint."""

import gzip
from pathlib import Path

import igraph
import networkx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import ffbm
from ffbm.data import as_network, read_network
from ffbm.errors import DataError

N = 30


@pytest.fixture(scope="module")
def tables() -> tuple[pd.DataFrame, pd.DataFrame]:
    rng = np.random.default_rng(3)
    names = [f"p{k:03d}" for k in range(N)]
    upper = [(i, j) for i in range(N) for j in range(i, N) if rng.random() < 0.15]
    edges = pd.DataFrame([(names[i], names[j]) for i, j in upper], columns=["source", "target"])
    nodes = pd.DataFrame(
        {
            "team": rng.choice(["red", "blue & white", 'the "x", y', "é"], N),
            "old": rng.random(N) < 0.4,
            "height": rng.normal(size=N).round(3),
            "visits": rng.integers(0, 50, N),
        },
        index=pd.Index(names, name="id"),
    )
    return edges, nodes


@pytest.fixture(scope="module")
def graph(tables) -> networkx.Graph:
    edges, nodes = tables
    graph = networkx.Graph()
    for name, row in nodes.iterrows():
        graph.add_node(name, team=row.team, old=bool(row.old), height=float(row.height), visits=int(row.visits))
    graph.add_edges_from(edges.itertuples(index=False))
    return graph


@pytest.fixture(scope="module")
def expected(tables) -> str:
    net = as_network(*tables)
    assert net.n_nodes == N
    assert net.n_edges == len(tables[0])
    assert net.features.names[:4] == ("team=blue & white", "team=red", 'team=the "x", y', "team=é")
    assert net.n_features == 7
    return net.fingerprint


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("is_packed", [False, True])
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_tables(tmp_path: Path, tables, expected, separator, is_packed, ending):
    paths = []
    for name, table in zip(("edges", "nodes"), (tables[0], tables[1].reset_index()), strict=True):
        text = "\ufeff# a comment\n" + table.to_csv(index=False, sep=separator, lineterminator=ending)
        paths.append(tmp_path / f"{name}.csv")
        paths[-1].write_bytes(gzip.compress(text.encode()) if is_packed else text.encode())
    assert read_network(*paths).fingerprint == expected


def test_white_space_each_way_without_header(tmp_path: Path, tables, expected):
    edges, nodes = tables
    apart = edges[edges.source != edges.target]
    lines = [f"{a}  {b}" for a, b in [*edges.to_numpy(), *apart.to_numpy()[:, ::-1]]]
    (tmp_path / "x.edges").write_text("\n".join(lines))
    net = read_network(tmp_path / "x.edges", nodes)
    assert net.fingerprint == expected
    assert [note.count for note in net.notes if note.code == "reciprocal"] == [len(apart)]


@pytest.mark.parametrize("suffix", [".gml", ".graphml", ".gexf"])
@pytest.mark.parametrize("is_packed", [False, True])
def test_graph_files_of_networkx(tmp_path: Path, graph, expected, suffix, is_packed):
    path = tmp_path / f"graph{suffix}"
    getattr(networkx, f"write_{suffix[1:]}")(graph, path)
    if is_packed:
        path = path.rename(f"{path}.gz")
        path.write_bytes(gzip.compress(path.read_bytes()))
    net = read_network(path, id="label" if suffix == ".gml" else None)
    assert net.fingerprint == expected


@pytest.mark.parametrize("suffix", [".gml", ".graphml"])
def test_graph_files_of_igraph(tmp_path: Path, graph, expected, suffix):
    path = tmp_path / f"graph{suffix}"
    other = igraph.Graph.from_networkx(graph, vertex_attr_hashable="name")
    if suffix == ".gml":
        other.vs["old"] = [int(old) for old in other.vs["old"]]  # the format has no truth values
    getattr(other, f"write_{suffix[1:]}")(str(path))
    assert read_network(path, id="name").fingerprint == expected


def test_attributes_inside_or_beside_the_graph_file(tmp_path: Path, graph, tables, expected):
    networkx.write_graphml(networkx.Graph(graph.edges), tmp_path / "bare.graphml")
    assert read_network(tmp_path / "bare.graphml", tables[1]).fingerprint == expected


def test_objects(graph, tables, expected):
    edges, nodes = tables
    place = pd.Series(range(N), index=nodes.index)
    numbered = np.column_stack((place[edges.source], place[edges.target]))
    matrix = networkx.to_scipy_sparse_array(graph, weight=None)
    bare = networkx.Graph()
    bare.add_nodes_from(nodes.index[::-1])
    bare.add_edges_from(edges.to_numpy())
    for made in (
        as_network(graph),
        as_network(graph.to_directed(), directed=False),
        as_network(networkx.MultiGraph(graph)),
        as_network(bare, nodes),
        as_network(igraph.Graph.from_networkx(graph, vertex_attr_hashable="name")),
        as_network(matrix, nodes, node_ids=list(graph)),
        as_network(sp.triu(matrix), nodes, node_ids=list(graph)),
        as_network(numbered, nodes, node_ids=list(nodes.index)),
        as_network(edges.to_numpy(), nodes.sample(frac=1, random_state=1)),
        as_network(edges.sample(frac=1, random_state=2), nodes.reset_index(), id="id"),
        as_network(edges.iloc[:, ::-1].astype("category"), nodes),
    ):
        assert made.fingerprint == expected


def test_the_fingerprint_sees_changes(graph, tables, expected):
    edges, nodes = tables
    assert as_network(edges.iloc[1:], nodes).fingerprint != expected
    assert as_network(edges, nodes.assign(old=~nodes.old)).fingerprint != expected
    assert as_network(edges, nodes.rename(columns={"old": "new"})).fingerprint != expected


@pytest.mark.parametrize("name", ["polbooks", "school", "facebook"])
def test_registered_sets_from_their_files(paper_data: Path, name):
    folder = paper_data / name
    drop = {"gender": ["Unknown"]} if name == "school" else None
    include = (folder / "nodes.csv").read_text(encoding="utf-8").splitlines()[0].split(",")[1:]
    include = include if name == "facebook" else None  # columns that say the same too
    net = read_network(folder / "edges.csv", folder / "nodes.csv", drop=drop, include=include)
    sizes = {"polbooks": (105, 441, 3), "school": (238, 5539, 13), "facebook": (747, 30025, 480)}
    assert (net.n_nodes, net.n_edges, net.n_features) == sizes[name]
    assert net.fingerprint == ffbm.load_dataset(name).fingerprint


def test_publishers_files(shared: Path):
    school = read_network(shared / "upstream" / "sp_school_day2.gexf.gz", drop={"gender": ["Unknown"]})
    assert (school.n_nodes, school.n_edges, school.n_features) == (238, 5539, 13)
    contacts = read_network(shared / "upstream" / "sp_school_day2.gexf.gz", multiplicity="count")
    table = pd.read_csv(shared / "data" / "school" / "edges.csv")
    assert contacts.n_edges == table["count"].sum()
    facebook = read_network(shared / "upstream" / "facebook" / "1912.edges")
    assert (facebook.n_nodes, facebook.n_edges) == (747, 30025)
    assert [note.code for note in facebook.notes] == ["reciprocal", "components", "no-features"]


def test_decimal_commas_of_files_with_semicolons(tmp_path):
    edges, nodes = tmp_path / "edges.csv", tmp_path / "nodes.csv"
    edges.write_text("source;target;hours\na;b;1,5\nb;c;2\n")
    nodes.write_text("id;size;city\na;3,14;Rome, IT\nb;-2;Oslo, NO\nc;;Rome, IT\n")
    net = read_network(edges, nodes, edge_weight="hours")
    assert net.features.names == ("size", "city=Oslo, NO", "city=Rome, IT")
    assert net.features.mean[0] == pytest.approx(0.57)
    assert net.graph.weights.values.tolist() == [1.5, 2.0]
    assert [note.message.split(": ", 1)[1] for note in net.notes if note.code == "comma"] == [
        "decimal commas of 'hours' read as points",
        "decimal commas read as points in 1 column: 'size'",
    ]


def test_ids_that_differ_in_case_are_compared(tmp_path):
    edges, nodes = tmp_path / "edges.csv", tmp_path / "nodes.csv"
    edges.write_text("source,target\nP1,P2\np2,P1\n")
    nodes.write_text("id,x\nP1,a\nP2,b\n")
    with pytest.raises(DataError, match="1 agrees but for upper and lower case, as 'p2' and 'P2': write ids alike"):
        read_network(edges, nodes)
    edges.write_text("Von,Nach\np1,p2\n")
    with pytest.raises(DataError, match="it has none of them: 2 agree but for upper and lower case, as 'p1' and 'P1'"):
        read_network(edges, nodes)
