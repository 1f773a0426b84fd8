"""Parquet files: the network that the same table gives as CSV; most tests need pyarrow."""

import csv
import io
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from ffbm.data import read_network
from ffbm.data.files import is_parquet
from ffbm.data.parquet import open_parquet
from ffbm.errors import DataError

PAIRS = [("ann", "bob"), ("bob", "cem"), ("cem", "#dan"), ("#dan", "a, b"), ("a, b", 'she "e"')]
PEOPLE = {
    "id": ["ann", "bob", "cem", "#dan", "a, b", 'she "e"'],
    "team": ["red", "red", None, "blue", "blue", "red"],
    "age": [20.5, 30.25, np.nan, 41.5, 27.0, 33.0],
    "ok": [True, False, True, True, False, True],
    "joined": pd.to_datetime(["2006-08-01", "2007-08-01", "2006-01-01", "2009-01-02", "2001-01-02", "2003-04-05"]),
}


def parquet_of(columns):
    pa = pytest.importorskip("pyarrow")
    from pyarrow import parquet

    file = io.BytesIO()
    parquet.write_table(pa.table(columns), file)
    return file.getvalue()


def write(folder, name, columns):
    (folder / f"{name}.parquet").write_bytes(parquet_of(columns))
    pd.DataFrame(columns).to_csv(folder / f"{name}.csv", index=False, quoting=csv.QUOTE_NONNUMERIC)
    return folder / f"{name}.parquet", folder / f"{name}.csv"


def same(one, other):
    assert one.node_ids.tolist() == other.node_ids.tolist()
    assert np.array_equal(one.graph.edges, other.graph.edges)
    assert one.features.names == other.features.names
    assert abs(sp.csr_array(one.features.values) - sp.csr_array(other.features.values)).max() == 0


def test_it_is_the_network_of_the_same_tables_as_csv(tmp_path):
    edges = write(tmp_path, "edges", {"source": [a for a, _ in PAIRS], "target": [b for _, b in PAIRS]})
    people = write(tmp_path, "people", PEOPLE)
    one, other = (read_network(*pair) for pair in zip(edges, people, strict=True))
    same(one, other)
    assert [note.code for note in one.notes] == [note.code for note in other.notes]


def test_numbers_and_names_that_are_numbers(tmp_path):
    rng = np.random.default_rng(1)
    source, target = rng.integers(0, 50, (2, 200))
    path, _ = write(tmp_path, "edges", {"0": source, "1": target, "w": rng.integers(1, 4, 200)})
    net = read_network(path, edge_weight="w")
    assert net.n_edges == 200
    assert net.graph.weights is not None
    assert read_network(path, source_column="1", target_column="0").n_edges == 200
    with pytest.raises(DataError, match="that source_column= names"):
        read_network(path, source_column="from")


def test_an_index_of_pandas_is_the_first_column(tmp_path):
    pytest.importorskip("pyarrow")
    pd.DataFrame({"team": ["red", "blue"]}, index=["x", "y"]).to_parquet(tmp_path / "people.parquet")
    (tmp_path / "edges.csv").write_text("source,target\nx,y\n")
    net = read_network(tmp_path / "edges.csv", nodes=tmp_path / "people.parquet")
    assert net.node_ids.tolist() == ["x", "y"]
    assert net.features.names == ("team=blue", "team=red")


def test_dictionaries_and_plain_texts_need_no_quotes():
    pa = pytest.importorskip("pyarrow")
    data = parquet_of({"id": ["a", "b"], "team": pa.array(["red", None]).dictionary_encode()})
    assert open_parquet(data, "people.parquet").data == b"id,team\na,red\nb,\n"


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({"source": [[1, 2]], "target": [[3]]}, "the column 'source' holds several: leave it out"),
        ({}, "it has no columns"),
        ({"source": [1]}, "an edge list must have two columns or more"),
        ({"source": ["a", None], "target": ["b", "c"]}, "line 3 lacks one"),
    ],
)
def test_refused(tmp_path, columns, says):
    (tmp_path / "edges.parquet").write_bytes(parquet_of(columns))
    with pytest.raises(DataError, match=says) as caught:
        read_network(tmp_path / "edges.parquet")
    assert "\n" not in str(caught.value)


def test_a_damaged_file_and_one_with_too_many_cells(tmp_path, monkeypatch):
    data = parquet_of({"source": [1, 2], "target": [2, 3]})
    with pytest.raises(DataError, match="is a damaged Parquet file"):
        open_parquet(data[:40] + data[50:], "edges.parquet")
    monkeypatch.setattr("ffbm.data.parquet._MOST_CELLS", 3)
    with pytest.raises(DataError, match="must hold at most 3 cells; it holds 4"):
        open_parquet(data, "edges.parquet")


def test_without_pyarrow(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert is_parquet(b"PAR1")
    (tmp_path / "edges.parquet").write_bytes(b"PAR1")
    with pytest.raises(DataError, match=r"needs the package pyarrow: pip install 'ffbm\[parquet\]' reads it"):
        read_network(tmp_path / "edges.parquet")
