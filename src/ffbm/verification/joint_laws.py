"""The joint posterior of tiny networks in two blocks, exactly: all labels enumerated, the weights integrated on a grid.

With two blocks only u_d = w_0d - w_1d matters, N(0, 2 sigma^2) a priori; the law of (b, u) is summed over all b and
a grid of u.
"""

from functools import partial
from itertools import product
from typing import NamedTuple

import numpy as np

from ffbm.blocks.entropy import description_length
from ffbm.joint.chain import JointSettings, advance, start
from ffbm.joint.prepare import joint_model
from ffbm.types import Array
from ffbm.verification.enumeration import graph_of
from ffbm.workers import Run

RUNS = 16


class Case(NamedTuple):
    """A tiny network with features."""

    edges: tuple[tuple[int, int], ...]
    features: tuple[tuple[float, ...], ...]  # of each vertex
    held_out: tuple[int, ...] = ()
    sigma: float = 1.0


class Moments(NamedTuple):
    """What is compared."""

    together: Array  # (N, N): the probability that two vertices share a block
    squares: Array  # (D,): E[(w_0d - w_1d)^2]
    empty: float  # the probability that a block is empty


CASES = {
    "loops and parallels": Case(
        ((0, 1), (0, 1), (1, 2), (2, 2), (3, 4), (2, 3)), ((1,), (1,), (0,), (1,), (0,)), sigma=2.0
    ),
    "isolate": Case(((0, 1), (1, 2), (0, 2), (3, 3)), ((1, 0), (1, 1), (0, 1), (0, 1), (1, 0)), sigma=1.5),
    "held out": Case(
        ((0, 1), (0, 1), (2, 3), (3, 4), (4, 4), (0, 5)),
        ((1, 0), (1, 2), (0, -1), (2, 0), (1, 1), (3, 3)),
        held_out=(1, 5),
        sigma=1.5,
    ),
    "strong features": Case(((0, 1), (2, 3), (1, 2), (4, 4)), ((4,), (4,), (-4,), (-4,), (4,)), sigma=3.0),
    "no edge": Case((), ((1,), (1,), (0,), (-1,)), sigma=2.0),
}


def exact_moments(case: Case) -> Moments:
    """Enumerate all labels and integrate over the weights."""
    x = np.array(case.features, dtype=float)
    n_nodes, n_features = x.shape
    graph = graph_of(case.edges, n_nodes)
    told = np.setdiff1d(np.arange(n_nodes), case.held_out)
    line = np.linspace(-7, 7, 1201 if n_features == 1 else 241) * np.sqrt(2) * case.sigma
    u = np.stack(np.meshgrid(*[line] * n_features, indexing="ij"), axis=-1).reshape(-1, n_features)
    prior = -(u**2).sum(axis=1) / (4 * case.sigma**2)
    z = u @ x[told].T
    log_p = np.stack((-np.logaddexp(0, -z), -np.logaddexp(0, z)))  # (2, grid, n)
    states = np.array(list(product(range(2), repeat=n_nodes)))
    logs = np.empty((len(states), len(u)))
    for at, b in enumerate(states):
        likelihood = log_p[b[told], :, np.arange(len(told))].sum(axis=0)
        logs[at] = prior + likelihood - description_length(graph, b).without_partition
    p = np.exp(logs - logs.max())
    p /= p.sum()
    of_b, of_u = p.sum(axis=1), p.sum(axis=0)
    together = np.einsum("s,sij->ij", of_b, (states[:, :, np.newaxis] == states[:, np.newaxis, :]).astype(float))
    used = np.array([len(set(b)) for b in states.tolist()])
    return Moments(together, of_u @ u**2, float(of_b[used < 2].sum()))


def sampled_moments(case: Case, settings: JointSettings, n_sweeps: int, seed: int, each: Run | None = None) -> Moments:
    """Run 16 chains and return the same from their draws."""
    run = partial(_draws, case, settings, n_sweeps, seed)
    found = each(run, range(RUNS)) if each else [run(number) for number in range(RUNS)]
    together, squares = (np.mean([getattr(part, name) for part in found], axis=0) for name in Moments._fields[:2])
    return Moments(together, squares, float(np.mean([part.empty for part in found])))


def _draws(case: Case, settings: JointSettings, n_sweeps: int, seed: int, number: int) -> Moments:
    x = np.array(case.features, dtype=float)
    rng = np.random.default_rng([seed, number, len(x)])
    rows = np.setdiff1d(np.arange(len(x)), case.held_out)
    model = joint_model(graph_of(case.edges, len(x)), x, 2, rows, case.sigma)
    state = start(model, rng.integers(0, 2, len(x)), settings, rng)
    state, draws = advance(state, settings.burn + n_sweeps)
    u = draws.weights[:, 0] - draws.weights[:, 1]
    together = np.zeros((len(x), len(x)))
    for i in range(len(x)):
        together[i] = (draws.labels == draws.labels[:, [i]]).mean(axis=0)
    empty = (draws.labels == draws.labels[:, :1]).all(axis=1).mean()
    return Moments(together, (u**2).mean(axis=0), float(empty))


def distances(exact: Moments, found: Moments) -> tuple[float, float, float]:
    """Return the largest differences: of co-membership, of E[(w_0d - w_1d)^2] in proportion, of the empty block."""
    return (
        float(np.abs(exact.together - found.together).max()),
        float(np.abs(found.squares / exact.squares - 1).max()),
        abs(exact.empty - found.empty),
    )
