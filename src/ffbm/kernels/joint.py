"""The joint chain p(b, theta | A, X): block moves in the field of the weights, and weight moves given the blocks."""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.carrying import carry_and_decide, fill_field, sum_features
from ffbm.kernels.compiling import DOOR, INNER, copy, copy_table
from ffbm.kernels.hmc import run_hmc
from ffbm.kernels.mala import run_mala
from ffbm.kernels.mergesplit import many_at_once
from ffbm.kernels.scattering import scatter_jump
from ffbm.kernels.shifting import shift_jump
from ffbm.kernels.single import ROUNDING, sweep
from ffbm.kernels.target import Model


class Pace(NamedTuple):
    """What is chosen for a chain."""

    burn: int
    thin: int
    n_moves: int  # weight moves after each sweep
    epsilon: float
    jumps: float  # moves of many vertices tried after each sweep, in the mean: the weights stay as they are
    shifts: float  # the same: the weights are carried along
    n_scans: int
    hamiltonian: bool  # HMC, else MALA


class Harvest(NamedTuple):
    """The draws kept on a stretch of the chain."""

    labels: np.ndarray  # (T, N)
    entropy: np.ndarray  # (T,) S
    moved: np.ndarray  # (T,) the share of vertex visits that moved their vertex, since the draw before
    weights: np.ndarray  # (T, B, D)
    energy: np.ndarray  # (T,) U given this draw's labels
    acceptance: np.ndarray  # (T,) of the weight moves of the draw's sweep
    step_size: np.ndarray  # (T,)
    n_steps: np.ndarray  # (T,) int32: gradients taken by these moves
    diverging: np.ndarray  # (T,) bool: any of them


@njit(**DOOR)
def run_joint(
    rng, model, ledger, pace, n_sweeps, target, metric, plan, even, w, adapt,
    totals, tally, best, journal, work, scratch, desk, room, inner, moments, record, harvest,
):  # fmt: skip
    """Advance a chain by n_sweeps and write the draws it keeps; return how many.

    metric is that of the weight moves, even one that is the same for all blocks, for modes: see ``carrying``.
    totals: S, a place that nobody reads, the lowest S. tally: visits and moves since the last kept draw, sweeps, moves
    of many vertices tried and made, those that carry the weights along tried and made, weight moves.
    """
    m, c = bare(model), bare(ledger)
    w, best, work = bare(w), bare(best), bare(work)
    before, after = work[0], work[1]
    plain = Model(m.graph, m.likelihood, m.prior, bare(desk.blank), m.constant)
    n_active = w.shape[0]
    kept = 0
    for _ in range(n_sweeps):
        if n_active > 0:
            fill_field(target.rows, w, desk.rows, m.field)
        noted = sweep(rng, m, c, 1.0, pace.epsilon, True, totals, tally, journal, scratch)
        if noted >= 0:
            copy(c.b, best)
            for a in range(noted - 1, -1, -1):
                best[journal[0, a]] = journal[1, a]
        for _ in range(int(pace.jumps + rng.random())):
            tally[3] += 1
            if many_at_once(rng, m, c, int(rng.random() * 3), 1.0, pace.n_scans, totals, work, scratch):
                tally[4] += 1
                note_best(c, totals, best)
        if n_active > 0:
            for _ in range(int(pace.shifts + rng.random())):
                tally[5] += 1
                kind = int(rng.random() * 4)
                copy(c.b, before)
                if kind < 3:
                    change, log_ratio = shift_jump(
                        rng, plain, m, c, kind, pace.n_scans, target, even, work, desk, room, scratch
                    )
                else:
                    change, log_ratio = scatter_jump(
                        rng, plain, m, c, pace.n_scans, target, even, work, desk, room, scratch
                    )
                if carry_and_decide(
                    rng, plain, c, before, after, change, log_ratio, w, target, even, totals, desk, room
                ):
                    tally[6] += 1
                    note_best(c, totals, best)
            sum_features(target, c.b)
        done = tally[7]
        if pace.hamiltonian:
            run_hmc(
                rng, target, metric, plan, w, adapt, done, pace.n_moves, moments[0], moments[1], inner,
                record,
            )  # fmt: skip
        else:
            run_mala(rng, target, plan, w, adapt, done, pace.n_moves, moments[0], moments[1], inner, record)
        tally[7] += pace.n_moves
        tally[2] += 1
        if tally[2] == pace.burn:
            tally[0] = tally[1] = 0
        elif tally[2] > pace.burn and (tally[2] - pace.burn) % pace.thin == 0:
            copy(c.b, harvest.labels[kept])
            harvest.entropy[kept] = totals[0]
            harvest.moved[kept] = tally[1] / max(tally[0], 1)
            tally[0] = tally[1] = 0
            write_weights(record, pace.n_moves, harvest, kept)
            kept += 1
    return kept


@njit(**INNER)
def note_best(c, totals, best):
    """Keep the labels if S is the lowest so far."""
    if totals[0] < totals[2] - ROUNDING:
        totals[2] = totals[0]
        copy(c.b, best)


@njit(**INNER)
def write_weights(record, n_moves, harvest, kept):
    """Write the last of a sweep's weight moves as a draw, with the statistics of all of them."""
    last = n_moves - 1
    copy_table(record.weights[last], harvest.weights[kept])
    harvest.energy[kept] = record.energy[last]
    harvest.step_size[kept] = record.step_size[last]
    acceptance, n_steps, diverging = 0.0, 0, False
    for t in range(n_moves):
        acceptance += record.acceptance[t] / n_moves
        n_steps += record.n_steps[t]
        diverging = diverging or record.diverging[t]
    harvest.acceptance[kept] = acceptance
    harvest.n_steps[kept] = n_steps
    harvest.diverging[kept] = diverging
