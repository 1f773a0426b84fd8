"""Which columns matter, and which of their values set which block apart: decisions, and sentences that tell them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ffbm.plain import count_of
from ffbm.types.graph import Array
from ffbm.types.selection import MOST_ERROR

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 8  # columns that a sentence names
MATTERS, IN_A_SET, OPEN, BY_MODE = "matters", "one of a set", "not decided", "depends on the mode"


@dataclass(frozen=True, slots=True)
class NamedValue:
    """A feature that sets a block apart: its weight there has this sign with this probability."""

    column: str
    feature: str
    block: int
    mean: float
    probability: float


@dataclass(frozen=True, slots=True)
class SetApart:
    """A feature that sets a block apart: its centred weight there, and how sure its sign is, in words."""

    column: str
    feature: str
    weight: float
    sure: str
    is_number: bool

    @property
    def value(self) -> str:
        """The feature without the name of its column; of a flag or a number, how vertices of the block differ."""
        if self.feature != self.column:
            return self.feature.removeprefix(f"{self.column}=")
        return self.way.removesuffix(" vertices with")

    @property
    def way(self) -> str:
        """How vertices of the block differ, before the name of the feature."""
        if self.is_number:
            return "higher" if self.weight > 0 else "lower"
        return "more vertices with" if self.weight > 0 else "fewer vertices with"


@dataclass(frozen=True, eq=False)
class Relevance:
    """What draws of inclusion say of G columns.

    Parameters
    ----------
    column_names : tuple of G
    n_features : (G,) int64
        Of each column.
    inclusion, error : (G,) float64
        The inclusion probability of each column, and its Monte Carlo standard error.
    bayes_factor : (G,) float64
        The odds of inclusion over the prior odds, 1 to G.
    decided : tuple of int
        The columns that matter, the surest first: on average at most a share ``fdr`` of them is false, and each is more
        likely in than out.
    sets : tuple of tuples of int
        Columns of which one matters without the data saying which.
    none_included : float
        The probability that no column matters.
    values : tuple of NamedValue
        Of the columns that matter: which of their features set which block apart.
    fdr : float
    n_partitions : int
        Over how many partitions inclusion is averaged.
    """

    column_names: tuple[str, ...]
    n_features: Array
    inclusion: Array
    error: Array
    bayes_factor: Array
    decided: tuple[int, ...]
    sets: tuple[tuple[int, ...], ...]
    none_included: float
    values: tuple[NamedValue, ...]
    fdr: float
    n_partitions: int = 1

    @property
    def is_precise(self) -> bool:
        """Whether the Monte Carlo error of every inclusion probability is at most 0.01."""
        return bool((self.error <= MOST_ERROR).all())

    @property
    def matters(self) -> tuple[str, ...]:
        """The names of the columns that matter, the surest first."""
        return tuple(self.column_names[g] for g in self.decided)

    @property
    def one_of(self) -> tuple[tuple[str, ...], ...]:
        """The names of columns of which one matters, set by set."""
        return tuple(tuple(self.column_names[g] for g in part) for part in self.sets)

    @cached_property
    def order(self) -> Array:
        """The columns by decreasing inclusion; of equal ones the first one first."""
        return np.argsort(-self.inclusion, kind="stable")

    @cached_property
    def decisions(self) -> tuple[str, ...]:
        """The decision on each column."""
        by_column = [OPEN] * len(self.column_names)
        for g in self.decided:
            by_column[g] = MATTERS
        for part in self.sets:
            for g in part:
                by_column[g] = IN_A_SET
        return tuple(by_column)

    @property
    def sentence(self) -> str:
        """The answer in a sentence or two."""
        parts = []
        n = len(self.column_names)
        if self.decided:
            verb = "matters" if len(self.decided) == 1 else "matter"
            parts.append(f"of {count_of(n, 'column')} {len(self.decided)} {verb}: {list_of(self.matters, _NAMED)}")
        parts += [f"one of {{{', '.join(part)}}} matters; the data cannot say which" for part in self.one_of]
        if not parts and self.none_included > 0.5:
            return f"none of {count_of(n, 'column')} matters: that has probability {self.none_included:.2f}"
        if not parts:
            return f"undecided: no column stands out, and that none matters has probability {self.none_included:.2f}"
        return "; ".join(parts)

    @property
    def table(self) -> "pd.DataFrame":
        """One row for each column, by decreasing inclusion."""
        import pandas as pd

        table = pd.DataFrame(
            {
                "column": self.column_names,
                "n_features": self.n_features,
                "inclusion": self.inclusion,
                "error": self.error,
                "bayes_factor": self.bayes_factor,
                "decision": self.decisions,
            }
        )
        return table.iloc[self.order].reset_index(drop=True)

    @property
    def value_table(self) -> "pd.DataFrame":
        """One row for each value that sets a block apart."""
        import pandas as pd

        columns = ("column", "feature", "block", "mean", "probability")
        return pd.DataFrame([[getattr(value, name) for name in columns] for value in self.values], columns=columns)

    def __repr__(self) -> str:
        return f"<Relevance: {self.sentence}>"


def list_of(names: Sequence[str], most: int | None = None) -> str:
    """Write names with commas, and with "and" before the last; with ``most``, how many there are besides.

    >>> list_of(["a", "b", "c"]), list_of(["a", "b", "c", "d"], 2), list_of(["a", "b", "c"], 2)
    ('a, b and c', 'a, b and 2 more', 'a, b and c')
    """
    if most is not None and len(names) > most + 1:  # one name takes no more room than to count it
        names = [*names[:most], f"{len(names) - most:,} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
