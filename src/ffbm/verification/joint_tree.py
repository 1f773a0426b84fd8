"""Checks of the joint chain of a tree of given shape: exact laws of tiny networks, and calibration.

The law of labels in a given field is summed over all of [B]^N. That of labels and columns sums over all labels and all
sets of columns of all nodes, omega being integrated out; given a set nodes are independent, and the weights of each are
integrated over points that fill their prior evenly. In the calibration all is drawn from the prior, edges from the root
down, and the truth is then one more draw.
"""

from functools import partial
from itertools import product
from typing import Any, NamedTuple

import numpy as np
from scipy.special import betaln, log_softmax

from ffbm.blocks import chain as blocks
from ffbm.blocks.chain import BlockSettings, BlockSetup
from ffbm.blocks.target import BlockTarget
from ffbm.joint.tree import (
    TreeDraws,
    TreeSettings,
    TreeTarget,
    advance,
    own_counts,
    start,
    tree_children,
    tree_model,
    tree_setup,
)
from ffbm.rng import child_seed, stream
from ffbm.simulation.multigraph import draw_nested_multigraph
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.types import Array
from ffbm.verification.calibration import N_DRAWS, Size
from ffbm.verification.enumeration import RUNS, Distance, graph_of, total_variation
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.joint_laws import moments_of_draws, moments_of_labels
from ffbm.verification.joint_selection import Case, Moments, compare_moments, prior_points
from ffbm.verification.partitions import FIVE, MESS, RING, judge
from ffbm.verification.ranks import rank_among
from ffbm.verification.selection import calibrate_columns

THREE = (np.array([0, 0, 1]), np.array([0, 0]))  # two leaves, and one beside them
PAIRS = (np.array([0, 0, 1, 1]), np.array([0, 0]))  # four leaves, two and two
UNEVEN = (np.array([0, 0, 1, 2]), np.array([0, 0, 1]), np.array([0, 0]))  # leaves at three depths


class Trial(NamedTuple):
    """A tiny network, a tree, and how many sweeps each of the 16 runs makes in a field."""

    edges: tuple[tuple[int, int], ...]
    n_nodes: int
    parents: tuple[Array, ...]
    jumps: float
    n_full: int
    directed: bool = False


TRIALS = {
    "pairs": Trial(FIVE, 5, PAIRS, 1.0, 2_400_000),
    "single-vertex moves": Trial(FIVE, 5, UNEVEN, 0.0, 2_400_000),
    "loops and parallels": Trial(MESS, 6, THREE, 1.0, 2_400_000),
    "directed": Trial(RING, 4, UNEVEN, 1.0, 1_200_000, directed=True),
}


def label_law(trial: Trial, n_sweeps: int, effort: Effort) -> Distance:
    """Return the total variation between visits and law, and what chance alone makes of it."""
    target = TreeTarget(graph_of(trial.edges, trial.n_nodes, trial.directed), trial.parents)
    n_leaves = target.n_leaves
    field = np.random.default_rng(3).normal(0, 0.7, (trial.n_nodes, n_leaves))
    states = np.array(list(product(range(n_leaves), repeat=trial.n_nodes)))
    log_law = np.array([field[np.arange(trial.n_nodes), b].sum() - target.entropy(b) for b in states])
    visits = np.array(effort.each(partial(_visits, target, field, trial.jumps, n_sweeps, effort.seed), range(RUNS)))
    return total_variation(np.exp(log_law - log_law.max()), visits)


