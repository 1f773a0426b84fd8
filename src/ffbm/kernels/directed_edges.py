"""The edge term that all directed flat likelihoods share, -sum_rs ln e_rs!; P(e|b) is as for edges."""

from numba import njit

from ffbm.kernels.arcs import inward, outward
from ffbm.kernels.compilation import INLINE, INNER
from ffbm.kernels.tables import log_factorial, log_factorials, look


@njit(**INLINE)
def _change(likelihood, c, loops, r, s, blocks, links, n_near):
    lf = likelihood.lf
    out_r, out_s, in_r, in_s = 0, 0, 0, 0
    change = 0.0
    for a in range(n_near):
        t, out, into = blocks[a], outward(links[a]), inward(links[a])
        if t == r:
            out_r, in_r = out, into
        elif t == s:
            out_s, in_s = out, into
        else:
            to_r, to_s, from_r, from_s = look(c.ers, t, r), look(c.ers, t, s), look(c.ers, r, t), look(c.ers, s, t)
            change += (
                log_factorial(lf, from_r)
                - log_factorial(lf, from_r - out)
                + log_factorial(lf, from_s)
                - log_factorial(lf, from_s + out)
            )
            change += (
                log_factorial(lf, to_r)
                - log_factorial(lf, to_r - into)
                + log_factorial(lf, to_s)
                - log_factorial(lf, to_s + into)
            )
    inside_r, inside_s, e_rs, e_sr = look(c.ers, r, r), look(c.ers, s, s), look(c.ers, r, s), look(c.ers, s, r)
    change += log_factorial(lf, inside_r) - log_factorial(lf, inside_r - out_r - in_r - loops)
    change += log_factorial(lf, inside_s) - log_factorial(lf, inside_s + out_s + in_s + loops)
    return change + (
        log_factorial(lf, e_rs)
        - log_factorial(lf, e_rs + in_r - out_s)
        + log_factorial(lf, e_sr)
        - log_factorial(lf, e_sr + out_r - in_s)
    )


@njit(**INNER)
def _total(likelihood, c):
    return -log_factorials(c.ers, likelihood.lf, False)


@njit(**INNER)
def _merge_change(likelihood, c, r, s):
    lf, e, change = likelihood.lf, c.ers, 0.0
    for t in range(c.n.size):
        if t not in (r, s):
            change += log_factorial(lf, e[r, t]) + log_factorial(lf, e[s, t]) - log_factorial(lf, e[r, t] + e[s, t])
            change += log_factorial(lf, e[t, r]) + log_factorial(lf, e[t, s]) - log_factorial(lf, e[t, r] + e[t, s])
    inside = e[r, r] + e[r, s] + e[s, r] + e[s, s]
    return change + (
        log_factorial(lf, e[r, r])
        + log_factorial(lf, e[r, s])
        + log_factorial(lf, e[s, r])
        + log_factorial(lf, e[s, s])
        - log_factorial(lf, inside)
    )


DIRECTED = {"edge_change": _change, "edge_total": _total, "edge_merge_change": _merge_change}
