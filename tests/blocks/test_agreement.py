"""Adjusted mutual information: against its definition over all ways to deal the vertices."""

from itertools import permutations

import numpy as np
import pytest

from ffbm.blocks.agreement import adjusted_mutual_information
from ffbm.errors import DataError


def mutual_information(a, b):
    n = len(a)
    total = 0.0
    for r in set(a):
        for s in set(b):
            both = sum(x == r and y == s for x, y in zip(a, b, strict=True)) / n
            if both:
                total += both * np.log(both / (list(a).count(r) / n) / (list(b).count(s) / n))
    return total


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ([0, 0, 0, 1, 1, 2], [0, 0, 1, 1, 2, 2]),
        ([0, 1, 1, 1, 1, 1], [0, 0, 0, 1, 1, 1]),
        ([0, 0, 1, 1, 2, 2, 2], [3, 3, 3, 5, 5, 5, 5]),
        ([0, 0, 0, 0, 0, 0], [0, 0, 1, 1, 2, 2]),
    ],
)
def test_the_definition(a, b):
    chance = np.mean([mutual_information(a, order) for order in permutations(b)])
    most = 0.5 * (mutual_information(a, a) + mutual_information(b, b))
    exact = (mutual_information(a, b) - chance) / (most - chance)
    assert adjusted_mutual_information(a, b) == pytest.approx(exact, abs=1e-9)
    assert adjusted_mutual_information(b, a) == pytest.approx(exact, abs=1e-9)


def test_the_same_and_chance():
    rng = np.random.default_rng(1)
    labels = rng.integers(0, 20, 20_000)
    assert adjusted_mutual_information(labels, (labels + 7) % 20) == 1.0
    assert abs(adjusted_mutual_information(labels, rng.integers(0, 20, 20_000))) < 0.002
    assert adjusted_mutual_information([3, 3], ["a", "a"]) == 1.0


def test_what_is_no_pair_of_partitions():
    with pytest.raises(DataError, match="a label for each vertex"):
        adjusted_mutual_information([0, 1], [0, 1, 1])
