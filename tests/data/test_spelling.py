"""Values that are perhaps one, and values read as others."""

import numpy as np
import pandas as pd
import pytest

from ffbm.data.encode import encode_features
from ffbm.data.spelling import find_slips, remark_spellings
from ffbm.errors import DataError, OptionError


@pytest.mark.parametrize(
    ("rare", "word", "is_slip"),
    [
        ("Biolgy", "Biology", True),
        ("Biologgy", "Biology", True),
        ("Biolocy", "Biology", True),
        ("Biolgoy", "Biology", True),
        ("biology", "Biology", False),  # case alone has its own note
        ("Zoology", "Biology", False),
        ("Class 1A", "Class 2A", False),
        ("Group 10", "Group 1", False),
        ("male", "mate", False),
        ("Physik", "Physics", False),
        ("Histroy", "History", True),
        ("éclairs", "eclairs", True),
    ],
)
def test_one_letter(rare, word, is_slip):
    assert find_slips({rare: 1, word: 20}) == ([(rare, word)] if is_slip else [])


def test_equally_frequent_values_are_no_slips():
    assert find_slips({"Austria": 10, "Austrie": 9}) == []


def test_many_values_are_quick():
    rng = np.random.default_rng(1)
    words = {"".join(rng.choice(list("abcdefgh"), 12)): int(n) for n in rng.integers(1, 99, 3000)}
    assert find_slips(words | {"bcdefghijklm": 50, "bcdefghijkm": 1}) == [("bcdefghijkm", "bcdefghijklm")]


TABLE = pd.DataFrame({"field": ["Biology"] * 10 + ["Biolgy", " Biolgy", None], "n": [1.5, *[1.0, 2, 3] * 4]})


@pytest.mark.parametrize("merge", ["field:Biolgy=Biology", ["field:Biolgy=Biology"], {"field": {"Biolgy": "Biology"}}])
def test_values_are_read_as_others(merge):
    features, notes = encode_features(TABLE, merge=merge, include="field")
    assert features.names == ("field=Biology", "n")
    assert features.support[0] == 12
    assert features.missing.toarray()[:, 0].tolist() == [False] * 12 + [True]
    told = [note.message for note in notes if note.code == "merged-values"]
    assert told == ["column 'field' has 2 cells 'Biolgy': read as 'Biology'"]


def test_a_slip_is_told():
    _, notes = encode_features(TABLE)
    assert [note.count for note in notes if note.code == "spelling"] == [1]


def test_merging_comes_before_all_else():
    table = pd.DataFrame({"age": ["12", "13", "about 15"], "ok": ["yes", "no", "yep"]})
    features, _ = encode_features(table, merge=["age:about 15=15", "ok:yep=yes"])
    assert features.names == ("age", "ok")
    assert features.mean[0] == pytest.approx(40 / 3)


@pytest.mark.parametrize(
    ("merge", "kind", "message"),
    [
        ("field:Zoo=Biology", DataError, "merge= names 'Zoo', which column 'field' does not have; it has 'Biolgy'"),
        ("fild:Biolgy=Biology", DataError, "merge= names 'fild', which the table does not have"),
        ("Biolgy=Biology", OptionError, "merge must be .* got 'Biolgy=Biology'"),
        ({"field": "Biology"}, OptionError, "merge must be"),
        (3, OptionError, "merge must be .* got 3"),
    ],
)
def test_merges_that_cannot_be(merge, kind, message):
    with pytest.raises(kind, match=message):
        encode_features(TABLE, merge=merge)


def test_letters_beside_their_words_are_noted():
    (remark,) = remark_spellings("member", ["N", "No", "Y", "Yes"], np.array([2, 9, 1, 8]))
    assert remark.text.startswith("has values that differ as a letter and its word do ('Y' and 'Yes', 'N' and 'No')")
    assert remark.text.endswith("member:Y=Yes")
    assert not remark_spellings("sex", ["F", "M"], np.array([2, 9]))
