"""Joint chains along a path from no features to all: weights tV, V from their prior, with t from 0 to 1.

At t the target is that of the joint chain with features tX, so a state (b, V) means something at every t, and chains at
neighbouring t exchange theirs (replica exchange). Only features that are *moving* are multiplied by t: the intercept
and columns that are held still are not. With L(t) the likelihood of the labels, prod_i softmax_{b_i}, and z_i = V x_i::

    d/dt ln p(A | X, t) = E_t[d/dt ln L(t)] = E_t[sum_i (z_i,b_i - sum_k a_ik z_ik)],   a_i = softmax(t z_i)

Under the learned prior a state has which columns are inside, too, and the tails of the prior change along the path
(``joint/tails.py``): ratios and derivatives are of p(V | t) L(t).

At some t a *branch* of hot chains leaves the path (``joint/branch.py``): there replicas change to other blocks, where
chains do not at any t of the path itself. Nothing is measured on branches.

The loop over the values of t is a stepper: one step is some sweeps of every chain and a round of exchanges.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ffbm.blocks.chain import NEVER
from ffbm.blocks.target import BlockTarget
from ffbm.joint import chain as joint
from ffbm.joint import selection
from ffbm.joint.branch import BranchSetup, BranchState, exchange_with, make_branch
from ffbm.joint.chain import JointSettings, JointSetup, JointState
from ffbm.joint.exchange import exchange
from ffbm.joint.prepare import joint_model
from ffbm.joint.selection import ColumnMoves, ColumnSetup, ColumnState, renew, with_columns
from ffbm.joint.tails import Tails, degrees_at, log_tails, make_tails, tails_slope
from ffbm.kernels.ladder import Exchange
from ffbm.kernels.workspace import ENTROPY
from ffbm.theta.columns import ColumnGroups
from ffbm.theta.design import Design, train_on
from ffbm.theta.mode import curvature_metric
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.types import Array

_WARMUP = 30  # sweeps over the columns, before the first over the labels
_DENSE = 10**5  # entries up to which a table of features is dense
NO_HEAT = np.zeros(0)


class PathSetup(NamedTuple):
    """What the ladders of one path share, and no step changes."""

    t: Array  # (K,) from above 0 to 1
    chains: list[JointSetup | ColumnSetup]  # one for each t, under the fixed or the learned prior
    branches: list[BranchSetup]
    tails: Tails  # of the learned prior; of no columns under the fixed one
    moving: Any  # (R, A) the different rows, of the features that are multiplied by t; zero elsewhere
    still: Any  # (R, A) of the others
    burn: int  # steps before the first draw is kept
    gap: int  # sweeps in a step

    @property
    def targets(self) -> list[JointSetup | ColumnSetup]:
        """Those of the path and then the hot ones, branch by branch."""
        return self.chains + [hot for branch in self.branches for hot in branch.chains]


class PathState(NamedTuple):
    """A ladder at rest: all that steps change."""

    chains: list[JointState | ColumnState]  # at each t
    exchange: Exchange  # which replica is at each t; counts are since the burn-in
    branches: list[BranchState]
    done: Array  # (1,) int64: steps
    rng: np.random.Generator  # of the exchanges


class PathDraws(NamedTuple):
    """What is measured at each step and each t."""

    slope: Array  # (T, K) d/dt ln L, and of the prior
    entropy: Array  # (T, K) S
    down: Array  # (T, K) ln L, and of the prior, at the t before less those here; before the first is t = 0
    up: Array  # (T, K) at the t after less those here; 0 for the last


def make_path(
    partitions: BlockTarget,
    design: Design,
    n_blocks: int,
    scale: Array,
    moving: Array,
    groups: ColumnGroups | None,
    t: Array,
    hot: Array = NO_HEAT,
    branching: Sequence[int] = (),
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
        The prior standard deviation of each feature's weights; under the learned prior, where chains start.
    moving : (D,) bool
        The features whose weights are multiplied by t: of a column all or none.
    groups : ColumnGroups or None
        The columns whose scales are learned; None under the fixed prior.
    t : (K,) float64
        Increasing, above 0, to 1.
    hot : (H,) float64
        The inverse temperatures of a branch, from below 1 down.
    branching : sequence of int
        The number of each t at which a branch leaves.
    burn, gap : int
        Steps before the first draw that is kept, and sweeps in a step.

    Examples
    --------
    >>> from ffbm.theta.design import make_design
    >>> from ffbm.types import Graph
    >>> design = make_design([[1], [1], [0], [0]], intercept=True)
    >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 3], 4)
    >>> moving, t = np.array([True, False]), np.array([0.5, 1.0])
    >>> setup = make_path(BlockTarget(graph), design, 2, np.ones(2), moving, None, t)
    >>> [chain.model.training.matrix().toarray()[0].tolist() for chain in setup.chains]  # the intercept, the flag
    [[1.0, 0.5], [1.0, 1.0]]
    """
    settings = JointSettings(burn=burn * gap, thin=NEVER, n_warmup=100)  # what is kept is measured here
    first = joint_model(partitions, design, n_blocks, None, scale, design.has_intercept)
    nothing = np.zeros((len(first.training.rows.active), n_blocks))
    tails = make_tails(groups, moving, first.training)
    chains: list[JointSetup | ColumnSetup] = []
    for at in t.tolist():
        scaled = replace(design, x=sp.csr_array(design.x @ sp.diags_array(np.where(moving, at, 1.0))))
        training = train_on(scaled, None, n_blocks)
        metric_at_zero = curvature_metric(training.target(nothing, scale), nothing)
        model = first._replace(training=training, metric_at_zero=metric_at_zero)
        if groups is None:
            chains.append(JointSetup(model, settings))
        else:
            heavy = replace(groups, degrees=tails.degrees(at, groups.degrees))
            intercept_sd = float(scale[-1]) if design.has_intercept else INTERCEPT_SD
            chains.append(with_columns(model, settings, heavy, intercept_sd, _WARMUP)._replace(gap=gap))
    active, x = first.training.rows.active, first.training.matrix()
    x = x.toarray() if np.prod(x.shape) <= _DENSE else x
    by_t = sp.diags_array(moving[active].astype(float))
    branches = [make_branch(k, chains[k], hot) for k in branching if len(hot)]
    return PathSetup(t, chains, branches, tails, x @ by_t, x - x @ by_t, burn, gap)


