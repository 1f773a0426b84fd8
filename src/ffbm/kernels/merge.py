"""The costs of merges: the step of the agglomerative start. For dense tables of counts."""

from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY, INNER
from ffbm.kernels.ledger import between, ends_of
from ffbm.kernels.target import merge_cost


@njit(**ENTRY)
def price_merges(rng, model, ledger, pairs, costs):
    """Fill the costs of merges and return how many: of every pair of blocks if there is room, else some for each block.

    pairs (P, 2), costs (P,). Without room for all, a block's partners are the blocks two random half-edges
    away, so that blocks with the same neighbours meet, linked or not.
    """
    m, c = bare(model), bare(ledger)
    n_blocks, priced = c.n.size, 0
    if n_blocks * (n_blocks - 1) // 2 <= costs.size:
        for r in range(n_blocks):
            for s in range(r):
                pairs[priced, 0], pairs[priced, 1] = r, s
                costs[priced] = merge_cost(m, c, r, s)
                priced += 1
        return priced
    for r in range(n_blocks):
        for _ in range(costs.size // n_blocks):
            s = neighbour_of(rng, m.graph, c, neighbour_of(rng, m.graph, c, r))
            if s != r:
                pairs[priced, 0], pairs[priced, 1] = r, s
                costs[priced] = merge_cost(m, c, r, s)
                priced += 1
    return priced


@njit(**INNER)
def neighbour_of(rng, g, c, r):
    """Return the block at the other end of a random half-edge of r; any block if it has none."""
    if ends_of(g, c, r) == 0:
        return int(rng.random() * c.n.size)
    left = int(rng.random() * ends_of(g, c, r))
    for s in range(c.n.size):
        left -= between(g, c, r, s)
        if left < 0:
            return s
    return r
