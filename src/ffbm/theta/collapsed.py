"""Births and deaths of columns with their unknown cells summed out.

Given its cells a column is hardly ever born: while it is out they follow the law of the columns and ignore the blocks,
so they are evidence against it. Here a column is born or dies by the vertices with an answer alone, its unknown cells
left empty, which is a reversible move for that likelihood. The move is then accepted by the ratio of what
that likelihood leaves out. That is, for a vertex i with empty logits z_i and y_i its memberships::

    r_i(W) = sum_x pi(x | its other cells) prod_k softmax_k(z_i + W x)^y_ik / prod_k softmax_k(z_i)^y_ik

which is 1 if the column is out. Cells are then drawn given the new weights. The sum is over all values of a column that
is one part. For numbers, several flags and groups of columns it is a mean over particles from pi, the present cells
among them: as exact, since the cells of the next state are chosen among these particles.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ffbm.theta.cells import Cells
from ffbm.theta.cellsweep import CellSampler, log_probability, log_sum_exp
from ffbm.theta.columns import ColumnGroups
from ffbm.theta.mixture import Mixture, draw_of, draw_rows, log_of_classes
from ffbm.types.graph import Array

N_PARTICLES = 32


class ColumnCells(NamedTuple):
    """The unknown cells of one column, of R vertices."""

    column: int  # its number, among those that are selected
    rows: Array  # (R,) the vertices, among the M
    parts: list[int]
    numbers: list[int]


class Options(NamedTuple):
    """What the unknown cells of a column may be, O for each of its vertices."""

    codes: Array  # (R, O, P'): the value of each part, -1 where it is known
    numbers: Array  # (R, O, Q'): NaN where they are known
    log_prior: Array  # (R, O)


def find_column_cells(cells: Cells, groups: ColumnGroups) -> list[ColumnCells]:
    """Return the unknown cells by column, of columns that have some."""
    parts, by_column = cells.parts, []
    first = np.maximum.reduceat(parts.feature, parts.start[:-1]) if parts.n_parts else np.zeros(0, np.int64)
    column_of_part, column_of_number = groups.of_feature[first], groups.of_feature[parts.number]
    for g in range(len(groups.names)):
        unknown = [p for p in np.flatnonzero(column_of_part == g).tolist() if len(cells.row_of(p))]
        numbers = [q for q in np.flatnonzero(column_of_number == g).tolist() if len(cells.number_row_of(q))]
        rows = [cells.row_of(p) for p in unknown] + [cells.number_row_of(q) for q in numbers]
        if rows:
            by_column.append(ColumnCells(g, np.unique(np.concatenate(rows)), unknown, numbers))
    return by_column


def move_column(
    rng: np.random.Generator,
    sampler: CellSampler,
    column: ColumnCells,
    w: Array,
    inside: Array,
    move: Callable[[], None],
) -> bool:
    """Let a column be born or die, and draw its unknown cells again; return whether it did.

    ``move`` changes w (A, B) and ``inside`` (G,) in place, given the target that the sampler is tied to: a reversible
    move for it.
    """
    options = list_options(rng, sampler, column)
    before, was_inside, present = w.copy(), inside.copy(), _present(sampler, column)
    sampler.tie((column.parts, column.numbers))
    move()
    moved = bool((inside != was_inside).any())
    weights = _log_weights(sampler, column, options, w, present)
    if moved:
        old = _log_weights(sampler, column, options, before, present)
        if not np.log(rng.random()) < (log_sum_exp(weights) - log_sum_exp(old)).sum():
            w[:], inside[:], weights, moved = before, was_inside, old, False
    chosen = draw_of(rng, np.exp(weights - weights.max(axis=1, keepdims=True)))
    row = np.arange(len(column.rows))
    _write(sampler, column, (options.codes[row, chosen], options.numbers[row, chosen]))
    return moved


def list_options(rng: np.random.Generator, sampler: CellSampler, column: ColumnCells) -> Options:
    """Return what the cells of a column may be, with their probabilities given the other cells of their vertices."""
    cells, state = sampler.cells, sampler.state
    law, vertices = state.law, cells.vertices[column.rows]
    codes, numbers = (table[vertices] for table in cells.complete(state))
    is_blank, is_blank_number = cells.codes[vertices] < 0, np.isnan(cells.numbers[vertices])
    for p in column.parts:
        codes[is_blank[:, p], p] = -1
    for q in column.numbers:
        numbers[is_blank_number[:, q], q] = np.nan
    log_classes = log_of_classes(law, codes, numbers)  # of the other cells
    if len(column.parts) == 1 and not column.numbers:
        [p] = column.parts
        values = np.arange(cells.parts.start[p], cells.parts.start[p + 1])
        share = np.exp(log_classes - log_sum_exp(log_classes)[:, np.newaxis]) @ law.chances[:, values]
        every = np.tile(values, (len(vertices), 1))[:, :, np.newaxis]
        return Options(every, np.zeros((len(vertices), len(values), 0)), np.log(np.maximum(share, 1e-300)))
    return _draw_particles(rng, law, sampler, column, log_classes, is_blank, is_blank_number)


def _draw_particles(
    rng: np.random.Generator, law: Mixture, sampler: CellSampler, column: ColumnCells, log_classes: Array,
    is_blank: Array, is_blank_number: Array,
) -> Options:  # fmt: skip
    """Return the present cells as the first particle, and draws of the law of the columns as the others."""
    n, start = len(column.rows), sampler.cells.parts.start
    codes = np.full((n, N_PARTICLES, len(column.parts)), -1)
    numbers = np.full((n, N_PARTICLES, len(column.numbers)), np.nan)
    codes[:, 0], numbers[:, 0] = _present(sampler, column)
    for m in range(1, N_PARTICLES):
        classes = draw_rows(rng, log_classes)
        for j, p in enumerate(column.parts):
            blank = np.flatnonzero(is_blank[:, p])
            codes[blank, m, j] = start[p] + draw_of(rng, law.chances[classes[blank], start[p] : start[p + 1]])
        for j, q in enumerate(column.numbers):
            blank = np.flatnonzero(is_blank_number[:, q])
            k = classes[blank]
            numbers[blank, m, j] = law.mean[k, q] + law.sd[k, q] * rng.standard_normal(len(blank))
    return Options(codes, numbers, np.full((n, N_PARTICLES), -np.log(N_PARTICLES)))


def _present(sampler: CellSampler, column: ColumnCells) -> tuple[Array, Array]:
    """Return the cells of a column as they are: values (R, P'), -1 where they are known, and numbers, NaN there."""
    cells, state = sampler.cells, sampler.state
    codes, numbers = (
        np.full((len(column.rows), len(column.parts)), -1),
        np.full((len(column.rows), len(column.numbers)), np.nan),
    )
    for j, p in enumerate(column.parts):
        codes[np.searchsorted(column.rows, cells.row_of(p)), j] = state.values[cells.bounds[p] : cells.bounds[p + 1]]
    for j, q in enumerate(column.numbers):
        part = slice(cells.number_bounds[q], cells.number_bounds[q + 1])
        numbers[np.searchsorted(column.rows, cells.number_row_of(q)), j] = state.numbers[part]
    return codes, numbers


def _write(sampler: CellSampler, column: ColumnCells, drawn: tuple[Array, Array]) -> None:
    """Write cells of a column into the state, and all cells into the target."""
    cells, state, (codes, numbers) = sampler.cells, sampler.state, drawn
    for j, p in enumerate(column.parts):
        state.values[cells.bounds[p] : cells.bounds[p + 1]] = codes[np.searchsorted(column.rows, cells.row_of(p)), j]
    for j, q in enumerate(column.numbers):
        part = slice(cells.number_bounds[q], cells.number_bounds[q + 1])
        state.numbers[part] = numbers[np.searchsorted(column.rows, cells.number_row_of(q)), j]
    sampler.tie()


def _log_weights(
    sampler: CellSampler, column: ColumnCells, options: Options, w: Array, present: tuple[Array, Array]
) -> Array:
    """Return ln of the terms of r_i for each option (R, O), the other cells as they are."""
    padded, y = np.vstack((w, np.zeros(w.shape[1]))), sampler.y[column.rows]
    codes, numbers = present
    of_present = _effect(sampler, column, padded, codes[:, np.newaxis], numbers[:, np.newaxis])[:, 0]
    empty = sampler.logits(padded)[column.rows] - of_present
    by_option = empty[:, np.newaxis] + _effect(sampler, column, padded, options.codes, options.numbers)
    fit = log_probability(by_option, y[:, np.newaxis]) - log_probability(empty, y)[:, np.newaxis]
    return np.asarray(options.log_prior + fit)


def _effect(sampler: CellSampler, column: ColumnCells, padded: Array, codes: Array, numbers: Array) -> Array:
    """Return what cells (R, O, ...) of a column add to the logits (R, O, B)."""
    cells = sampler.cells
    total = padded[np.append(cells.position, len(padded) - 1)[codes]].sum(axis=2)  # -1: known, so it adds nothing
    slopes = padded[cells.number_position[column.numbers]]
    return np.asarray(total + np.nan_to_num(numbers) @ slopes)
