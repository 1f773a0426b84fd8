"""What each column explains on held-out vertices: bits alone and beyond the others, and what pairs of them share."""

from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from ffbm.plain import count_of, finite
from ffbm.types.graph import Array
from ffbm.types.network import Note

_ARRAYS = ("alone", "alone_se", "unique", "unique_se", "p_adjacency", "p_degrees")


@dataclass(frozen=True, slots=True)
class SharedBits:
    """Bits a vertex that two columns both explain: those of one alone and of the other, less those of the pair."""

    first: int
    second: int
    bits: float
    error: float


@dataclass(frozen=True, eq=False)
class ColumnBits:
    """Held-out bits per vertex of G columns, with standard errors over vertices; NaN where a column was not tested.

    Parameters
    ----------
    names : tuple of G
    alone, alone_se : (G,) float64
        What a column and the intercept explain over the base rate.
    unique, unique_se : (G,) float64
        What all columns explain less what all others do.
    p_adjacency, p_degrees : (G,) float64
        Of the permutation test: who with whom, and how many.
    whole, whole_se : float
        What all columns and the intercept explain over the base rate.
    needed : float
        Bits that name the block of a vertex, at the base rate.
    shared : tuple of SharedBits
        Of the pairs that were tested.
    n_vertices, n_folds, n_permutations : int
        How many vertices were held out, once each; in how many parts; and how many permutations each column had.
    notes : tuple of Note
        What there was no time for.
    """

    names: tuple[str, ...]
    alone: Array
    alone_se: Array
    unique: Array
    unique_se: Array
    p_adjacency: Array
    p_degrees: Array
    whole: float = np.nan
    whole_se: float = np.nan
    needed: float = np.nan
    shared: tuple[SharedBits, ...] = field(default=())
    n_vertices: int = 0
    n_folds: int = 1
    n_permutations: int = 0
    notes: tuple[Note, ...] = field(default=())

    @property
    def n_tested(self) -> int:
        """How many columns were tested beyond the others."""
        return int(np.isfinite(self.unique).sum())

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, ready for strict JSON: what is not finite is None."""
        apart = {
            "shared": [[pair.first, pair.second, pair.bits, pair.error] for pair in self.shared],
            "notes": [note.to_dict() for note in self.notes],
        }
        return {one.name: finite(getattr(self, one.name)) for one in fields(self) if one.name not in apart} | apart

    @classmethod
    def from_dict(cls, record: dict[str, Any]) -> "ColumnBits":
        """Return the bits of which ``to_dict`` made a record.

        >>> nothing = np.full(1, np.nan)
        >>> bits = ColumnBits(("age",), np.array([0.5]), np.array([0.1]), *[nothing] * 4, shared=())
        >>> ColumnBits.from_dict(bits.to_dict()).alone.tolist()
        [0.5]
        """
        values = dict(record)
        values |= {name: np.array(record[name], dtype=np.float64) for name in _ARRAYS}
        values |= {name: np.nan if record[name] is None else record[name] for name in ("whole", "whole_se", "needed")}
        return cls(
            **values
            | {
                "names": tuple(record["names"]),
                "shared": tuple(SharedBits(*pair) for pair in record["shared"]),
                "notes": tuple(Note(**note) for note in record.get("notes", ())),
            }
        )

    def __repr__(self) -> str:
        return f"<ColumnBits: {count_of(len(self.names), 'column')}, {self.whole:.2f} bits per vertex together>"
