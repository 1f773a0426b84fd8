"""The selection of columns at the splits of a tree against enumeration, and faults planted in it."""

import numpy as np
import pytest

from ffbm.pipeline import splits as of_fits
from ffbm.theta import split_selection
from ffbm.verification.findings import Effort
from ffbm.verification.splits import BELOW, ROOT, exact_inclusion, follow_the_law, tree_and_features

from ..mutants import put_in_place

QUICK = Effort(False, 3, lambda work, items: [work(item) for item in items])


def test_points_are_enough():
    np.testing.assert_allclose(exact_inclusion(n_points=13), exact_inclusion(n_points=16), atol=0.015)


def test_the_law_asks_for_one_omega():
    """With an omega of its own the second split would have other inclusion probabilities, by more than the bound."""
    together, alone = exact_inclusion(n_points=13), [exact_inclusion((one,), 13)[0] for one in (ROOT, BELOW)]
    assert np.abs(together - alone).max() > 0.08


def test_the_case_is_a_tree():
    tree, features = tree_and_features()
    assert [tree.size(number) for number in range(6)] == [29, 16, 13, 6, 5, 5]
    assert [int(features.values[tree.vertices(number)].sum()) for number in (1, 2)] == [16, 11]


def test_the_law_is_followed():
    found = follow_the_law(QUICK)
    assert found.passed, found.details


FAULTS = {
    "omega counted at one split only": (
        "draw_omega(state.rng, [one.inside for one in state.splits])",
        "draw_omega(state.rng, [one.inside for one in state.splits[:1]])",
    ),
    "an omega of each split for itself": (
        "Sweeper(setup._replace(columns=setup.columns._replace(odds=odds)))",
        "Sweeper(setup)",
    ),
    "an omega that is uniform a priori": (
        "rng.beta(1 + n_inside, n_columns * (1 + len(inside)) - n_inside)",
        "rng.beta(1 + n_inside, 1 + n_columns * len(inside) - n_inside)",
    ),
}


@pytest.mark.parametrize(
    "fault", [*list(FAULTS)[:1], *(pytest.param(name, marks=pytest.mark.slow) for name in list(FAULTS)[1:])]
)
def test_faults_are_caught(fault, monkeypatch):
    put_in_place(monkeypatch, split_selection, *FAULTS[fault], of_fits, ("advance_splits",))
    assert not follow_the_law(QUICK).passed
