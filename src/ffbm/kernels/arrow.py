"""The normal approximation to a column's weights, and to the intercept with them, given all other columns.

Each feature of the column has a B x B block of its own in the Hessian, H_j = A_j + 1/s^2. Where the intercept moves
along, it is tied to every block by C_j, and to itself by the rest: an arrow. Its share is left when the blocks are
eliminated, the Schur complement S = H_a - sum_j C_j H_j^-1 C_j. Features of one column rarely stand on one vertex
together; where they do, blocks are multiplied by how many of them do at most, so that they bound the Hessian.

Everything here is a function of the other columns, the data and s alone, never of the column's present weights or of
the present intercept: else the reverse of a proposal would have another probability.
"""

from math import exp, log
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.cholesky import factorise, multiply_transposed, solve, solve_rows
from ffbm.kernels.compilation import INNER, copy, copy_table
from ffbm.kernels.softmax import softmax_tile

LONGEST = 4.0  # no Newton step changes a weight by more
WITHOUT_COLUMN, WITH_COLUMN = 0, 1  # of ``ColumnWorkspace.root`` and ``centre``
# rows of ``ColumnWorkspace.line``: two that any function may overwrite; the intercept where the search for its mode
# begins, before a move, without the column, of the state, and while the scale is searched for
SPARE, SPARE_TOO, FIRST, BEFORE, WITHOUT, NOW, TRIAL = range(7)


class Columns(NamedTuple):
    """The design by column: features are numbered among the A that some training vertex has."""

    start: np.ndarray  # (G+1,) int64: where the features of each column begin
    feature: np.ndarray  # int64
    row_start: np.ndarray  # (A+1,) int64: where the rows of each feature begin
    row: np.ndarray  # int32
    value: np.ndarray  # float64
    union_start: np.ndarray  # (G+1,) int64: where the rows that a column is about begin
    union: np.ndarray  # int32: those with one of its features; all of them if the intercept moves along
    with_intercept: np.ndarray  # (G,) bool: whether the intercept moves along
    most: np.ndarray  # (G,) float64: how many features of the column a row has at most
    degrees: np.ndarray  # (G,) float64: of freedom, of the Student t that the weights have a priori
    n_particles: np.ndarray  # (G,) int64: from which the weights of each feature are chosen
    light: np.ndarray  # (A,) bool: so few vertices have the feature that H_j is taken to be diagonal
    pair: np.ndarray  # (P, 2) int64: columns that may take each other's place
    intercept: int  # its number, or -1
    tightness: float  # 1 / intercept_sd^2
    odds: np.ndarray  # (1,) ln omega / (1 - omega) where omega is given; nan: it is integrated out


class ColumnWorkspace(NamedTuple):
    """Arrays that the moves of a column overwrite; no column has more than J features."""

    base: np.ndarray  # (R, B): logits without the column
    z: np.ndarray  # (R, B): logits with what is tried
    p: np.ndarray  # (R, B): counts times softmax
    mode: np.ndarray  # (J, B)
    lower: np.ndarray  # (J, B, B): the Cholesky factor of H_j
    tie: np.ndarray  # (J, B, B): H_j^-1 C_j
    slope: np.ndarray  # (J, B)
    first: np.ndarray  # (J, B): the mode that Newton's steps for a given s start from
    value: np.ndarray  # (J, B): weights that are proposed or retraced
    root: np.ndarray  # (2, B, B): the Cholesky factors of S
    centre: np.ndarray  # (2, B): the intercept's modes
    cross: np.ndarray  # (B, B)
    line: np.ndarray  # (7, B): rows by name, from SPARE to TRIAL
    point: np.ndarray  # (2, 3): of the search for the scale
    particle: np.ndarray  # (M, B)
    chance: np.ndarray  # (M,)


