"""What is refused, in one line that names the file, and what is accepted with a note."""

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from ffbm.cli import run
from ffbm.data import as_network, read_network
from ffbm.errors import DataError, FFBMError, OptionError

EDGES = "source,target\na,b\nb,c\n"
GRAPHML = (
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><graph edgedefault="undirected">'
    '<node id="a"/><node id="b"/><edge source="a" target="b"/></graph></graphml>'
)
GEXF = (
    '<gexf xmlns="http://www.gexf.net/1.2draft" version="1.2"><graph><nodes><node id="a"/><node id="b"/></nodes>'
    '<edges><edge source="a" target="b"/></edges></graph></gexf>'
)
LAUGHS = '<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]>'
GML = "graph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] ]"
COUNTS = "source,target,n\na,b,{}\nb,c,2\n"

# name, files ("edges..." is read, "nodes..." is its table), options, what the message must say
REFUSED_FILES = [
    ("empty", {"edges.csv": ""}, {}, "nothing"),
    ("blank lines", {"edges.csv": "\n \n\n"}, {}, "nothing"),
    ("comments alone", {"edges.csv": "# a\n# b\n"}, {}, "only comment lines"),
    ("header alone", {"edges.csv": "source,target\n"}, {}, "header alone"),
    ("one column", {"edges.csv": "source\na\nb\n"}, {}, "two columns or more"),
    ("wrong delimiter", {"edges.csv": "a|b\nb|c\n"}, {}, "check the separator"),
    ("row too long", {"edges.csv": "source,target\na,b\nb,c,d\n"}, {}, "line 3 has 3"),
    ("row too short", {"edges.csv": "source,target,w\na,b,1\n# x\n\nb,c\n"}, {}, "line 5 has 2"),
    ("row too short, numbers", {"edges.csv": "source,target\n1,2\n3\n"}, {}, "line 3 has 1"),
    ("rows that even out", {"edges.csv": "source,target,w\n1,2,3,4\n5,6\n"}, {}, "line 2 has 4"),
    ("row too long, white space", {"edges.txt": "1 2\n2  3 4\n"}, {}, "line 2 has 3"),
    ("row too long after a quoted line end", {"edges.csv": 'a,b\n"x\ny",b\nc,d,e\n'}, {}, "line 4 has 3"),
    ("not UTF-8", {"edges.csv": b"source,target\na,caf\xe9\n"}, {}, "line 2 holds the byte 0xe9: save it as UTF-8, or"),
    ("Latin-1 cured", {"edges.csv": b"source,target\na,caf\xe9\n"}, {}, "name its encoding, such as "),
    ("UTF-16 cut short", {"edges.csv": EDGES.encode("utf-16")[:-1]}, {}, "not text in the encoding 'utf-16'"),
    ("NUL byte", {"edges.csv": b"source,target\na,b\nb,\0c\n"}, {}, "line 3 holds a NUL byte"),
    ("an end missing", {"edges.csv": "source,target\na,b\nb,\n"}, {}, "line 3 lacks one"),
    ("an end of blanks", {"edges.csv": "source,target\na,b\n  ,c\n"}, {}, "line 3 lacks one"),
    ("quote never closed", {"edges.csv": 'source,target\na,b\nb,"c\n'}, {}, "never closed"),
    (
        "text after a quote",
        {"edges.csv": 'source,target\na,"b"c\n'},
        {},
        "line 2: text follows a closing quote; double the quotes inside",
    ),
    ("cut in a row", {"edges.csv": "source,target\na,b\nb"}, {}, "line 3 has 1"),
    ("no such source", {"edges.csv": EDGES}, {"source_column": "from"}, "that source_column= names; its columns are"),
    ("no such target", {"edges.csv": EDGES}, {"target_column": "to"}, "'to' that target_column= names; its"),
    ("no such count", {"edges.csv": EDGES}, {"multiplicity": "n"}, "'n' that multiplicity= names"),
    ("negative count", {"edges.csv": COUNTS.format(-1)}, {"multiplicity": "n"}, "line 2 has -1"),
    ("fractional count", {"edges.csv": COUNTS.format(1.5)}, {"multiplicity": "n"}, "line 2 has '1.5'"),
    ("zero count", {"edges.csv": COUNTS.format(0)}, {"multiplicity": "n"}, "positive whole numbers"),
    ("NaN count", {"edges.csv": COUNTS.format("nan")}, {"multiplicity": "n"}, "line 2 has 'nan'"),
    ("infinite count", {"edges.csv": COUNTS.format("inf")}, {"multiplicity": "n"}, "line 2 has 'inf'"),
    ("missing count", {"edges.csv": COUNTS.format("")}, {"multiplicity": "n"}, "line 2 has ''"),
    ("text count", {"edges.csv": COUNTS.format("two")}, {"multiplicity": "n"}, "line 2 has 'two'"),
    ("count too large", {"edges.csv": COUNTS.format(10**15)}, {"multiplicity": "n"}, "add up to at most 100,000,000"),
    ("node id twice", {"edges.csv": EDGES, "nodes.csv": "id,x\na,1\nb,2\na,3\n"}, {}, "lines 2 and 4"),
    ("no id in common", {"edges.csv": EDGES, "nodes.csv": "id,x\n1,5\n2,6\n"}, {}, "it has none of them"),
    ("id of no node", {"edges.csv": EDGES, "nodes.csv": "id,x\na,1\nb,2\n"}, {}, "'c'; add it there"),
    ("nodes without header", {"edges.csv": "1,2\n", "nodes.csv": "7,0\n8,1\n"}, {}, "add a header"),
    ("nodes: header alone", {"edges.csv": EDGES, "nodes.csv": "id,x\n"}, {}, "a header alone: add rows"),
    ("nodes: empty", {"edges.csv": EDGES, "nodes.csv": ""}, {}, "nothing"),
    ("nodes: ragged", {"edges.csv": EDGES, "nodes.csv": "id,x\na,1\nb\n"}, {}, "line 3 has 1"),
    ("nodes: name twice", {"edges.csv": EDGES, "nodes.csv": "id,x,x\na,1,2\nb,1,2\nc,1,2\n"}, {}, "'x'"),
    (
        "nodes: id twice in header",
        {"edges.csv": EDGES, "nodes.csv": "id,id\na,1\nb,2\nc,3\n"},
        {},
        "one column must be called 'id'; 2 are: rename them",
    ),
    ("nodes: no id", {"edges.csv": EDGES, "nodes.csv": "id,x\na,1\n,2\nc,3\n"}, {}, "line 3 has none: add it"),
    (
        "nodes: blank in a guessed id column",
        {"edges.csv": EDGES, "nodes.csv": "dept,who\nx,a\n,b\n"},
        {},
        "no column is called 'id', so the first, 'dept', was taken: name the one with the ids in ",
    ),
    (
        "nodes: twice in a guessed id column",
        {"edges.csv": EDGES, "nodes.csv": "dept,age\nSales,3\nSales,4\n"},
        {},
        "lines 2 and 3: no column is called 'id', so the first, 'dept', was taken",
    ),
    (
        "nodes: twice, another column has the ids",
        {"edges.csv": EDGES, "nodes.csv": "dept,who\nSales,a\nSales,b\nIT,d\n"},
        {},
        "3: ids were taken from the first column, 'dept', but the column 'who' has them: pass ",
    ),
    (
        "nodes: the edge list",
        {"edges.csv": "id,x\na,1\nb,2\nc,3\n", "nodes.csv": "source,target\na,b\na,c\n"},
        {},
        "is it the edge list? that comes first, the table of attributes is ",
    ),
    (
        "nodes: the edge list, blank",
        {"edges.csv": "id,x\na,1\nb,2\nc,3\n", "nodes.csv": "source,target\na,b\n,c\n"},
        {},
        "is it the edge list?",
    ),
    (
        "nodes: the edge list, other names",
        {"edges.csv": EDGES, "nodes.csv": "left,right\na,b\na,c\n"},
        {},
        "is it the edge list?",
    ),
    (
        "nodes: leading zeros",
        {"edges.csv": "1,2\n2,3\n", "nodes.csv": "id,x\n001,5\n002,6\n3,7\n"},
        {},
        "2 agree but for leading zeros, as '1' and '001': write ids alike in both",
    ),
    (
        "nodes: leading zeros everywhere",
        {"edges.csv": "01,02\n", "nodes.csv": "id,x\n001,5\n002,6\n"},
        {},
        "2 agree but for leading zeros, as '01' and '001'",
    ),
    (
        "nodes: no such id",
        {"edges.csv": EDGES, "nodes.csv": "id,x\na,1\n"},
        {"id": "name"},
        "its columns are",
    ),
    (
        "nodes: infinite",
        {"edges.csv": EDGES, "nodes.csv": "id,x\na,1\nb,inf\nc,2\n"},
        {},
        "'x' holds an infinite number on line 3",
    ),
    ("damaged gzip", {"edges.csv.gz": gzip.compress(EDGES.encode())[:-6] + b"xxxxxx"}, {}, "damaged gzip"),
    ("cut gzip", {"edges.csv.gz": gzip.compress(EDGES.encode() * 99)[:-9]}, {}, "cut short"),
    ("spreadsheet", {"edges.csv": b"PK\x03\x04rest"}, {}, "a spreadsheet"),
    ("DOCTYPE", {"edges.graphml": "<!DOCTYPE graphml>" + GRAPHML}, {}, "DOCTYPE"),
    ("entities", {"edges.graphml": LAUGHS + GRAPHML.replace('id="a"', 'id="&b;"')}, {}, "DOCTYPE"),
    ("DOCTYPE in GEXF", {"edges.gexf": LAUGHS + GEXF}, {}, "DOCTYPE"),
    ("DOCTYPE in gzip", {"edges.graphml.gz": gzip.compress((LAUGHS + GRAPHML).encode())}, {}, "DOCTYPE"),
    ("DOCTYPE in UTF-16", {"edges.graphml": (LAUGHS + GRAPHML).encode("utf-16")}, {}, "DOCTYPE"),
    ("DOCTYPE, other name", {"edges.txt": "\n<!-- x --><!DOCTYPE y>" + GRAPHML}, {}, "DOCTYPE"),
    ("cut GraphML", {"edges.graphml": GRAPHML[:-30]}, {}, "cut short: fetch or write it again"),
    ("cut GEXF", {"edges.gexf": GEXF[:120]}, {}, "cut short"),
    ("cut GML", {"edges.gml": GML[:-4]}, {}, "never closed"),
    ("empty GraphML", {"edges.graphml": ""}, {}, "it is empty"),
    ("empty GML", {"edges.gml": ""}, {}, "holds no graph: check that the right file was written"),
    ("a web page", {"edges.graphml": "<html><body>404</body></html>"}, {}, "a web page was saved in its place"),
    ("a web page for edges", {"edges.csv": "\n<!doctype HTML><p>404</p>"}, {}, "a web page"),
    ("a web page for nodes", {"edges.csv": EDGES, "nodes.csv": "<html><p>404</p></html>"}, {}, "a web page"),
    ("other XML", {"edges.graphml": "<svg/>"}, {}, "<svg>: save it as one"),
    ("not XML", {"edges.gexf": "<gexf"}, {}, "not XML at line 1"),
    ("a table called XML", {"edges.gexf": EDGES}, {}, "it looks like a table: rename it to .csv"),
    ("GML called XML", {"edges.graphml": GML}, {}, "it looks like GML: rename it to .gml"),
    ("unknown encoding", {"edges.gexf": '<?xml version="1.0" encoding="klingon"?>' + GEXF}, {}, "encoding"),
    ("no graph", {"edges.graphml": "<graphml></graphml>"}, {}, "holds no graph: check that the right"),
    ("no vertices", {"edges.gexf": "<gexf><graph/></gexf>"}, {}, "a vertex or more"),
    ("two graphs", {"edges.gml": GML + GML}, {}, "holds 2"),
    ("hyperedge", {"edges.graphml": GRAPHML.replace("<edge ", "<hyperedge/><edge ")}, {}, "hyperedge"),
    ("GraphML id twice", {"edges.graphml": GRAPHML.replace('id="b"', 'id="a"')}, {}, "'a' stands twice"),
    ("GraphML end unknown", {"edges.graphml": GRAPHML.replace('target="b"', 'target="z"')}, {}, "'z'"),
    ("GraphML end missing", {"edges.graphml": GRAPHML.replace('target="b"', "")}, {}, "edge 1 lacks one: repair it"),
    ("GML without ids", {"edges.gml": GML.replace("id 2", "")}, {}, "node 2 has none"),
    ("GML without a value", {"edges.gml": "graph [ node [ id ] ]"}, {}, "'id' has no value"),
    ("GML value for key", {"edges.gml": "graph [ node [ 12 id ] ]"}, {}, "begin with a letter"),
    ("no such attribute", {"edges.gml": GML}, {"id": "label"}, "'label'"),
    (
        "attribute not on all",
        {"edges.gml": GML.replace("id 1", "id 1 label 5")},
        {"id": "label"},
        "1 of 2 lack it: add it, or name another",
    ),
    ("no edge attribute", {"edges.gml": GML}, {"multiplicity": "n"}, "no columns"),
]


