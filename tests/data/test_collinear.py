"""Columns that say nearly the same."""

import numpy as np
import pandas as pd

from ffbm.data.collinear import note_collinear
from ffbm.data.encode import encode_features


def told(table, code):
    features, _ = encode_features(pd.DataFrame(table))
    return [note.message for note in note_collinear(features) if note.code == code]


def test_pairs_of_numbers_values_and_flags():
    rng = np.random.default_rng(2)
    age, party = rng.normal(40, 9, 200), rng.choice(list("abc"), 200)
    near = party.copy()
    near[:2] = "a"
    table = {
        "age": age,
        "born": 2020.5 - age + rng.normal(0, 0.3, 200),
        "party": party,
        "club": np.char.add("club ", near),
        "member": age > 50,
        "x": rng.normal(size=200),
    }
    (message,) = told(table, "near-identical")
    assert message.startswith("2 pairs of columns say nearly the same: 'age' and 'born'; 'party' and 'club'; ")
    assert told(table, "collinear") == []


def test_a_sum_of_others():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(rng.normal(size=(100, 4)), columns=list("abcd"))
    assert told(table, "collinear") == []
    (message,) = told(table.assign(total=table.a + table.b + table.c), "collinear")
    assert message.startswith(
        "4 columns of numbers are nearly determined by the other numbers: 'a', 'b', 'c', 'total';"
    )


def test_independent_columns_and_tiny_tables_have_no_note():
    rng = np.random.default_rng(4)
    for n in (1, 2, 3, 50):
        table = {"a": rng.normal(size=n), "b": rng.normal(size=n), "c": rng.choice(list("xy"), n)}
        notes = told(table, "near-identical") + told(table, "collinear")
        assert n < 4 or notes == []
