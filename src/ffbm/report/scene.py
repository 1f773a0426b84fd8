"""What the pictures of a whole network are made from: vertices in blocks, and how blocks are called and drawn."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from ffbm.types import Array, Memberships, Network


@dataclass(frozen=True, eq=False)
class Scene:
    """A network, its blocks and their looks.

    Parameters
    ----------
    network : Network
    members : Memberships
    order : (D,) int64
        The features, the first ones first.
    train : (n,) int64, optional
        The training vertices, if they are the same for all blocks.
    names : tuple of B, optional
        What blocks are called; their numbers if left out.
    styles : (B,) int64, optional
        The number whose colour and marker a block has; its own if left out.
    """

    network: Network
    members: Memberships
    order: Array
    train: Array | None = None
    names: tuple[Any, ...] | None = None
    styles: Array | None = None

    @property
    def has_names(self) -> bool:
        """Whether blocks have names that are not their numbers."""
        return self.names is not None

    @property
    def called(self) -> tuple[Any, ...]:
        """The name, or the number, of each block."""
        return tuple(range(self.members.n_blocks)) if self.names is None else self.names

    @property
    def looks(self) -> Array:
        """The number whose colour and marker each block has."""
        return np.arange(self.members.n_blocks) if self.styles is None else self.styles

    @property
    def title(self) -> str:
        """The name of the network, or a word for it."""
        return self.network.name or "The network"
