"""The chain of hierarchies: on every level vertices or groups move one by one and many at once; levels open and close.

Level 0 moves the vertices of the network, level u >= 1 the groups of level u - 1, which are the vertices of a
multigraph. Every level is a target of its own given the others, and is moved by the moves of the block chain.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.blockchain import keep
from ffbm.kernels.compilation import ENTRY, INLINE, INNER, copy, copy_table
from ffbm.kernels.groups import list_groups
from ffbm.kernels.ledger import Ledger, blocks_in_use
from ffbm.kernels.levelprior import LevelPrior
from ffbm.kernels.levelsums import store_member_sums
from ffbm.kernels.nested import Nested
from ffbm.kernels.nestedmoves import move_level, move_many
from ffbm.kernels.single import ROUNDING, sweep
from ffbm.kernels.target import Model, entropy_of
from ffbm.kernels.tower import n_types, partition_cost
from ffbm.kernels.workspace import ENTROPY, MADE, SWEEPS, TRIED, Workspace


class NestedWorkspace(NamedTuple):
    """Tables of the levels above the vertices, and arrays that moves on any level may overwrite."""

    groups: Any  # ``Adjacency`` or ``Arcs``: the groups of a level as vertices, W of them at most
    tables: Any  # ``Multigraph`` or ``DirectedMultigraph``, whose edge_cost is 0
    sums: Any  # ``LevelSums`` or ``NoSums``
    size_cost: np.ndarray  # (W+2,) -ln n!
    size_step: np.ndarray  # (W+1,)
    used_cost: np.ndarray  # (K+1,) of the level that moves
    eta: np.ndarray  # (rows, 1) int32, which nothing reads
    term: np.ndarray  # (rows,) zeros
    none: np.ndarray  # (0, 0) int32
    no_field: np.ndarray  # (0, 0)
    work: np.ndarray  # (L, 3, K+1) int64: of ``Nested``
    moves: Workspace  # for as many members and groups as any level has


class NestedSchedule(NamedTuple):
    """What is chosen for a chain: after ``burn`` cycles every ``thin``-th is kept."""

    burn: int
    thin: int
    beta: float = 1.0
    epsilon: float = 0.5
    sweeps: int = 3  # over the vertices in a cycle; the groups of every level above are swept once
    jumps: float = 1.0  # moves of many members at once after each sweep, on average
    shifts: float = 1.0  # levels opened and closed in a cycle, on average
    n_scans: int = 2  # restricted Gibbs scans of a launch


LOWEST_SO_FAR = 3  # in ``totals``, after those of ``workspace``


class NestedCounters(NamedTuple):
    """What a chain counts; visits and moves are those since the last kept draw."""

    totals: np.ndarray  # (4,) S, 0, minus infinity, so that sweeps keep no log, and the lowest S of a cycle's end
    tally: np.ndarray  # (5,) int64: see ``workspace.Counters``, cycles in place of sweeps
    best: np.ndarray  # (N,) the labels of the vertices at the lowest S
    best_above: np.ndarray  # (L, W) those of the groups


@njit(**ENTRY)
def nested_entropy(model, ledger, tower, workspace):
    """Return S of the whole hierarchy."""
    return entropy_of(lowest_model(model, tower, workspace), ledger)


@njit(**ENTRY)
def run_nested(rng, model, ledger, tower, workspace, schedule, n_cycles, counters, draws):
    """Advance a chain by n_cycles and write the draws it keeps; return how many.

    The labels (T, M) of the draws are those of the vertices, of the groups of level 0, of level 1, and so on.
    """
    m, c, tower, workspace, totals = bare(model), bare(ledger), bare(tower), bare(workspace), bare(counters.totals)
    kept, tally = 0, counters.tally
    for _ in range(n_cycles):
        cycle(rng, m, c, tower, workspace, schedule, totals, tally)
        tally[SWEEPS] += 1
        note_lowest(c, tower, counters)
        if keep(counters, schedule, draws.entropy, draws.acceptance, kept):
            write_labels(c, tower, draws.labels[kept])
            kept += 1
    return kept


@njit(**INNER)
def cycle(rng, m, c, tower, workspace, schedule, totals, tally):
    """Move every level once, from the vertices up, then try to open or close levels."""
    m, c, tower, workspace = bare(m), bare(c), bare(tower), bare(workspace)
    below = lowest_model(m, tower, workspace)
    for _ in range(schedule.sweeps):
        move_members(rng, below, c, tower.b[0], workspace.moves, schedule, totals, tally)
    for u in range(1, tower.used.shape[0]):
        n_members = c.used[0] if u == 1 else tower.used[u - 2, 0]
        if n_members == n_types(tower.used):
            break
        if u == 1:
            list_groups(workspace.groups, c.ers, n_members)
        else:
            list_groups(workspace.groups, tower.ers[u - 2], n_members)
        store_member_sums(workspace.sums, tower, u - 1, c)
        level = model_of(m, tower, workspace, u, n_members)
        counts = ledger_of_level(tower, workspace, u, n_members)
        move_members(rng, level, counts, tower.b[u], workspace.moves, schedule, totals, tally)
    for _ in range(int(schedule.shifts + rng.random())):
        move_level(rng, c, tower, workspace.tables.lf, workspace.sums, schedule.beta, totals)


@njit(**INNER)
def move_members(rng, m, c, parents, workspace, schedule, totals, tally):
    """Visit every member of a level once, which opens no group, then try some moves of many at once."""
    m, c, workspace, parents = bare(m), bare(c), bare(workspace), bare(parents)
    beta, undo_log, work, scratch = schedule.beta, workspace.undo_log, workspace.work, workspace.scratch
    sweep(rng, m, blocks_in_use(c), beta, schedule.epsilon, False, totals, tally, undo_log, scratch)
    for _ in range(int(schedule.jumps + rng.random())):
        splits = rng.random() < 0.75
        tally[TRIED] += 1
        tally[MADE] += move_many(rng, m, c, parents, splits, beta, schedule.n_scans, totals, work, scratch)


@njit(**INLINE)
def lowest_model(m, tower, workspace):
    """Return the model of the vertices, given the levels above."""
    likelihood, flat = Nested(m.likelihood, tower, workspace.tables, workspace.work, 0, workspace.sums), m.prior
    prior = LevelPrior(flat.size_cost, flat.size_step, flat.used_cost, workspace.tables.lf, tower.b, tower.used, 0)
    return Model(m.graph, likelihood, prior, m.field, m.constant)


@njit(**INNER)
def model_of(m, tower, workspace, u, n_members):
    """Return the model of level u >= 1, given the levels above: its vertices are the groups of the level below."""
    for n_groups in range(1, min(n_members, workspace.used_cost.size - 1) + 1):
        workspace.used_cost[n_groups] = partition_cost(workspace.tables.lf, n_members, n_groups)
    likelihood = Nested(workspace.tables, tower, workspace.tables, workspace.work, u, workspace.sums)
    prior = LevelPrior(
        workspace.size_cost, workspace.size_step, workspace.used_cost, workspace.tables.lf, tower.b, tower.used, u
    )  # fmt: skip
    return Model(workspace.groups, likelihood, prior, workspace.no_field, m.constant)


@njit(**INLINE)
def ledger_of_level(tower, workspace, u, n_members):
    """Return the counts of level u >= 1."""
    row = u - 1
    return Ledger(
        tower.b[row][:n_members], tower.n[row], tower.e[row], tower.ers[row], workspace.eta, workspace.term,
        workspace.none, tower.used[row], workspace.none,
    )  # fmt: skip


@njit(**INNER)
def note_lowest(c, tower, counters):
    """Keep the hierarchy if S is the lowest so far."""
    totals = counters.totals
    if totals[ENTROPY] < totals[LOWEST_SO_FAR] - ROUNDING:
        totals[LOWEST_SO_FAR] = totals[ENTROPY]
        copy(c.b, counters.best)
        copy_table(tower.b, counters.best_above)


@njit(**INNER)
def write_labels(c, tower, labels):
    """Write the labels of the vertices, then those of the groups of each level; 0 beyond the groups in use."""
    first = c.b.size
    copy(c.b, labels)
    n_members, width = c.used[0], c.n.size
    for u in range(tower.used.shape[0] - 1):
        for g in range(width):
            labels[first + g] = tower.b[u, g] if g < n_members else 0
        first += width
        n_members, width = tower.used[u, 0], tower.n.shape[1]