@pytest.mark.parametrize(
    ("files", "options", "says"), [case[1:] for case in REFUSED_FILES], ids=[c[0] for c in REFUSED_FILES]
)
def test_refused_file(tmp_path: Path, files, options, says):
    paths = write(tmp_path, files)
    with pytest.raises(DataError) as caught:
        read_network(*paths, **options)
    message = str(caught.value)
    assert says in message
    assert "\n" not in message
    assert any(str(path) in message for path in paths)


@pytest.mark.parametrize(
    ("files", "says"), [(c[1], c[3]) for c in REFUSED_FILES if not c[2]], ids=[c[0] for c in REFUSED_FILES if not c[2]]
)
def test_refused_on_the_command_line(tmp_path: Path, capsys, files, says):
    edges, *nodes = map(str, write(tmp_path, files))
    assert run(["describe", edges, *(["--nodes", *nodes] if nodes else [])]) == 2
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.startswith("ffbm: ")
    assert says in shown.err
    assert shown.err.count("\n") == 1


REFUSED_OBJECTS = [
    ("NaN among pairs", np.array([[0.0, 1.0], [0.0, np.nan]]), {}, "row 1 has NaN"),
    ("infinity among pairs", np.array([[0.0, np.inf]]), {}, "row 0 has the infinite number inf"),
    ("fractional pairs", np.array([[0.0, 0.5]]), {}, "row 0 has the fractional number 0.5"),
    ("huge pairs", np.array([[0.0, 1e30]]), {}, "row 0 has the huge number 1e+30"),
    ("weighted triples", [(0, 1, 2.0)], {}, "a third column needs a DataFrame, with multiplicity="),
    ("lists of ends", [[0, 1, 2, 0], [1, 2, 3, 3]], {}, "(2, 4): transpose it"),
    ("three columns", np.zeros((4, 3), int), {}, "(4, 3)"),
    ("dense matrix", np.zeros((4, 4), int), {}, "csr_array"),
    ("ragged pairs", [(0, 1), (1,)], {}, "differ in length: give two ids for each edge"),
    ("truth values", np.zeros((4, 2), bool), {}, "got the type bool"),
    ("masked pairs", np.ma.masked_array([[0, 1]], [[True, False]]), {}, "got a masked array"),
    ("no graph at all", 7, {}, "int"),
    ("lists for ids", pd.DataFrame({"source": [[1], [2]], "target": [3, 4]}), {}, "ids"),
    ("missing end", pd.DataFrame({"source": ["a", None], "target": ["b", "c"]}), {}, "row 1 lacks one"),
    ("one column", pd.DataFrame({"source": ["a"]}), {}, "two columns"),
    (
        "NaN count",
        pd.DataFrame({"source": [1], "target": [2], "n": [np.nan]}),
        {"multiplicity": "n"},
        "row 0 has nan",
    ),
    ("true count", pd.DataFrame({"source": [1], "target": [2], "n": [True]}), {"multiplicity": "n"}, "True"),
    ("oblong matrix", sp.csr_array((2, 3)), {}, "(2, 3): give each vertex a row and a column"),
    ("NaN matrix", sp.csr_array([[0, np.nan], [0, 0]]), {}, "NaN"),
    ("negative entry", sp.csr_array([[0, -2], [0, 0]]), {"multiplicity": "data"}, "entry (0, 1) has -2"),
    ("fractional entry", sp.csr_array([[0, 0.5], [0, 0]]), {"multiplicity": "data"}, "has 0.5"),
    ("too few node_ids", sp.csr_array((2, 2)), {"node_ids": ["a"]}, "each of 2 rows; it has 1: give one for each"),
    ("node_ids twice", sp.csr_array((2, 2)), {"node_ids": ["a", "a"]}, "'a' stands twice"),
    ("place too large", [(0, 5)], {"node_ids": ["a", "b"]}, "from 0 to 1"),
    ("place too large for rows", [(0, 5)], {"features": np.ones((2, 1))}, "from 0 to 1"),
    ("array without ids", [("a", "b")], {"features": np.ones((2, 1))}, "node_ids"),
    ("too few rows", sp.csr_array((2, 2)), {"features": np.ones((3, 1))}, "each of 2 vertices"),
    ("NaN features", [(0, 1)], {"features": [[1.0], [np.nan]]}, "finite numbers; row 1 has nan"),
    ("infinite features", [(0, 1)], {"features": [[1.0], [np.inf]]}, "finite numbers; row 1 has inf"),
    ("infinite sparse features", [(0, 1)], {"features": sp.csr_array([[1.0], [np.inf]])}, "row 1 has inf"),
    ("infinite table", [(0, 1)], {"features": pd.DataFrame({"x": [1.0, np.inf]})}, "infinite number at vertex '1'"),
    ("features in a dict", [(0, 1)], {"features": {"x": [1, 2]}}, "got a dict: give a DataFrame"),
    ("masked features", [(0, 1)], {"features": np.ma.masked_array([[1], [2]], [[0], [1]])}, "it is masked"),
    ("ragged features", [(0, 1)], {"features": [[1, 2], [1]]}, "differ in length"),
    ("deep features", [(0, 1)], {"features": np.ones((2, 1, 1))}, "got the shape (2, 1, 1)"),
    (
        "table ids twice",
        [(0, 1)],
        {"features": pd.DataFrame({"x": [1, 2]}, index=[0, 0])},
        "'0' stands twice",
    ),
    ("table id missing", [(0, 1)], {"features": pd.DataFrame({"x": [1, 2]}, index=["0", None])}, "one is nan"),
    (
        "table of others",
        [(0, 1)],
        {"features": pd.DataFrame({"x": [1, 2]}, index=["a", "b"])},
        "none of them",
    ),
    ("empty table", [(0, 1)], {"features": pd.DataFrame({"x": []})}, "no rows"),
    ("nothing", [], {}, "a vertex or more"),
    ("half a character", [("\ud800", "b")], {}, "half a character"),
]


