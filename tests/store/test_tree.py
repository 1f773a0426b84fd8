"""The tree: every part comes back equal, from memory and from a file, and others can read it."""

import dataclasses
import importlib.util
import sys

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
import xarray as xr

import ffbm
from ffbm.config import FitConfig
from ffbm.errors import DataError
from ffbm.pipeline.fit import run_fit
from ffbm.store.network import network_from_dataset, network_to_dataset
from ffbm.store.tree import from_tree, read_tree, to_tree, write_tree

from .conftest import QUICK, network


def assert_same(a, b, path="parts"):
    """Compare two nested dataclasses by value and type: arrays bit for bit, NaN equal to NaN."""
    assert type(a) is type(b), path
    if dataclasses.is_dataclass(a):
        for field in dataclasses.fields(a):
            name = "columns" if field.name == "measure" else field.name  # what it measures
            assert_same(getattr(a, name), getattr(b, name), f"{path}.{name}")
    elif isinstance(a, np.ndarray):
        assert a.dtype == b.dtype, path
        np.testing.assert_array_equal(a, b, err_msg=path)
    elif sp.issparse(a):
        for part in ("data", "indices", "indptr"):
            assert_same(getattr(a, part), getattr(b, part), f"{path}.{part}")
    elif isinstance(a, tuple | list):
        assert len(a) == len(b), path
        for i, (one, other) in enumerate(zip(a, b, strict=True)):
            assert_same(one, other, f"{path}[{i}]")
    else:
        assert a == b or (a != a and b != b), path


def test_every_part_comes_back_equal(parts, tmp_path):
    write_tree(to_tree(parts), tmp_path / "traces.nc")
    again = from_tree(read_tree(tmp_path / "traces.nc"))
    assert_same(parts, again)
    assert_same(parts.weights.diagnostics, again.weights.diagnostics)
    assert again.network.fingerprint == parts.network.fingerprint


@pytest.mark.parametrize("sparse", [True, False])
def test_features_dense_and_sparse(sparse, tmp_path):
    net = network()
    values = sp.csr_array(net.features.values) if sparse else np.asarray(sp.csr_array(net.features.values).toarray())
    net = dataclasses.replace(net, features=dataclasses.replace(net.features, values=values))
    made = run_fit(net, FitConfig(**QUICK, seed=1), progress=False)
    write_tree(to_tree(made), tmp_path / "traces.nc")
    assert_same(made, from_tree(read_tree(tmp_path / "traces.nc")))


def test_the_comparison_can_fail(parts):
    other = dataclasses.replace(parts, train=parts.train + 1)
    with pytest.raises(AssertionError, match="train"):
        assert_same(parts, other)


def test_groups_and_axes(parts):
    tree = to_tree(parts)
    assert tree["posterior"]["weights"].dims == ("chain", "draw", "block", "feature")
    assert tree["block_posterior"]["labels"].dims == ("chain", "block_draw", "node")
    assert tree["block_posterior"]["labels"].dtype == np.uint8
    assert {"lp", "acceptance_rate", "step_size", "n_steps", "diverging"} <= set(tree["sample_stats"].data_vars)
    assert {"entropy", "acceptance"} <= set(tree["block_sample_stats"].data_vars)
    assert {"memberships", "is_train"} <= set(tree["constant_data"].data_vars)
    assert ("reduced_posterior" in tree.children) == (parts.reduced is not None)
    np.testing.assert_array_equal(tree["sample_stats"]["lp"], -parts.weights.energy)
    kept = tree["posterior"]["draw"].to_numpy()
    np.testing.assert_array_equal(
        tree["sample_stats"]["lp"].sel(draw=kept), -parts.weights.stored(parts.weights.energy)
    )


def test_xarray_alone_reads_it(parts, tmp_path):
    write_tree(to_tree(parts), tmp_path / "traces.nc")
    with xr.open_datatree(tmp_path / "traces.nc", engine="h5netcdf") as tree:
        weight = tree["posterior"]["weights"].sel(feature="x0", block=0).mean().item()
        np.testing.assert_allclose(weight, parts.weights.weights[:, :, 0, 0].mean(), rtol=1e-12)
        assert tree["constant_data"]["memberships"].sel(node='Zoë, "7" <&>').sum().item() == pytest.approx(1)


def test_arviz_reads_it(parts, tmp_path):
    if sys.version_info < (3, 12) or importlib.util.find_spec("arviz") is None:
        pytest.skip("needs arviz 1 or later, which is for Python 3.12 or later")
    import arviz as az

    if az.__version__.startswith("0."):
        pytest.skip("needs arviz 1 or later")
    write_tree(to_tree(parts), tmp_path / "traces.nc")
    with xr.open_datatree(tmp_path / "traces.nc", engine="h5netcdf") as tree:
        table = az.summary(tree, var_names=["weights"])
        assert len(table) == parts.weights.n_blocks * parts.weights.n_features
        az.plot_trace(tree, var_names=["weights"])


@pytest.mark.parametrize("bad", ["a\0b", "\ud800"])
def test_text_that_no_file_holds_is_refused(parts, bad):
    ids = parts.network.node_ids.copy()
    ids[0] = bad
    with pytest.raises(DataError, match="vertex ids must be text"):
        to_tree(dataclasses.replace(parts, network=dataclasses.replace(parts.network, node_ids=ids)))


def test_what_values_were_read_as_is_kept():
    table = pd.DataFrame({"age": [20, 999, 30], "field": ["Law", "Lwa", "Biology"]}, index=list("abc"))
    net = ffbm.as_network(
        [("a", "b"), ("b", "c")], table, drop={"age": 999}, merge={"field": {"Lwa": "Law"}}, include=["field"]
    )
    again = network_from_dataset(network_to_dataset(net)).features
    assert again.replaced == net.features.replaced == {"age": {"999": ""}, "field": {"Lwa": "Law"}}
