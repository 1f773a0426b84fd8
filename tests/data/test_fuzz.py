"""Readers and encoder under generated input: a Network whose invariants hold, or a DataError; nothing else."""

import gzip
import io
import string
import zipfile

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ffbm.data import as_network, read_network
from ffbm.data.encode import encode_features
from ffbm.errors import DataError
from ffbm.types import Network

GML = """graph [ directed 0 # c
  node [ id 1 label "A&amp;B" x 1.5 f 0 ] node [ id 2 x -3 g [ y 1 ] ] node [ id 3 label "C" ]
  edge [ source 1 target 2 value 2 ] edge [ source 3 target 3 ] ]"""
GRAPHML = """<?xml version="1.0"?><graphml xmlns="http://graphml.graphdrawing.org/xmlns">
<key id="d0" for="node" attr.name="x" attr.type="boolean"><default>false</default></key>
<key id="d1" for="edge" attr.name="w" attr.type="double"/>
<graph edgedefault="directed"><node id="a"><data key="d0">true</data></node><node id="b"/>
<node id="c"><data key="q">1</data></node>
<edge source="a" target="b"><data key="d1">2</data></edge><edge source="b" target="a"/></graph></graphml>"""
GEXF = """<gexf version="1.2"><graph defaultedgetype="undirected"><attributes class="node">
<attribute id="0" title="t" type="string"><default>u</default></attribute></attributes>
<nodes><node id="1" label="x"><attvalues><attvalue for="0" value="v"/></attvalues></node><node id="2"/></nodes>
<edges><edge source="1" target="2" weight="2.0"/><edge source="2" target="2"/></edges></graph></gexf>"""
EDGES = 'source,target,n\na,b,1\n"b, c",a,2\n# x\n b ,a,3\n'
MATRIX = ",a,b,c\na,0,1,0\nb,1,0,2.5\nc,,1,0\n"
PAJEK = '% c\n*Vertices 3\n1 "a b" 0.1 0.2 box team red\n2 "b"\n*Arcs\n1 2 4\n*Edgeslist\n2 3 1\n*Matrix\n0 1 0\n'
MARKET = "%%MatrixMarket matrix coordinate real general\n% c\n3 3 2\n1 2 1.5\n3 1 2\n"
KONECT = "% asym weighted\n% 3 3\n1 2 4 10\n2 3 1 11\n"
COMMENTED = '# source, target, name\n0, 1, "array([1], dtype=int16)"\n1, 2, "array([2, 3])"\n'
UCINET = 'dl n=3, format=edgelist1\nlabels:\na,"b c",d\ndata:\n1 2 1.5\n2 3\n'
FULL = "DL N = 2\nFORMAT = FULLMATRIX\nLABELS EMBEDDED\nDATA:\n  a b\na 0 1\nb 2 0\n"
LINKS = '{"directed": 1, "nodes": [{"id": 1, "x": [2]}, {"id": "b"}], "links": [{"source": 1, "target": "b"}]}'
LGL = "# a\nb 1.5\nc\n# d\n"
ADJACENCY = "# c\na b c\nb c\n"
PROJECT = (
    "*Network n\n*Vertices 2 1\n1 a\n*Edges\n1 2 1\n*Partition p\n*Vertices 2\n1\n2\n*Vector v\n*Vertices 2\n.5\n1\n"
)
R_TABLE = '"V1" "V2"\n"1" "a" "b"\n"2" "b" "c"\n'
SPREADSHEET = "source;target;w\n;;\na;b;1\nb;c;\n;;\n"
GAPS = ",a,b,c\na,NA,1,0\nb,1,NA,.\nc,0,1,NA\n"
MONEY = 'id,pay,share,tags\na,"$1,200",45%,x|y\nb,$3,7 %,y|x\n'
NODES = "id,age,team,ok\na,1.5,red,yes\nb,,blue,no\nbc,3,=red,\n"

