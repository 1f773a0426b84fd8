"""Do two columns act together? What the cells of their cross table say of blocks beyond what each column adds.

The null is additive: softmax(W x) with weights for every column. The statistic is Rao's score for weights of the cells,
with the score of the additive weights projected out (Neyman's C(alpha)): errors in these weights, and what their prior
does to them, cancel to first order, so that nothing has to be fitted again. Its law is drawn from the additive model.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from scipy.optimize import minimize
from scipy.special import log_softmax, logsumexp

from ffbm.types.graph import Array

SIGMA = 2.5  # prior standard deviation of the additive weights: weak, and enough to keep them finite
_SPREAD = 100  # draws for the spread of residuals, where blocks are not known
_PIECE = 2**24  # numbers held at once
_TINY = 1e-300


class CellScore(NamedTuple):
    """What the cells of a pair of columns say."""

    statistic: float  # the squared sum of the vertices' scores over the sum of their squares
    freedom: float  # how many weights of cells the data can tell
    p: float
    expected: Array  # (C, B): vertices of each cell in each block, by the additive model
    residuals: Array  # (C, B): vertices there, less those expected
    errors: Array  # (C, B): their standard deviations under the additive model


def evidence_of(memberships: Array, prior: Array) -> Array:
    """Return what edges alone say of each vertex's block (N, B), up to a factor for each vertex.

    ``memberships`` (N, B) are probabilities under ``prior``, (B,) or (N, B). Each block's sum over the vertices is N: a
    vertex drawn in proportion to it shows what edges say of a vertex of that block.

    >>> evidence_of(np.array([[0.9, 0.1], [0.1, 0.9]]), np.array([0.5, 0.5])).tolist()
    [[1.8, 0.2], [0.2, 1.8]]
    """
    ratio = memberships / np.maximum(prior, _TINY)
    return np.asarray(ratio * (len(ratio) / np.maximum(ratio.sum(axis=0), _TINY)))


def fit_additive(x: Array, evidence: Array) -> Array:
    """Return the probability (N, B) of each vertex's block by its features: the mode of p(W | X, evidence).

    The likelihood of a vertex is sum_r evidence_ir softmax_r(W x_i); with known blocks that is the usual one.

    >>> x = np.column_stack((np.ones(40), np.repeat([1, 0], 20)))
    >>> fit_additive(x, np.tile([[2.0, 0.0], [0.0, 2.0]], (20, 1))).round(3)[[0, -1]].tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    shape = x.shape[1], evidence.shape[1]
    log_evidence = np.log(np.maximum(evidence, _TINY))

    def energy(flat: Array) -> tuple[float, Array]:
        w = flat.reshape(shape)
        ln_p = log_softmax(x @ w, axis=1)
        total = logsumexp(ln_p + log_evidence, axis=1, keepdims=True)
        slope = x.T @ (np.exp(ln_p) - np.exp(ln_p + log_evidence - total)) + w / SIGMA**2
        return float((w**2).sum() / (2 * SIGMA**2) - total.sum()), np.ravel(slope)

    best = minimize(energy, np.zeros(shape).ravel(), jac=True, method="L-BFGS-B", options={"maxiter": 1000})
    return np.asarray(np.exp(log_softmax(x @ best.x.reshape(shape), axis=1)))


def score_cells(
    x: Array, cells: Sequence[Array], evidence: Array, n_draws: int, rng: np.random.Generator
) -> list[CellScore]:
    """Return for each pair of columns what its cells say beyond the additive model.

    Parameters
    ----------
    x : (N, D)
        The additive model: an intercept and the features of the columns, one for every value.
    cells : for each pair (N, C)
        Which vertex is in which cell.
    evidence : (N, B)
        From ``evidence_of``; with known blocks one entry in each row. Every block has some.
    n_draws : int
        How often blocks, and what edges say of them, are drawn from the additive model.

    Examples
    --------
    >>> rng = np.random.default_rng(1)
    >>> one, other = rng.integers(2, size=(2, 80))
    >>> cells, x = np.eye(4)[2 * one + other], np.column_stack((np.ones(80), one, other))
    >>> blocks = np.eye(2)[one ^ other], np.eye(2)[one]  # both together say the block, or one of them does
    >>> [score_cells(x, [cells], evidence_of(b, b.mean(axis=0)), 99, rng)[0].p <= 0.05 for b in blocks]
    [True, False]
    """
    p = fit_additive(x, evidence)
    spread = _spread(p, evidence, rng)
    information = _information(x, x, spread)
    factor = cho_factor(information + np.eye(len(information)) / SIGMA**2)
    pairs = [_Pair.of(x, pair, spread, factor) for pair in cells]
    observed = _posterior(p, evidence) - p
    values = [[pair.statistic(observed) for pair in pairs]]
    chances, cumulative = np.cumsum(p, axis=1), np.cumsum(evidence, axis=0)
    for _ in range(n_draws):
        drawn = _posterior(p, evidence[_draw(chances, cumulative, rng)]) - p
        # one Newton step: how the additive fit would have followed these blocks, from where it is
        step = cho_solve(factor, np.ravel(x.T @ (drawn - observed))).reshape(x.shape[1], -1)
        drawn -= _times(spread, x @ step)
        values.append([pair.statistic(drawn) for pair in pairs])
    table = np.array(values).reshape(1 + n_draws, len(pairs))
    p_values = (table >= table[0] * (1 - 1e-9)).mean(axis=0)  # ties count, and what was observed does
    return [
        CellScore(
            float(table[0, k]), pair.freedom, float(p_values[k]), pair.cells.T @ p, pair.cells.T @ observed, pair.errors
        )
        for k, pair in enumerate(pairs)
    ]


