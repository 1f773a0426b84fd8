"""The published program's weight chain, kept as a reproduction and for nothing else.

It does not sample p(theta | X, y). Two things differ from the Langevin algorithm that the paper describes: the
acceptance compares proposal densities of variance 1 where the noise has variance 2h, and the drift divides the
likelihood's part of the gradient by n but not the prior's. Both are here exactly as published, so that the paper's
table can be made again and understood. ``sample_weights(sampler="mala")`` is the algorithm done right.
"""

from math import log, sqrt
from typing import Any, NamedTuple, Protocol

import numpy as np
import scipy.sparse as sp

from ffbm.progress import Listener, Progress
from ffbm.scoring.rows import sum_rows
from ffbm.theta.rows import merge_rows
from ffbm.types import Array

_STEPS_SHOWN = 500  # steps
_SPARSE = 0.05  # the share of entries that are not 0, below which sparse products are quicker
FLOOR = 1e-8  # the program takes ln(a + FLOOR) for ln a, in its energy and in all its losses


class Randomness(Protocol):
    """What the program draws from: a numpy Generator, or numpy's legacy RandomState."""

    def standard_normal(self, size: Any = ...) -> Any:
        """Return independent standard normal numbers."""

    def random(self) -> Any:
        """Return a number uniform on [0, 1)."""


class ProgramDraws(NamedTuple):
    """The draws that the program keeps."""

    weights: Array  # (T, B, D)
    energy: Array  # (T,)
    acceptance: Array  # (T,): the share of steps accepted since the draw before
    step_size: Array  # (T,)


class Training(NamedTuple):
    """Training vertices, those with equal features taken together, laid out for products with weights (D, B)."""

    n: int
    x: Any  # (R, D) distinct rows, dense or CSR
    turned: Any  # (D, R)
    counts: Array  # (R, 1) vertices with each row
    sums: Array  # (R, B) their memberships, added up


class Point(NamedTuple):
    """Weights (D, B) with what the program computes there."""

    w: Array
    energy: float
    drift: Array


def run_program(
    x: Any,
    y: Array,
    scale: float,
    random: Randomness,
    n_steps: int = 10_000,
    burn_in: float = 0.4,
    thin: int = 10,
    listen: Listener | None = None,
) -> ProgramDraws:
    """Run the published weight chain and return the draws it keeps.

    W starts at N(0, 1) / sqrt(D). At step t = 0, 1, ..., with n training vertices and xi standard normal::

        h = scale * 250 (1000 + t)^-0.8 / n
        W' = W - h g(W) + sqrt(2h) xi,    g(W)_k = (1/n) sum_i x_i (a_ik - y_ik) + w_k
        ln alpha = U(W) - U(W') + ln N(W; W' - h g(W'), I) - ln N(W'; W - h g(W), I)

    and W' is accepted if ln u <= min(ln alpha, 0). The correct ratio has 2h I in place of I.

    Parameters
    ----------
    x : (n, D) array or sparse matrix
        The features of the training vertices.
    y : (n, B) float64
        Their memberships.
    scale : float
        s, the authors' choice for each data set.
    random : numpy Generator or RandomState
        Each step takes B D normals, as a (B, D) array, and then one uniform number.
    n_steps, burn_in, thin : int, float, int
        The first ``burn_in`` of the steps are dropped, every ``thin``-th of the others is kept, the first included.
    listen : callable, optional
        Told now and then how far the chain is.

    Examples
    --------
    >>> x, y = np.tile(np.eye(2), (20, 1)), np.tile(np.eye(2), (20, 1))
    >>> draws = run_program(x, y, 0.05, np.random.default_rng(1), n_steps=100)
    >>> draws.weights.shape, draws.energy.shape
    ((6, 2, 2), (6,))
    """
    train = lay_out(x, y)
    shape = train.sums.shape[1], train.x.shape[1]
    first = int(burn_in * n_steps)
    kept: list[Array] = []
    energy, acceptance, step_size = [], [], []
    n_accepted, since = 0, 0
    here = look(train, _turned(random.standard_normal(shape)) / sqrt(shape[1]))
    for t in range(n_steps):
        if listen is not None and t % _STEPS_SHOWN == 0:
            listen(Progress("published program", t, n_steps))
        h = scale * 250 * (1000 + t) ** -0.8 / train.n
        there = published_step(train, here, h, _turned(random.standard_normal(shape)), random.random())
        n_accepted += there is not here
        since += 1
        here = there
        if t >= first and (t - first) % thin == 0:
            kept.append(here.w.T)
            energy.append(here.energy)
            acceptance.append(n_accepted / since)
            step_size.append(h)
            n_accepted, since = 0, 0
    return ProgramDraws(np.array(kept).reshape(-1, *shape), np.array(energy), np.array(acceptance), np.array(step_size))


def published_step(train: Training, here: Point, h: float, normals: Array, uniform: float) -> Point:
    """Return where one step of the program leads; ``here`` itself if the proposal is refused."""
    noise = sqrt(2 * h) * normals
    there = look(train, here.w - h * here.drift + noise)
    back = here.w - there.w + h * there.drift
    log_densities = 0.5 * float(np.vdot(noise, noise) - np.vdot(back, back))  # of variance 1: the slip
    log_alpha = here.energy - there.energy + log_densities
    return there if uniform == 0 or log(uniform) <= min(log_alpha, 0.0) else here


def program_loss(weights: Array, x: Any, y: Array) -> float:
    """Return the cross-entropy as the program takes it, averaged over draws (T, B, D) and vertices.

    >>> round(program_loss(np.zeros((1, 2, 1)), np.ones((3, 1)), np.full((3, 2), 0.5)), 6)  # ln 2
    0.693147
    """
    total = 0.0
    for w in weights:
        total -= float(np.vdot(y, np.log(_softmax(x @ w.T) + FLOOR)))
    return total / (len(weights) * len(y))


def lay_out(x: Any, y: Array) -> Training:
    """Prepare training features (n, D) and memberships (n, B)."""
    merged = merge_rows(sp.csr_array(x, dtype=np.float64, copy=True))
    n_rows = len(merged.counts)
    distinct = merged.x if merged.x.nnz < _SPARSE * n_rows * merged.x.shape[1] else merged.x.toarray()
    turned = sp.csr_array(distinct.T) if sp.issparse(distinct) else np.ascontiguousarray(distinct.T)
    return Training(len(y), distinct, turned, merged.counts[:, np.newaxis], sum_rows(y, merged.group, n_rows))


def look(train: Training, w: Array) -> Point:
    """Return the program's energy and drift at weights (D, B)."""
    a = _softmax(train.x @ w)
    energy = 0.5 * np.vdot(w, w) - np.vdot(train.sums, np.log(a + FLOOR))
    a *= train.counts
    a -= train.sums
    drift = train.turned @ a
    drift /= train.n
    drift += w
    return Point(w, float(energy), drift)


def _softmax(z: Array) -> Array:
    """Turn logits (n, B) into probabilities, in place."""
    z -= z.max(axis=1, keepdims=True)
    np.exp(z, out=z)
    z /= (z @ np.ones(z.shape[1]))[:, np.newaxis]  # quicker than a sum over a short axis
    return z


def _turned(normals: Array) -> Array:
    return np.ascontiguousarray(normals.T)
