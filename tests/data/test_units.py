"""Columns of numbers with a unit, and cells that hold several values."""

import numpy as np
import pandas as pd
import pytest

from ffbm.data.encode import encode_features
from ffbm.data.encode_like import encode_like
from ffbm.data.units import numbers_of


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["45%", "7 %", "12.5%"], [45, 7, 12.5]),
        (["$1,200", "$ 980.50", "-$3"], [1200, 980.5, -3]),
        (["1.5 €", "20 €"], [1.5, 20]),
        (["USD 20", "USD 1,000,000"], [20, 1e6]),
        (["12 kg", "9.5 kg", "0"], [12, 9.5, 0]),
        (["38.5 °C", "-2 °C"], [38.5, -2]),
        (["5 m/s", "7 m/s"], [5, 7]),
        (["1,234", "56,789"], [1234, 56789]),
        (["5 kg", "3 lb"], None),
        (["5 km", "6 kg", "unknown"], None),
        (["$5", "€5"], None),
        (["0,512", "1,250"], None),
        (["12,34", "1,250"], None),
        (["1A", "2A"], None),
        (["$5 kg", "$6 kg"], None),
        (["1", "2", "3", "4 kg"], None),
        (["18-25", "26-40"], None),
        ([], None),
    ],
)
def test_one_unit_in_all_cells(texts, numbers):
    found = numbers_of(texts)
    assert (None if found is None else found[0]) == numbers


def test_a_column_with_a_unit_is_one_of_numbers_and_new_vertices_are_read_alike():
    table = pd.DataFrame({"pay": ["$1,000", "$3,000", "n/a", "$2,000"], "stars": ["1 stars", "2 stars"] * 2})
    features, notes = encode_features(table)
    assert features.names == ("pay", "stars")
    assert features.mean[0] == 2000
    assert "numbers with the unit '$'" in next(note.message for note in notes if note.code == "units")
    later, _ = encode_like(features, pd.DataFrame({"pay": ["$2,000", "3000"], "stars": ["2 stars", "1"]}))
    assert later.values[:, 0].tolist() == [0.0, pytest.approx(1000 / features.sd[0])]
    text, _ = encode_features(table, categorical="stars")
    assert text.names == ("pay", "stars=1 stars", "stars=2 stars")


def test_numbers_with_a_unit_that_were_read_as_values_are_found_again():
    table = pd.DataFrame({"rating": ["1 pts", "2 pts", "3 pts"] * 6})
    values = encode_features(table)[0].other["rating"]
    later, notes = encode_like(values, pd.DataFrame({"rating": ["3 pts", "1"]}))
    assert np.asarray(later.values.todense() if hasattr(later.values, "todense") else later.values).tolist() == [
        [0, 0, 1],
        [1, 0, 0],
    ]
    assert not notes


def test_cells_with_several_values_are_noted():
    tags = ["a|b", "b|c", "a", "c|a", "b", "c", "b|a", "a|b|c"]
    codes = {note.code for note in encode_features(pd.DataFrame({"tags": tags}))[1]}
    assert "several" in codes
    cities = ["Rome, Italy", "Oslo, Norway", "Bonn, Germany", "Lyon, France", "Graz, Austria", "Bern, Switzerland"]
    assert "several" not in {note.code for note in encode_features(pd.DataFrame({"city": cities * 2}))[1]}