@njit(**INNER)
def softmax_row(z: Any, i: int, count: float, p: Any) -> float:
    """Fill p[i] with count times softmax of z[i]; return count times its logsumexp."""
    top = z[i, 0]
    for k in range(1, z.shape[1]):
        top = max(top, z[i, k])
    total = 0.0
    for k in range(z.shape[1]):
        p[i, k] = exp(z[i, k] - top)
        total += p[i, k]
    for k in range(z.shape[1]):
        p[i, k] *= count / total
    return count * (top + log(total))


@njit(**INNER)
def add_information(p: Any, i: int, count: float, x: float, matrix: Any) -> None:
    """Add x times (diag(p) - p p' / count), row i of p being count times softmax, to the lower triangle of a matrix."""
    for k in range(p.shape[1]):
        share = x * p[i, k] / count
        matrix[k, k] += x * p[i, k]
        for l in range(k + 1):  # noqa: E741
            matrix[k, l] -= share * p[i, l]


@njit(**INNER)
def softmax_all(counts: Any, z: Any, p: Any) -> float:
    """Fill p with counts times softmax of all rows of z; return minus the sum of counts times logsumexp."""
    copy_table(z, p)
    return -softmax_tile(counts, np.int64(0), z.shape[0], p)


@njit(**INNER)
def log_likelihood(columns: Any, counts: Any, g: int, z: Any, p: Any) -> float:
    """Return minus the sum of counts times logsumexp over the rows of a column; p gets counts times softmax."""
    if columns.with_intercept[g]:
        return softmax_all(counts, z, p)
    total = 0.0
    for t in range(columns.union_start[g], columns.union_start[g + 1]):
        i = columns.union[t]
        total -= softmax_row(z, i, counts[i], p)
    return total


@njit(**INNER)
def shift(columns: Any, j: int, by: Any, z: Any, sign: float) -> None:
    """Add sign times the weights ``by`` (B,) of feature j to the logits of its rows."""
    for t in range(columns.row_start[j], columns.row_start[j + 1]):
        i, x = columns.row[t], sign * columns.value[t]
        for k in range(len(by)):
            z[i, k] += x * by[k]


@njit(**INNER)
def shift_all(by: Any, z: Any, sign: float) -> None:
    """Add sign times the intercept ``by`` (B,) to all logits."""
    for i in range(z.shape[0]):
        for k in range(z.shape[1]):
            z[i, k] += sign * by[k]


@njit(**INNER)
def inner_product(x: Any, y: Any) -> float:
    """Return x'y."""
    total = 0.0
    for k in range(len(x)):
        total += x[k] * y[k]
    return total


@njit(**INNER)
def intercept_information(columns: Any, counts: Any, p: Any, matrix: Any) -> None:
    """Fill the lower triangle of a matrix with H_a: the intercept's own part of the Hessian."""
    for k in range(matrix.shape[0]):
        for l in range(k + 1):  # noqa: E741
            matrix[k, l] = 0.0
        matrix[k, k] = columns.tightness
    for i in range(p.shape[0]):
        add_information(p, i, counts[i], 1.0, matrix)


@njit(**INNER)
def intercept_slope(columns: Any, sums: Any, p: Any, a: Any, slope: Any) -> None:
    """Fill ``slope`` (B,) with the gradient of the log posterior in the intercept."""
    for k in range(len(a)):
        slope[k] = sums[columns.intercept, k] - columns.tightness * a[k]
    for i in range(p.shape[0]):
        for k in range(len(a)):
            slope[k] -= p[i, k]


@njit(**INNER)
def limit_step(step: Any, factor: float) -> float:
    """Return ``factor``, or less, so that no entry of factor times step is larger than LONGEST."""
    for k in range(len(step)):
        factor = min(factor, LONGEST / max(abs(step[k]), LONGEST))
    return factor


