"""The unknown cells of a design as kernels and chains see them: which vertices have them, and where they stand in X."""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from ffbm.theta.design import Training
from ffbm.theta.mixture import Mixture, complete_rows, draw_mixture, draw_rows, log_of_classes
from ffbm.theta.parts import Parts, code_cells, find_parts, missing_of, rows_of_vertices
from ffbm.types.graph import Array

Empty = tuple[list[int], list[int]] | None  # parts and numbers whose cells do not count

_FIRST_SWEEPS = 20  # of the law of the columns, before weights are known


class CellState(NamedTuple):
    """The unknown cells at rest, the law of the columns, and what was seen of the cells so far."""

    values: Array  # (n,) int64: the value of each cell of a part, numbered through all parts
    numbers: Array  # (m,) float64: of each cell that is a number
    shares: Array  # the fields of ``Mixture``
    chances: Array
    mean: Array
    sd: Array
    total: Array  # for each value that a cell may have, the sum of its conditional probabilities over draws
    moments: Array  # (2, m): sums of the numbers and of their squares, over draws
    n_draws: Array  # (1,) int64

    @property
    def law(self) -> Mixture:
        """The law of the columns."""
        return Mixture(self.shares, self.chances, self.mean, self.sd)

    @property
    def law_table(self) -> Array:
        """The law of the columns as one table (K, 1 + C + 2 Q)."""
        return np.column_stack(self.law)

    def take_over(self, other: "CellState") -> "CellState":
        """Return the cells and the law of another chain, with what was seen by this one."""
        return other._replace(total=self.total, moments=self.moments, n_draws=self.n_draws)


NO_CELLS = CellState(*(np.zeros(0) for _ in CellState._fields))


@dataclass(frozen=True, eq=False)
class Cells:
    """Where the unknown cells of a design are; M vertices have some.

    Parameters
    ----------
    parts : Parts
    n_classes : int
        K.
    codes, numbers : (N, P) int64, (N, Q) float64
        What is known of all vertices: -1 and NaN where it is not.
    vertices : (M,) int64
    bounds : (P+1,) int64
        Where the cells of each part begin, among the n of them.
    row : (n,) int64
        The vertex that each is of, among the M.
    number_bounds, number_row : (Q+1,), (m,) int64
        The same of cells that are numbers.
    first : (n+1,) int64
        Where what a cell may be begins, among all cells.
    slot : int64
        Where in the values of the training rows each of these stands; -1 if nowhere.
    number_slot : (m,) int64
    position : (C,) int64
        The active feature that a value sets, or A if it sets none.
    number_position : (Q,) int64
    known : (M, A) CSR
        The known features.
    by_feature : int64
        Which value of the training rows each one is, if they are sorted by feature.
    """

    parts: Parts
    n_classes: int
    codes: Array
    numbers: Array
    vertices: Array
    bounds: Array
    row: Array
    number_bounds: Array
    number_row: Array
    first: Array
    slot: Array
    number_slot: Array
    position: Array
    number_position: Array
    known: sp.csr_array
    by_feature: Array

    def begin(self, rng: np.random.Generator) -> CellState:
        """Draw cells by the law of the columns alone, after some sweeps in which it is learned."""
        codes, numbers = self.codes.copy(), self.numbers.copy()
        for column in codes.T:
            column[column < 0] = rng.choice(column[column >= 0], int((column < 0).sum())) if (column >= 0).any() else 0
        codes = np.maximum(codes, self.parts.start[:-1])
        numbers[~np.isfinite(numbers)] = 0.0
        classes = rng.integers(self.n_classes, size=len(codes))
        for _ in range(_FIRST_SWEEPS):
            law = draw_mixture(rng, self.parts, self.n_classes, classes, codes, numbers)
            codes[self.vertices], numbers[self.vertices] = complete_rows(
                rng, law, self.parts, self.codes[self.vertices], self.numbers[self.vertices]
            )
            classes = draw_rows(rng, log_of_classes(law, codes, numbers))
        law = draw_mixture(rng, self.parts, self.n_classes, classes, codes, numbers)
        cells = [codes[self.vertices[self.row_of(p)], p] for p in range(self.parts.n_parts)]
        initial = [numbers[self.vertices[self.number_row_of(q)], q] for q in range(len(self.parts.number))]
        return CellState(
            np.concatenate([np.zeros(0, np.int64), *cells]),
            np.concatenate([np.zeros(0), *initial]),
            *law,
            total=np.zeros(len(self.slot)),
            moments=np.zeros((2, len(self.number_row))),
            n_draws=np.zeros(1, np.int64),
        )

    def row_of(self, p: int) -> Array:
        """Return the vertices, among the M, whose cell of a part is unknown."""
        return self.row[self.bounds[p] : self.bounds[p + 1]]

    def number_row_of(self, q: int) -> Array:
        """Return the vertices, among the M, whose number is unknown."""
        return self.number_row[self.number_bounds[q] : self.number_bounds[q + 1]]

    def complete(self, state: CellState) -> tuple[Array, Array]:
        """Return the codes (N, P) and numbers (N, Q) of all vertices, unknown cells as they are now."""
        codes, numbers = self.codes.copy(), self.numbers.copy()
        codes[self.vertices[self.row], np.repeat(np.arange(self.parts.n_parts), np.diff(self.bounds))] = state.values
        which = np.repeat(np.arange(len(self.parts.number)), np.diff(self.number_bounds))
        numbers[self.vertices[self.number_row], which] = state.numbers
        return codes, numbers

    def write(self, state: CellState, values: Array, empty: Empty = None) -> None:
        """Write the cells into the values of the training rows; those of some parts and numbers are left 0."""
        values[self.slot[self.slot >= 0]] = 0.0
        part = np.repeat(np.arange(self.parts.n_parts), np.diff(self.bounds))
        is_set, numbers = self._filled(state, empty)
        chosen = self.slot[self.first[:-1] + state.values - self.parts.start[part]]
        values[chosen[(chosen >= 0) & is_set]] = 1.0
        has_slot = self.number_slot >= 0
        values[self.number_slot[has_slot]] = numbers[has_slot]

    def response(self, state: CellState, y: Array, n_active: int, empty: Empty = None) -> Array:
        """Return what the cells add to X'y (A, B), the memberships of the M vertices being y, 0 if held out."""
        sums, (is_set, numbers) = np.zeros((n_active + 1, y.shape[1])), self._filled(state, empty)
        np.add.at(sums, self.position[state.values[is_set]], y[self.row[is_set]])
        which = np.repeat(np.arange(len(self.parts.number)), np.diff(self.number_bounds))
        np.add.at(sums, self.number_position[which], numbers[:, np.newaxis] * y[self.number_row])
        return sums[:n_active]

    def _filled(self, state: CellState, empty: Empty) -> tuple[Array, Array]:
        """Return which cells of parts count (n,), and the numbers (m,), 0 where they do not."""
        is_set, numbers = np.ones(len(state.values), dtype=bool), state.numbers
        if empty is not None:
            numbers = numbers.copy()
            for p in empty[0]:
                is_set[self.bounds[p] : self.bounds[p + 1]] = False
            for q in empty[1]:
                numbers[self.number_bounds[q] : self.number_bounds[q + 1]] = 0.0
        return is_set, numbers


