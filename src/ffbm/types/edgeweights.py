"""The weights of edges, and what they are taken for."""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

MICROCANONICAL = "microcanonical"
HYPERPARAMETERS = {  # of the conjugate prior of each model
    "geometric": ("a", "b"),
    "poisson": ("a", "b"),
    "exponential": ("a", "b"),
    "log-normal": ("m0", "k0", "v0", "nu0"),
    "normal": ("m0", "k0", "v0", "nu0"),
}


@dataclass(frozen=True, eq=False)
class EdgeWeights:
    """A weight for each edge, and the law that weights between two blocks have.

    Parameters
    ----------
    values : (E,) float64
        In the order of ``Graph.edges``.
    model : {"geometric", "poisson", "exponential", "log-normal", "normal"}
        The law of the weights between two blocks.
    prior : dict, optional
        The hyperparameters of a conjugate prior; None for the microcanonical law, given the sum of all weights.
    column : text
        Where the weights stood.
    reason : text
        Why this model: chosen by the user, or by what the weights are.

    Examples
    --------
    >>> weights = EdgeWeights(np.array([1.0, 4.0]), "geometric", column="trips")
    >>> weights.in_words
    "'trips', geometric"
    """

    values: Array
    model: str
    prior: dict[str, float] | None = None
    column: str = "weight"
    reason: str = ""

    @property
    def in_words(self) -> str:
        """The column and the model, for people."""
        if self.prior is None:
            return f"{self.column!r}, {self.model}"
        return f"{self.column!r}, {self.model} with " + ", ".join(f"{k} = {v:g}" for k, v in self.prior.items())

    def to_dict(self) -> dict[str, Any]:
        """Return what weights are taken for by name, without the weights."""
        return {"column": self.column, "model": self.model, "prior": self.prior, "reason": self.reason}

    @property
    def is_counted(self) -> bool:
        """Whether the law is of whole numbers, so that it has chances; else it has densities."""
        return self.model in ("geometric", "poisson")

    @property
    def scored(self) -> Array:
        """The values that the model's law is of: their logarithms if it is log-normal."""
        return np.asarray(np.log(self.values) if self.model == "log-normal" else self.values)

    def take(self, order: Array) -> "EdgeWeights":
        """Return the weights of other edges: those at these places, in this order."""
        return replace(self, values=self.values[order])
