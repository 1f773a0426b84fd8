"""What a check is, and what it finds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from ffbm.workers import Run


class Effort(NamedTuple):
    """How a check is run: in full or quickly, from which seed, and ``each``, which maps a function over items."""

    full: bool
    seed: int
    each: Run


@dataclass(frozen=True, slots=True)
class Finding:
    """A figure and the bound it is held to.

    Parameters
    ----------
    figure, bound : float
    at_least : bool
        The figure must not fall below the bound; else it must not exceed it.
    doubt : text
        Why the figure proves nothing, such as too few draws; a check with a doubt does not pass.
    details : mapping
        What stands behind the figure, in plain values.
    """

    figure: float
    bound: float
    at_least: bool = False
    doubt: str = ""
    details: Mapping[str, Any] = field(default_factory=dict)

    @property
    def passed(self) -> bool:
        """The verdict; a figure that is not a number fails."""
        holds = self.figure >= self.bound if self.at_least else self.figure <= self.bound
        return bool(holds) and not self.doubt


class Check(NamedTuple):
    """One check: what it is called, what is measured, which faults it would show, and how it is run."""

    name: str
    measures: str
    catches: str
    run: Callable[[Effort], Finding]
    full_only: bool = False
