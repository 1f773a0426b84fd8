"""Relocation: two blocks merge and another one is split, along an annealing path.

The two blocks are heated from the chain's temperature until each of their vertices is in either of them by a coin, and
are then one; another block is cooled from coins to two blocks on the same path. The step that changes the inverse
temperature from x to y multiplies the weight of the path by exp((x - y) E), E = S - F in the state it is made in; a
scan at each temperature leaves that temperature's law invariant. So the weight of cooling is on average the sum of
exp(-beta E) over all splits, and that of heating one over it (Jarzynski 1997; Neal 2001), and the move is accepted by
their ratio: no single split is chosen whose reverse would be one of thousands, as with a single scan. The reverse move
heats what was cooled and scans it in the reverse order.

The pair that merges is drawn by the cost of its merge, the block that is split by its size; the reverse proposal draws
them by the costs and sizes of the state after the move. The merged block may be the one that is split.
"""

import numpy as np
from numba import njit
from numba.extending import overload

from ffbm.kernels.acceptance import IMPOSSIBLE, decide
from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, INLINE, INNER, ONCE, copy
from ffbm.kernels.dispatch import is_implemented
from ffbm.kernels.mergesplit import Split, collect, gather, move_scored
from ffbm.kernels.partition import may_share
from ffbm.kernels.target import change_to, lift_to, merge_cost, move
from ffbm.kernels.workspace import AFTER, BEFORE, ENTROPY, FIELD

_SPAN = 15.0  # a merge that costs so many nats more is tried exp(-1) times as often


@njit(**ENTRY)
def relocate(rng, model, ledger, beta, n_steps, totals, work, scratch):
    """Try a relocation; return whether the partition moved. For dense tables; see ``workspace``."""
    m, c, totals, work, scratch = bare(model), bare(ledger), bare(totals), bare(work), bare(scratch)
    copy(c.b, work[BEFORE])
    change, lift, log_ratio = _propose(rng, m, c, beta, n_steps, work, scratch)
    return decide(rng, m, c, beta, change, lift, log_ratio, work[BEFORE], work[AFTER], totals)


def relocate_if_priced(rng, model, ledger, beta, n_steps, totals, work, scratch):
    """Try a relocation if merges have a cost, which those of a tree's leaves have not, and the tables are dense.

    Both are known from types when a kernel is compiled.
    """
    is_priced = is_implemented(type(model.likelihood), "merge_change") and ledger.ers.ndim == 2
    return is_priced and relocate(rng, model, ledger, beta, n_steps, totals, work, scratch)


@overload(relocate_if_priced)
def _choose(rng, model, ledger, beta, n_steps, totals, work, scratch):  # noqa: ARG001
    likelihood = model.types[model.instance_class._fields.index("likelihood")]
    table = ledger.types[ledger.instance_class._fields.index("ers")]
    if is_implemented(likelihood.instance_class, "merge_change") and table.ndim == 2:
        return lambda rng, model, ledger, beta, n_steps, totals, work, scratch: relocate(
            rng, model, ledger, beta, n_steps, totals, work, scratch
        )
    return lambda rng, model, ledger, beta, n_steps, totals, work, scratch: False  # noqa: ARG005


@njit(**ONCE)
def _propose(rng, m, c, beta, n_steps, work, scratch):
    """Propose a relocation: see ``mergesplit`` for what is returned."""
    group, path = work[2], np.zeros(2)
    r, s, log_forward = pick_pair(rng, m, c, beta / _SPAN, -1, -1)
    if r < 0:
        return 0.0, 0.0, IMPOSSIBLE
    if rng.random() < 0.5:
        r, s = s, r
    merged = Split(group, gather(c, r, s, -1, -1, group), r, s)
    log_ratio = -log_forward - heat(rng, m, c, beta, n_steps, merged, path, scratch)
    n_merged = c.n[r]
    t = np.int64(c.b[int(rng.random() * c.b.size)])
    if c.n[t] < 2 or not may_share(m.prior, t, s):
        return 0.0, 0.0, IMPOSSIBLE
    log_ratio += np.log(n_merged / c.n[t])
    split = Split(group, gather(c, t, t, -1, -1, group), t, s)
    log_ratio += cool(rng, m, c, beta, n_steps, split, path, scratch)
    log_ratio += pick_pair(rng, m, c, beta / _SPAN, min(t, s), max(t, s))[2]
    copy(c.b, work[AFTER])
    # the weights of the paths hold the change of S and of the field already
    return path[ENTROPY], path[FIELD], log_ratio - beta * (path[FIELD] - path[ENTROPY])