@njit(**INNER)
def centre_intercept(columns: Any, counts: Any, sums: Any, work: Any, n_steps: int) -> float:
    """Find the intercept's mode without the column, from 0, and the Cholesky factor of its precision; return ln det.

    ``work.base`` holds the logits without the column and without the intercept.
    """
    a, step, z = work.centre[WITHOUT_COLUMN], work.line[SPARE], work.z
    copy_table(work.base, z)
    for k in range(len(a)):
        a[k] = 0.0
    log_det = 0.0
    for _ in range(n_steps):
        softmax_all(counts, z, work.p)
        intercept_information(columns, counts, work.p, work.root[WITHOUT_COLUMN])
        intercept_slope(columns, sums, work.p, a, step)
        log_det = factorise(work.root[WITHOUT_COLUMN])
        solve(work.root[WITHOUT_COLUMN], step)
        factor, largest = limit_step(step, 1.0), 0.0
        for k in range(len(a)):
            step[k] *= factor
            a[k] += step[k]
            largest = max(largest, abs(step[k]))
        shift_all(step, z, 1.0)
        if largest < 1e-3:
            break
    return log_det


@njit(**INNER)
def newton_steps(columns: Any, counts: Any, sums: Any, g: int, s: float, n_steps: int, work: Any) -> float:
    """Make Newton steps in the column's weights, and in the intercept if it moves along; return ln Z(s) nearly.

    ``work.z`` holds the logits at ``work.mode`` (and the intercept's ``work.centre``), before and after. ln Z is the
    normal approximation to the integral over them, taken before the last step with the gain that the step should
    bring.
    """
    with_intercept, tau, z, p = columns.with_intercept[g], s**-2, work.z, work.p
    begin, n_blocks = columns.start[g], z.shape[1]
    n_features = columns.start[g + 1] - begin
    a, step_a, schur = work.centre[WITH_COLUMN], work.line[SPARE], work.root[WITH_COLUMN]
    result = 0.0
    for _ in range(n_steps):
        result = log_likelihood(columns, counts, g, z, p) - n_features * n_blocks * log(s)
        if with_intercept:
            intercept_information(columns, counts, p, schur)
            intercept_slope(columns, sums, p, a, step_a)
            result += inner_product(a, sums[columns.intercept]) - 0.5 * columns.tightness * inner_product(a, a)
        for f in range(n_features):
            j = columns.feature[begin + f]
            v, lower, slope = work.mode[f], work.lower[f], work.slope[f]
            result += inner_product(v, sums[j]) - 0.5 * tau * inner_product(v, v)
            feature_slope(columns, sums, p, j, v, tau, slope)
            result -= 0.5 * feature_root(columns, counts, p, j, tau, columns.most[g], lower)
            if with_intercept and not columns.light[j]:
                _tie(columns, counts, p, j, lower, work.cross, work.tie[f])
                _eliminate(work.cross, work.tie[f], slope, schur, step_a)
            gain = work.line[SPARE_TOO]
            copy(slope, gain)
            solve_feature(columns, j, lower, slope)
            result += 0.5 * inner_product(gain, slope)
        factor = 1.0
        if with_intercept:
            copy(step_a, work.line[SPARE_TOO])
            result -= 0.5 * factorise(schur)
            solve(schur, step_a)
            result += 0.5 * inner_product(step_a, work.line[SPARE_TOO])
            factor = limit_step(step_a, factor)
        for f in range(n_features):
            slope = work.slope[f]
            if with_intercept and not columns.light[columns.feature[begin + f]]:
                for k in range(n_blocks):
                    slope[k] -= inner_product(work.tie[f, k], step_a)
            factor = limit_step(slope, factor)
        if with_intercept:
            for k in range(n_blocks):
                step_a[k] *= factor
                a[k] += step_a[k]
            shift_all(step_a, z, 1.0)
        for f in range(n_features):
            for k in range(n_blocks):
                work.slope[f, k] *= factor
                work.mode[f, k] += work.slope[f, k]
            shift(columns, columns.feature[begin + f], work.slope[f], z, 1.0)
    return result


