"""One step of the Metropolis-adjusted Langevin algorithm, written to be read; the kernel is held to it."""

from collections.abc import Callable

import numpy as np

from ffbm.types.graph import Array


def proposal_log_density(to: Array, at: Array, gradient: Array, step: float) -> float:
    """Return ln N(to; at - h grad U(at), 2 h I) up to a constant: the noise has variance 2h, and so has this.

    >>> proposal_log_density(np.ones((1, 1)), np.zeros((1, 1)), np.zeros((1, 1)), 0.25)
    -1.0
    """
    return -float(np.sum((to - at + step * gradient) ** 2)) / (4 * step)


def log_acceptance(
    w: Array, proposal: Array, step: float, energy: Callable[[Array], float], gradient: Callable[[Array], Array]
) -> float:
    """Return ln of Hastings' ratio, U(w) - U(w') + ln q(w' -> w) - ln q(w -> w')."""
    return (
        energy(w)
        - energy(proposal)
        + proposal_log_density(w, proposal, gradient(proposal), step)
        - proposal_log_density(proposal, w, gradient(w), step)
    )


def mala_step(
    rng: np.random.Generator,
    w: Array,
    step: float,
    energy: Callable[[Array], float],
    gradient: Callable[[Array], Array],
) -> tuple[Array, float]:
    """Return the next weights (D, B) and the acceptance probability.

    W' = W - h grad U(W) + sqrt(2h) xi with xi standard normal, less its mean over blocks: the chain stays in
    the contrasts, where grad U lies as well.
    """
    noise = rng.standard_normal(w.shape)
    noise -= noise.mean(axis=1, keepdims=True)
    proposal = w - step * gradient(w) + np.sqrt(2 * step) * noise
    acceptance = float(np.exp(min(log_acceptance(w, proposal, step, energy, gradient), 0.0)))
    return (proposal if rng.random() < acceptance else w), acceptance
