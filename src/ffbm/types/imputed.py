"""What was learned of the cells of a table that had no answer, and of the law of its columns."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ffbm.plain import count_of
from ffbm.types.graph import Array

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Imputed:
    """The posterior law of each unknown cell, and draws of the law of the columns, for predictions.

    Parameters
    ----------
    vertex, part : (n,) int64
        Of each cell that has values: whose it is, and which part of the table it is of (a column of values, or a flag).
    first : (n+1,) int64
        Where the probabilities of each begin.
    probability : float64
        Of each value that the cell may have, in the order of the part's values.
    number_vertex, number : (m,) int64
        Of each cell that is a number: whose it is, and which of the numbers.
    number_mean, number_sd : (m,) float64
        As the feature is, standardised.
    law : (S, K, 1 + C + 2 Q) float64
        Draws of the law of the columns: shares of the classes, probabilities of all values, means and deviations.
    start, feature, column, feature_of_number, column_of_number : int64
        What the parts are: the values of part p are those from ``start[p]`` on, each sets a feature or, if -1, none;
        ``column`` is the column of the table.
    """

    vertex: Array
    part: Array
    first: Array
    probability: Array
    number_vertex: Array
    number: Array
    number_mean: Array
    number_sd: Array
    law: Array
    start: Array
    feature: Array
    column: Array
    feature_of_number: Array
    column_of_number: Array

    @property
    def n_cells(self) -> int:
        """How many cells had no answer; where vertices have several flags of a column, each flag is counted."""
        return len(self.vertex) + len(self.number_vertex)

    def table(self) -> "pd.DataFrame":
        """Return one row for each value that a cell may have, or one for a number, by numbers of vertex and column.

        ``vertex``, ``column``, ``feature`` (-1 for none), ``probability``, ``mean`` and ``sd``; what does not apply is
        NaN.
        """
        import pandas as pd

        n_each = np.diff(self.first)
        value = np.arange(len(self.probability)) - np.repeat(self.first[:-1] - self.start[self.part], n_each)
        part = np.repeat(self.part, n_each)
        values = pd.DataFrame(
            {
                "vertex": np.repeat(self.vertex, n_each),
                "column": self.column[part],
                "feature": self.feature[value],
                "is_flag": (np.diff(self.start) == 2)[part] & (self.feature[self.start[:-1]] < 0)[part],
                "probability": self.probability,
                "mean": np.nan,
                "sd": np.nan,
            }
        )
        numbers = pd.DataFrame(
            {
                "vertex": self.number_vertex,
                "column": self.column_of_number[self.number],
                "feature": self.feature_of_number[self.number],
                "is_flag": np.zeros(len(self.number), dtype=bool),
                "probability": np.nan,
                "mean": self.number_mean,
                "sd": self.number_sd,
            }
        )
        both = [one for one in (values, numbers) if len(one)] or [values]
        return pd.concat(both, ignore_index=True).sort_values(["vertex", "column"], kind="stable", ignore_index=True)

    def __repr__(self) -> str:
        return f"<Imputed: {count_of(self.n_cells, 'cell')}, {count_of(self.law.shape[1], 'class', 'classes')}>"