@njit(**INNER)
def feature_slope(columns: Any, sums: Any, p: Any, j: int, v: Any, tau: float, slope: Any) -> None:
    """Fill ``slope`` (B,) with the gradient of the log posterior in the weights v of feature j."""
    for k in range(len(v)):
        slope[k] = sums[j, k] - tau * v[k]
    for t in range(columns.row_start[j], columns.row_start[j + 1]):
        i, x = columns.row[t], columns.value[t]
        for k in range(len(v)):
            slope[k] -= x * p[i, k]


@njit(**INNER)
def feature_root(columns: Any, counts: Any, p: Any, j: int, tau: float, factor: float, lower: Any) -> float:
    """Fill ``lower`` with the Cholesky factor of H_j = factor A_j + tau; return ln det H_j over the contrasts.

    Where H_j is taken to be diagonal, its diagonal is the first row of ``lower``. The mean over blocks has precision
    tau.
    """
    n_blocks = lower.shape[0]
    if columns.light[j]:
        for k in range(n_blocks):
            lower[0, k] = tau
        for t in range(columns.row_start[j], columns.row_start[j + 1]):
            i, x = columns.row[t], columns.value[t]
            for k in range(n_blocks):
                lower[0, k] += factor * x * x * p[i, k] * (1.0 - p[i, k] / counts[i])
        total, log_det = 0.0, log(tau)
        for k in range(n_blocks):
            total += lower[0, k] / n_blocks
            log_det += log(lower[0, k])
        return log_det - log(total)
    for k in range(n_blocks):
        for l in range(k + 1):  # noqa: E741
            lower[k, l] = 0.0
        lower[k, k] = tau
    for t in range(columns.row_start[j], columns.row_start[j + 1]):
        i, x = columns.row[t], columns.value[t]
        add_information(p, i, counts[i], factor * x * x, lower)
    return factorise(lower)


@njit(**INNER)
def solve_feature(columns: Any, j: int, lower: Any, x: Any) -> None:
    """Replace a slope x (B,) by the Newton step of feature j, in the contrasts."""
    if not columns.light[j]:
        solve(lower, x)
        return
    mean = 0.0
    for k in range(len(x)):
        x[k] /= lower[0, k]
        mean += x[k] / len(x)
    for k in range(len(x)):
        x[k] -= mean


@njit(**INNER)
def squared_distance(columns: Any, j: int, lower: Any, x: Any) -> float:
    """Return x'Px, P being the precision of feature j over the contrasts x (B,), which may be overwritten."""
    if not columns.light[j]:
        multiply_transposed(lower, x)
        return inner_product(x, x)
    total, tilt, square = 0.0, 0.0, 0.0
    for k in range(len(x)):
        total += lower[0, k]
        tilt += lower[0, k] * x[k]
        square += lower[0, k] * x[k] * x[k]
    return square - tilt * tilt / total


@njit(**INNER)
def _tie(columns: Any, counts: Any, p: Any, j: int, lower: Any, cross: Any, tie: Any) -> None:
    """Fill ``cross`` with C_j, whole, and ``tie`` with H_j^-1 C_j."""
    n_blocks = cross.shape[0]
    for k in range(n_blocks):
        for l in range(n_blocks):  # noqa: E741
            cross[k, l] = 0.0
    for t in range(columns.row_start[j], columns.row_start[j + 1]):
        i = columns.row[t]
        add_information(p, i, counts[i], columns.value[t], cross)
    for k in range(n_blocks):
        for l in range(k):  # noqa: E741
            cross[l, k] = cross[k, l]
    copy_table(cross, tie)
    solve_rows(lower, tie)


@njit(**INNER)
def _eliminate(cross: Any, tie: Any, slope: Any, schur: Any, slope_a: Any) -> None:
    """Subtract C_j H_j^-1 C_j from the lower triangle of S, and C_j H_j^-1 slope from the intercept's slope."""
    n_blocks = cross.shape[0]
    for m in range(n_blocks):
        for k in range(n_blocks):
            slope_a[k] -= tie[m, k] * slope[m]
            for l in range(k + 1):  # noqa: E741
                schur[k, l] -= cross[m, k] * tie[m, l]
