"""Birth and death of a column along an annealing path, on which all other weights move too.

Columns that explain the same thing exclude each other: given the weights of the others, a column has nothing left to
explain, and one that is inside cannot be removed. So its values are multiplied by lambda, which goes from 0, where the
column has no effect and its weights have the prior's law, to 1 (or the reverse), and between any two values of lambda
all weights make a Hamiltonian move that leaves p(weights | X, y) with these values invariant. The work, the sum of the
changes of the log likelihood, replaces the log evidence in the decision (nonequilibrium candidate Monte Carlo: Nilmeier
et al., 2011). The reverse move takes the path in reverse order, and each Hamiltonian move is reversible.
"""

from dataclasses import dataclass, field
from math import asinh, ceil, exp, isnan, log, sqrt

import numpy as np

from ffbm.kernels.bridge import follow_path
from ffbm.kernels.metric import Metric
from ffbm.kernels.softmax import Target
from ffbm.kernels.weightchain import Scratch
from ffbm.types.graph import Array

EACH, LEAST, MOST = 0.15, 8, 16  # steps of lambda: for each contrast of the column, and within bounds
TIME, MOST_STEPS = 2.4, 8  # of the Hamiltonian move after each of them


@dataclass(frozen=True, eq=False)
class Bridge:
    """What the path of any column needs: the target, the column of each active feature, and buffers."""

    target: Target
    column_of: Array  # (A,)
    scratch: Scratch
    odds: Array  # (1,): as in ``Columns``
    parts: dict[int, tuple[tuple[Array, Array, Array], Array]] = field(default_factory=dict)  # of columns met so far

    def cross(
        self, rng: np.random.Generator, g: int, weights: Array, inside: Array, step: float, metric: Metric
    ) -> tuple[bool, float]:
        """Let column g be born or die along a path; tell whether it did, and with which probability.

        ``weights`` and ``inside`` are changed if it did; ``step`` is that of Hamiltonian moves.
        """
        (entries, members, values), path = self._part(g)
        column, rows = (entries, members, values, self.target.sums[members]), self.target.rows
        w, born = weights.copy(), not inside[g]
        if born:
            degrees = self.target.slab.degrees[g]
            scale = sqrt(degrees / rng.chisquare(degrees))
            drawn = scale * rng.standard_normal((len(members), w.shape[1]))
            w[members] = drawn - drawn.mean(axis=1, keepdims=True)
        values = rows.values.copy() if len(rows.values) else np.ones(len(rows.indices))
        target = self.target._replace(rows=rows._replace(values=values), sums=self.target.sums.copy())
        path = path if born else path[::-1].copy()
        n_steps = min(ceil(TIME / step), MOST_STEPS)
        step = min(step, TIME / n_steps)
        gain = follow_path(rng, target, metric, path, column, step, n_steps, w, self.scratch)
        others = int(inside.sum()) - int(inside[g])
        odds = float(self.odds[0])
        if isnan(odds):
            odds = log((1.0 + others) / (2.0 * len(inside) - others - 1.0))
        chance = exp(min(odds + gain if born else gain - odds, 0.0))
        if not rng.random() < chance:
            return False, chance
        inside[g] = born
        if not born:
            w[members] = 0.0
        weights[:] = w
        return True, chance

    def _part(self, g: int) -> tuple[tuple[Array, Array, Array], Array]:
        """Return the entries of column g in the rows, its features and its values, and the steps of its path."""
        if g not in self.parts:
            rows, n_blocks = self.target.rows, self.target.sums.shape[1]
            members, entries = np.flatnonzero(self.column_of == g), np.flatnonzero(self.column_of[rows.indices] == g)
            values = rows.values[entries] if len(rows.values) else np.ones(len(entries))
            row = np.searchsorted(rows.indptr, entries, side="right") - 1
            support = float(rows.counts[row].sum() / max(len(members), 1))
            self.parts[g] = (entries, members, values), steps_of(len(members) * (n_blocks - 1), support)
        return self.parts[g]


def steps_of(n_contrasts: int, support: float) -> Array:
    """Return the values of lambda from 0 to 1: dense at first, where a column on many vertices begins to have effect.

    >>> steps_of(2, 30.0)[[0, 1, -1]].round(3).tolist(), len(steps_of(2, 30.0))
    ([0.0, 0.056, 1.0], 9)
    """
    n = int(np.clip(round(EACH * n_contrasts), LEAST, MOST))
    reach = sqrt(max(support, 1.0))
    path = np.sinh(np.linspace(0, 1, n + 1) * asinh(reach)) / reach
    path[0], path[-1] = 0.0, 1.0
    return np.asarray(path)
