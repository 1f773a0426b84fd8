"""Lanes as compiled against the same functions in NumPy."""

import numpy as np
import pytest
from numba import njit
from numba.core.errors import TypingError

from ffbm.kernels.lanes import LANES, broadcast, fused, load, power_of_two, store, total

OPERATIONS = {
    "sum": lambda a, b, c: a + b + 2.5 + c,
    "difference": lambda a, b, c: 1.5 - a - b - c,
    "product": lambda a, b, c: 3.0 * a * b * c,
    "fused": lambda a, b, c: fused(a, b, c),
    "broadcast": lambda a, b, c: broadcast(0.75) * a + (b - c),
    "total": lambda a, b, c: a * total(b) + broadcast(total(c)),
    "power of two": lambda a, b, c: a * power_of_two(b * 0.0 + c * 0.0 + (1.5 * 2.0**52 - 1022.0)),
}


def applied(operation):
    """A kernel that works on entries 3 to 6 of three tables, and puts the answer into entries 5 to 8 of a fourth."""
    compute = njit(operation)

    def run(a, b, c, out):
        store(out, np.int32(5), compute(load(a, 3), load(b, 3), load(c, 3)))

    return njit(run)


@pytest.mark.parametrize("name", OPERATIONS)
def test_compiled_lanes_are_those_of_numpy(name):
    tables = np.random.default_rng(1).normal(size=(3, 4, LANES))
    out, expected = np.zeros((2, 4, LANES))
    applied(OPERATIONS[name])(*tables, out)
    store(expected, 5, OPERATIONS[name](*(load(table, 3) for table in tables)))
    np.testing.assert_allclose(out, expected, rtol=1e-14)
    assert np.count_nonzero(expected) == LANES


@pytest.mark.parametrize("tables", [np.zeros((4, 4, 2 * LANES))[:, :, ::2], np.zeros((4, 4, LANES), np.int64)])
def test_tables_in_pieces_and_whole_numbers_are_refused(tables):
    with pytest.raises(TypingError):
        applied(OPERATIONS["sum"])(*tables)
