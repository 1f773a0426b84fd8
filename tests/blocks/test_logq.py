"""ln q(m, n): the table, the forms beyond it, and the kernel, against whole-number recursion."""

import math

import numpy as np
import pytest
from scipy.special import gammaln

from ffbm.blocks.logq import log_partitions, partition_tables
from ffbm.blocks.saddle import cumulants, log_product

from .inner import log_q


def exact_columns(m_max: int, wanted: list[int]) -> dict[int, list[int]]:
    """q(., n) in whole numbers of any size, by q(m,n) = q(m,n-1) + q(m-n,n)."""
    column, out = [1] + [0] * m_max, {}
    for n in range(1, max(wanted) + 1):
        for m in range(n, m_max + 1):
            column[m] += column[m - n]
        if n in wanted:
            out[n] = column.copy()
    return out


def brute_force(m: int, n: int, largest: int | None = None) -> int:
    largest = m if largest is None else largest
    if m == 0:
        return 1
    if n == 0:
        return 0
    return sum(brute_force(m - part, n - 1, part) for part in range(1, min(m, largest) + 1))


def test_small_values_count_partitions():
    for m in range(9):
        for n in range(9):
            count = brute_force(m, n)
            expected = math.log(count) if count else -math.inf
            assert log_partitions(m, n) == pytest.approx(expected, abs=1e-12)


SIZES = [2049, 2300, 3000, 5000]
PARTS = [1, 2, 3, 4, 5, 7, 12, 20, 31, 32, 33, 40, 64, 100, 128, 129, 200, 400, 900]


@pytest.fixture(scope="module")
def columns():
    return exact_columns(5000, PARTS)


@pytest.mark.parametrize("n", PARTS)
def test_beyond_the_table_the_error_is_as_stated(columns, n):
    bound = 2e-6 if n == 4 else 5e-7
    for m in SIZES:
        assert log_partitions(m, n) == pytest.approx(math.log(columns[n][m]), abs=bound)


@pytest.mark.parametrize("n", PARTS)
def test_kernel_follows(columns, n):
    lf = gammaln(np.arange(1.0, 20_000))
    tables = partition_tables(10**6, 2048)
    for m in [5, 100, 2048]:
        got = log_q(m, n, lf, *tables)
        assert got == pytest.approx(float(log_partitions(m, n)), abs=1e-12)
    for m in SIZES:
        assert log_q(m, n, lf, *tables) == pytest.approx(math.log(columns[n][m]), abs=2e-6)


@pytest.mark.parametrize("m", [10**5, 100_001, 10**6, 2 * 10**7, 2**31 - 2])
@pytest.mark.parametrize("n", [2, 3, 32, 33, 100, 128, 129, 1000, 30_000, 89_000, 95_000, 10**6])
def test_kernel_follows_at_large_sizes(m, n):
    lf = gammaln(np.arange(1.0, 10**6 + 2))
    assert log_q(m, n, lf, *partition_tables(m, n)) == pytest.approx(float(log_partitions(m, n)), abs=1e-6)


def test_table_of_a_small_graph_is_small():
    tables = partition_tables(882, 105)
    assert tables.exact.shape == (883, 106)
    assert tables.many_parts.size == 1


def test_sums_of_the_saddle_point():
    n, s = 700, 0.013
    k = np.arange(1, n + 1)
    w = 1 / np.expm1(k * s)
    direct = [
        -np.log(-np.expm1(-k * s)).sum(),
        -(k * w).sum(),
        (k**2 * w * (1 + w)).sum(),
        -(k**3 * w * (1 + w) * (1 + 2 * w)).sum(),
    ]
    closed = [log_product(np.array(s), np.array(n)), *cumulants(np.array(s), np.array(n), 3)]
    assert np.allclose(closed, direct, rtol=1e-9)
