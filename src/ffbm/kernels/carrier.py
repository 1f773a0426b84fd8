"""Weights carried over from one partition to another, and the field and the mode that such moves use.

With m(b) the mode of the weights given b, and h(b) the curvature there, entry by entry::

    W' = m(b') + (W - m(b)) sqrt(h(b) / h(b'))

The map is one to one, its inverse is the same with b and b' exchanged, and its Jacobian is prod sqrt(h(b) / h(b')):
with that in the ratio a move of (b, W) is exact, however rough m and h are. Weights that no data inform do not change,
so many features do no harm, as they would if the weights were drawn again.
"""

from math import exp, log, sqrt
from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import IMPOSSIBLE, decide
from ffbm.kernels.compilation import INNER, copy_table
from ffbm.kernels.metric import Metric, add_curvature, subtract_mean
from ffbm.kernels.mode import ModeBuffers, minimise_energy
from ffbm.kernels.softmax import Target, energy_and_gradient
from ffbm.kernels.target import Model
from ffbm.kernels.workspace import AFTER, BEFORE

N_FIELD_SCANS = 2  # scans of a launch in a field, each in that of the mode given the scan before
FULL, NEW, GRADIENT = 0, 1, 2  # of ``CarryBuffers.carried``: W with its mean over blocks, W', and a gradient
TIGHT, LOOSE = 0.05, 1.0  # tolerances of a mode, twice the nats: for the weights carried over, and in a launch


class CarryBuffers(NamedTuple):
    """Arrays that a move overwrites."""

    modes: np.ndarray  # (2, A, B): given the labels before and after the move
    curves: np.ndarray  # (2, A, B)
    carried: np.ndarray  # (3, A, B)
    rows: np.ndarray  # (R, B): log probabilities of the training rows
    no_field: np.ndarray  # (0, 0): no field
    no_dense: np.ndarray  # (0, 0, B): for curvatures without a dense part


class Carrier(NamedTuple):
    """What moves that carry the weights along need of them."""

    target: Target  # its sums are those of the labels that were scored last
    metric: Metric  # the same for all blocks, for modes
    buffers: CarryBuffers
    mode_buffers: ModeBuffers


class CarriedMove(NamedTuple):
    """What a move of many vertices that carries the weights along works with."""

    without_field: Model  # the block model without a field
    with_field: Model  # the same with a field to write in
    carrier: Carrier
    n_scans: int  # of a launch
    work: np.ndarray  # (4, N) see ``workspace``: the labels before and after, and two groups of vertices
    scratch: np.ndarray  # (3, B+1) the same


@njit(**INNER)
def log_probabilities(design, w, rows):
    """Fill rows (R, B) with ln softmax(W x) of each row of the design."""
    n_blocks = w.shape[1]
    for r in range(rows.shape[0]):
        for k in range(n_blocks):
            rows[r, k] = 0.0
        for t in range(design.indptr[r], design.indptr[r + 1]):
            d = design.indices[t]
            x = 1.0 if design.values.size == 0 else design.values[t]
            for k in range(n_blocks):
                rows[r, k] += x * w[d, k]
        top = rows[r, 0]
        for k in range(1, n_blocks):
            top = max(top, rows[r, k])
        total = 0.0
        for k in range(n_blocks):
            total += exp(rows[r, k] - top)
        top += log(total)
        for k in range(n_blocks):
            rows[r, k] -= top


@njit(**INNER)
def fill_field(design, w, factor, rows, field):
    """Fill the field (N, B): ln softmax(W x_i) of training vertices, times a factor; held-out ones keep their 0."""
    log_probabilities(design, w, rows)
    for i in range(field.shape[0]):
        r = design.group[i]
        if r >= 0:
            for k in range(field.shape[1]):
                field[i, k] = factor * rows[r, k]


@njit(**INNER)
def sum_features(target, b):
    """Fill the response X'y (A, B) from the labels of the training vertices."""
    design, sums = target.rows, target.sums
    for d in range(sums.shape[0]):
        for k in range(sums.shape[1]):
            sums[d, k] = 0.0
    for i in range(b.size):
        r = design.group[i]
        if r >= 0:
            for t in range(design.indptr[r], design.indptr[r + 1]):
                x = 1.0 if design.values.size == 0 else design.values[t]
                sums[design.indices[t], b[i]] += x


@njit(**INNER)
def find_mode_of(carrier, b, tolerance, w):
    """Fill w (A, B) with the mode of the weights given the labels; the sums are left as those of the labels."""
    sum_features(carrier.target, b)
    minimise_energy(carrier.target, carrier.metric, tolerance, w, carrier.mode_buffers)


@njit(**INNER)
def write_mode_field(carrier, c, tolerance, field):
    """Write the field of the mode of the weights given the labels."""
    buffers = carrier.buffers
    find_mode_of(carrier, c.b, tolerance, buffers.carried[GRADIENT])
    fill_field(carrier.target.rows, buffers.carried[GRADIENT], 1.0, buffers.rows, field)


@njit(**INNER)
def carry_over(rng, b, before, w, carrier):
    """Carry the weights from the labels ``before`` to b; return ln of their part of the acceptance ratio.

    The mode given ``before`` is in ``modes[BEFORE]`` of the buffers; W' is left in ``carried[NEW]``. The mean over
    blocks is drawn from its law, N(0, sigma^2 / B), so that the map may act on all entries of W. The Jacobian is in.
    """
    target, buffers, mode_buffers = carrier.target, carrier.buffers, carrier.mode_buffers
    n_active, n_blocks = w.shape
    full, new, spare = buffers.carried[FULL], buffers.carried[NEW], buffers.carried[GRADIENT]
    for d in range(n_active):
        mean = target.scale[target.rows.active[d]] * rng.standard_normal() / sqrt(n_blocks)
        for k in range(n_blocks):
            full[d, k] = w[d, k] + mean
    find_mode_of(carrier, b, TIGHT, buffers.modes[AFTER])
    for side in range(2):
        curve = buffers.curves[side]
        for d in range(n_active):
            for k in range(n_blocks):
                curve[d, k] = target.precision[d]
        add_curvature(target.rows, buffers.modes[side], buffers.no_dense, curve)
    ratio = 0.0
    for d in range(n_active):
        for k in range(n_blocks):
            factor = buffers.curves[BEFORE, d, k] / buffers.curves[AFTER, d, k]
            new[d, k] = buffers.modes[AFTER, d, k] + (full[d, k] - buffers.modes[BEFORE, d, k]) * sqrt(factor)
            ratio += 0.5 * log(factor)
    ratio -= energy_and_gradient(target, new, spare, mode_buffers.tile)
    sum_features(target, before)
    ratio += energy_and_gradient(target, full, spare, mode_buffers.tile)
    return ratio


@njit(**INNER)
def carry_and_decide(rng, tools, c, beta, change, log_ratio, w, totals):
    """Carry the weights over from the labels before a move to those after, and accept both or neither.

    change is that of S, which beta multiplies; log_ratio is ln of the reverse over the forward proposal probability.
    """
    before, after = tools.work[BEFORE], tools.work[AFTER]
    if log_ratio > IMPOSSIBLE:
        log_ratio += carry_over(rng, after, before, w, tools.carrier)
    is_accepted = decide(rng, tools.without_field, c, beta, change, 0.0, log_ratio, before, after, totals)
    if is_accepted:
        copy_table(tools.carrier.buffers.carried[NEW], w)
        subtract_mean(w)
    return is_accepted