@pytest.mark.parametrize(
    ("graph", "options", "says"), [case[1:] for case in REFUSED_OBJECTS], ids=[c[0] for c in REFUSED_OBJECTS]
)
def test_refused_object(graph, options, says):
    with pytest.raises(DataError) as caught:
        as_network(graph, **options)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


# name, files, options, code of the note, its count, (N, E)
ACCEPTED = [
    ("ids that differ by spaces", {"edges.csv": "source,target\na,b\n a ,c\n"}, {}, "spaces", 1, (3, 2)),
    ("blank after a comma", {"edges.csv": "source,target\n1, 2\n2,3\n"}, {}, "spaces", 1, (3, 2)),
    (
        "node ids that differ by spaces",
        {"edges.csv": "a,a \na,b\n", "nodes.csv": "id,x\na,1\na ,2\nb,3\n"},
        {},
        "spaces",
        1,
        (3, 2),
    ),
    (
        "cells that begin with =",
        {"edges.csv": EDGES, "nodes.csv": "id,x\na,=1+1\nb,2\nc,=A1\n"},
        {},
        "formulas",
        2,
        (3, 2),
    ),
    ("ids that begin with =", {"edges.csv": "source,target\n=a,b\n"}, {}, "formulas", 1, (2, 1)),
    (
        "no edges",
        {"edges.csv": "source,target\n", "nodes.csv": "id,x\na,1\nb,2\n"},
        {},
        "no-edges",
        0,
        (2, 0),
    ),
    ("no edges in GML", {"edges.gml": "graph [ node [ id 1 ] node [ id 2 ] ]"}, {}, "no-edges", 0, (2, 0)),
    ("one vertex", {"edges.csv": "source,target\na,a\n"}, {}, "one-vertex", 1, (1, 1)),
    ("one vertex alone", {"edges.gml": "graph [ node [ id 1 ] ]"}, {}, "one-vertex", 1, (1, 0)),
    ("no features", {"edges.csv": EDGES}, {}, "no-features", 0, (3, 2)),
    ("node table of ids", {"edges.csv": EDGES, "nodes.csv": "id\na\nb\nc\n"}, {}, "no-features", 0, (3, 2)),
    ("comments", {"edges.txt": "# SNAP\n1 2\n  # more\n2 3\n"}, {}, "comments", 2, (3, 2)),
    (
        "isolates",
        {"edges.csv": EDGES, "nodes.csv": "id,x\na,1\nb,2\nc,3\nd,4\ne,5\n"},
        {},
        "isolates",
        2,
        (5, 2),
    ),
    (
        "unknown ids kept",
        {"edges.csv": EDGES, "nodes.csv": "id,x\na,1\nb,2\n"},
        {"unknown": "keep"},
        "unknown",
        1,
        (3, 2),
    ),
    ("self-loops", {"edges.csv": "source,target\na,b\na,a\na,a\n"}, {}, "self-loops", 2, (2, 3)),
    ("parallel edges", {"edges.csv": "source,target\na,b\nb,a\nb,c\n"}, {}, "parallel", 1, (3, 3)),
    (
        "parallel merged",
        {"edges.csv": "source,target\na,b\na,b\nb,c\n"},
        {"parallel": "merge"},
        "merged",
        1,
        (3, 2),
    ),
    ("each way", {"edges.csv": "source,target\na,b\nb,c\nb,a\nc,b\n"}, {}, "reciprocal", 2, (3, 2)),
    ("weights", {"edges.csv": "source,target,weight\na,b,0.5\nb,c,2\n"}, {}, "edge-columns", 1, (3, 2)),
    (
        "directed GML",
        {"edges.gml": GML.replace("graph [", "graph [ directed 1")},
        {"directed": False},
        "directed",
        1,
        (2, 1),
    ),
    ("guessed header", {"edges.csv": "left,right\n1,2\n2,3\n"}, {}, "header", 1, (3, 2)),
    ("perhaps a header", {"edges.csv": "left,right\na,b\nb,c\n"}, {}, "no-header", 1, (5, 3)),
    ("blanks in a .csv", {"edges.csv": "1 2\n2 3\n"}, {}, "separator", 1, (3, 2)),
    (
        "nodes without an id column",
        {"edges.csv": EDGES, "nodes.csv": "who,x\na,1\nb,2\nc,3\n"},
        {},
        "id-column",
        1,
        (3, 2),
    ),
    (
        "names for people",
        {"edges.gml": GML.replace("id 1", "id 1 label 7").replace("id 2", "id 2 label 8")},
        {},
        "names",
        1,
        (2, 1),
    ),
    (
        "a header of odd names, with nodes",
        {"edges.csv": "Person A;Person B\na;b\nb;c\n", "nodes.csv": "id,x\na,1\nb,2\nc,3\n"},
        {},
        "header",
        1,
        (3, 2),
    ),
    (
        "a header of odd names, unknown ids kept",
        {"edges.csv": "Person A;Person B\na;b\nb;c\n", "nodes.csv": "id,x\na,1\nb,2\nc,3\n"},
        {"unknown": "keep"},
        "header",
        1,
        (3, 2),
    ),
    (
        "a first edge of unknown ids among others",
        {"edges.csv": "x,y\na,b\nb,z\n", "nodes.csv": "id,x\na,1\nb,2\nc,3\n"},
        {"unknown": "keep"},
        "no-header",
        1,
        (6, 3),
    ),
    (
        "a first edge of which one id is known",
        {"edges.csv": "x,c\na,b\n", "nodes.csv": "id,x\na,1\nb,2\nc,3\n"},
        {"unknown": "keep"},
        "no-header",
        1,
        (4, 2),
    ),
    ("a separator named", {"edges.csv": "sep=;\nsource;target\na,1;b\n"}, {}, "separator", 1, (2, 1)),
    ("drawing", {"edges.gml": GML.replace("id 1", "id 1 graphics [ x 1 y 2 ]")}, {}, "nested", 1, (2, 1)),
]


