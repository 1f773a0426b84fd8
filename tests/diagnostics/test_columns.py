"""The verdict on columns: what chains agree on, on what they differ, and the sentence that says so."""

import dataclasses

import numpy as np
import pytest

from ffbm.diagnostics import judge_columns
from ffbm.errors import DataError

NAMES = ("dorm", "year", "gender")
SCORES = np.array([[2.0, 1.0, -0.3], [2.2, 0.8, -0.4], [1.8, 1.2, -0.5]])


def judged(bits=(1.0, 1.1, 1.05), scores=SCORES, factor=1.0, changed=0.08, margin=0.1, names=NAMES):
    """Three chains that agree, but for some of it; ``factor`` is on |V|^2 of the first column in the last chain."""
    sizes = np.random.default_rng(1).gamma(25.0, size=(3, 200, len(names)))
    sizes[-1, :, 0] *= factor
    scores = np.asarray(scores)
    return judge_columns(
        names, changed, np.array(bits), np.full(3, 0.1), sizes, scores, np.full(scores.shape, float(margin))
    )


def test_chains_that_agree():
    found = judged()
    assert found
    assert (found.matter, found.do_not, found.contested, found.uneven) == (("dorm", "year"), ("gender",), (), ())
    assert str(found) == (
        "the chains differ on 8% of the vertices, but in every picture found dorm and year matter, and gender is not"
        " decided"
    )
    assert found.inclusion is None  # there is no such probability yet


def test_a_column_that_matters_in_some_chains_alone():
    scores = SCORES.copy()
    scores[1, 1] = -0.5
    found = judged(scores=scores)
    assert not found
    assert found.contested == ("year",)
    assert str(found) == (
        "the chains differ on 8% of the vertices, and on whether year matters; in every picture found dorm matters,"
        " and gender is not decided"
    )
    unclear = judged(scores=scores, margin=0.9)  # within the noise of short chains nothing is contested
    assert unclear
    assert unclear.matter == ("dorm",)
    assert unclear.table["matters"].tolist() == [3, 2, 0]


def test_bits_apart():
    found = judged(bits=(1.0, 1.4, 1.2))
    assert not found
    assert not found.bits_agree
    assert "vertices, and on how much is explained (1.00 to 1.40 bits per vertex); in every" in str(found)
    assert judged(bits=(1.0, 1.28, 1.2))  # 2 standard errors of a difference are 0.283
    assert dataclasses.replace(found, bits_se=np.full(3, np.nan)).bits_agree  # nothing is known of one vertex


def test_a_column_that_acts_more_strongly_in_one_chain():
    found = judged(factor=1.9)
    assert not found
    assert found.uneven == ("dorm",)
    assert ", and on how strongly dorm acts; in every picture found dorm and year matter" in str(found)
    both = judged(factor=1.9, bits=(1.0, 1.4, 1.2))
    assert "on how strongly dorm acts and on how much is explained (" in str(both)
    assert judged(factor=1.2)


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        (0.0, "the chains agree on the block of every vertex, and in"),
        (0.001, "the chains differ on fewer than 1% of the vertices, but"),
    ],
)
def test_how_many_vertices_differ(changed, said):
    assert str(judged(changed=changed)).startswith(said)


def test_many_columns_are_counted():
    names = [f"c{j}" for j in range(9)]
    text = str(judged(scores=np.full((3, 9), 1.0), names=names))
    assert text.endswith("in every picture found c0, c1, c2 and 6 others matter")
    assert str(judged(scores=np.zeros((3, 9)), names=names)).endswith(
        "in no picture found is a column decided to matter"
    )
    unclear = np.where(np.arange(3)[:, np.newaxis] == 1, 0.05, -0.05) * np.ones((3, 9))
    text = str(judged(scores=unclear, names=names))
    assert text.endswith("but in no picture found is it clear which columns matter")
    unclear[:, 0] = -1
    assert str(judged(scores=unclear, names=names)).endswith("but in every picture found c0 is not decided")


def test_scores_of_the_paper_are_not_said_to_matter():
    """Noise has scores above 0."""
    found = dataclasses.replace(judged(), by_score=True)
    assert str(found).endswith("in every picture found dorm and year score above 0, and gender does not")
    scores = SCORES.copy()
    scores[1, 1] = -0.5
    found = dataclasses.replace(judged(scores=scores), by_score=True)
    assert str(found).endswith(
        "on whether year scores above 0; in every picture found dorm scores above 0, and gender does not"
    )
    none = dataclasses.replace(judged(scores=-np.ones((3, 3))), by_score=True)
    assert str(none).endswith("but in no picture found does a column score above 0")
    unclear = np.where(np.arange(3)[:, np.newaxis] == 1, 0.05, -0.05) * np.ones((3, 3))
    unclear = dataclasses.replace(judged(scores=unclear), by_score=True)
    assert str(unclear).endswith("but in no picture found is it clear which columns score above 0")


def test_shapes_that_do_not_fit_are_refused():
    with pytest.raises(DataError, match="must be of the 3 chains and 3 columns of the scores"):
        judged(names=("dorm", "year"))