def _visits(target: TreeTarget, field: Array, jumps: float, n_sweeps: int, seed: int, run: int) -> Array:
    n_nodes, n_leaves = field.shape
    rng = np.random.default_rng([seed, run, n_nodes])
    model, _ = own_counts(tree_model(target), np.zeros(n_nodes, dtype=np.int64))
    setup = BlockSetup(
        BlockTarget(target.graph), model._replace(field=field), BlockSettings(n_sweeps // 100, 1, 1.0, 0.5, True, jumps)
    )
    labels = np.asarray(rng.integers(0, n_leaves, n_nodes))
    state = blocks.start(setup, labels, rng)
    _, draws = blocks.advance(setup, state, n_sweeps // 100 + n_sweeps)
    codes = draws.labels.astype(np.int64) @ n_leaves ** np.arange(n_nodes - 1, -1, -1)
    return np.bincount(codes, minlength=n_leaves**n_nodes)


def follow_the_law_of_labels(name: str, effort: Effort) -> Finding:
    """Run one trial and return its total variation from the exact law."""
    n_sweeps = TRIALS[name].n_full if effort.full else TRIALS[name].n_full // 4
    return judge(label_law(TRIALS[name], n_sweeps, effort), n_sweeps, effort)


CASES = {
    "a flag": Case(
        ((0, 1), (0, 1), (1, 2), (2, 2), (3, 4), (2, 3)),
        ((1,), (1,), (0,), (1,), (0,)),
        (0,),
    ),
    "two columns, held out": Case(
        ((0, 1), (0, 1), (2, 3), (3, 4), (4, 4), (0, 5), (1, 5)),
        ((1, 2), (1, 1), (1, 0), (0, -1), (0, -2), (1, 3)),
        (0, 1),
        held_out=(5,),
    ),
}


def exact_moments(case: Case, n_points: int = 12) -> Moments:
    """Sum over labels and sets of columns of all nodes; see the head of the file."""
    x, trained, children = case.x, case.trained, tree_children(THREE)
    n_columns, n_nodes = x.shape[1] - 1, len(children)
    target = TreeTarget(graph_of(case.edges, len(x)), THREE)
    states = np.array(list(product(range(target.n_leaves), repeat=len(x))))
    s = np.array([target.entropy(b) for b in states])
    sets = [np.array(one, dtype=bool) for one in product((False, True), repeat=n_columns)]
    evidence = np.empty((n_nodes, len(sets), len(states)))
    sizes = np.zeros((n_nodes, len(sets), len(states), n_columns))
    for c, child in enumerate(children):
        for at, inside in enumerate(sets):
            w = prior_points(np.arange(n_columns), inside, int(child.max()) + 1, n_points)
            log_p = log_softmax(np.einsum("pkd,nd->pnk", w, x[trained]), axis=2)
            likelihood = np.zeros((len(w), len(states)))
            for i, v in enumerate(trained):
                child_of_state = child[states[:, v]]
                likelihood += np.where(child_of_state >= 0, log_p[:, i, child_of_state], 0.0)
            share = np.exp(likelihood) / len(w)
            evidence[c, at] = share.sum(axis=0)
            sizes[c, at] = (np.log1p((w[:, :, :-1] ** 2).sum(axis=1)).T @ share).T
    mass, inclusion, size = np.zeros(len(states)), np.zeros((n_nodes, n_columns)), np.zeros((n_nodes, n_columns))
    for chosen in product(range(len(sets)), repeat=n_nodes):
        inside = np.array([sets[at] for at in chosen])
        k = int(inside.sum())
        prior = np.exp(betaln(1 + k, n_columns * (1 + n_nodes) - k) - betaln(1, n_columns) - (s - s.min()))
        parts = np.array([evidence[c, at] for c, at in enumerate(chosen)])
        weight = prior * parts.prod(axis=0)
        mass += weight
        inclusion += inside * weight.sum()
        for c, at in enumerate(chosen):
            size[c] += (weight / parts[c]) @ sizes[c, at]
    total = mass.sum()
    together, empty = moments_of_labels(states, mass / total, target.n_leaves)
    return Moments(together, inclusion / total, size / total, empty)


def sampled_moments(case: Case, n_cycles: int, effort: Effort) -> Moments:
    """Run 8 chains, every second from all columns, and return the same from their draws."""
    runs = effort.each(partial(_draws, case, n_cycles, effort.seed), range(8))
    return Moments(*(np.mean([getattr(part, name) for part in runs], axis=0) for name in Moments._fields))


def _draws(case: Case, n_cycles: int, seed: int, number: int) -> Moments:
    x, target = case.x[:, :-1], TreeTarget(graph_of(case.edges, len(case.features)), THREE)
    rng = np.random.default_rng([seed, number, len(x)])
    labels = rng.integers(0, target.n_leaves, len(x))
    setup = tree_setup(target, x, labels, TreeSettings(60, 1), case.trained, INTERCEPT_SD)
    _, draws = advance(setup, start(setup, labels, rng, number % 2 == 1), 60 + n_cycles)
    together, empty = moments_of_draws(draws.labels, target.n_leaves)
    size = np.log1p(squares(setup, draws)).mean(axis=0)
    return Moments(together, draws.inclusion.mean(axis=0), size, empty)


def squares(setup: Any, draws: TreeDraws) -> Array:
    """Return |V|^2 (T, C, G) of the columns of each node."""
    first, parts = 0, []
    for columns in setup.columns:
        n_active, n_children = columns.full.shape
        v = draws.weights[:, first : first + n_active * n_children].reshape(-1, n_active, n_children)
        first += n_active * n_children
        groups = columns.target.groups
        column_of = groups.of_feature[columns.target.training.rows.active]
        parts.append([(v[:, column_of == g] ** 2).sum(axis=(1, 2)) for g in range(len(groups.names))])
    return np.moveaxis(np.array(parts), 2, 0)


def follow_the_law(name: str, effort: Effort) -> Finding:
    """Compare chains with the exact law; the figure is the worst difference as a share of what is allowed."""
    case, n_cycles = CASES[name], 20_000 if effort.full else 800
    exact = exact_moments(case, 14 if effort.full else 11)
    return compare_moments(exact, sampled_moments(case, n_cycles, effort), effort)


SIZES = (Size(8, 4, 10), Size(30, 4, 60))
BURN, THIN = 60, 5
GROUPS = {"flag": ["0"], "values": ["1", "2"]}
COLUMN = np.array([0, 1, 1, -1])
QUANTITIES = (
    "-ln P(A|b)",
    "ln p(b|W,X)",
    "omega",
    "columns inside",
    *(f"|V|^2 of {name} at {where}" for where in ("the root", "other nodes") for name in GROUPS),
    "leaves in use",
    "co-members of leaves with equal flag",
    "co-members of groups with equal flag",
)


def draw_labels_down(rng: np.random.Generator, x: Array, weights: list[Array], children: tuple[Array, ...]) -> Array:
    """Draw the leaf of each vertex by its way down: weights (K, D) of every node, the root first."""
    log_p = path_probabilities(x, weights, children)
    return np.array([rng.choice(len(row), p=row) for row in np.exp(log_p)])


def path_probabilities(x: Array, weights: list[Array], children: tuple[Array, ...]) -> Array:
    """Return ln p(b_i = r | x_i, W) (N, B)."""
    log_p = np.zeros((len(x), len(children[0])))
    for child, w in zip(children, weights, strict=True):
        log_p[:, child >= 0] += log_softmax(x @ w.T, axis=1)[:, child[child >= 0]]
    return log_p


def rank_of_truth(size: Size, seed: int, number: int) -> Array:
    """Return the rank of the truth in each quantity, then the inclusion probability of one trial, and the truth.

    Trials of one network share omega, so one of each network is looked at, in turns.
    """
    network_seed = child_seed(seed, "joint tree", *size, number)
    rng, children, n_columns = stream(network_seed, "model"), tree_children(PAIRS), len(GROUPS)
    value = rng.integers(0, 3, size.n_nodes)
    x = np.column_stack((rng.random(size.n_nodes) < 0.5, value == 0, value == 1, np.ones(size.n_nodes))).astype(float)
    omega = rng.beta(1, n_columns)
    inside = rng.random((len(children), n_columns)) < omega
    scale = np.where(inside, np.sqrt(3 / rng.chisquare(3, inside.shape)), 0.0)
    weights = []
    for node_scale, child in zip(scale, children, strict=True):
        w = rng.normal(size=(int(child.max()) + 1, len(COLUMN))) * np.append(node_scale, INTERCEPT_SD)[COLUMN]
        weights.append(w - w.mean(axis=0))
    labels = draw_labels_down(rng, x, weights, children)
    target = TreeTarget(draw_nested_multigraph(rng, labels, PAIRS, size.n_edges), PAIRS)
    start_labels = rng.integers(0, target.n_leaves, size.n_nodes)
    setup = tree_setup(target, x[:, :-1], start_labels, TreeSettings(BURN, THIN), None, INTERCEPT_SD, GROUPS)
    state = start(setup, start_labels, rng, number % 2 == 1)
    _, draws = advance(setup, state, BURN + THIN * N_DRAWS)
    active = [columns.target.training.rows.active for columns in setup.columns]
    flat = np.concatenate([w.T[rows].ravel() for w, rows in zip(weights, active, strict=True)])
    truth = TreeDraws(
        *(np.asarray(part)[np.newaxis] for part in (labels, target.entropy(labels), 0.0, omega, inside, inside, flat))
    )
    ranked = [_quantities(setup, x, one) for one in (draws, truth)]
    trial = number % inside.size
    chance = draws.chance.mean(axis=0).ravel()[[trial]]
    return np.concatenate((rank_among(ranked[0], ranked[1][:, 0], rng), chance, inside.ravel()[[trial]]))


def _quantities(setup: Any, x: Array, draws: TreeDraws) -> Array:
    """Return the ranked functions (Q, T) of draws."""
    labels, v = draws.labels.astype(np.int64), squares(setup, draws)
    likelihood = []
    for b, flat in zip(labels, draws.weights, strict=True):
        first, log_p = 0, np.zeros(len(x))
        for child, columns in zip(setup.children, setup.columns, strict=True):
            shape = columns.full.shape
            w = flat[first : first + shape[0] * shape[1]].reshape(shape)
            first += shape[0] * shape[1]
            child_of_leaf = child[b]
            log_softmax_ = log_softmax(x[:, columns.target.training.rows.active] @ w, axis=1)
            log_p += np.where(child_of_leaf >= 0, log_softmax_[np.arange(len(x)), child_of_leaf], 0.0)
        likelihood.append(log_p.sum())
    flagged = labels[:, x[:, 0] == 1]
    groups = PAIRS[0][flagged]
    return np.stack(
        (
            np.round(draws.entropy, 9),
            likelihood,
            draws.omega,
            draws.inclusion.sum(axis=(1, 2)),
            *v[:, 0].T,
            *v[:, 1:].sum(axis=1).T,
            [len(np.unique(b)) for b in labels],
            *(
                (labels_of[:, :, np.newaxis] == labels_of[:, np.newaxis]).sum(axis=(1, 2))
                for labels_of in (flagged, groups)
            ),
        )
    )


def uniform_ranks(effort: Effort) -> Finding:
    """Run the calibration: 300 networks of each size in full runs, 15 of the smaller one else."""
    sizes = SIZES if effort.full else SIZES[:1]
    return calibrate_columns(rank_of_truth, QUANTITIES, sizes, effort, 300 if effort.full else 15)


CHECKS = (
    *(
        Check(
            f"p(b|A) on a given tree: {name}",
            "total variation between visits and the exact law on all labels",
            "edges not carried up, a leaf or group that opens or closes and is not counted, the field left out",
            partial(follow_the_law_of_labels, name),
            full_only=True,
        )
        for name in TRIALS
    ),
    *(
        Check(
            f"p(b,inclusion|A,X) on a given tree: {name}",
            "worst difference from the exact law, as a share of what is allowed: co-membership, inclusion and an empty "
            "leaf 0.02, E[ln(1 + |V|^2)] 0.04 (quick runs: twice that)",
            "a node that does not see its labels, or counts vertices of others; omega or an inclusion counted wrongly",
            partial(follow_the_law, name),
            full_only=True,
        )
        for name in CASES
    ),
    Check(
        "calibration: joint posterior of a tree",
        "smallest p of uniform ranks of the truth among draws, and of the rate of true inclusion",
        "any posterior of labels, columns and weights of the nodes that is not the model's own",
        uniform_ranks,
        full_only=True,
    ),
)
