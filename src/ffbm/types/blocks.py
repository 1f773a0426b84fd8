"""What the block level hands on: the draws of its chains, and what they say of each vertex."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from ffbm.types.network import Array


@dataclass(frozen=True, eq=False)
class BlockTrace:
    """The kept draws of block chains, C chains of T draws on N vertices.

    Parameters
    ----------
    labels : (C, T, N) smallest unsigned type
        The block of each vertex, as the chain numbered it: see ``align_blocks`` for one numbering.
    entropy : (C, T) float64
        S(b) without the partition's own part, in nats, as carried by the chain.
    acceptance : (C, T) float64
        The share of vertex visits that moved their vertex, since the draw before.
    best_labels : (N,) int64
        The partition of the lowest S that any chain visited, its start and burn-in included.
    best_entropy : float
    n_blocks : int
        B.
    n_edges : int
        E, to put S on the scale of the graph: see ``entropy_per_entity``.
    settings : dict
        What was chosen, the seed among it.
    diagnostics : object
        R-hat and ESS of S and of co-membership, acceptance, and a verdict.
    """

    labels: Array
    entropy: Array
    acceptance: Array
    best_labels: Array
    best_entropy: float
    n_blocks: int
    n_edges: int
    settings: dict[str, Any]
    diagnostics: Any = None

    @property
    def converged(self) -> Any:
        """The verdict on the chains: a truth value with a ``reason``."""
        return self.diagnostics.converged

    @cached_property
    def entropy_per_entity(self) -> float:
        """The mean of S over all draws, divided by N + E: the paper's figure without N ln B."""
        return float(self.entropy.mean()) / (self.labels.shape[2] + self.n_edges)

    def __repr__(self) -> str:
        c, t, n = self.labels.shape
        found = f"{n:,} vertices in {self.n_blocks} blocks, lowest S {self.best_entropy:,.1f}"
        return f"<BlockTrace: {c} chains x {t} draws, {found}>"


@dataclass(frozen=True, eq=False)
class Memberships:
    """How often each vertex was in each block, over draws that share one numbering of the blocks.

    Blocks are numbered from 0 by decreasing size.

    Parameters
    ----------
    probs : (N, B) float64
        y-hat: the share of draws in which vertex i was in block r; rows sum to 1.
    labels : (N,) int64
        The block in which each vertex was most often.
    agreement : float
        The share of (draw, vertex) pairs in which the vertex was in that block: 1 if all draws agree.
    order : (C, T, B) integers
        The new number of each block of each draw: ``order[c, t, labels[c, t]]`` are aligned labels.
    """

    probs: Array
    labels: Array
    agreement: float
    order: Array

    @property
    def n_blocks(self) -> int:
        """B."""
        return int(self.probs.shape[1])

    @cached_property
    def sizes(self) -> Array:
        """The number of vertices that were most often in each block (B,)."""
        return np.bincount(self.labels, minlength=self.n_blocks)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.sizes[:12])) + (", ..." if self.n_blocks > 12 else "")
        return f"<Memberships: {len(self.labels):,} vertices in blocks of {sizes}; agreement {self.agreement:.3f}>"