FILES = [(".gml", GML), (".graphml", GRAPHML), (".gexf", GEXF), (".csv", EDGES), (".txt", GML), (".csv", MATRIX)]
FILES += [(".dl", UCINET), (".txt", FULL), (".json", LINKS), (".lgl", LGL), (".adjlist", ADJACENCY), (".paj", PROJECT)]
FILES += [(".csv", MONEY), (".txt", R_TABLE), (".csv", SPREADSHEET), (".csv", GAPS)]
FILES += [(".net", PAJEK), (".mtx", MARKET), (".txt", KONECT), (".csv", COMMENTED)]

cell = st.text(st.sampled_from(string.ascii_lowercase[:4] + "0127.-+=#\"' \té€\u2028\x1f"), max_size=4)
name = st.sampled_from(["a", "b", "ab", "7", "007", " a"]) | cell
ids = st.one_of(st.integers(-2, 6), st.sampled_from(["a", "b", " a", "007", "7", "NA", "=x"]))
number = st.floats() | st.floats(-9, 9) | st.integers(0, 1)
row = st.tuples(ids, number, st.text(max_size=3), st.booleans())
options = st.fixed_dictionaries(
    {"unknown": st.sampled_from(["keep", "keep", "error"])},
    optional={
        "parallel": st.sampled_from(["count", "merge"]),
        "missing": st.sampled_from(["none", "flag"]),
        "min_support": st.integers(1, 3),
    },
)


def fuzz(n_examples):
    """The same inputs on every machine, however slow it is."""
    quiet = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture]
    return settings(max_examples=n_examples, derandomize=True, deadline=None, suppress_health_check=quiet)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


def check(net: Network) -> None:
    g, n = net.graph, net.n_nodes
    assert n >= 1
    assert g.indptr[0] == 0
    assert g.indptr[-1] == len(g.indices)
    assert (np.diff(g.indptr) >= 0).all()
    adjacency = sp.csr_array((np.ones(len(g.indices)), g.indices, g.indptr), shape=(n, n))
    assert (adjacency != adjacency.T).nnz == 0
    assert not adjacency.diagonal().any()
    assert g.degrees.sum() == 2 * net.n_edges
    assert len(net.node_ids) == n == len(set(net.node_ids))
    assert all(type(name) is str and name for name in net.node_ids)
    assert len(set(net.features.names)) == net.n_features == len(net.features.columns)
    assert net.features.values.shape == (n, net.n_features)
    values = net.features.values
    assert np.isfinite(values.data if sp.issparse(values) else values).all()
    assert all("\n" not in note.message and note.count >= 0 for note in net.notes)
    assert len(net.fingerprint) == 32


def attempt(read, *arguments, **options) -> None:
    try:
        net = read(*arguments, **options)
    except DataError as error:
        check_message(error)
    else:
        check(net)


def check_message(error: DataError) -> None:
    assert str(error)
    assert "\n" not in str(error)


@fuzz(500)
@given(
    text=st.text(st.sampled_from('ab012 ,;\t\n\r"#=.-é\ufeff'), max_size=60),
    suffix=st.sampled_from([".csv", ".tsv", ".txt", ".edges"]),
    options=options,
)
@example(text="a,b\r\nb,c\r", suffix=".csv", options={})
@example(text='"a\n#b",c\n', suffix=".csv", options={})
@example(text="a b\x1fc\nd e\n", suffix=".txt", options={})
def test_any_text_as_edges(folder, text, suffix, options):
    path = folder / f"edges{suffix}"
    path.write_bytes(text.encode())
    attempt(read_network, path, **options)


@fuzz(400)
@given(
    edges=st.lists(st.tuples(name, name, cell), min_size=1, max_size=6),
    nodes=st.lists(st.tuples(name, cell, cell), min_size=1, max_size=6, unique_by=lambda row: row[0]),
    separator=st.sampled_from(",;\t"),
    options=options,
)
def test_any_cells_as_tables(folder, edges, nodes, separator, options):
    for name, header, rows in (
        ("edges", ["source", "target", "n"], edges),
        ("nodes", ["id", "x", "y"], nodes),
    ):
        lines = [separator.join(row) for row in [header, *rows]]
        (folder / f"{name}.csv").write_bytes("\n".join(lines).encode())
    attempt(read_network, folder / "edges.csv", folder / "nodes.csv", **options)


