"""Adjacency matrices in tables."""

import numpy as np
import pandas as pd
import pytest

from ffbm.data import read_network
from ffbm.errors import DataError, OptionError

A = np.array([[0, 1, 0, 1], [1, 0, 1, 0], [0, 1, 0, 0], [1, 0, 0, 0]])
NAMES = ["ann", "bob", "cem", "dee"]
EDGES = {("ann", "bob"), ("bob", "cem"), ("ann", "dee")}


def read(tmp_path, text, **options):
    path = tmp_path / "matrix.csv"
    path.write_text(text)
    return read_network(path, **options)


def edges(net):
    return {tuple(net.node_ids[list(pair)]) for pair in net.graph.edges}


@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("has_side", [True, False])
def test_named(tmp_path, separator, has_side):
    text = pd.DataFrame(A, NAMES, NAMES).to_csv(sep=separator, index=has_side)
    net = read(tmp_path, text)
    assert net.node_ids.tolist() == NAMES
    assert edges(net) == EDGES
    assert not net.graph.is_directed
    assert "read as an adjacency matrix of 4 vertices" in net.notes[-2 if net.n_features == 0 else -1].message


def test_columns_in_another_order(tmp_path):
    net = read(tmp_path, pd.DataFrame(A, NAMES, NAMES)[NAMES[::-1]].to_csv())
    assert net.node_ids.tolist() == NAMES
    assert edges(net) == EDGES


def test_without_names(tmp_path):
    net = read(tmp_path, pd.DataFrame(A).to_csv(header=False, index=False))
    assert net.node_ids.tolist() == ["0", "1", "2", "3"]
    assert len(edges(net)) == 3


def test_blank_cells_are_zeros_and_an_uneven_matrix_is_directed(tmp_path):
    net = read(tmp_path, ",a,b,c\na,,1,\nb,,,1\nc,,1,\n")
    assert net.graph.is_directed
    assert edges(net) == {("a", "b"), ("b", "c"), ("c", "b")}
    assert not read(tmp_path, ",a,b,c\na,,1,\nb,,,1\nc,,1,\n", directed=False).graph.is_directed


def test_multiplicities(tmp_path):
    text = pd.DataFrame(2 * A, NAMES, NAMES).to_csv()
    assert read(tmp_path, text).n_edges == 3
    assert read(tmp_path, text, multiplicity="data").n_edges == 6
    with pytest.raises(OptionError, match="multiplicity must be 'data' or None for an adjacency matrix; got 'n'"):
        read(tmp_path, text, multiplicity="n")


def test_a_node_table_is_joined(tmp_path):
    table = pd.DataFrame({"x": [1.5, 2, 3, 5]}, index=NAMES)
    net = read(tmp_path, pd.DataFrame(A, NAMES, NAMES).to_csv(), nodes=table)
    assert net.features.names == ("x",)


@pytest.mark.parametrize(
    "text",
    [
        "1,2,5\n2,3,1\n3,1,1\n",  # three edges with weights
        "a,b,1,x\nb,c,2,y\nc,a,3,z\nd,a,1,x\n",
        "source,target,w,n\n1,2,3,4\n2,3,4,5\n3,4,1,1\n",
        "1,2,7,2001\n2,3,8,2002\n3,4,9,2003\n4,1,9,2004\n",  # neither symmetric nor of 0 and 1
    ],
)
def test_lists_of_edges_stay_lists(tmp_path, text):
    net = read(tmp_path, text)
    assert net.n_edges == text.strip().count("\n") + (0 if text.startswith("source") else 1)
    assert all(note.code != "matrix" for note in net.notes)


def test_infinity_is_refused(tmp_path):
    with pytest.raises(DataError, match="must hold finite numbers"):
        read(tmp_path, ",a,b,c\na,0,1e999,0\nb,1,0,1\nc,0,1,0\n")


@pytest.mark.parametrize(("size", "is_matrix"), [(10, True), (9, False)])
@pytest.mark.parametrize("separator", [" ", ","])
def test_a_wide_square_of_weights_without_names_is_a_matrix(tmp_path, size, is_matrix, separator):
    values = np.random.default_rng(1).poisson(0.6, (size, size))
    assert (values != values.T).any()
    assert (values > 1).any()
    net = read(tmp_path, pd.DataFrame(values).to_csv(header=False, index=False, sep=separator))
    assert any(note.code == "matrix" for note in net.notes) == is_matrix
    assert not is_matrix or (net.n_edges, net.graph.is_directed) == (np.count_nonzero(values), True)
