"""What features say of one set of memberships: the answer of a fit, of its refit on kept features, of a mode."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ffbm.columntable import build_table
from ffbm.relevance import judge_columns
from ffbm.scoring import effects
from ffbm.types import Array, Features, Mode
from ffbm.types.columns import ColumnBits
from ffbm.types.ranking import Ranking
from ffbm.types.relevance import Relevance
from ffbm.types.scores import Scores
from ffbm.types.variance import VarianceSplit
from ffbm.types.weights import WeightTrace

if TYPE_CHECKING:
    import pandas as pd

_NAMED = 3  # features named in the short text


@dataclass(frozen=True, eq=False)
class Explanation:
    """What features say of one set of memberships.

    Parameters
    ----------
    features : Features
        X, those that were given a weight.
    weights : WeightTrace
        ``weights`` (C, T, B, D), the draws.
    ranking : Ranking
        The features in order, and which are ``kept``; with a warning among its notes if the scores say that features
        mislead.
    scores : Scores
        Bits explained, losses and accuracies, on training and held-out vertices.
    variance : VarianceSplit, optional
        With ``memberships="drawn"``: how the variance of each weight splits into within and between partitions.
    mode : Mode, optional
        The mode of the partitions that is explained; None if it is all draws together.
    held_out : (N, B) float64, optional
        What features predict of each vertex by weights that were trained without it; NaN where there are none. None if
        they are ``weights`` themselves, of the vertices that they were not trained on: in a very large network too.
    measure : callable, optional
        Measures what each column explains, when that is first asked for; see ``pipeline.contributions.make_measure``.
    """

    features: Features
    weights: WeightTrace
    ranking: Ranking
    scores: Scores
    variance: VarianceSplit | None = None
    mode: Mode | None = None
    held_out: Array | None = None
    measure: Callable[..., ColumnBits] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.scores.misleads is not None and self.ranking.warning is None:
            object.__setattr__(self, "ranking", replace(self.ranking, warning=self.scores.misleads))

    @cached_property
    def columns(self) -> ColumnBits | None:
        """What each column explains on held-out vertices, found when first asked for; None of kept features."""
        return None if self.measure is None else self.measure()

    @cached_property
    def column_table(self) -> "pd.DataFrame":
        """One row for each column of the table, by what it adds: see ``Fit.column_table``."""
        return build_table(self.features, self.weights, self.ranking, self.columns, self.relevance)

    @cached_property
    def relevance(self) -> Relevance | None:
        """Which columns matter, under the learned prior; None under the fixed one."""
        if self.weights.selected is None:
            return None
        return judge_columns(self.weights, self.weights.settings.get("fdr", 0.1))

    @property
    def diagnostics(self) -> Any:
        """R-hat and ESS of every weight and of the energy, divergences and a verdict; computed when first asked for."""
        return self.weights.diagnostics

    @property
    def converged(self) -> Any:
        """The verdict on the weight chains: a truth value with a ``grade`` and a ``reason``."""
        return self.weights.converged

    def effects(self, names: Sequence[str] | None = None) -> "pd.DataFrame":
        """Return how much the probability of each block changes with each feature: see ``Fit.effects``."""
        return effects(self.weights, self.features, names)

    def __repr__(self) -> str:
        of = "" if self.mode is None else f" of {self.mode!r}"
        if self.relevance is not None:
            return f"<Explanation{of}: {self.relevance.sentence}; {self.scores!r}>"
        first = [self.ranking.names[j] for j in self.ranking.order[:_NAMED]]
        names = ", ".join(first) + (", ..." if self.ranking.n_features > len(first) else "")
        return f"<Explanation{of} by {names}: {self.scores!r}>"
