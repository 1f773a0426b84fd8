"""What a fit consists of: what was sampled, how it is explained, where it comes from, and whether to rely on it."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ffbm.blocks.stack import nats_by_levels
from ffbm.config import FitConfig
from ffbm.diagnostics import FitDiagnostics, Verdict, joint_diagnostics
from ffbm.explanation import Explanation
from ffbm.types import Array, BlockTrace, Memberships, Network, NodeTypes
from ffbm.types.ranking import Ranking
from ffbm.types.relevance import Relevance
from ffbm.types.scores import Scores
from ffbm.types.tree import Tree
from ffbm.types.weights import WeightTrace

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class FitParts:
    """The parts of a fit.

    Parameters
    ----------
    network : Network
    config : FitConfig
        What was chosen, with the seed that was used.
    train : (n,) int64
        The training vertices, in increasing order.
    blocks : BlockTrace
    memberships : Memberships
    explanation : Explanation
        What all features say of the memberships.
    reduced : Explanation, optional
        What the kept features say, if these are fewer.
    provenance : dict
        Versions, seed, fingerprint of the data, date, command.
    hierarchy : Tree, optional
        With ``hierarchy=True``: the tree of blocks.
    """

    network: Network
    config: FitConfig
    train: Array
    blocks: BlockTrace
    memberships: Memberships
    explanation: Explanation
    reduced: Explanation | None = None
    provenance: dict[str, Any] = field(default_factory=dict)
    hierarchy: Tree | None = None

    @property
    def weights(self) -> WeightTrace:
        """The draws of the weights of all features."""
        return self.explanation.weights

    @property
    def ranking(self) -> Ranking:
        """The features in order, and those that are kept."""
        return self.explanation.ranking

    @property
    def relevance(self) -> Relevance | None:
        """Which columns matter, under the learned prior; None under the fixed one."""
        return self.explanation.relevance

    @property
    def column_table(self) -> "pd.DataFrame":
        """What each column of the table explains."""
        return self.explanation.column_table

    @property
    def scores(self) -> Scores:
        """Losses, bits and accuracies of the fit on all features."""
        return self.explanation.scores

    @cached_property
    def diagnostics(self) -> FitDiagnostics:
        """R-hat, ESS and verdicts of every stage."""
        weights, reduced, joint = self.weights, None, None
        if self.reduced is not None:
            reduced = self.reduced.diagnostics
        if self.config.target == "joint" and not self.config.hierarchy:
            trace = weights if weights.selected is None else weights.selected  # what was drawn together with the labels
            joint = joint_diagnostics(self.blocks.labels, self.blocks.entropy, trace.energy, trace.weights)
        return FitDiagnostics(self.blocks.diagnostics, weights.diagnostics, reduced, self.explanation.variance, joint)

    @cached_property
    def nats_by_hierarchy(self) -> float:
        """By how much at least a hierarchy of the best blocks is shorter; 0 if it is not, or if there can be none."""
        graph, blocks = self.network.graph, self.blocks
        is_other = self.hierarchy is not None or self.config.target != "cut"
        if is_other or "given" in blocks.settings or len(blocks.best_labels) != graph.n_nodes:  # those of one type
            return 0.0
        return nats_by_levels(graph, blocks.best_labels)

    @property
    def converged(self) -> Verdict:
        """Whether the chains of all stages agree: a truth value with a ``grade`` and a ``reason``."""
        return self.diagnostics.converged


@dataclass(frozen=True, eq=False)
class TypedParts:
    """The parts of a fit with types of vertices: see ``TypedFit``."""

    network: Network
    types: NodeTypes
    blocks: BlockTrace
    memberships: Memberships
    explanations: dict[str, Explanation]
    config: FitConfig
    provenance: dict[str, Any] = field(default_factory=dict)
    trees: dict[str, Tree] = field(default_factory=dict)  # of a hierarchy: that of each type