@fuzz(500)
@given(
    which=st.sampled_from(FILES),
    cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.binary(max_size=3)), max_size=3),
    packed=st.booleans(),
    options=options,
    with_nodes=st.booleans(),
)
def test_damaged_files(folder, which, cuts, packed, options, with_nodes):
    suffix, text = which
    data = text.encode()
    for place, length, new in cuts:
        at = int(place * len(data))
        data = data[:at] + new + data[at + length :]
    path = folder / f"graph{suffix}"
    path.write_bytes(gzip.compress(data) if packed else data)
    (folder / "table.csv").write_text(NODES)
    attempt(read_network, path, folder / "table.csv" if with_nodes else None, **options)


@fuzz(200)
@given(
    cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 12), st.binary(max_size=3)), max_size=3),
    nodes=st.sampled_from([NODES, COMMENTED, ""]),
)
def test_damaged_archives(folder, cuts, nodes):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("edges.csv", EDGES)
        archive.writestr("nodes.csv", nodes)
    data = packed.getvalue()
    for place, length, new in cuts:
        at = int(place * len(data))
        data = data[:at] + new + data[at + length :]
    (folder / "graph.zip").write_bytes(data)
    attempt(read_network, folder / "graph.zip", unknown="keep")


@fuzz(200)
@given(data=st.binary(max_size=40), suffix=st.sampled_from([".csv", ".gml", ".graphml", ".gexf", ""]))
@example(data=b"\x1f\x8b", suffix="")
@example(data=b"\xef\xbb\xbf", suffix=".csv")
def test_any_bytes(folder, data, suffix):
    path = folder / f"bytes{suffix}"
    path.write_bytes(data)
    attempt(read_network, path)


@fuzz(400)
@given(
    pairs=st.lists(st.tuples(ids, ids), max_size=8),
    counts=st.none()
    | st.lists(st.sampled_from([1, 2, 3.0, "2"]) | st.sampled_from([1, 0, -1, 1.5, None]), min_size=8, max_size=8),
    rows=st.none() | st.lists(row, max_size=8, unique_by=lambda row: str(row[0])),
    options=options,
)
def test_any_objects(pairs, counts, rows, options):
    graph: object = pairs
    if counts is not None:
        graph = pd.DataFrame(pairs, columns=["source", "target"]).assign(n=counts[: len(pairs)])
        if options.get("parallel") != "merge":
            options = {**options, "multiplicity": "n"}
    features = None
    if rows is not None:
        features = pd.DataFrame(rows, columns=["id", "x", "word", "flag"]).set_index("id")
    attempt(as_network, graph, features, **options)


@fuzz(200)
@given(
    shape=st.integers(0, 5).map(lambda n: (n, n)) | st.tuples(st.integers(0, 5), st.integers(0, 5)),
    entries=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(-1, 3) | st.integers(0, 3)), max_size=9),
    features=st.none() | st.lists(st.lists(st.floats() | st.integers(0, 1), min_size=2, max_size=2), max_size=5),
    counted=st.booleans(),
)
def test_any_matrix(shape, entries, features, counted):
    inside = [(i, j, value) for i, j, value in entries if i < shape[0] and j < shape[1]]
    matrix = sp.dok_array(shape, dtype=float)
    for i, j, value in inside:
        matrix[i, j] = value
    attempt(as_network, matrix, features, multiplicity="data" if counted else None)