def start(setup: PathSetup, labels: Array, rng: np.random.Generator) -> PathState:
    """Set up a ladder, every chain at its own ``labels`` and with a random stream of its own.

    ``labels`` (K + H x branches, N) are of the chain at each t and then of the hot ones, branch by branch. Under the
    learned prior every second chain starts with all columns, the others with none.
    """
    n = len(setup.t)
    each = zip(setup.targets, labels, rng.spawn(len(setup.targets)), strict=True)
    chains = [_start_one(given, b, own, full=k % 2 == 1) for k, (given, b, own) in enumerate(each)]
    hot = iter(chains[n:])
    return PathState(
        chains=chains[:n],
        exchange=Exchange.start(n),
        branches=[BranchState.start(list(islice(hot, len(branch.chains)))) for branch in setup.branches],
        done=np.zeros(1, np.int64),
        rng=rng,
    )


def _start_one(
    setup: JointSetup | ColumnSetup, labels: Array, rng: np.random.Generator, full: bool
) -> JointState | ColumnState:
    if isinstance(setup, JointSetup):
        return joint.start(setup, labels, rng)
    return selection.start(setup, labels, rng, full)


def advance(setup: PathSetup, state: PathState, n: int) -> tuple[PathState, PathDraws]:
    """Make ``n`` steps and return the state, changed in place, and what was seen after the burn-in.

    Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    done = int(state.done[0])
    kept = max(done + n - setup.burn, 0) - max(done - setup.burn, 0)
    draws = PathDraws(*np.empty((4, kept, len(setup.t))))
    movers = _movers(setup, state)
    for step in range(done, done + n):
        if step == setup.burn // 2 > 0:
            for targets, chains in _all_chains(setup, state):
                chains[:] = map(_renewed, targets, chains)
            movers = _movers(setup, state)
        for moves, (_, chains) in zip(movers, _all_chains(setup, state), strict=True):
            chains[:] = [move(chain, step < setup.burn) for move, chain in zip(moves, chains, strict=True)]
        seen = np.array([measure(setup, k, chain) for k, chain in enumerate(state.chains)])
        if step >= setup.burn:
            entropy = np.array([chain.totals[ENTROPY] for chain in state.chains])
            for table, row in zip(draws, (seen[:, 0], entropy, seen[:, 1], seen[:, 2]), strict=True):
                table[step - max(done, setup.burn)] = row
        if step == setup.burn:
            for counts in (state.exchange, *(hot.exchange for hot in state.branches)):
                counts.clear()
        exchange(state, step % 2, seen[:, 1], seen[:, 2])
        for branch, hot in zip(setup.branches, state.branches, strict=True):
            state.chains[branch.at] = exchange_with(branch, hot, state.chains[branch.at], step % 2, state.rng)
    state.done[0] += n
    return state, draws


def _renewed(setup: Any, chain: Any) -> Any:
    """Compute the geometry of columns again; the chain of the fixed prior does so itself."""
    return renew(setup, chain) if isinstance(chain, ColumnState) else chain


def _all_chains(setup: PathSetup, state: PathState) -> list[tuple[list[Any], list[Any]]]:
    """Return the targets and the chains of the path, and those of each branch."""
    branches = zip(setup.branches, state.branches, strict=True)
    return [(setup.chains, state.chains), *((branch.chains, hot.chains) for branch, hot in branches)]


def _movers(setup: PathSetup, state: PathState) -> list[list[Callable[[Any, bool], Any]]]:
    """Return for each target what moves a state there by the sweeps of a step; the second argument: in the burn-in."""
    return [
        [_mover(given, chain, setup.gap) for given, chain in zip(targets, chains, strict=True)]
        for targets, chains in _all_chains(setup, state)
    ]


def _mover(given: JointSetup | ColumnSetup, chain: Any, gap: int) -> Callable[[Any, bool], Any]:
    if isinstance(given, JointSetup):
        return partial(_move_weights, given, gap)
    return partial(_move_columns, ColumnMoves(given, chain), gap)


def _move_weights(setup: JointSetup, n: int, chain: JointState, _burns: bool) -> JointState:
    return joint.advance(setup, chain, n)[0]


def _move_columns(moves: ColumnMoves, n: int, chain: ColumnState, burns: bool) -> ColumnState:
    moves.step(chain, n, burns)
    return chain


def measure(setup: PathSetup, k: int, chain: JointState | ColumnState) -> tuple[float, float, float]:
    """Return d/dt ln L at t_k, and ln L at the t before and after less ln L at t_k, of a state (b, V), with the prior.

    (b, -V) is as probable a priori: the slope is averaged over both with their probabilities given all else, which
    takes most of the noise away where t is small.
    """
    rows = setup.chains[k].model.training.rows
    before, t, after = (setup.t[k - 1] if k else 0.0), setup.t[k], setup.t[min(k + 1, len(setup.t) - 1)]
    weights = chain.columns.weights if isinstance(chain, ColumnState) else chain.weights
    n_blocks = weights.shape[1]
    y = np.bincount(rows.group * n_blocks + chain.ledger.b, minlength=len(rows.counts) * n_blocks)
    y = y.reshape(-1, n_blocks)
    z, base = setup.moving @ weights, setup.still @ weights
    logits = base + np.array([t, -t, before, after])[:, np.newaxis, np.newaxis] * z
    top = logits.max(axis=2, keepdims=True)
    a = np.exp(logits - top)
    total = a.sum(axis=2, keepdims=True)
    norm = (top + np.log(total))[:, :, 0]
    here, turned, down, up = (y * logits).sum(axis=(1, 2)) - norm @ rows.counts
    expected = rows.counts[:, np.newaxis] * a[:2] / total[:2]
    slope, slope_turned = (z * (y - expected)).sum(axis=(1, 2))
    share = 1 / (1 + np.exp(min(turned - here, 700.0)))
    seen = share * slope - (1 - share) * slope_turned, down - here, up - here
    if isinstance(chain, JointState):
        return seen
    freedom = np.where(chain.columns.inside, setup.tails.freedom, 0.0)
    square = setup.tails.squares(weights)
    here, down, up = (log_tails(degrees_at(at), freedom, square) for at in (t, before, after))
    return seen[0] + tails_slope(t, freedom, square), seen[1] + down - here, seen[2] + up - here