@pytest.mark.parametrize(
    ("files", "options", "code", "count", "size"),
    [case[1:] for case in ACCEPTED],
    ids=[c[0] for c in ACCEPTED],
)
def test_accepted_with_a_note(tmp_path: Path, files, options, code, count, size):
    net = read_network(*write(tmp_path, files), **options)
    assert {note.code: note.count for note in net.notes}[code] == count
    assert (net.n_nodes, net.n_edges) == size


@pytest.mark.slow
def test_ten_thousand_columns(tmp_path: Path):
    rows = np.random.default_rng(0).integers(0, 2, (30, 10_000)).astype(str)
    table = pd.DataFrame(rows, columns=[f"f{k}" for k in range(10_000)])
    table.insert(0, "id", range(30))
    table.to_csv(tmp_path / "nodes.csv", index=False)
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n5,7\n")
    net = read_network(tmp_path / "edges.csv", tmp_path / "nodes.csv")
    assert net.n_features == 10_000
    assert ("wide", 10_000) in [(note.code, note.count) for note in net.notes]
    assert net.features.values.sum() == rows.astype(int).sum()


def test_a_folder(tmp_path: Path):
    with pytest.raises(DataError, match="is a folder"):
        read_network(tmp_path)


def test_no_such_file(tmp_path: Path):
    with pytest.raises(DataError, match="does not exist"):
        read_network(tmp_path / "none.csv")


