"""A fit for ArviZ."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from ffbm.errors import OptionError


def test_the_tree_has_centred_weights(good):
    draws = good.to_datatree()["posterior"]
    assert draws["weights"].dims == draws["centred"].dims == ("chain", "draw", "block", "feature")
    np.testing.assert_allclose(draws["centred"], good.weights.centred, atol=1e-12)
    np.testing.assert_allclose(draws["centred"].mean("block"), 0, atol=1e-12)


def test_an_earlier_arviz_gets_its_own_object(good, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", SimpleNamespace(InferenceData=dict))
    made = good.to_inference_data()
    assert set(made) == {"posterior", "sample_stats", "constant_data"}
    assert set(made["posterior"]) == {"weights", "centred"}
    assert "lp" in made["sample_stats"]


def test_the_present_arviz_gets_the_tree(good, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", SimpleNamespace())
    assert "posterior" in good.to_inference_data().children


def test_without_arviz(good, monkeypatch):
    monkeypatch.setitem(sys.modules, "arviz", None)
    with pytest.raises(OptionError, match="needs the package arviz: pip install arviz, or see to_datatree"):
        good.to_inference_data()


@pytest.mark.filterwarnings("ignore")
def test_arviz_itself(good):
    arviz = pytest.importorskip("arviz")
    table = arviz.summary(good.to_inference_data(), var_names=["centred"])
    assert len(table) == good.weights.n_blocks * good.weights.n_features
