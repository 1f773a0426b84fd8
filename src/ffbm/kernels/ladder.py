"""Replica exchange: chains of one target at several inverse temperatures, neighbours of which are exchanged.

The replica at inverse temperature beta follows p(b) proportional to exp(F(b) - P(b) - beta L(b)): L = -ln P(A|b)
alone is tempered, the field F and the prior P are not. It runs the moves of the plain chain, at beta, with the field
and the tables of the prior divided by beta; so its S is L + P / beta. Exchanges swap temperatures, not partitions.
"""

from typing import NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import accepts
from ffbm.kernels.bare import bare
from ffbm.kernels.blockchain import keep, note_best, step
from ffbm.kernels.compilation import ENTRY, INLINE, INNER, copy
from ffbm.kernels.ledger import ledger_at
from ffbm.kernels.partition import used_total, with_tables
from ffbm.kernels.target import Model
from ffbm.kernels.workspace import ENTROPY, FIELD, LOWEST, SWEEPS, Counters

UNKNOWN, TO_HOT, TO_COLD = 0, 1, 2  # where a replica is heading: away from the end that it was at last


class Rungs(NamedTuple):
    """What differs between temperatures, cold to hot: the first is the target itself."""

    beta: np.ndarray  # (R,) inverse temperatures, falling
    size_cost: np.ndarray  # (R, N+2) the tables of the prior over beta, see ``partition.Prior``
    size_step: np.ndarray  # (R, N+1)
    used_cost: np.ndarray  # (R, B+1), or (R, types, B+1)
    field: np.ndarray  # (R, N, B) the field over beta, or (R, 0, 0)
    gap: int  # sweeps between exchanges


class Exchange(NamedTuple):
    """Which replica is at which temperature, and how replicas have moved since the burn-in."""

    replica: np.ndarray  # (R,) the replica at each temperature
    swaps: np.ndarray  # (R-1, 2) exchanges with the next hotter temperature tried and made
    heading: np.ndarray  # (R,) where each replica is heading
    trips: np.ndarray  # (R,) how often each replica went from one end to the other and back

    @classmethod
    def start(cls, n: int) -> "Exchange":
        """Return the start of n replicas, each at its own temperature."""
        return cls(np.arange(n), np.zeros((n - 1, 2), np.int64), np.zeros(n, np.int64), np.zeros(n, np.int64))

    @property
    def swap_rates(self) -> np.ndarray:
        """The share (R-1,) of exchanges made, by pair of neighbours; NaN where none was tried."""
        tried, made = self.swaps.T
        return np.where(tried > 0, made / np.maximum(tried, 1), np.nan)

    @property
    def round_trips(self) -> int:
        """How often any replica went from one end to the other and back."""
        return int(self.trips.sum())

    def clear(self) -> None:
        """Set the counts to 0."""
        self.swaps[:], self.trips[:] = 0, 0


@njit(**ENTRY)
def run_ladder(rng, model, rungs, ledgers, schedule, n_sweeps, counters, exchange, workspace, draws):
    """Advance all replicas by n_sweeps and write the draws that are kept of the cold one; return how many.

    ledgers: that of replica k at place k of each array. In the counters totals (R, 3) are by replica and tally (R, 5)
    by temperature; the lowest S is that of the cold chain, minus infinity for replicas elsewhere.
    """
    m, s, rungs, exchange = bare(model), bare(ledgers), bare(rungs), bare(exchange)
    counters, workspace = bare(counters), bare(workspace)
    kept = 0
    for _ in range(n_sweeps):
        sweep_and_exchange(rng, m, rungs, s, schedule, counters, exchange, workspace)
        if counters.tally[0, SWEEPS] == schedule.burn:
            exchange.swaps[:] = 0
            exchange.trips[:] = 0
        k = exchange.replica[0]
        if keep(counters_of(counters, k, 0), schedule, draws.entropy, draws.acceptance, kept):
            copy(s.b[k], draws.labels[kept])
            kept += 1
    return kept


@njit(**INLINE)
def counters_of(counters, k, t):
    """Return the counters of replica k at temperature t."""
    return Counters(counters.totals[k], counters.tally[t], counters.best)


@njit(**INNER)
def sweep_and_exchange(rng, m, rungs, s, schedule, counters, exchange, workspace):
    """Make one sweep of every replica and, after every ``gap``-th, exchange neighbours, even and odd pairs in turn."""
    for t in range(rungs.beta.size):
        k = exchange.replica[t]
        tempered = Model(m.graph, m.likelihood, prior_at(m.prior, rungs, t), rungs.field[t], m.constant)
        step(rng, tempered, ledger_at(s, k), schedule, rungs.beta[t], counters_of(counters, k, t), workspace)
    n_sweeps = counters.tally[0, SWEEPS]
    if n_sweeps % rungs.gap == 0:
        first = (n_sweeps // rungs.gap) % 2
        exchange_replicas(rng, m.prior, rungs, s, first, counters.totals, counters.best, exchange)
        count_round_trips(exchange)


@njit(**INLINE)
def prior_at(prior, rungs, t):
    """Return the prior of temperature t."""
    return with_tables(prior, rungs.size_cost[t], rungs.size_step[t], rungs.used_cost[t])


@njit(**INNER)
def exchange_replicas(rng, prior, rungs, s, first, totals, best, exchange):
    """Try to exchange the replicas at temperatures first and first + 1, first + 2 and first + 3, and so on."""
    beta, replica = rungs.beta, exchange.replica
    for t in range(first, beta.size - 1, 2):
        i, j = replica[t], replica[t + 1]
        of_i = totals[i, ENTROPY] - prior_cost(prior, rungs, t, s, i)  # L
        of_j = totals[j, ENTROPY] - prior_cost(prior, rungs, t + 1, s, j)
        exchange.swaps[t, 0] += 1
        if accepts(rng.random(), (beta[t] - beta[t + 1]) * (of_i - of_j)):
            exchange.swaps[t, 1] += 1
            replica[t], replica[t + 1] = j, i
            totals[i, ENTROPY] = of_i + prior_cost(prior, rungs, t + 1, s, i)
            totals[j, ENTROPY] = of_j + prior_cost(prior, rungs, t, s, j)
            totals[i, FIELD] *= beta[t] / beta[t + 1]
            totals[j, FIELD] *= beta[t + 1] / beta[t]
            # the lowest S belongs to the temperature
            totals[i, LOWEST], totals[j, LOWEST] = totals[j, LOWEST], totals[i, LOWEST]
            note_best(s.b[j], totals[j], best)


@njit(**ENTRY)
def prior_cost(prior, rungs, t, s, k):
    """Return the prior's part of the S of replica k at temperature t: P / beta."""
    nats = used_total(prior_at(prior, rungs, t), ledger_at(s, k))
    for r in range(s.n.shape[1]):
        nats += rungs.size_cost[t, s.n[k, r]]
    return nats


@njit(**INNER)
def count_round_trips(exchange):
    """Note which replicas are at the ends, and count the round trips that are complete."""
    if exchange.replica.size > 1:
        cold, hot = exchange.replica[0], exchange.replica[-1]
        exchange.trips[cold] += exchange.heading[cold] == TO_COLD
        exchange.heading[cold] = TO_HOT
        if exchange.heading[hot] == TO_HOT:
            exchange.heading[hot] = TO_COLD
