"""How often a chain visits each partition of a tiny network, to be held against the exact law."""

from numba import njit

from ffbm.kernels.compiling import DOOR
from ffbm.kernels.mergesplit import many_at_once
from ffbm.kernels.single import sweep


@njit(**DOOR)
def count_visits(
    rng, model, ledger, kinds, n_steps, n_dropped, beta, epsilon, allow_empty, totals, tally, work, scratch, visits,
):  # fmt: skip
    """Make n_dropped and then n_steps steps, and count the state after each of the latter.

    A step is one move of each of the kinds in turn, a sweep for a negative kind. The state b is number
    sum_i b_i B^(N-1-i).
    """
    for turn in range(n_dropped + n_steps):
        for kind in kinds:
            if kind < 0:
                sweep(rng, model, ledger, beta, epsilon, allow_empty, totals, tally, work[:2], scratch)
            else:
                many_at_once(rng, model, ledger, kind, beta, 1, totals, work, scratch)
        if turn >= n_dropped:
            code = 0
            for i in range(ledger.b.size):
                code = code * ledger.n.size + ledger.b[i]
            visits[code] += 1
