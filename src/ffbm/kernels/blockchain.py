"""The block chain: sweeps in a row, the kept draws, and the best partition on the way."""

from numba import njit

from ffbm.kernels.single import sweep


@njit(cache=True, nogil=True, error_model="numpy")
def run_blocks(
    rng, model, counts, n_sweeps, burn, thin, beta, epsilon, allow_empty,
    totals, tally, best, journal, scratch, labels, entropy, acceptance,
):  # fmt: skip
    """Advance a chain by n_sweeps and write the draws it keeps; return how many.

    totals: S, the field's sum, the lowest S. tally: visits and moves since the last kept draw, sweeps so
    far; after ``burn`` sweeps every ``thin``-th is kept. best (N,): the labels of the lowest S.
    """
    kept = 0
    for _ in range(n_sweeps):
        noted = sweep(rng, model, counts, beta, epsilon, allow_empty, totals, tally, journal, scratch)
        if noted >= 0:
            best[:] = counts.b
            for a in range(noted - 1, -1, -1):
                best[journal[0, a]] = journal[1, a]
        tally[2] += 1
        if tally[2] == burn:
            tally[0] = tally[1] = 0
        elif tally[2] > burn and (tally[2] - burn) % thin == 0:
            labels[kept] = counts.b
            entropy[kept] = totals[0]
            acceptance[kept] = tally[1] / max(tally[0], 1)
            tally[0] = tally[1] = 0
            kept += 1
    return kept
