"""Joint chains along a path from no features to all: weights tV, V from their prior, with t from 0 to 1.

At t the target is that of the joint chain with features tX, so a state (b, V) means something at every t, and chains at
neighbouring t exchange theirs (replica exchange). Only features that are *moving* are multiplied by t: the intercept
and columns that are held still are not. With L(t) the likelihood of the labels, prod_i softmax_{b_i}, and z_i = V x_i::

    d/dt ln p(A | X, t) = E_t[d/dt ln L(t)] = E_t[sum_i (z_i,b_i - sum_k a_ik z_ik)],   a_i = softmax(t z_i)

The loop over the values of t is a stepper: one step is some sweeps of every chain and a round of exchanges.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ffbm.blocks.target import BlockTarget
from ffbm.joint import chain as joint
from ffbm.joint.chain import JointSettings, JointSetup, JointState
from ffbm.joint.prepare import joint_model
from ffbm.kernels.workspace import ENTROPY
from ffbm.theta.design import Design, train_on
from ffbm.theta.mode import curvature_metric
from ffbm.types import Array

_NEVER = 10**9  # the chains keep no draws of their own: what is looked at is kept here
_DENSE = 10**5  # entries up to which a table of features is dense


class PathSetup(NamedTuple):
    """What the ladders of one path share, and no step changes."""

    t: Array  # (K,) from above 0 to 1
    chains: list[JointSetup]  # one for each t
    moving: Any  # (R, A) the different rows, of the features that are multiplied by t; zero elsewhere
    still: Any  # (R, A) of the others
    burn: int  # steps before the first draw is kept
    gap: int  # sweeps in a step


class PathState(NamedTuple):
    """A ladder at rest: all that steps change."""

    chains: list[JointState]  # at each t
    replica: Array  # (K,) which replica is at each t
    heading: Array  # (K,) by replica: 1 if it was at the top last, -1 if at the bottom, 0 if at neither
    trips: Array  # (K,) by replica: round trips since the burn-in
    swaps: Array  # (K-1, 2) exchanges with the next t tried and made, since the burn-in
    done: Array  # (1,) int64: steps
    rng: np.random.Generator  # of the exchanges


class PathDraws(NamedTuple):
    """What is looked at, at each step and each t."""

    slope: Array  # (T, K) d/dt ln L
    entropy: Array  # (T, K) S
    down: Array  # (T, K) ln L at the t before less ln L here; before the first is t = 0
    up: Array  # (T, K) ln L at the t after less ln L here; 0 for the last


def make_path(
    partitions: BlockTarget,
    design: Design,
    n_blocks: int,
    scale: Array,
    moving: Array,
    t: Array,
    *,
    burn: int = 100,
    gap: int = 3,
) -> PathSetup:
    """Prepare the targets at each t.

    Parameters
    ----------
    partitions, design, n_blocks
        The joint target at t = 1; all vertices train.
    scale : (D,) float64
        The prior standard deviation of each feature's weights.
    moving : (D,) bool
        The features whose weights are multiplied by t.
    t : (K,) float64
        Increasing, above 0, to 1.
    burn, gap : int
        Steps before the first draw that is kept, and sweeps in a step.

    Examples
    --------
    >>> from ffbm.theta.design import make_design
    >>> from ffbm.types import Graph
    >>> design = make_design([[1], [1], [0], [0]], intercept=True)
    >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 3], 4)
    >>> setup = make_path(BlockTarget(graph), design, 2, np.ones(2), np.array([True, False]), np.array([0.5, 1.0]))
    >>> [chain.model.training.matrix().toarray()[0].tolist() for chain in setup.chains]  # the intercept, the flag
    [[1.0, 0.5], [1.0, 1.0]]
    """
    settings = JointSettings(burn=burn * gap, thin=_NEVER, n_warmup=100)
    first = joint_model(partitions, design, n_blocks, None, scale, design.has_intercept)
    nothing = np.zeros((len(first.training.rows.active), n_blocks))
    chains = []
    for at in t.tolist():
        scaled = replace(design, x=sp.csr_array(design.x @ sp.diags_array(np.where(moving, at, 1.0))))
        training = train_on(scaled, None, n_blocks)
        even = curvature_metric(training.target(nothing, scale), nothing)
        chains.append(JointSetup(first._replace(training=training, even=even), settings))
    active, x = first.training.rows.active, first.training.matrix()
    x = x.toarray() if np.prod(x.shape) <= _DENSE else x
    by_t = sp.diags_array(moving[active].astype(float))
    return PathSetup(t, chains, x @ by_t, x - x @ by_t, burn, gap)


def start(setup: PathSetup, labels: Array, rng: np.random.Generator) -> PathState:
    """Set up a ladder, the chain at each t at its own ``labels`` (K, N); each has a random stream of its own."""
    n = len(setup.t)
    chains = [joint.start(*given) for given in zip(setup.chains, labels, rng.spawn(n), strict=True)]
    return PathState(
        chains=chains,
        replica=np.arange(n),
        heading=np.zeros(n, np.int64),
        trips=np.zeros(n, np.int64),
        swaps=np.zeros((n - 1, 2), np.int64),
        done=np.zeros(1, np.int64),
        rng=rng,
    )


def advance(setup: PathSetup, state: PathState, n: int) -> tuple[PathState, PathDraws]:
    """Make ``n`` steps and return the state, changed in place, and what was seen after the burn-in.

    Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    done = int(state.done[0])
    kept = max(done + n - setup.burn, 0) - max(done - setup.burn, 0)
    draws = PathDraws(*np.empty((4, kept, len(setup.t))))
    for step in range(done, done + n):
        for k, (given, chain) in enumerate(zip(setup.chains, state.chains, strict=True)):
            state.chains[k], _ = joint.advance(given, chain, setup.gap)
        seen = np.array([look(setup, k, chain) for k, chain in enumerate(state.chains)])
        if step >= setup.burn:
            entropy = np.array([chain.totals[ENTROPY] for chain in state.chains])
            for table, row in zip(draws, (seen[:, 0], entropy, seen[:, 1], seen[:, 2]), strict=True):
                table[step - max(done, setup.burn)] = row
        if step == setup.burn:
            state.swaps[:], state.trips[:] = 0, 0
        exchange(state, step % 2, seen[:, 1], seen[:, 2])
    state.done[0] += n
    return state, draws


