"""How often a chain visits each partition of a tiny network, to be held against the exact law."""

from numba import njit

from ffbm.kernels.compilation import ENTRY, INLINE
from ffbm.kernels.ladder import sweep_and_exchange
from ffbm.kernels.mergesplit import many_at_once
from ffbm.kernels.relocate import relocate_if_priced
from ffbm.kernels.single import sweep


@njit(**ENTRY)
def count_visits(rng, model, ledger, kinds, n_steps, schedule, counters, workspace, visits):
    """Make ``schedule.burn`` and then n_steps steps, and count the state after each of the latter.

    A step is one move of each of the kinds in turn: -1 is a sweep, -2 a relocation. The state b is number
    sum_i b_i B^(N-1-i).
    """
    beta, totals, scratch = schedule.beta, counters.totals, workspace.scratch
    for turn in range(schedule.burn + n_steps):
        for kind in kinds:
            if kind == -2:
                relocate_if_priced(rng, model, ledger, beta, schedule.n_steps, totals, workspace.work, scratch)
            elif kind == -1:
                sweep(
                    rng, model, ledger, beta, schedule.epsilon, schedule.allow_empty, totals, counters.tally,
                    workspace.undo_log, scratch,
                )  # fmt: skip
            else:
                many_at_once(rng, model, ledger, kind, beta, schedule.n_scans, totals, workspace.work, scratch)
        if turn >= schedule.burn:
            visits[code_of(ledger.b, ledger.n.size)] += 1


@njit(**ENTRY)
def count_ladder_visits(rng, model, rungs, ledgers, n_steps, schedule, counters, exchange, workspace, visits):
    """Count the states of replicas by temperature: visits (R, B^N). A step is a ``sweep_and_exchange``."""
    for turn in range(schedule.burn + n_steps):
        sweep_and_exchange(rng, model, rungs, ledgers, schedule, counters, exchange, workspace)
        if turn >= schedule.burn:
            for t in range(rungs.beta.size):
                visits[t, code_of(ledgers.b[exchange.replica[t]], ledgers.n.shape[1])] += 1


@njit(**INLINE)
def code_of(b, n_blocks):
    """Return the number of the state b."""
    code = 0
    for i in range(b.size):
        code = code * n_blocks + b[i]
    return code
