"""What all chains of weights share: step sizes, the draws kept, and exact draws of weights that no data inform.

Weights that no data inform are not sampled by moves: the mean over blocks of each feature's weights is
N(0, sigma^2 / B) and the weights of a feature that no training vertex has are N(0, sigma^2), both
independent of everything else, so they are drawn for each kept draw. Where scales are learned, they are drawn given the
contrasts before each move, and again with each kept draw.
"""

from math import exp, sqrt
from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.compilation import ENTRY, INLINE, INNER, copy_table
from ffbm.kernels.softmax import TILE

LOG_STEP, AVERAGE, SHORTFALL, UPDATES, FIRST = range(5)  # the state of dual averaging: see ``learn``


class Plan(NamedTuple):
    """What is chosen for a chain."""

    n_warmup: int
    thin: int  # every thin-th draw is stored
    target: float  # acceptance rate that warm-up aims at
    least_time: float  # HMC: a trajectory takes as few steps as last this long ...
    most_time: float  # HMC: ... and its steps are shortened if they would last longer than this
    n_inner: int  # MALA: steps to one draw
    anneal: float  # MALA: s in h_t = s * 250 (1000 + t)^-0.8; 0: the step size is adapted


class ChainArrays(NamedTuple):
    """What a chain of weights carries from move to move, changed in place."""

    w: np.ndarray  # (A, B) contrasts
    adapt: np.ndarray  # (5,) the state of dual averaging: see ``learn``
    mean: np.ndarray  # (B, D) running mean of the draws
    square: np.ndarray  # (B, D) running sum of their squared deviations


class Scratch(NamedTuple):
    """Arrays that moves overwrite; they come from outside, since arrays made in a kernel could not be bare."""

    tile: np.ndarray  # (TILE, B)
    line: np.ndarray  # (2, m)
    vectors: np.ndarray  # (6, A, B)
    draw: np.ndarray  # (B, D)
    logits: np.ndarray  # (3, R, B), where scales are learned
    counts: np.ndarray  # (R,), the same
    factor: np.ndarray  # (A, B), the same: of the metric


class Record(NamedTuple):
    """The draws of a stretch of a chain: the weights of those stored, and the statistics of all."""

    weights: np.ndarray  # (T // thin, B, D)
    energy: np.ndarray  # (T,)
    acceptance: np.ndarray  # (T,)
    step_size: np.ndarray  # (T,)
    n_steps: np.ndarray  # (T,) int32: gradients taken
    diverging: np.ndarray  # (T,) bool


def make_scratch(n_active: int, n_blocks: int, n_features: int, n_dense: int, n_rows: int) -> Scratch:
    """Return the arrays that moves of weights (A, B) work in; ``n_rows`` is 0 unless scales are learned."""
    return Scratch(
        tile=np.empty((TILE, n_blocks)),
        line=np.empty((2, max(n_dense, 1))),
        vectors=np.empty((6, n_active, n_blocks)),
        draw=np.empty((n_blocks, n_features)),
        logits=np.empty((3, n_rows, n_blocks)),
        counts=np.empty(n_rows),
        factor=np.ones((n_active if n_rows > 0 else 0, n_blocks)),
    )


def empty_record(n_draws: int, n_stored: int, n_blocks: int, n_features: int) -> Record:
    """Return room for the statistics of so many draws, and for the weights of those that are stored."""
    return Record(
        weights=np.empty((n_stored, n_blocks, n_features)),
        energy=np.empty(n_draws),
        acceptance=np.empty(n_draws),
        step_size=np.empty(n_draws),
        n_steps=np.empty(n_draws, dtype=np.int32),
        diverging=np.empty(n_draws, dtype=np.bool_),
    )


@njit(**ENTRY)
def learn(adapt: Any, acceptance: float, target: float) -> None:
    """Update the step size by dual averaging (Hoffman and Gelman, 2014).

    adapt = (log step, its average, mean shortfall of acceptance, updates so far, log of the first step).
    """
    adapt[UPDATES] += 1.0
    n = adapt[UPDATES]
    adapt[SHORTFALL] += (target - acceptance - adapt[SHORTFALL]) / (n + 10.0)
    adapt[LOG_STEP] = adapt[FIRST] - sqrt(n) / 0.05 * adapt[SHORTFALL]
    adapt[AVERAGE] += n**-0.75 * (adapt[LOG_STEP] - adapt[AVERAGE])


@njit(**INNER)
def step_size(adapt: Any, warm: bool) -> float:
    """Return the step size: the one on trial in warm-up, its average after; within e^-20 and e^20."""
    return exp(min(max(adapt[LOG_STEP] if warm else adapt[AVERAGE], -20.0), 20.0))


@njit(**INLINE)
def keep_draw(rng: Any, places: Any, plan: Any, done: int, t: int, chain: Any, u: float, draw: Any, record: Any) -> int:
    """Complete draw t of a stretch that began at ``done`` and store it if it is one in ``thin``; return its row."""
    before, drawn = max(done - plan.n_warmup, 0), t - plan.n_warmup + 1  # after warm-up
    row = drawn - before - 1
    record.energy[row] = record_draw(rng, places, chain.w, u, drawn, draw, chain.mean, chain.square)
    if drawn % plan.thin == 0:
        copy_table(draw, record.weights[drawn // plan.thin - before // plan.thin - 1])
    return row


@njit(**INNER)
def record_draw(rng: Any, places: Any, w: Any, u: float, n_drawn: int, draw: Any, mean: Any, square: Any) -> float:
    """Complete the contrasts w by exact draws of the rest, in ``draw`` (B, D), and take it into the moments.

    Return U of the complete weights. ``places`` are the active features, the idle ones and the scales of all; ``mean``
    and ``square`` (B, D) are Welford's running mean and sum of squares over n_drawn draws, this one included.
    """
    n_active, n_blocks = w.shape
    active, idle, scale = places
    for a in range(n_active):
        d = active[a]
        total = 0.0
        for k in range(n_blocks):
            total += w[a, k]
        # The chain's vectors mean is 0 but for rounding; it is taken out so that the reported one is exact.
        shared = rng.standard_normal() / sqrt(n_blocks)
        u += 0.5 * n_blocks * shared * shared
        shared = shared * scale[d] - total / n_blocks
        for k in range(n_blocks):
            draw[k, d] = w[a, k] + shared
    for d in idle:
        for k in range(n_blocks):
            x = rng.standard_normal()
            u += 0.5 * x * x
            draw[k, d] = scale[d] * x
    share = 1.0 / n_drawn
    for k in range(draw.shape[0]):
        for d in range(draw.shape[1]):
            off = draw[k, d] - mean[k, d]
            mean[k, d] += share * off
            square[k, d] += off * (draw[k, d] - mean[k, d])
    return u
