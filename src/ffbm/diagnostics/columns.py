"""Whether block chains that differ give the same answer: which columns matter, how much is explained."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ffbm.diagnostics.convergence import Array
from ffbm.errors import DataError

if TYPE_CHECKING:
    import pandas as pd

ERRORS = 2.0  # standard errors, or standard deviations, by which chains may differ
_NAMED = 3  # columns named of each kind
_ROUNDED = 0.005  # a share below is no percent
_NONE_DECIDED = "is a column decided to matter"


@dataclass(frozen=True, eq=False)
class ColumnVerdict:
    """What each block chain says of the columns of the user's table, in quantities that do not depend on labels.

    Parameters
    ----------
    columns : tuple of G
        The columns.
    changed : float
        The share of vertices that are not in the same block in all C chains.
    bits, bits_se : (C,) float64
        Bits that features explain of each chain's own partitions, per vertex, with their standard errors.
    sizes, sizes_sd : (C, G) float64
        Posterior mean and standard deviation of |V_g|^2 in each chain: the squared weights of a column, centred over
        blocks and summed.
    scores, margins : (C, G) float64
        A column matters by a chain alone if its score is above 0; a margin is how far off the score may be by chance.
    inclusion : (C, G) float64, optional
        The probability that a column matters, by chain; None where the weights have no such probability.
    by_score : bool
        Whether scores are the paper's, of the best feature of each column. Noise has scores above 0, too, so the
        sentence then says that they are, and not that columns matter.
    """

    columns: tuple[str, ...]
    changed: float
    bits: Array
    bits_se: Array
    sizes: Array
    sizes_sd: Array
    scores: Array
    margins: Array
    inclusion: Array | None = None
    by_score: bool = False

    @property
    def n_chains(self) -> int:
        """C."""
        return len(self.bits)

    @property
    def decisions(self) -> Array:
        """Whether a column matters by a chain alone (C, G) bool."""
        return np.asarray(self.scores > 0)

    @property
    def is_apart(self) -> Array:
        """Whether the scores of a column differ between chains by more than chance, (G,) bool."""
        low, high, at = self.scores.argmin(axis=0), self.scores.argmax(axis=0), np.arange(len(self.columns))
        chance = self.margins[high, at] + self.margins[low, at]
        return np.asarray(self.scores[high, at] - self.scores[low, at] > chance)

    @property
    def matter(self) -> tuple[str, ...]:
        """The columns that matter in every chain, by decreasing score."""
        return self._named(np.asarray(self.decisions.all(axis=0)))

    @property
    def do_not(self) -> tuple[str, ...]:
        """The columns that matter in none, the same way: that they do not matter is not decided by it."""
        return self._named(~np.asarray(self.decisions.any(axis=0)))

    @property
    def contested(self) -> tuple[str, ...]:
        """The columns that matter in one chain and do not in another, by more than noise."""
        return self._named(self.decisions.any(axis=0) & ~self.decisions.all(axis=0) & self.is_apart)

    @property
    def uneven(self) -> tuple[str, ...]:
        """The columns whose |V_g|^2 differs between chains by more than two posterior standard deviations."""
        pooled = np.sqrt((self.sizes_sd**2).mean(axis=0))
        return self._named(np.ptp(self.sizes, axis=0) > ERRORS * pooled)

    @property
    def bits_agree(self) -> bool:
        """Whether what is explained differs between chains by at most two standard errors."""
        low, high = int(self.bits.argmin()), int(self.bits.argmax())
        error = float(np.hypot(self.bits_se[low], self.bits_se[high]))
        return not self.bits[high] - self.bits[low] > ERRORS * error  # one held-out vertex has no error: NaN

    @property
    def table(self) -> "pd.DataFrame":
        """One row per column: ``column``, in how many chains it ``matters``, the range of |V_g|^2 and its sd."""
        import pandas as pd

        return pd.DataFrame(
            {
                "column": self.columns,
                "matters": self.decisions.sum(axis=0),
                "size_low": self.sizes.min(axis=0),
                "size_high": self.sizes.max(axis=0),
                "size_sd": np.sqrt((self.sizes_sd**2).mean(axis=0)),
            }
        )

    def __bool__(self) -> bool:
        """Return whether all chains give the same answer: bits, |V_g|^2 and decisions."""
        return self.bits_agree and not self.contested and not self.uneven

    def __str__(self) -> str:
        where = "the chains agree on the block of every vertex, and"
        if self.changed:
            share = f"{self.changed:.0%}" if self.changed >= _ROUNDED else "fewer than 1%"
            where = f"the chains differ on {share} of the vertices, {'but' if self else 'and'}"
        differences = self._differences()
        if not differences:
            return f"{where} {self._agreed() or f'in no picture found is it clear which columns {self._matter(True)}'}"
        agreed = self._agreed()
        return f"{where} on {_join(differences)}" + (f"; {agreed}" if agreed else "")

    def __repr__(self) -> str:
        return f"<ColumnVerdict: {self}>"

    def _agreed(self) -> str:
        yes, no = self.matter, self.do_not
        if not yes and not no:
            return ""
        if len(no) == len(self.columns):
            return f"in no picture found {'does a column score above 0' if self.by_score else _NONE_DECIDED}"
        parts = [f"{_names(yes, 'and')} {self._matter(len(yes) > 1)}"] if yes else []
        if no:
            undecided = _names(no, "and") if len(no) <= _NAMED + 1 else f"{len(no)} columns"
            is_not, does_not = ("are", "do") if len(no) > 1 else ("is", "does")
            parts.append(f"{undecided} {does_not} not" if self.by_score else f"{undecided} {is_not} not decided")
        return f"in every picture found {', and '.join(parts)}"

    def _differences(self) -> list[str]:
        """Return what chains differ on, a clause each."""
        clauses = []
        if self.contested:
            clauses.append(f"whether {_names(self.contested, 'or')} {self._matter(len(self.contested) > 1)}")
        strength = [name for name in self.uneven if name not in self.contested]
        if strength:
            clauses.append(f"how strongly {_names(strength, 'and')} {_verb(strength, 'act')}")
        if not self.bits_agree:
            clauses.append(f"how much is explained ({self.bits.min():.2f} to {self.bits.max():.2f} bits per vertex)")
        return clauses

    def _matter(self, is_plural: bool) -> str:
        """Return what is said of columns, or of one, whose scores are above 0."""
        return f"score{'' if is_plural else 's'} above 0" if self.by_score else f"matter{'' if is_plural else 's'}"

    def _named(self, is_named: Array) -> tuple[str, ...]:
        order = np.argsort(-self.scores.mean(axis=0), kind="stable")
        return tuple(self.columns[g] for g in order if is_named[g])


def judge_columns(
    columns: Sequence[str],
    changed: float,
    bits: Array,
    bits_se: Array,
    sizes: Array,
    scores: Array,
    margins: Array,
    by_score: bool = False,
) -> ColumnVerdict:
    """Compare what C chains say of G columns.

    Parameters
    ----------
    columns : G names
    changed : float
        The share of vertices that are not in the same block in all chains.
    bits, bits_se : (C,) float64
        Explained by each chain, and their standard errors.
    sizes : (C, T, G) float64
        |V_g|^2 of each draw.
    scores, margins : (C, G) float64
        What decides whether a column matters, and how far off it may be by chance: see :class:`ColumnVerdict`.
    by_score : bool
        Whether scores are the paper's.

    Examples
    --------
    >>> sizes = np.random.default_rng(1).gamma(9.0, size=(2, 100, 3))
    >>> scores = np.array([[2.0, 1.0, -0.3], [2.2, 0.8, -0.4]])
    >>> verdict = judge_columns(
    ...     ["dorm", "year", "gender"], 0.08, np.array([1.1, 1.0]), np.full(2, 0.1), sizes, scores, np.full((2, 3), 0.1)
    ... )
    >>> print(verdict)
    the chains differ on 8% of the vertices, but in every picture found dorm and year matter, and gender is not decided
    """
    n_chains, n_columns = np.shape(scores)
    if np.shape(bits) != (n_chains,) or np.shape(sizes)[::2] != (n_chains, n_columns) or len(columns) != n_columns:
        raise DataError(
            f"bits, sizes and names must be of the {n_chains} chains and {n_columns} columns of the scores;"
            f" got {np.shape(bits)}, {np.shape(sizes)} and {len(columns)} names"
        )
    return ColumnVerdict(
        columns=tuple(columns),
        changed=float(changed),
        bits=np.asarray(bits),
        bits_se=np.asarray(bits_se),
        sizes=sizes.mean(axis=1),
        sizes_sd=sizes.std(axis=1),
        scores=scores,
        margins=margins,
        by_score=by_score,
    )


def _join(clauses: Sequence[str]) -> str:
    return clauses[0] if len(clauses) == 1 else f"{', '.join(clauses[:-1])} and on {clauses[-1]}"


def _names(names: Sequence[str], word: str) -> str:
    """Write the first of some names, and how many there are besides."""
    parts = [*names] if len(names) <= _NAMED + 1 else [*names[:_NAMED], f"{len(names) - _NAMED} others"]
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {word} {parts[-1]}"


def _verb(names: Sequence[str], plural: str) -> str:
    return plural if len(names) > 1 else f"{plural}s"
