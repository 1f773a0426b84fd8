"""Geweke's test of the joint chain under the learned prior: graph, labels, columns, scales and weights all change.

Each run starts at an exact draw of the model given features. Then a step of the chain moves labels, columns and weights
given the graph, and the graph is drawn again given the labels, and so on: if the chain keeps its posterior, every later
state is a draw of the model as well, and means of functions along the runs are those of fresh draws.
"""

import numpy as np

from ffbm.blocks.target import BlockTarget, block_ledger, block_model
from ffbm.joint.chain import JointSettings
from ffbm.joint.selection import ColumnSetup, ColumnState, advance, column_setup, start
from ffbm.kernels.target import entropy_of
from ffbm.simulation.multigraph import draw_multigraph
from ffbm.theta.adapt import first_adaptation
from ffbm.theta.selection import SelectionState
from ffbm.types import Array, Graph
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.geweke import compare_means
from ffbm.verification.joint_selection import (
    GROUPS,
    QUANTITIES,
    SIZES,
    Problem,
    draw_features,
    draw_given,
    quantities,
)

SIZE = SIZES[0]
X = draw_features(np.random.default_rng(5), SIZE.n_nodes)
SWEEPS, GAP = 4, 2  # over the labels between two graphs, and for one over the columns: then weights move with labels
SETTINGS = JointSettings(0, SWEEPS, jumps=1.0, shifts=2.0)
FUNCTIONS = (
    *(name.replace("|V|^2", "ln(1 + |V|^2)").replace("s of", "ln s of") for name in QUANTITIES),
    *(f"{name} inside" for name in GROUPS),
)


def functions(problem: Problem) -> Array:
    """Return what is compared of a state: the ranked quantities, those with heavy tails as logs, and inclusion."""
    values, n_columns = quantities(problem, problem.truth)[:, 0], len(GROUPS)
    squares, scales = 3, 3 + n_columns  # where they begin
    values[squares:scales] = np.log1p(values[squares:scales])
    values[scales : scales + n_columns] = np.log(values[scales : scales + n_columns])
    return np.array([*values, *problem.truth.inclusion[0]])


def fresh_means(seed: int, n_draws: int, number: int) -> Array:
    """Return the means of the functions over independent draws of the model."""
    rng = np.random.default_rng([seed, number, 1])
    return np.mean([functions(draw_given(rng, X, SIZE, 0)) for _ in range(n_draws)], axis=0)


def chain_means(seed: int, n_steps: int, number: int) -> Array:
    """Return the means of the functions along a run of the chain with the graph drawn again after every step."""
    rng = np.random.default_rng([seed, number, 2])
    problem = draw_given(rng, X, SIZE, 0)
    n_blocks = problem.n_blocks
    setup = column_setup(problem.graph, X[:, :-1], n_blocks, SETTINGS, problem.rows, column_groups=GROUPS)
    setup = setup._replace(gap=GAP)
    first = start(setup, np.arange(len(X)) % n_blocks, rng, full=True)  # geometry that no draw has a part in
    means = []
    for _ in range(n_steps):
        next_setup = _with_graph(setup, problem.graph)
        _, draws = advance(next_setup, _state_at(next_setup, first, problem, rng), SWEEPS)
        labels = draws.labels[0].astype(np.int64)
        problem = problem._replace(graph=draw_multigraph(rng, labels, n_blocks, SIZE.n_edges), truth=draws)
        means.append(functions(problem))
    return np.mean(means, axis=0)


def _with_graph(setup: ColumnSetup, graph: Graph) -> ColumnSetup:
    partitions = BlockTarget(graph)
    blocks = block_model(partitions, setup.model.n_blocks)
    return setup._replace(model=setup.model._replace(partitions=partitions, blocks=blocks))


def _state_at(setup: ColumnSetup, first: ColumnState, problem: Problem, rng: np.random.Generator) -> ColumnState:
    """Return the chain at the labels, columns and weights of a problem; every column is visited in every sweep."""
    truth, active, every = problem.truth, setup.model.training.rows.active, np.ones(len(GROUPS))
    ledger = block_ledger(setup.model.blocks, truth.labels[0].astype(np.int64), problem.n_blocks)
    entropy = entropy_of(setup.model.blocks, ledger)
    columns = SelectionState(
        np.ascontiguousarray(truth.weights[0].T[active]), truth.inclusion[0].copy(), first_adaptation(0.3),
        np.zeros(len(GROUPS)), every, every, np.zeros(1, np.int64), np.ones(1, np.int64), rng,
    )  # fmt: skip
    return first._replace(
        ledger=ledger, totals=np.array([entropy, 0.0, entropy]), tally=np.zeros_like(first.tally),
        best=ledger.b.copy(), columns=columns, chance=np.zeros(len(GROUPS)),
    )  # fmt: skip


def law_kept(effort: Effort) -> Finding:
    """Run the test: the smallest p of Student's test."""
    n_runs, n_steps = (200, 100) if effort.full else (40, 12)
    return compare_means(FUNCTIONS, chain_means, fresh_means, n_runs, n_steps, effort)


CHECKS = (
    Check(
        "Geweke: joint selection of columns",
        "smallest p of the means of functions of labels, columns, weights and graph along runs in which all change",
        "a move of labels, columns or weights that does not keep the joint law under the learned prior",
        law_kept,
    ),
)
