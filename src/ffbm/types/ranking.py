"""A ranking of features, by the inclusion of their columns or by the paper's score, with tables to read it by."""

from dataclasses import dataclass
from functools import cached_property
from math import nan
from typing import TYPE_CHECKING

import numpy as np

from ffbm.plain import count_of
from ffbm.types.graph import Array
from ffbm.types.html import notes_html, table_html
from ffbm.types.network import Note

_SHOWN = 30  # features that a notebook shows

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Ranking:
    """Features ordered by the inclusion of their columns or by the paper's score, the first of them kept.

    The paper's score is score_j = max_i (abs(mean_ij) - k sd_ij).

    Parameters
    ----------
    mean, sd : (B, D) float64
        The posterior mean and standard deviation (ddof 0) of each weight, over all chains and draws.
    centred_mean, centred_sd : (B, D) float64
        The same of the weights less their mean over blocks: what the data say, without the prior's share. Under the
        rule "inclusion" they are those that decisions are made of: of the draws that include the column, less also
        their mean over the column's values where these cover all vertices; 0 for a column that no draw includes.
    positive, centred_positive : (B, D) float64
        The share of draws in which the weight, and the centred weight, is above 0.
    names, columns : tuple of D
        The features, and the column of the user's table each comes from.
    support : (D,) int64, or None
        On how many vertices each feature is not zero, where that is known.
    k : float
        How many standard deviations a mean must stand clear.
    n_kept : int
        D', the number of features to keep.
    intercept_mean, intercept_sd : (B,) float64, or None
        The intercept's, which is no feature and is neither ranked nor kept.
    inclusion, certainty : (D,) float64, or None
        Under the rule "inclusion": the inclusion probability of each feature's column, which is its score, and how
        surely its weight has its sign in some block, which orders the features of a column. ``n_kept`` then counts
        columns, and there is no cutoff.
    centred_low, centred_high : (B, D) float64, or None
        Under the rule "inclusion": the ends of the 95 % interval of the centred weight.
    warning : Note, optional
        What stands first among the notes: that the features mislead.
    """

    mean: Array
    sd: Array
    centred_mean: Array
    centred_sd: Array
    positive: Array
    centred_positive: Array
    names: tuple[str, ...]
    columns: tuple[str, ...]
    support: Array | None
    k: float
    n_kept: int
    intercept_mean: Array | None = None
    intercept_sd: Array | None = None
    inclusion: Array | None = None
    certainty: Array | None = None
    centred_low: Array | None = None
    centred_high: Array | None = None
    warning: Note | None = None

    @property
    def rule(self) -> str:
        """What features are ranked by: "paper" or "inclusion"."""
        return "paper" if self.inclusion is None else "inclusion"

    @property
    def n_features(self) -> int:
        """D, without the intercept."""
        return len(self.names)

    @property
    def n_blocks(self) -> int:
        """B."""
        return len(self.mean)

    @cached_property
    def block_scores(self) -> Array:
        """The score of each feature in each block (B, D): abs(mean_ij) - k sd_ij."""
        scores: Array = np.abs(self.mean) - self.k * self.sd
        return scores

    @cached_property
    def scores(self) -> Array:
        """score_j (D,), the largest over blocks; it may be negative. Under the rule "inclusion" that of the column."""
        best: Array = self.block_scores.max(axis=0) if self.inclusion is None else self.inclusion
        return best

    @cached_property
    def order(self) -> Array:
        """The numbers of the features (D,) by decreasing score; of equal scores the first feature first."""
        if self.inclusion is None or self.certainty is None:
            return np.argsort(-self.scores, kind="stable")
        first = {column: j for j, column in reversed([*enumerate(self.columns)])}
        return np.lexsort((-self.certainty, np.array([first[name] for name in self.columns]), -self.inclusion))

    @cached_property
    def is_kept(self) -> Array:
        """Which features are kept (D,): the first ``n_kept``, or those of the first ``n_kept`` columns."""
        flags = np.zeros(self.n_features, dtype=bool)
        if self.inclusion is None:
            flags[self.order[: self.n_kept]] = True
            return flags
        columns = [*dict.fromkeys(self.columns[j] for j in self.order)][: self.n_kept]
        return np.array([column in columns for column in self.columns], dtype=bool)

    @property
    def kept(self) -> tuple[str, ...]:
        """The names of the kept features, those with the highest scores first; all if there are no more."""
        return tuple(self.names[j] for j in self.order if self.is_kept[j])

    @property
    def cutoff(self) -> float:
        """c*, the score number ``n_kept``: NaN if it is not positive and if there are fewer features."""
        if self.n_kept > self.n_features or self.inclusion is not None:
            return nan
        score = float(self.scores[self.order[self.n_kept - 1]])
        return score if score > 0 else nan

    @cached_property
    def notes(self) -> tuple[Note, ...]:
        """What to know: features that mislead, ties at the cutoff, too few positive scores, nothing to reduce."""
        notes = [] if self.warning is None else [self.warning]
        d, n_positive = self.n_features, int((self.scores > 0).sum())
        if self.n_blocks == 1:
            notes.append(Note("one_block", "with one block the weights are the prior's: no feature can matter", d))
        if self.inclusion is not None:
            return tuple(notes)
        if self.n_kept > d:
            are = f"all {d} features are" if d > 1 else "the one feature is"
            notes.append(Note("nothing_reduced", f"{are} kept: {self.n_kept} were asked for", d))
        elif n_positive < self.n_kept:
            scores = "scores" if n_positive == 1 else "score"
            n_others = self.n_kept - n_positive
            others = "the other one is" if n_others == 1 else f"the other {n_others} are"
            reason = f"{self.n_kept} were to be kept, and {others} no finding"
            message = f"only {n_positive} of {d} features {scores} above 0; {reason}"
            notes.append(Note("few_positive", message, n_positive))
        if self.n_kept < d:
            last = self.scores[self.order[self.n_kept - 1]]
            n_left_out = int((self.scores[self.order[self.n_kept :]] == last).sum())
            if n_left_out:
                tied = int((self.scores == last).sum())
                message = f"{tied} features share score number {self.n_kept}, {last:.4g}: {n_left_out} are left out"
                notes.append(Note("ties", message, n_left_out))
        return tuple(notes)

    @cached_property
    def _best_block(self) -> Array:
        """The block of each feature's score; under the rule "inclusion", where its weight has its sign most surely."""
        if self.inclusion is None:
            return np.asarray(self.block_scores.argmax(axis=0))
        sure = np.abs(self.centred_positive - 0.5)
        is_surest = sure == sure.max(axis=0)
        return np.asarray(np.where(is_surest, np.abs(self.centred_mean), -1.0).argmax(axis=0))

    @property
    def is_clear(self) -> Array:
        """Where the 95 % interval of the centred weight leaves out 0 (B, D): 97.5 % of the draws have its sign."""
        return np.asarray(np.abs(self.centred_positive - 0.5) >= 0.475)

    @cached_property
    def table(self) -> "pd.DataFrame":
        """One row per feature, the highest score first; equal scores share their rank."""
        import pandas as pd

        j = self.order
        best = self._best_block[j]
        support = pd.array([pd.NA] * len(j) if self.support is None else self.support[j], dtype="Int64")
        return pd.DataFrame(
            {
                "rank": _ranks(self.scores[j]),
                "feature": self._names_of(j),
                "column": [self.columns[i] for i in j],
                "score": self.scores[j],
                "block": best,
                "mean": self.mean[best, j],
                "sd": self.sd[best, j],
                "centred_mean": self.centred_mean[best, j],
                "centred_sd": self.centred_sd[best, j],
                "support": support,
                "kept": self.is_kept[j],
            }
        )

    @cached_property
    def by_column(self) -> "pd.DataFrame":
        """One row per column of the user's table, by the best score among its features."""
        rows = self.table.groupby("column", sort=False)
        best = rows.first()  # the table is in order of score, and so are the groups
        table = best[["score", "feature", "block", "mean", "sd"]].copy()
        table["n_features"] = rows.size()
        table["n_kept"] = rows["kept"].sum()
        table.insert(0, "rank", _ranks(table["score"].to_numpy()))
        return table.reset_index()[["rank", *("column", "score"), *table.columns[2:]]]

    @cached_property
    def by_block(self) -> "tuple[pd.DataFrame, ...]":
        """One table per block: its features by decreasing score there, their sign, and how sure that is.

        ``low`` and ``high`` are mean -+ k sd, the interval of the rule; ``positive`` is the posterior
        probability that the weight is above 0; each again for the centred weight, under the rule "inclusion" with
        its 95 % interval.
        """
        return tuple(self._block(i) for i in range(self.n_blocks))

    def _block(self, i: int) -> "pd.DataFrame":
        import pandas as pd

        j = np.argsort(-self.block_scores[i], kind="stable")
        mean, sd = self.mean[i, j], self.sd[i, j]
        centred, centred_sd = self.centred_mean[i, j], self.centred_sd[i, j]
        low, high = centred - self.k * centred_sd, centred + self.k * centred_sd
        if self.centred_low is not None and self.centred_high is not None:
            low, high = self.centred_low[i, j], self.centred_high[i, j]
        return pd.DataFrame(
            {
                "rank": _ranks(self.block_scores[i, j]),
                "feature": self._names_of(j),
                "column": [self.columns[n] for n in j],
                "score": self.block_scores[i, j],
                "sign": np.where(mean > 0, "+", np.where(mean < 0, "-", "0")),
                "mean": mean,
                "sd": sd,
                "low": mean - self.k * sd,
                "high": mean + self.k * sd,
                "positive": self.positive[i, j],
                "centred_mean": centred,
                "centred_sd": centred_sd,
                "centred_low": low,
                "centred_high": high,
                "centred_positive": self.centred_positive[i, j],
            }
        )

    def _names_of(self, features: Array) -> list[str]:
        return [self.names[j] for j in features]

    def __repr__(self) -> str:
        if self.rule == "inclusion":
            by_column = dict(zip(self.columns, self.scores, strict=True))
            first = sorted(by_column.items(), key=lambda pair: -pair[1])[:3]
            message = ", ".join(f"{name} {score:.2f}" for name, score in first)
            return f"<Ranking of {count_of(len(by_column), 'column')} by inclusion: {message}>"
        cutoff = "no cutoff" if np.isnan(self.cutoff) else f"cutoff {self.cutoff:.3f}"
        n_kept = len(self.kept)
        notes = f"; {count_of(len(self.notes), 'note')}" if self.notes else ""
        return f"<Ranking: {n_kept:,} of {count_of(self.n_features, 'feature')} kept, {cutoff}, k = {self.k:g}{notes}>"

    def _repr_html_(self) -> str:
        table = self.table[["rank", "feature", "score", "block", "centred_mean", "centred_sd", "support"]].head(_SHOWN)
        rows = [[_cell(value) for value in row] for row in table.itertuples(index=False)]
        scope = f", the first {_SHOWN}" if self.n_features > _SHOWN else ""
        caption = f"{count_of(self.n_features, 'feature')} in order of their scores{scope}"
        head = ["rank", "feature", "score", "block", "centred weight", "sd", "vertices"]
        numbers = [column for column, name in enumerate(head) if name != "feature"]
        return table_html(head, rows, caption, numbers) + notes_html(self.notes)


def _cell(value: object) -> str:
    text = f"{value:.3f}" if isinstance(value, float) else str(value)
    return "" if text in ("nan", "<NA>") else text


def _ranks(scores: Array) -> Array:
    """Return 1, 2, ... for scores in decreasing order; equal ones share the smallest."""
    new = np.ones(len(scores), dtype=bool)
    new[1:] = scores[1:] != scores[:-1]
    ranks: Array = np.maximum.accumulate(np.where(new, np.arange(1, len(scores) + 1), 0))
    return ranks