def look(setup: PathSetup, k: int, chain: JointState) -> tuple[float, float, float]:
    """Return d/dt ln L at t_k, and ln L at the t before and after less ln L at t_k, of a state (b, V).

    (b, -V) is as probable a priori: the slope is averaged over both with their probabilities given all else, which
    takes most of the noise away where t is small.
    """
    rows = setup.chains[k].model.training.rows
    before, t, after = (setup.t[k - 1] if k else 0.0), setup.t[k], setup.t[min(k + 1, len(setup.t) - 1)]
    n_blocks = chain.weights.shape[1]
    y = np.bincount(rows.group * n_blocks + chain.ledger.b, minlength=len(rows.counts) * n_blocks)
    y = y.reshape(-1, n_blocks)
    z, base = setup.moving @ chain.weights, setup.still @ chain.weights
    logits = base + np.array([t, -t, before, after])[:, np.newaxis, np.newaxis] * z
    top = logits.max(axis=2, keepdims=True)
    a = np.exp(logits - top)
    total = a.sum(axis=2, keepdims=True)
    norm = (top + np.log(total))[:, :, 0]
    here, turned, down, up = (y * logits).sum(axis=(1, 2)) - norm @ rows.counts
    expected = rows.counts[:, np.newaxis] * a[:2] / total[:2]
    slope, slope_turned = (z * (y - expected)).sum(axis=(1, 2))
    share = 1 / (1 + np.exp(min(turned - here, 700.0)))
    return share * slope - (1 - share) * slope_turned, down - here, up - here


def exchange(state: PathState, first: int, down: Array, up: Array) -> None:
    """Let the chains at t number first and first + 1, first + 2 and first + 3, ... exchange (b, V), or not.

    What belongs to a t, the geometry and the step size of its weight moves, stays there.
    """
    for k in range(first, len(state.chains) - 1, 2):
        state.swaps[k, 0] += 1
        if np.log(1 - state.rng.random()) < up[k] + down[k + 1]:
            state.swaps[k, 1] += 1
            one, other = state.chains[k], state.chains[k + 1]
            state.chains[k], state.chains[k + 1] = _take_over(one, other), _take_over(other, one)
            state.replica[[k, k + 1]] = state.replica[[k + 1, k]]
    top, bottom = state.replica[-1], state.replica[0]
    state.trips[top] += state.heading[top] == -1
    state.heading[top] = 1
    if state.heading[bottom] == 1:
        state.heading[bottom] = -1


def _take_over(chain: JointState, other: JointState) -> JointState:
    return chain._replace(ledger=other.ledger, totals=other.totals, best=other.best, weights=other.weights)