@njit(**INNER)
def pick_pair(rng, m, c, scale, r, s):
    """Draw blocks r < s by the cost of their merge, unless they are given; return them and ln of the probability."""
    is_given, low, total, chosen = r >= 0, np.inf, 0.0, np.inf
    for b in range(c.n.size):
        for a in range(b if c.n[b] > 0 else 0):
            cost = scale * merge_cost(m, c, a, b) if c.n[a] > 0 else np.inf
            if cost == np.inf:
                continue
            if cost < low:
                total *= np.exp(cost - low)
                low = cost
            share = np.exp(low - cost)
            total += share
            if (a == r and b == s) if is_given else rng.random() * total < share:
                r, s, chosen = a, b, cost
    return r, s, low - chosen - np.log(total)


@njit(**INNER)
def heat(rng, m, c, beta, n_steps, split, sums, scratch):
    """Heat two blocks until they are one, r; return the log weight of cooling along the reverse path."""
    start_energy, energies = sums[ENTROPY] - sums[FIELD], 0.0
    for step in range(n_steps, 0, -1):
        scan_both(rng, m, c, beta * step / n_steps, split, True, sums, scratch)
        energies += sums[ENTROPY] - sums[FIELD] - start_energy
    collect(m, c, split, split.r, sums, scratch)
    energy_gap = start_energy - (sums[ENTROPY] - sums[FIELD])  # energies count from the merged block
    return log_splits(split.size) - beta * (energies / n_steps + energy_gap)


@njit(**INNER)
def cool(rng, m, c, beta, n_steps, split, sums, scratch):
    """Split a block r between r and s, cooling from coins; return the log weight."""
    merged, log_weight = sums[ENTROPY] - sums[FIELD], log_splits(split.size)
    while c.n[split.r] == 0 or c.n[split.s] == 0:
        for a in range(split.size):
            move_scored(m, c, split.group[a], split.r if rng.random() < 0.5 else split.s, sums, scratch)
    for step in range(1, n_steps + 1):
        log_weight -= beta / n_steps * (sums[ENTROPY] - sums[FIELD] - merged)
        scan_both(rng, m, c, beta * step / n_steps, split, False, sums, scratch)
    return log_weight


@njit(**INLINE)
def log_splits(size):
    """Return ln of the number of ways to split so many vertices between two blocks, none of them empty."""
    return size * np.log(2.0) + np.log1p(-(2.0 ** (1 - size)))


@njit(**INNER)
def scan_both(rng, m, c, beta, split, is_reversed, sums, scratch):
    """Draw each vertex of a split again, in order or in reverse order; neither block is emptied."""
    m, c, group, sums, scratch = bare(m), bare(c), bare(split.group), bare(sums), bare(scratch)
    both = split.r + split.s
    for a in range(split.size):
        v = group[split.size - 1 - a if is_reversed else a]
        if c.n[c.b[v]] == 1:
            continue
        other = both - c.b[v]
        change, lift = change_to(m, c, v, other, scratch), lift_to(m, c, v, other)
        if rng.random() * (1.0 + np.exp(beta * (change - lift))) < 1.0:
            move(m, c, v, other)
            sums[ENTROPY] += change
            sums[FIELD] += lift
