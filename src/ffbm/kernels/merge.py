"""What it costs to merge two blocks: the step of the agglomerative start."""

import numpy as np
from numba import njit

from ffbm.kernels.partition import LN2, bare_counts, bare_model
from ffbm.kernels.partitions import log_q


@njit(cache=True, nogil=True, error_model="numpy")
def merge_costs(model, counts, costs):
    """Fill costs[r, s], r < s, with the change of S when blocks r and s become one (P(e|b) left out)."""
    m, c = bare_model(model), bare_counts(counts)
    for r in range(c.n.size):
        for s in range(r + 1, c.n.size):
            cost = 0.0
            for t in range(c.n.size):
                if t not in (r, s):
                    cost += m.lf[c.ers[r, t]] + m.lf[c.ers[s, t]] - m.lf[c.ers[r, t] + c.ers[s, t]]
            inside_r, inside_s, between = c.ers[r, r] >> 1, c.ers[s, s] >> 1, c.ers[r, s]
            cost += m.lf[inside_r] + m.lf[inside_s] + m.lf[between] - LN2 * between
            cost -= m.lf[inside_r + inside_s + between]
            cost += m.lf[c.e[r] + c.e[s]] - m.lf[c.e[r]] - m.lf[c.e[s]]
            cost += m.lf[c.n[r] + c.n[s]] - m.lf[c.n[r]] - m.lf[c.n[s]]
            for kind in range(c.eta.shape[1]):
                own, other = c.eta[r, kind], c.eta[s, kind]
                if own > 0 and other > 0:
                    cost -= m.lf[own + other] - m.lf[own] - m.lf[other]
            cost += log_q(c.e[r] + c.e[s], c.n[r] + c.n[s], m.lf, m.exact, m.few, m.shape)
            costs[r, s] = cost - c.logq[r] - c.logq[s]
            costs[s, r] = np.inf
        costs[r, r] = np.inf
