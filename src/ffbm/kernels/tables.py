"""Tables of counts, dense or compact, behind one pair of functions; and logarithms of factorials of counts.

A dense table is a matrix. A compact one holds only the cells that were touched, in one array of int64: its number
of columns, its slots in use, then a key and a count for each slot, found by open addressing. A cell that falls back
to zero keeps its slot until the table is swept.
"""

from math import lgamma

import numpy as np
from numba import njit

from ffbm.kernels.compilation import ENTRY, INLINE, INNER

N_COLUMNS, IN_USE, HEAD = 0, 1, 2  # of a compact table: its columns, its slots in use, then the slots begin
_EMPTY = -1


def compact_table(n_columns: int, n_cells: int) -> np.ndarray:
    """Return an empty compact table with room for ``n_cells`` cells that are not zero."""
    n_slots = 1 << max(3, int(2 * n_cells).bit_length())
    table = np.empty(HEAD + 2 * n_slots, dtype=np.int64)
    table[N_COLUMNS] = n_columns
    clear(table)
    return table


@njit(**ENTRY)
def clear(table):
    """Set all counts to zero."""
    if table.ndim == 2:
        table[:] = 0
    else:
        table[IN_USE] = 0
        for h in range(HEAD, table.size, 2):
            table[h], table[h + 1] = _EMPTY, 0


@njit(**INLINE)
def look(table, r, t):
    """Return the count in row r and column t."""
    if table.ndim == 2:
        return table[r, t]
    else:  # noqa: RET505 - the branch is chosen at compile time, and an early return would not be
        return table[_slot(table, r * table[N_COLUMNS] + t) + 1]


@njit(**INLINE)
def add(table, r, t, d):
    """Add d to the count in row r and column t."""
    if table.ndim == 2:
        table[r, t] += d
    else:
        _add_to_slot(table, r * table[N_COLUMNS] + t, d)


@njit(**INNER)
def _slot(table, key):
    """Return where the key stands, or the empty slot where it would stand."""
    mask = (table.size - HEAD) // 2 - 1
    h = (key % 2147483647) * 48271  # a generator of the prime's multiplicative group: nothing overflows
    h ^= h >> 15
    while True:
        at = HEAD + 2 * (h & mask)
        if table[at] == key or table[at] == _EMPTY:
            return at
        h += 1


@njit(**INNER)
def _add_to_slot(table, key, d):
    at = _slot(table, key)
    if table[at] == _EMPTY:
        if 3 * table[IN_USE] > (table.size - HEAD):  # two thirds of the slots
            _drop_zeros(table)
            at = _slot(table, key)
        table[at] = key
        table[IN_USE] += 1
    table[at + 1] += d


@njit(**INNER)
def _drop_zeros(table):
    """Lay the cells out again without those that are zero."""
    old = table.copy()
    clear(table)
    for h in range(HEAD, old.size, 2):
        if old[h + 1] != 0:
            at = _slot(table, old[h])
            table[at], table[at + 1] = old[h], old[h + 1]
            table[IN_USE] += 1


@njit(**INLINE)
def log_factorial(lf, x):
    """Return ln x!, from a table (most + 1,) of all that are asked for, or (1, n) of the first n of them."""
    if lf.ndim == 1:
        return lf[x]
    else:  # noqa: RET505 - as in ``look``
        return lf[0, x] if x < lf.shape[1] else _log_factorial_beyond(x)


@njit(**INNER)
def _log_factorial_beyond(x):
    """Return ln x! where a table ends; a call, so that the code of those who look it up stays small."""
    return lgamma(x + 1.0)


@njit(**INNER)
def log_factorials(table, lf, half):
    """Return the sum of ln x! over the cells, or over those below the diagonal only."""
    total = 0.0
    if table.ndim == 2:
        for r in range(table.shape[0]):
            for t in range(r if half else table.shape[1]):
                total += log_factorial(lf, table[r, t])
    else:
        for h in range(HEAD, table.size, 2):
            if table[h + 1] > 0 and (not half or table[h] % table[N_COLUMNS] < table[h] // table[N_COLUMNS]):
                total += log_factorial(lf, table[h + 1])
    return total
