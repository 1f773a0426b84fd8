"""Geweke's joint-distribution test of the joint sampler: A, b and W all change, and their law must not.

Each run starts at an exact draw (W, b, A) of the model. Then a step of the sampler moves (b, W) given A, and A is drawn
again given b, and so on: if the sampler keeps p(b, theta | A, X), every later (W, b, A) is a draw of the model as well,
and means of functions of it along the runs are those of fresh draws.
"""

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np
from scipy.special import log_softmax
from scipy.stats import t as student

from ffbm.blocks.entropy import description_length
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.joint.chain import JointSettings, JointSetup, advance, resume_at, set_up
from ffbm.joint.prepare import JointModel, joint_model
from ffbm.kernels.workspace import ENTROPY
from ffbm.simulation.memberships import draw_labels, draw_weights
from ffbm.simulation.multigraph import draw_multigraph
from ffbm.theta.adapt import first_adaptation
from ffbm.types import Array, Graph
from ffbm.verification.findings import Effort, Finding

N_NODES, N_BLOCKS, N_EDGES, SIGMA = 8, 5, 9, 1.5
HELD_OUT = (6, 7)
TRAINED = np.setdiff1d(np.arange(N_NODES), HELD_OUT)
X = np.array([[1, 0], [1, 0], [1, 1], [0, 1], [0, 1], [1, 1], [3, 0], [0, 3]], dtype=float)
SETTINGS = JointSettings(0, 1, n_moves=1, n_warmup=0, jumps=1.0, shifts=3.0)
SWEEPS = 3  # of the sampler between two graphs
FUNCTIONS = (
    "S",
    "ln p(b|W,X)",
    "|W centred|^2",
    "blocks in use",
    "pairs in one block",
    "edges inside blocks",
    "S^2",
    "ln p(b|W,X)^2",
    "centred weight of the held-out vertex",
)
Means = Callable[[int, int, int], Array]  # of a seed, the number of steps or draws, and that of the run


def draw_from_model(rng: np.random.Generator) -> tuple[Array, Array, Graph]:
    """Draw weights (B, D), labels (N,) and a multigraph; held-out vertices have labels without features."""
    w = draw_weights(rng, N_BLOCKS, X.shape[1], SIGMA)
    x_of_labels = X.copy()
    x_of_labels[list(HELD_OUT)] = 0
    b = draw_labels(rng, x_of_labels, w)
    return w, b, draw_multigraph(rng, b, N_BLOCKS, N_EDGES)


def functions(w: Array, b: Array, graph: Graph, s: float) -> Array:
    """Return what is compared, of one (W, b, A) with the description length S."""
    log_p = float(log_softmax(X[TRAINED] @ w.T, axis=1)[np.arange(len(TRAINED)), b[TRAINED]].sum())
    centred = w - w.mean(axis=0)
    ends = b[graph.edges]
    return np.array(
        [
            s,
            log_p,
            (centred**2).sum(),
            np.count_nonzero(np.bincount(b)),
            (b[:, np.newaxis] == b).sum(),
            (ends[:, 0] == ends[:, 1]).sum(),
            s**2,
            log_p**2,
            centred[b[HELD_OUT[0]], 0],
        ]
    )


def fresh_means(seed: int, n_draws: int, number: int) -> Array:
    """Return the means of the functions over independent draws of the model."""
    rng = np.random.default_rng([seed, number, 1])
    means = []
    for _ in range(n_draws):
        w, b, graph = draw_from_model(rng)
        means.append(functions(w, b, graph, description_length(graph, b).without_partition))
    return np.mean(means, axis=0)


def chain_means(seed: int, n_steps: int, number: int) -> Array:
    """Return the means of the functions along a run of the sampler with A drawn again after every step."""
    rng = np.random.default_rng([seed, number, 2])
    w, b, graph = draw_from_model(rng)
    model = joint_model(graph, X, N_BLOCKS, TRAINED, SIGMA)
    geometry = set_up(JointSetup(model, SETTINGS), np.arange(N_NODES) % N_BLOCKS, model.scale, np.zeros(0), rng)
    active = model.training.rows.active
    contrasts = np.ascontiguousarray((w - w.mean(axis=0))[:, active].T)
    adapt = first_adaptation(geometry.first_step)
    means = []
    for step in range(n_steps + 1):
        setup = JointSetup(_with_graph(model, graph), SETTINGS)
        state = resume_at(setup, b, contrasts, adapt, geometry, rng)
        if step:  # the first is a fresh draw itself
            means.append(functions(w, b, graph, float(state.totals[ENTROPY])))
        if step < n_steps:
            state, draws = advance(setup, state, SWEEPS)
            w, b, contrasts = draws.weights[-1], draws.labels[-1].astype(np.int64), state.weights
            graph = draw_multigraph(rng, b, N_BLOCKS, N_EDGES)
    return np.mean(means, axis=0)


def _with_graph(model: JointModel, graph: Graph) -> JointModel:
    partitions = BlockTarget(graph)
    return model._replace(partitions=partitions, blocks=block_model(partitions, N_BLOCKS))


def law_kept(effort: Effort) -> Finding:
    """Run the test: the smallest p of Student's test."""
    n_runs, n_steps = (200, 300) if effort.full else (40, 25)
    return compare_means(FUNCTIONS, chain_means, fresh_means, n_runs, n_steps, effort)


def compare_means(
    names: Sequence[str], chain: Means, fresh: Means, n_runs: int, n_steps: int, effort: Effort
) -> Finding:
    """Compare means of functions over runs of so many steps with those of fresh draws; return the smallest p."""
    along, drawn = (
        np.array(effort.each(partial(means, effort.seed, n_steps), range(n_runs))) for means in (chain, fresh)
    )
    error = np.sqrt((along.var(axis=0, ddof=1) + drawn.var(axis=0, ddof=1)) / n_runs)
    off = (along.mean(axis=0) - drawn.mean(axis=0)) / error
    p = 2 * student.sf(np.abs(off), n_runs - 1)
    details = {"n_runs": n_runs, "n_steps": n_steps, "deviations": dict(zip(names, off.tolist(), strict=True))}
    return Finding(float(p.min()), 0.001 / len(p), at_least=True, details=details)
