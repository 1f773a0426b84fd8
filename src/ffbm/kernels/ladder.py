"""Replica exchange: chains of one target at several inverse temperatures that trade places with their neighbours.

The replica at inverse temperature beta follows p(b) proportional to exp(F(b) - P(b) - beta L(b)): L = -ln P(A|b)
alone is tempered, the field F and the prior P are not. It runs the moves of the plain chain, at beta, with the field
and the tables of the prior divided by beta; so its S is L + P / beta. Replicas trade temperatures, not partitions.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import accepts
from ffbm.kernels.bare import bare
from ffbm.kernels.blockchain import keep, note_best, step
from ffbm.kernels.compiling import DOOR, INLINE, INNER
from ffbm.kernels.ledger import Ledger
from ffbm.kernels.partition import used_total, with_tables
from ffbm.kernels.target import Model

UNKNOWN, TO_HOT, TO_COLD = 0, 1, 2  # which end a replica was at last, and so where it is heading


class Rungs(NamedTuple):
    """What differs between temperatures, cold to hot: the first is the target itself."""

    beta: np.ndarray  # (R,) inverse temperatures, falling
    size_cost: np.ndarray  # (R, N+2) the tables of the prior over beta, see ``partition.Prior``
    size_step: np.ndarray  # (R, N+1)
    used_cost: np.ndarray  # (R, B+1), or (R, types, B+1)
    field: np.ndarray  # (R, N, B) the field over beta, or (R, 0, 0)


class Exchange(NamedTuple):
    """Who is where, and how replicas have moved since the burn-in."""

    replica: np.ndarray  # (R,) the replica at each temperature
    swaps: np.ndarray  # (R-1, 2) exchanges with the next hotter temperature tried and made
    heading: np.ndarray  # (R,) where each replica is heading
    trips: np.ndarray  # (R,) how often each replica went from the cold end to the hot end and back


@njit(**DOOR)
def run_ladder(
    rng, model, rungs, ledgers, n_sweeps, burn, thin, gap, epsilon, allow_empty, jumps, n_scans,
    totals, tally, best, exchange, journal, work, scratch, labels, entropy, acceptance,
):  # fmt: skip
    """Advance all replicas by n_sweeps and write the draws that are kept of the cold one; return how many.

    ledgers: that of replica k at place k of each array. totals (R, 3) by replica and tally (R, 5) by temperature are
    as in ``run_blocks``; the lowest S is that of the cold chain, minus infinity for replicas elsewhere.
    """
    m, s, rungs, exchange = bare(model), bare(ledgers), bare(rungs), bare(exchange)
    totals, tally, best = bare(totals), bare(tally), bare(best)
    kept = 0
    for _ in range(n_sweeps):
        climb(
            rng, m, rungs, s, gap, epsilon, allow_empty, jumps, n_scans,
            totals, tally, best, exchange, journal, work, scratch,
        )  # fmt: skip
        if tally[0, 2] == burn:
            exchange.swaps[:] = 0
            exchange.trips[:] = 0
        k = exchange.replica[0]
        kept += keep(s.b[k], totals[k], tally[0], burn, thin, kept, labels, entropy, acceptance)
    return kept


@njit(**INNER)
def climb(
    rng, m, rungs, s, gap, epsilon, allow_empty, jumps, n_scans,
    totals, tally, best, exchange, journal, work, scratch,
):  # fmt: skip
    """Let every replica make one sweep, and after each ``gap`` of them trade places, at even and odd pairs in turn."""
    for t in range(rungs.beta.size):
        k = exchange.replica[t]
        tempered = Model(
            m.graph,
            m.likelihood,
            prior_at(m.prior, rungs, t),
            rungs.field[t],
            m.constant,
        )
        step(
            rng, tempered, ledger_of(s, k), rungs.beta[t], epsilon, allow_empty, jumps, n_scans,
            totals[k], tally[t], best, journal, work, scratch,
        )  # fmt: skip
    n_sweeps = tally[0, 2]
    if n_sweeps % gap == 0:
        trade_places(rng, m.prior, rungs, s, (n_sweeps // gap) % 2, totals, best, exchange)
        follow(exchange)


@njit(**INLINE)
def prior_at(prior, rungs, t):
    """Return the prior of temperature t."""
    return with_tables(prior, rungs.size_cost[t], rungs.size_step[t], rungs.used_cost[t])


@njit(**INLINE)
def ledger_of(s, k):
    """Return the counts of replica k."""
    return Ledger(s.b[k], s.n[k], s.e[k], s.ers[k], s.eta[k], s.term[k], s.near[k], s.used[k], s.ring[k])


@njit(**INNER)
def trade_places(rng, prior, rungs, s, first, totals, best, exchange):
    """Try to exchange the replicas at temperatures first and first + 1, first + 2 and first + 3, and so on."""
    beta, replica = rungs.beta, exchange.replica
    for t in range(first, beta.size - 1, 2):
        i, j = replica[t], replica[t + 1]
        of_i = totals[i, 0] - prior_cost(prior, rungs, t, s, i)  # L
        of_j = totals[j, 0] - prior_cost(prior, rungs, t + 1, s, j)
        exchange.swaps[t, 0] += 1
        if accepts(rng.random(), (beta[t] - beta[t + 1]) * (of_i - of_j)):
            exchange.swaps[t, 1] += 1
            replica[t], replica[t + 1] = j, i
            totals[i, 0] = of_i + prior_cost(prior, rungs, t + 1, s, i)
            totals[j, 0] = of_j + prior_cost(prior, rungs, t, s, j)
            totals[i, 1] *= beta[t] / beta[t + 1]
            totals[j, 1] *= beta[t + 1] / beta[t]
            totals[i, 2], totals[j, 2] = totals[j, 2], totals[i, 2]  # the lowest S belongs to the temperature
            note_best(s.b[j], totals[j], best)


@njit(**DOOR)
def prior_cost(prior, rungs, t, s, k):
    """Return what the prior is in the S of replica k at temperature t: P / beta."""
    nats = used_total(prior_at(prior, rungs, t), ledger_of(s, k))
    for r in range(s.n.shape[1]):
        nats += rungs.size_cost[t, s.n[k, r]]
    return nats


@njit(**INNER)
def follow(exchange):
    """Note which replicas are at the ends, and count the round trips that are complete."""
    if exchange.replica.size > 1:
        cold, hot = exchange.replica[0], exchange.replica[-1]
        exchange.trips[cold] += exchange.heading[cold] == TO_COLD
        exchange.heading[cold] = TO_HOT
        if exchange.heading[hot] == TO_HOT:
            exchange.heading[hot] = TO_COLD
