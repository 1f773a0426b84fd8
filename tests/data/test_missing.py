"""Which cells were missing is kept: the same mask from any file or object, through selections, saving and loading."""

import dataclasses
import pathlib

import igraph
import networkx as nx
import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

import ffbm
from ffbm.data.encode import encode_features
from ffbm.data.encode_like import encode_like
from ffbm.data.matrix import missing_cells
from ffbm.store.network import network_from_dataset, network_to_dataset

IDS = [f"v{i}" for i in range(6)]
EDGES = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (2, 3)]
TABLE = {
    "age": [20.5, None, 40.0, 30.0, None, 61.0],
    "party": ["b", "a", None, "a", "b", "a"],
    "whole": ["x", "y", "y", "x", "y", "y"],
    "member": [True, False, None, True, False, True],
}
COLUMNS = tuple(TABLE)
MASK = np.array([[cell is None for cell in row] for row in zip(*TABLE.values(), strict=True)])


def graph():
    made = nx.Graph()
    for i, name in enumerate(IDS):
        made.add_node(name, **{c: cells[i] for c, cells in TABLE.items() if cells[i] is not None})
    made.add_edges_from((IDS[i], IDS[j]) for i, j in EDGES)
    return made


def frame(index=IDS):
    return pd.DataFrame(TABLE, index=index, dtype=object)


def from_table(folder, separator, suffix, blank="", **options):
    edges, nodes = folder / f"edges{suffix}", folder / f"nodes{suffix}"
    pairs = pd.DataFrame([(IDS[i], IDS[j]) for i, j in EDGES], columns=["source", "target"])
    pairs.to_csv(edges, sep=separator, index=False)
    frame().rename_axis("id").to_csv(nodes, sep=separator, na_rep=blank)
    return ffbm.read_network(edges, nodes=nodes, **options)


def from_file(write, folder, suffix):
    path = folder / f"graph{suffix}"
    write(graph(), path)
    return ffbm.read_network(path)


def write_gml(made, path):
    nx.write_gml(made, path, stringizer=str)


READERS = {
    "csv": lambda folder: from_table(folder, ",", ".csv"),
    "tsv": lambda folder: from_table(folder, "\t", ".tsv"),
    "graphml": lambda folder: from_file(nx.write_graphml, folder, ".graphml"),
    "gexf": lambda folder: from_file(nx.write_gexf, folder, ".gexf"),
    "gml": lambda folder: from_file(write_gml, folder, ".gml"),
    "networkx": lambda folder: ffbm.as_network(graph()),
    "igraph": lambda folder: ffbm.as_network(igraph.Graph.from_networkx(graph())),
    "frame": lambda folder: ffbm.as_network(np.array(EDGES), frame(range(6)), node_ids=range(6)),
}


@pytest.mark.parametrize("kind", READERS)
def test_every_format_gives_the_same_mask(kind, tmp_path):
    features = READERS[kind](tmp_path).features
    order = [features.column_names.index(name) for name in COLUMNS]
    assert sp.issparse(features.missing)
    assert features.missing.dtype == bool
    np.testing.assert_array_equal(features.missing.toarray()[:, order], MASK)


@pytest.mark.parametrize("options", [{}, {"missing": "flag"}, {"categorical": "member", "min_support": 2}])
def test_the_mask_is_of_cells_not_of_what_becomes_of_them(options):
    features, _ = encode_features(frame(), **options)
    np.testing.assert_array_equal(features.missing.toarray(), MASK)
    assert features.column_names == COLUMNS


def test_words_for_missing_count_among_numbers_and_not_among_words(tmp_path):
    net = from_table(tmp_path, ",", ".csv", blank="NA")
    order = [net.features.column_names.index(name) for name in COLUMNS]
    expected = MASK.copy()
    expected[:, COLUMNS.index("party")] = False  # NA may be Namibia
    np.testing.assert_array_equal(net.features.missing.toarray()[:, order], expected)