def lay_out_cells(training: Training) -> Cells:
    """Find the unknown cells of a design, for weights of these training vertices."""
    design, rows = training.design, training.rows
    assert design.blanks is not None
    parts, missing = find_parts(design), missing_of(design, 0)
    codes, numbers = code_cells(parts, rows_of_vertices(design, None), missing)
    vertices, n_active = np.flatnonzero(design.blanks.has_any), len(rows.active)
    rank = np.full(len(design.names) + 1, n_active)  # what no training vertex has, and -1, stand nowhere
    rank[rows.active] = np.arange(n_active)
    row, bounds = _listed(missing[vertices][:, parts.column])
    number_row, number_bounds = _listed(missing[vertices][:, parts.number_column])
    part, n_values = np.repeat(np.arange(parts.n_parts), np.diff(bounds)), np.diff(parts.start)
    first = np.cumsum([0, *n_values[part]])
    value = np.arange(first[-1]) - np.repeat(first[:-1] - parts.start[part], n_values[part])
    position, number_position = rank[parts.feature], rank[parts.number]
    entry = sp.csr_array(
        (np.arange(1, len(rows.indices) + 1), rows.indices, rows.indptr), shape=(len(rows.counts), n_active)
    )
    which = np.repeat(np.arange(len(parts.number)), np.diff(number_bounds))
    at = rows.group[vertices]
    known = sp.coo_array(rows_of_vertices(design, vertices))
    used = rank[known.col] < n_active
    shape = len(vertices), n_active
    turned = sp.csc_array(entry)
    turned.sort_indices()
    return Cells(
        parts=parts,
        n_classes=design.blanks.n_classes,
        codes=codes,
        numbers=numbers,
        vertices=vertices,
        bounds=bounds,
        row=row,
        number_bounds=number_bounds,
        number_row=number_row,
        first=first,
        slot=_slots(entry, at[np.repeat(row, n_values[part])], position[value]),
        number_slot=_slots(entry, at[number_row], number_position[which]),
        position=position,
        number_position=number_position,
        known=sp.csr_array((known.data[used], (known.row[used], rank[known.col[used]])), shape=shape),
        by_feature=turned.data - 1,
    )


def _listed(missing: Array) -> tuple[Array, Array]:
    """Return the rows of the missing cells (M, P), column by column, and where each column begins."""
    _, row = np.nonzero(missing.T)
    return row, np.cumsum([0, *missing.sum(axis=0)]).astype(np.int64)


def _slots(entry: sp.csr_array, row: Array, position: Array) -> Array:
    """Return the entries at these rows and places, -1 where there is none."""
    slot = np.full(len(row), -1, dtype=np.int64)
    has_slot = (row >= 0) & (position < entry.shape[1])
    if has_slot.any():
        slot[has_slot] = np.asarray(entry[row[has_slot], position[has_slot]]).ravel() - 1
    return slot