@pytest.mark.parametrize(
    ("error", "says"),
    [(PermissionError(13, "no"), "may not be read"), (OSError(5, "disk error"), "disk error")],
)
def test_no_permission(tmp_path: Path, monkeypatch, error, says):
    def refuse(_):
        raise error

    (tmp_path / "edges.csv").write_text(EDGES)
    monkeypatch.setattr(Path, "read_bytes", refuse)
    with pytest.raises(DataError, match=says):
        read_network(tmp_path / "edges.csv")


@pytest.mark.parametrize(
    "options",
    [
        {"parallel": "sum"},
        {"unknown": "drop"},
        {"parallel": "merge", "multiplicity": "n"},
        {"source_column": "source", "target_column": "source"},
        {"multiplicity": "source"},
        {"id": "name"},
        {"missing": "guess"},
        {"min_support": 0},
    ],
    ids=str,
)
def test_refused_options(tmp_path: Path, options):
    (tmp_path / "edges.csv").write_text("source,target,n\na,b,1\n")
    with pytest.raises(OptionError):
        read_network(tmp_path / "edges.csv", **options)


def test_refused_options_of_objects():
    refused = [
        ((sp.csr_array((2, 2)),), {"multiplicity": "weight"}),
        (([(0, 1)],), {"multiplicity": "weight"}),
        (([(0, 1)],), {"source_column": "a"}),
        (("edges.csv",), {}),
        ((as_network([(0, 1)]),), {}),
    ]
    for arguments, options in refused:
        with pytest.raises(OptionError):
            as_network(*arguments, **options)
    with pytest.raises(FFBMError, match="as_network"):
        read_network(np.zeros((1, 2)))


def write(folder: Path, files: dict[str, str | bytes]) -> list[Path]:
    paths = []
    for name, content in files.items():
        path = folder / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        paths.append(path)
    return paths