def test_a_dropped_value_is_missing():
    dates = ["2006-08-01", "1900-01-01", "", "2007-08-01"]
    table = pd.DataFrame({"age": [20, 999, None, 30], "party": ["a", "b", "", "a"], "joined": dates})
    features, notes = encode_features(table, drop={"age": 999, "party": "b", "joined": "1900-01-01"})
    assert np.argwhere(features.missing.toarray()).tolist() == [[row, column] for row in (1, 2) for column in range(3)]
    assert [note.count for note in notes if note.code == "missing"] == [2, 2, 2]
    assert notes[0].message == "column 'age' has 1 cell '999.0': dropped, read as missing"


def test_columns_left_out_have_no_place_in_the_mask():
    table = frame().assign(title=[f"t{i}" for i in range(5)] + [None], empty=None)
    features, _ = encode_features(table, exclude="age")
    assert features.column_names == COLUMNS[1:]
    np.testing.assert_array_equal(features.missing.toarray(), MASK[:, 1:])


def test_vertices_that_the_table_does_not_have_miss_every_cell():
    net = ffbm.as_network(
        [(IDS[0], IDS[1]), (IDS[1], "new")], frame()[["whole", "party"]].iloc[[0, 1, 3, 4]], unknown="keep"
    )
    assert np.argwhere(net.features.missing.toarray()).tolist() == [[4, 0], [4, 1]]


def test_where_nothing_is_missing_there_is_no_mask():
    assert encode_features(frame()[["whole"]])[0].missing is None
    assert ffbm.load_dataset("polbooks").features.missing is None
    assert ffbm.as_network(np.array(EDGES), np.eye(6)).features.missing is None
    assert missing_cells(3, [np.array([], dtype=int)]) is None
    assert missing_cells(3, []) is None


def test_new_vertices_have_a_mask_of_their_own():
    features, _ = encode_features(frame())
    table = frame().iloc[::-1]
    table.loc[IDS[0], "whole"] = "never seen"  # an answer, if an unknown one
    later, _ = encode_like(features, table)
    np.testing.assert_array_equal(later.missing.toarray(), MASK[::-1])
    assert encode_like(features, frame().iloc[[0]])[0].missing is None


def test_a_selection_keeps_the_cells_of_its_columns():
    features, _ = encode_features(frame())
    which = np.array([features.names.index(name) for name in ("member", "whole=x", "party=a", "party=b")])
    chosen = features.take(which)
    assert chosen.column_names == ("member", "whole", "party")
    np.testing.assert_array_equal(chosen.missing.toarray(), MASK[:, [3, 2, 1]])
    np.testing.assert_array_equal(
        sp.csr_array(chosen.values).toarray(), sp.csr_array(features.values).toarray()[:, which]
    )
    assert chosen.names == ("member", "whole=x", "party=a", "party=b")
    assert features.take(which[1:2]).missing is None


def test_the_fingerprint_does_not_ask_for_it():
    net = ffbm.as_network(np.array(EDGES), frame(range(6)), node_ids=range(6))
    bare = dataclasses.replace(net, features=dataclasses.replace(net.features, missing=None))
    assert net.fingerprint == bare.fingerprint


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_a_run_keeps_it(tmp_path):
    net = ffbm.as_network(np.array(EDGES), frame(range(6)), node_ids=range(6))
    again = network_from_dataset(network_to_dataset(net))
    assert (again.features.missing != net.features.missing).nnz == 0
    fit = ffbm.fit(
        net, n_blocks=2, n_sweeps=50, n_warmup=50, n_draws=50, n_kept=2, out=tmp_path / "run", progress=False
    )
    loaded = ffbm.load_fit(tmp_path / "run").network.features
    assert loaded.missing.dtype == bool
    np.testing.assert_array_equal(loaded.missing.toarray(), fit.network.features.missing.toarray())


def test_runs_of_0_1_0_have_none():
    old = pathlib.Path(__file__).parents[1] / "store" / "run-0.1.0"
    assert ffbm.load_fit(old).network.features.missing is None