class _Pair(NamedTuple):
    """The cells of a pair of columns with the additive weights projected out."""

    x: Array
    cells: Array
    onto: Array  # (D B, C B): the additive weights that stand in for those of each cell
    half: Array  # (C B, k): half half' is the inverse of the cells' information, with a prior of standard deviation 1
    squares: Array  # (N, B, B): of each vertex's score, as a form of its residual
    freedom: float
    errors: Array

    @classmethod
    def of(cls, x: Array, cells: Array, spread: Array, factor: Any) -> "_Pair":
        n_blocks = spread.shape[1]
        between = _information(x, cells, spread)
        onto = cho_solve(factor, between)
        covariance = _information(cells, cells, spread) - between.T @ onto - onto.T @ onto / SIGMA**2
        roots, vectors = np.linalg.eigh((covariance + covariance.T) / 2)
        roots = np.maximum(roots, 0.0)
        half = vectors / np.sqrt(roots + 1.0)
        direct = half.reshape(cells.shape[1], n_blocks, -1)
        stand_in = (onto @ half).reshape(x.shape[1], n_blocks, -1)
        squares = np.empty_like(spread)
        size = max(1, _PIECE // (n_blocks * half.shape[1]))
        for first in range(0, len(x), size):
            part = slice(first, first + size)
            scores = np.tensordot(cells[part], direct, axes=1) - np.tensordot(x[part], stand_in, axes=1)
            squares[part] = scores @ scores.transpose(0, 2, 1)
        errors = np.sqrt(np.maximum(np.diag(covariance), 0.0)).reshape(cells.shape[1], n_blocks)
        return cls(x, cells, onto, half, squares, float((roots / (roots + 1.0)).sum()), errors)

    def statistic(self, residual: Array) -> float:
        """Return the squared sum of the vertices' scores over the sum of their squares."""
        total = (np.ravel(self.cells.T @ residual) - np.ravel(self.x.T @ residual) @ self.onto) @ self.half
        squares = float((residual * _times(self.squares, residual)).sum())
        return float((total**2).sum() / max(squares, _TINY))


def _times(matrices: Array, vectors: Array) -> Array:
    """Multiply the matrix (B, B) of each vertex by its vector (B,)."""
    return np.asarray((matrices @ vectors[:, :, np.newaxis])[:, :, 0])


def _posterior(p: Array, evidence: Array) -> Array:
    both = p * evidence
    return np.asarray(both / np.maximum(both.sum(axis=1, keepdims=True), _TINY))


def _draw(chances: Array, cumulative: Array, rng: np.random.Generator) -> Array:
    """Draw a block for each vertex from its features, and return whose edges speak of it: a vertex of that block."""
    n, n_blocks = chances.shape
    block = np.minimum((rng.random((n, 1)) > chances).sum(axis=1), n_blocks - 1)
    u, source = rng.random((n,)), np.empty(n, dtype=np.int64)
    for r in range(n_blocks):
        is_here = block == r
        source[is_here] = np.searchsorted(cumulative[:, r], u[is_here] * cumulative[-1, r], side="right")
    return np.minimum(source, n - 1)


def _spread(p: Array, evidence: Array, rng: np.random.Generator) -> Array:
    """Return the covariance (N, B, B) of each vertex's residual under the additive model."""
    if ((evidence > 0).sum(axis=1) <= 1).all():  # blocks are known
        return np.asarray(np.eye(p.shape[1]) * p[:, :, np.newaxis] - p[:, :, np.newaxis] * p[:, np.newaxis])
    total = np.zeros((*p.shape, p.shape[1]))
    chances, cumulative = np.cumsum(p, axis=1), np.cumsum(evidence, axis=0)
    for _ in range(_SPREAD):
        residual = _posterior(p, evidence[_draw(chances, cumulative, rng)]) - p
        total += residual[:, :, np.newaxis] * residual[:, np.newaxis]
    return total / _SPREAD


def _information(x: Array, z: Array, spread: Array) -> Array:
    """Return sum_i x_i z_i' times the spread of vertex i, rows and columns by feature and block."""
    n_blocks = spread.shape[1]
    out = np.empty((x.shape[1], n_blocks, z.shape[1], n_blocks))
    for r in range(n_blocks):
        for s in range(r, n_blocks):
            out[:, r, :, s] = out[:, s, :, r] = (x * spread[:, r, s, np.newaxis]).T @ z
    return out.reshape(x.shape[1] * n_blocks, -1)
