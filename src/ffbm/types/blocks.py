"""What the block level hands on: the draws of its chains, and what they say of each vertex."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ffbm.plain import count_of
from ffbm.types.graph import Array

MANY_CELLS = 1 << 25  # vertices times blocks: beyond, memberships are in single precision, for memory


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
        The partition of the lowest S that any chain visited, its start and burn-in included; with
        ``n_blocks="free"`` of the lowest S with P(b) among the draws and what each chain held to be its best.
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
    def n_chains(self) -> int:
        """C."""
        return int(self.labels.shape[0])

    @property
    def n_draws(self) -> int:
        """T."""
        return int(self.labels.shape[1])

    @property
    def converged(self) -> Any:
        """The verdict on the chains: a truth value with a ``grade`` and a ``reason``."""
        return self.diagnostics.converged

    @cached_property
    def candidates(self) -> Any:
        """The numbers of blocks compared under ``n_blocks="auto"``, best first, as a DataFrame; None otherwise.

        ``description_length`` is the lowest S found under Peixoto's prior, in nats, and ``difference`` how much
        that is above the best. ``probability`` is P(B | A) from chains with B free, where those were cheap (up to 2,000
        edges) and mixed; numbers that they were hardly ever at have 0.
        """
        if "candidates" not in self.settings:
            return None
        import pandas as pd

        table = pd.DataFrame(self.settings["candidates"], columns=["n_blocks", "description_length"])
        table = table.sort_values(["description_length", "n_blocks"], ignore_index=True)
        table = table.assign(difference=table["description_length"] - table["description_length"].min())
        known = self.settings.get("probabilities")
        return table.assign(probability=table["n_blocks"].map(dict(known)).fillna(0.0)) if known else table

    @cached_property
    def entropy_per_entity(self) -> float:
        """The mean of S over all draws, divided by N + E: the paper's figure without N ln B."""
        return float(self.entropy.mean()) / (self.labels.shape[2] + self.n_edges)

    def __repr__(self) -> str:
        c, t, n = self.labels.shape
        size = f"{count_of(n, 'vertex', 'vertices')} in {count_of(self.n_blocks, 'block')}"
        return (
            f"<BlockTrace: {count_of(c, 'chain')} x {count_of(t, 'draw')}, {size}, lowest S {self.best_entropy:,.1f}>"
        )


@dataclass(frozen=True, eq=False)
class Mode:
    """One picture of the network, from the draws that show it; its blocks are numbered as those of the whole.

    Parameters
    ----------
    weight : float
        The share of all draws that are in this mode: its probability, if chains go to and fro between modes.
    probs : (N, B) float64
        The share of its draws in which vertex i was in block r.
    labels : (N,) int64
        The block in which each vertex was most often.
    agreement : float
        The share of (draw, vertex) pairs in which the vertex was in that block.
    chains : (C,) float64
        The share of each chain's draws that are in this mode.
    order : (n, B) integers
        The number of each block of each of its draws, in the order of ``np.argwhere(members.mode_of == number)``.
    """

    weight: float
    probs: Array
    labels: Array
    agreement: float
    chains: Array
    order: Array

    @property
    def n_draws(self) -> int:
        """How many draws are in this mode."""
        return len(self.order)

    @cached_property
    def sizes(self) -> Array:
        """The number of vertices that were most often in each block (B,)."""
        return np.bincount(self.labels, minlength=self.probs.shape[1])

    def changed(self, other: "Mode") -> float:
        """Return the share of vertices that are in another block in another mode."""
        return float((self.labels != other.labels).mean())

    def __repr__(self) -> str:
        return (
            f"<Mode: {self.weight:.1%} of the draws;"
            f" {count_of(len(self.labels), 'vertex', 'vertices')} in blocks of {_list(self.sizes)};"
            f" agreement {self.agreement:.3f}>"
        )


@dataclass(frozen=True, eq=False)
class Memberships:
    """How often each vertex was in each block, over draws that share one numbering of the blocks.

    Blocks are numbered from 0 by decreasing size.

    Parameters
    ----------
    probs : (N, B) float64
        y-hat: the share of draws in which vertex i was in block r; rows sum to 1. float32 beyond 33 million cells.
    labels : (N,) int64
        The block in which each vertex was most often.
    agreement : float
        The share of (draw, vertex) pairs in which the vertex was in that block: 1 if all draws agree.
    order : (C, T, B) integers
        The new number of each block of each draw: ``order[c, t, labels[c, t]]`` are aligned labels.
    modes : tuple of Mode
        The different pictures that the draws show, by decreasing weight; one, equal to the whole, if left out.
    mode_of : (C, T) int64
        The mode of each draw.
    """

    probs: Array
    labels: Array
    agreement: float
    order: Array
    modes: tuple[Mode, ...] = ()
    mode_of: Array = field(default_factory=lambda: np.zeros((0, 0), dtype=np.int64))

    def __post_init__(self) -> None:
        if not self.modes:
            n_chains, n_draws, n_blocks = self.order.shape
            order = self.order.reshape(-1, n_blocks)
            one = Mode(1.0, self.probs, self.labels, self.agreement, np.ones(n_chains), order)
            object.__setattr__(self, "modes", (one,))
            object.__setattr__(self, "mode_of", np.zeros((n_chains, n_draws), dtype=np.int64))

    @property
    def n_blocks(self) -> int:
        """B."""
        return int(self.probs.shape[1])

    @property
    def n_modes(self) -> int:
        """How many different pictures the draws show."""
        return len(self.modes)

    @property
    def has_crossings(self) -> bool:
        """Whether a chain shows two modes; if none does, the weights of modes tell where chains started."""
        return any(0 < share < 1 for mode in self.modes for share in mode.chains.tolist())

    @property
    def shares_are_known(self) -> bool:
        """Whether the weights of modes are probabilities: there is one mode, or a chain shows two."""
        return self.n_modes == 1 or self.has_crossings

    @cached_property
    def sizes(self) -> Array:
        """The number of vertices that were most often in each block (B,)."""
        return np.bincount(self.labels, minlength=self.n_blocks)

    def __repr__(self) -> str:
        modes = f"; {self.n_modes} modes" if self.n_modes > 1 else ""
        return (
            f"<Memberships: {count_of(len(self.labels), 'vertex', 'vertices')} in blocks of {_list(self.sizes)};"
            f" agreement {self.agreement:.3f}{modes}>"
        )


def _list(sizes: Array) -> str:
    return ", ".join(map(str, sizes[:12])) + (", ..." if len(sizes) > 12 else "")
