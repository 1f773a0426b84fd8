"""The compact table against a dictionary."""

import numpy as np
import pytest

from ffbm.kernels.tables import clear, compact_table

from ..blocks.inner import add, as_matrix, look


@pytest.mark.parametrize(("n_rows", "n_columns"), [(7, 5), (40, 40), (3, 1)])
def test_counts_like_a_matrix(n_rows, n_columns):
    rng = np.random.default_rng(n_rows)
    table, truth = compact_table(n_columns, n_rows * n_columns), np.zeros((n_rows, n_columns), dtype=int)
    for _ in range(3000):
        r, t, d = int(rng.integers(n_rows)), int(rng.integers(n_columns)), int(rng.integers(-3, 4))
        add(table, r, t, d)
        truth[r, t] += d
        assert look(table, r, t) == truth[r, t]
    assert np.array_equal(as_matrix(table, n_rows), truth)
    clear(table)
    assert not as_matrix(table, n_rows).any()


def test_cells_that_fell_to_zero_give_their_room_back():
    table = compact_table(1000, 4)  # room for 4 cells, and thousands pass through it
    for cell in range(5000):
        add(table, cell, 7, 2)
        if cell >= 4:
            add(table, cell - 4, 7, -2)
    assert [look(table, cell, 7) for cell in range(4994, 5000)] == [0, 0, 2, 2, 2, 2]
    assert len(table) < 100


def test_keys_beyond_32_bits():
    table = compact_table(2**24, 10)
    add(table, 2**23, 2**24 - 1, 5)
    add(table, 2**23, 2**24 - 2, 4)
    assert (look(table, 2**23, 2**24 - 1), look(table, 2**23, 2**24 - 2), look(table, 0, 2**24 - 1)) == (5, 4, 0)
