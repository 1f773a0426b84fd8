"""The block chain: sweeps and moves of many vertices in turn, the kept draws, and the best partition on the way."""

from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compiling import DOOR, INLINE, INNER, copy
from ffbm.kernels.mergesplit import many_at_once
from ffbm.kernels.single import ROUNDING, sweep


@njit(**DOOR)
def run_blocks(
    rng, model, ledger, n_sweeps, burn, thin, beta, epsilon, allow_empty, jumps, n_scans,
    totals, tally, best, journal, work, scratch, labels, entropy, acceptance,
):  # fmt: skip
    """Advance a chain by n_sweeps and write the draws it keeps; return how many.

    totals: S, the field's sum, the lowest S. tally: visits and moves since the last kept draw, sweeps so
    far, moves of many vertices tried and made. After ``burn`` sweeps every ``thin``-th is kept.
    best (N,): the labels of the lowest S.
    """
    m, c, totals, tally, best = bare(model), bare(ledger), bare(totals), bare(tally), bare(best)
    kept = 0
    for _ in range(n_sweeps):
        step(
            rng, m, c, beta, epsilon, allow_empty, jumps, n_scans, totals, tally, best, journal, work, scratch
        )  # fmt: skip
        kept += keep(c.b, totals, tally, burn, thin, kept, labels, entropy, acceptance)
    return kept


@njit(**INNER)
def step(rng, m, c, beta, epsilon, allow_empty, jumps, n_scans, totals, tally, best, journal, work, scratch):
    """Visit every vertex once, then try ``jumps`` moves of many vertices, in the mean."""
    noted = sweep(rng, m, c, beta, epsilon, allow_empty, totals, tally, journal, scratch)
    if noted >= 0:
        copy(c.b, best)
        for a in range(noted - 1, -1, -1):
            best[journal[0, a]] = journal[1, a]
    if jumps > 0.0:
        for _ in range(int(jumps + rng.random())):
            kind = int(rng.random() * (3 if allow_empty else 2))
            tally[3] += 1
            if many_at_once(rng, m, c, kind, beta, n_scans, totals, work, scratch):
                tally[4] += 1
                note_best(c.b, totals, best)
    tally[2] += 1


@njit(**INLINE)
def note_best(b, totals, best):
    """Keep the labels if S is the lowest so far."""
    if totals[0] < totals[2] - ROUNDING:
        totals[2] = totals[0]
        copy(b, best)


@njit(**INLINE)
def keep(b, totals, tally, burn, thin, kept, labels, entropy, acceptance):
    """Write draw number ``kept`` if it is time for one; return how many were written."""
    if tally[2] == burn:
        tally[0] = tally[1] = 0
    elif tally[2] > burn and (tally[2] - burn) % thin == 0:
        copy(b, labels[kept])
        entropy[kept] = totals[0]
        acceptance[kept] = tally[1] / max(tally[0], 1)
        tally[0] = tally[1] = 0
        return 1
    return 0
