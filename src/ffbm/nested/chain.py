"""The chain of hierarchies as a stepper: ``start`` makes a state, ``advance`` moves it; what is fixed is an argument.

The target is proportional to exp(-beta S) on hierarchies of sets: groups have no names.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ffbm.blocks.chain import BlockDraws, empty_draws
from ffbm.kernels.ledger import Ledger, WeightedLedger
from ffbm.kernels.nestedchain import (
    LOWEST_SO_FAR,
    NestedCounters,
    NestedSchedule,
    NestedWorkspace,
    nested_entropy,
    run_nested,
)
from ffbm.kernels.target import Model
from ffbm.kernels.tower import Tower
from ffbm.kernels.workspace import SWEEPS
from ffbm.nested.target import Hierarchy, Layout, NestedTarget, lay_out, nested_workspace, read_hierarchy
from ffbm.types import Array

NestedSettings = NestedSchedule  # kernels take it as it is


class NestedSetup(NamedTuple):
    """What the chains of one target share, and no step changes."""

    target: NestedTarget
    model: Model
    layout: Layout
    settings: NestedSettings


class NestedState(NamedTuple):
    """A chain at rest: all that steps change."""

    ledger: Ledger | WeightedLedger
    tower: Tower
    totals: Array  # see ``NestedCounters``
    tally: Array
    best: Array
    best_above: Array
    rng: np.random.Generator

    @property
    def counters(self) -> NestedCounters:
        """What the chain counts, for kernels."""
        return NestedCounters(self.totals, self.tally, self.best, self.best_above)

    @property
    def lowest(self) -> float:
        """The lowest S visited, the start included."""
        return float(self.totals[LOWEST_SO_FAR])


def start(setup: NestedSetup, levels: Sequence[Array], rng: np.random.Generator) -> NestedState:
    """Set up a chain at a hierarchy with its own random stream."""
    graph = setup.target.graph
    ledger, tower = lay_out(setup.model, setup.target, levels, setup.layout)
    entropy = nested_entropy(setup.model, ledger, tower, nested_workspace(graph, setup.layout))
    totals = np.array([entropy, 0.0, -np.inf, entropy])
    return NestedState(ledger, tower, totals, np.zeros(5, dtype=np.int64), ledger.b.copy(), tower.b.copy(), rng)


def advance(
    setup: NestedSetup, state: NestedState, n_cycles: int, workspace: NestedWorkspace | None = None
) -> tuple[NestedState, BlockDraws]:
    """Run ``n_cycles`` cycles over all levels and return the state, changed in place, and the draws kept on the way.

    The labels (T, M) of draws are those of vertices, then those of the groups of each level: see ``unpack``. Whoever
    makes many short runs hands in the ``workspace`` that ``nested_workspace`` returns.
    Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    settings, layout, n_nodes = setup.settings, setup.layout, setup.target.graph.n_nodes
    n_labels = n_nodes + layout.n_blocks + (layout.n_rows - 2) * layout.n_above
    draws = empty_draws(settings, int(state.tally[SWEEPS]), n_cycles, n_labels, layout.n_blocks)
    workspace = workspace or nested_workspace(setup.target.graph, layout)
    run_nested(state.rng, setup.model, state.ledger, state.tower, workspace, settings, n_cycles, state.counters, draws)
    return state, draws


def lowest_of(setup: NestedSetup, state: NestedState) -> Hierarchy:
    """Return the hierarchy of the lowest S that a chain visited."""
    return read_hierarchy(state.best, state.best_above[:-1], setup.target.types)


def unpack(setup: NestedSetup, labels: Array) -> Hierarchy:
    """Return the hierarchy of one draw (M,)."""
    (width, n_above, n_rows), n_nodes = setup.layout, setup.target.graph.n_nodes
    rows = [labels[n_nodes : n_nodes + width]]
    first = n_nodes + width
    rows += [labels[first + a * n_above : first + (a + 1) * n_above] for a in range(n_rows - 2)]
    return read_hierarchy(labels[:n_nodes], rows, setup.target.types)
