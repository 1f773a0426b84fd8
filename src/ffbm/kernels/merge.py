"""What it costs to merge two blocks: the step of the agglomerative start. For dense tables of counts."""

from numba import njit

from ffbm.kernels.compiling import DOOR, INNER
from ffbm.kernels.logq import log_q
from ffbm.kernels.partition import LN2, bare_counts, bare_model


@njit(**INNER)
def merge_cost(m, c, r, s):
    """Return the change of S when blocks r and s become one (P(e|b) left out)."""
    cost = 0.0
    for t in range(c.n.size):
        if t not in (r, s):
            cost += m.lf[c.ers[r, t]] + m.lf[c.ers[s, t]] - m.lf[c.ers[r, t] + c.ers[s, t]]
    inside_r, inside_s, between = c.ers[r, r] >> 1, c.ers[s, s] >> 1, c.ers[r, s]
    cost += m.lf[inside_r] + m.lf[inside_s] + m.lf[between] - LN2 * between - m.lf[inside_r + inside_s + between]
    cost += m.lf[c.e[r] + c.e[s]] - m.lf[c.e[r]] - m.lf[c.e[s]]
    cost += m.size_cost[c.n[r] + c.n[s]] - m.size_cost[c.n[r]] - m.size_cost[c.n[s]]
    for kind in range(c.eta.shape[1]):
        own, other = c.eta[r, kind], c.eta[s, kind]
        if own > 0 and other > 0:
            cost -= m.lf[own + other] - m.lf[own] - m.lf[other]
    cost += log_q(c.e[r] + c.e[s], c.n[r] + c.n[s], m.lf, m.exact, m.few, m.shape)
    return cost - c.logq[r] - c.logq[s]


@njit(**DOOR)
def price_merges(rng, model, counts, pairs, costs):
    """Price merges and return how many: every pair of blocks if there is room, else some for each block.

    pairs (P, 2), costs (P,). Without room for all, a block's partners are the blocks two random half-edges
    away, so that blocks with the same neighbours meet, linked or not.
    """
    m, c = bare_model(model), bare_counts(counts)
    n_blocks, found = c.n.size, 0
    if n_blocks * (n_blocks - 1) // 2 <= costs.size:
        for r in range(n_blocks):
            for s in range(r):
                pairs[found, 0], pairs[found, 1] = r, s
                costs[found] = merge_cost(m, c, r, s)
                found += 1
        return found
    for r in range(n_blocks):
        for _ in range(costs.size // n_blocks):
            s = neighbour_of(rng, c, neighbour_of(rng, c, r))
            if s != r:
                pairs[found, 0], pairs[found, 1] = r, s
                costs[found] = merge_cost(m, c, r, s)
                found += 1
    return found


@njit(**INNER)
def neighbour_of(rng, c, r):
    """Return the block at the other end of a random half-edge of r; any block if it has none."""
    if c.e[r] == 0:
        return int(rng.random() * c.n.size)
    left = int(rng.random() * c.e[r])
    for s in range(c.n.size):
        left -= c.ers[r, s]
        if left < 0:
            return s
    return r
