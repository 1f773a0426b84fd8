"""The joint chain p(b, theta | A, X): block moves in the field of the weights, and weight moves given the blocks."""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.blockchain import Schedule, keep, note_best, step
from ffbm.kernels.carriedsplit import propose_split
from ffbm.kernels.carrier import CarriedMove, carry_and_decide, fill_field, sum_features
from ffbm.kernels.compilation import ENTRY, INNER, copy, copy_table
from ffbm.kernels.hmc import run_hmc
from ffbm.kernels.mala import run_mala
from ffbm.kernels.metric import Metric
from ffbm.kernels.scatter import propose_scatter
from ffbm.kernels.target import Model
from ffbm.kernels.weightchain import ChainArrays, Plan, Record, Scratch
from ffbm.kernels.workspace import BEFORE

CARRIED_TRIED, CARRIED_MADE, WEIGHT_MOVES = 5, 6, 7  # in ``tally``, after those of ``workspace``


class JointSchedule(NamedTuple):
    """What is chosen for a chain."""

    blocks: Schedule  # its beta multiplies -ln P(A|b) alone, its jumps leave the weights as they are
    shifts: float  # the same with the weights carried along, tried after each sweep, on average
    n_moves: int  # weight moves after each sweep
    hamiltonian: bool  # HMC, else MALA


class WeightMoves(NamedTuple):
    """What moves of the weights, given the labels, need."""

    metric: Metric
    plan: Plan
    scratch: Scratch
    chain: ChainArrays  # its moments mean nothing: labels change
    record: Record  # of the moves after one sweep


class JointDraws(NamedTuple):
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


@njit(**ENTRY)
def run_joint(rng, model, ledger, schedule, n_sweeps, carrier, moves, counters, workspace, draws):
    """Advance a chain by n_sweeps and write the draws it keeps; return how many.

    The counters are those of a block chain, with a longer tally; nobody reads the field's sum.
    """
    m, c = bare(model), bare(ledger)
    chain, counters, workspace, target = bare(moves.chain), bare(counters), bare(workspace), carrier.target
    without_field = Model(m.graph, m.likelihood, m.prior, bare(carrier.buffers.no_field), m.constant)
    tools = CarriedMove(without_field, m, carrier, schedule.blocks.n_scans, workspace.work, workspace.scratch)
    w, tally, record = chain.w, counters.tally, moves.record
    n_active, beta, kept = w.shape[0], schedule.blocks.beta, 0
    for _ in range(n_sweeps):
        if n_active > 0:
            fill_field(target.rows, w, 1.0 / beta, carrier.buffers.rows, m.field)
        step(rng, m, c, schedule.blocks, beta, counters, workspace)
        if n_active > 0:
            for _ in range(int(schedule.shifts + rng.random())):
                tally[CARRIED_TRIED] += 1
                if carried_move(rng, tools, c, beta, w, counters.totals):
                    tally[CARRIED_MADE] += 1
                    note_best(c.b, counters.totals, counters.best)
            sum_features(target, c.b)
        done, n = tally[WEIGHT_MOVES], schedule.n_moves
        if schedule.hamiltonian:
            run_hmc(rng, target, moves.metric, moves.plan, chain, done, n, moves.scratch, record)
        else:
            run_mala(rng, target, moves.plan, chain, done, n, moves.scratch, record)
        tally[WEIGHT_MOVES] += n
        if keep(counters, schedule.blocks, draws.entropy, draws.moved, kept):
            copy(c.b, draws.labels[kept])
            write_weights(record, n, draws, kept)
            kept += 1
    return kept


@njit(**INNER)
def carried_move(rng, tools, c, beta, w, totals):
    """Try one move of many vertices, of a random kind, that carries the weights along; return whether it was made."""
    kind = int(rng.random() * 4)
    copy(c.b, tools.work[BEFORE])
    if kind < 3:
        change, log_ratio = propose_split(rng, tools, c, kind)
    else:
        change, log_ratio = propose_scatter(rng, tools, c)
    return carry_and_decide(rng, tools, c, beta, change, log_ratio, w, totals)


@njit(**INNER)
def write_weights(record, n_moves, draws, kept):
    """Write the last of a sweep's weight moves as a draw, with the statistics of all of them."""
    last = n_moves - 1
    copy_table(record.weights[last], draws.weights[kept])
    draws.energy[kept] = record.energy[last]
    draws.step_size[kept] = record.step_size[last]
    acceptance, n_steps, diverging = 0.0, 0, False
    for t in range(n_moves):
        acceptance += record.acceptance[t] / n_moves
        n_steps += record.n_steps[t]
        diverging = diverging or record.diverging[t]
    draws.acceptance[kept] = acceptance
    draws.n_steps[kept] = n_steps
    draws.diverging[kept] = diverging