@fuzz(400)
@given(
    columns=st.lists(
        st.lists(cell | st.none() | st.floats() | st.booleans() | st.integers(), min_size=5, max_size=5),
        max_size=4,
    ),
    missing=st.sampled_from(["none", "flag"]),
    min_support=st.integers(1, 3),
)
def test_any_columns(columns, missing, min_support):
    table = pd.DataFrame({f"c{k}": pd.Series(column, dtype=object) for k, column in enumerate(columns)}, index=range(5))
    try:
        features, notes = encode_features(table, missing=missing, min_support=min_support)
    except DataError as error:
        check_message(error)
        return
    values = features.values.toarray() if sp.issparse(features.values) else features.values
    assert values.shape == (5, features.n_features)
    assert np.isfinite(values).all()
    assert len(set(features.names)) == features.n_features
    assert all("\n" not in note.message for note in notes)


@fuzz(200)
@given(
    size=st.integers(3, 5),
    cells=st.lists(st.sampled_from(["0", "1", "2.5", "", "-1", "x", "1e999", "a"]), min_size=36, max_size=36),
    names=st.lists(st.sampled_from(["a", "b", "c", "d", "e", " a", "1", ""]), min_size=12, max_size=12),
    options=options,
)
def test_any_matrix_in_a_table(folder, size, cells, names, options):
    rows = [["", *names[:size]]] + [[names[6 + i], *cells[i * size : (i + 1) * size]] for i in range(size)]
    (folder / "matrix.csv").write_text("\n".join(",".join(row) for row in rows))
    attempt(read_network, folder / "matrix.csv", **options)


day = st.dates().map(str) | st.datetimes().map(str) | st.dates().map(lambda date: f"{date:%d/%m/%Y}")
odd_day = st.text(st.sampled_from("0123456789-/.: TZJanuary,"), max_size=20)


@fuzz(300)
@given(cells=st.lists(day | odd_day | st.sampled_from(["", "NA"]), min_size=2, max_size=8))
@example(cells=["9999-12-31", "0001-01-01"])
@example(cells=["0000-02-30", "2004-02-30"])
def test_any_dates(cells):
    features, _ = encode_features(pd.DataFrame({"when": cells}))
    values = features.values
    assert np.isfinite(values.data if sp.issparse(values) else values).all()


@fuzz(150)
@given(
    data=st.binary(max_size=40) | st.text(max_size=20).map(str.encode),
    encoding=st.sampled_from(["latin-1", "cp1252", "utf-16", "utf-8-sig", "utf-7", "idna", "cp037", "euc-jp"]),
)
def test_any_encoding(folder, data, encoding):
    (folder / "edges.csv").write_bytes(data)
    attempt(read_network, folder / "edges.csv", encoding=encoding)


@pytest.fixture(scope="module")
def book():
    openpyxl = pytest.importorskip("openpyxl")
    made, file = openpyxl.Workbook(), io.BytesIO()
    for row in (["source", "target", "when"], ["a", "b", 1.5], ["b", 7, True]):
        made.active.append(row)
    made.save(file)
    return file.getvalue()


@fuzz(150)
@given(cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=8)), min_size=1, max_size=4))
@pytest.mark.filterwarnings("ignore")  # openpyxl's own, about a damaged book
def test_damaged_spreadsheets(folder, book, cuts):
    data = book
    for place, length, new in cuts:
        at = int(place * len(data))
        data = data[:at] + new + data[at + length :]
    (folder / "book.xlsx").write_bytes(data)
    attempt(read_network, folder / "book.xlsx")


@pytest.fixture(scope="module")
def columns():
    pa, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    file = io.BytesIO()
    parquet.write_table(pa.table({"source": ["a", "b"], "target": ["b", "7"], "when": [1.5, None]}), file)
    return file.getvalue()


@fuzz(150)
@given(cuts=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 40), st.binary(max_size=8)), min_size=1, max_size=4))
def test_damaged_parquet(folder, columns, cuts):
    data = columns
    for place, length, new in cuts:
        at = int(place * len(data))
        data = data[:at] + new + data[at + length :]
    (folder / "edges.parquet").write_bytes(data)
    attempt(read_network, folder / "edges.parquet")
