import json
from dataclasses import fields, replace
from math import inf, nan

import numpy as np
import pytest

from ffbm.types.network import Note
from ffbm.types.scores import Scores
from ffbm.types.variance import VarianceSplit


@pytest.fixture
def scores():
    arrays = {"bits_by_block", "bits_se_by_block", "accuracy"}
    values = {}
    for field in fields(Scores):
        name = field.name.removesuffix("_train").removesuffix("_test")
        if name in arrays:
            values[field.name] = np.array([0.25, nan])
        elif name == "n_by_block":
            values[field.name] = np.array([7, 3]) if field.name.endswith("train") else np.array([4, 0])
        elif field.default is not None and field.name != "notes":
            values[field.name] = 0.5
    return Scores(**values, notes=(Note("no_test_vertex_in_block", "block 1 has no test vertex", 1),))


def test_the_names_are_the_documented_ones(scores):
    told = scores.to_dict()
    for name in ("loss", "predictive_loss", "base_rate_loss", "bits", "accuracy"):
        assert f"{name}_train" in told
        assert f"{name}_test" in told
    assert {"uniform_loss", "description_length", "description_length_without_partition"} <= told.keys()


def test_the_dictionary_is_strict_json(scores):
    told = replace(scores, loss_test=nan, bits_test=-inf, description_length=np.float64(2.25)).to_dict()
    assert json.loads(json.dumps(told, allow_nan=False)) == told
    assert told["loss_test"] is None
    assert told["bits_test"] is None
    assert told["description_length"] == 2.25
    assert told["accuracy_test"] == [0.25, None]
    assert told["n_by_block_train"] == [7, 3]
    assert told["n_train"] == 10
    assert told["n_test"] == 4
    assert told["notes"] == [{"code": "no_test_vertex_in_block", "message": "block 1 has no test vertex", "count": 1}]


def test_the_short_form_tells_what_is_explained(scores):
    assert repr(scores) == (
        "<Scores: features explain 0.50 (95 % -0.50 to 1.50) bits per vertex (loss 0.500 against 0.500 of the base"
        " rate) on 4 held-out vertices>"
    )
    assert scores.n_blocks == 2


def test_shares_of_the_variance():
    split = VarianceSplit(np.array([[3.0, 1.0]]), np.array([[1.0, -0.1]]), 40, 5)
    np.testing.assert_array_equal(split.share, [[0.25, 0.0]])
    assert repr(split) == "<VarianceSplit: 40 partitions x 5 draws, median share between 12%, largest 25%>"
    assert "no shares" in repr(VarianceSplit(np.ones((1, 1)), np.full((1, 1), nan), 1, 5))
