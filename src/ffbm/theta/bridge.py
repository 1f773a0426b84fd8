"""A column that is born or dies slowly, while all other weights move along.

Columns that explain the same thing hold each other out: with the weights of the others as they are, a column has
nothing left to explain, and one that is inside cannot be spared. So its values are multiplied by lambda, which goes
from 0, where the column says nothing and its weights have the prior's law, to 1 (or back), and between any two steps of
lambda all weights make a Hamiltonian move that keeps p(weights | X, y) with these values. The sum of the changes of the
log likelihood takes the place of the evidence in the decision (nonequilibrium candidate Monte Carlo: Nilmeier et al.,
2011). The way back is the same path the other way round, each of the moves being reversible.
"""

from dataclasses import dataclass
from math import asinh, log, sqrt

import numpy as np

from ffbm.kernels.hmc import run_hmc
from ffbm.kernels.metric import Metric
from ffbm.kernels.softmax import Target, energy_and_gradient
from ffbm.kernels.weightchain import Plan, Record, Scratch
from ffbm.types.network import Array

EACH, LEAST, MOST = 0.25, 10, 60  # steps of lambda: for each contrast of the column, and within bounds


@dataclass(frozen=True, eq=False)
class Bridge:
    """What the path of any column needs: the target, the column of each active feature, and room."""

    target: Target
    own: Array  # (A,)
    plan: Plan
    scratch: Scratch
    record: Record

    def cross(
        self, rng: np.random.Generator, g: int, weights: Array, inside: Array, adapt: Array, metric: Metric
    ) -> bool:
        """Let column g be born or die along a path; tell whether it did, in ``weights`` and ``inside``."""
        rows, sums = self.target.rows, self.target.sums
        members = np.flatnonzero(self.own == g)
        entries = np.flatnonzero(self.own[rows.indices] == g)
        values = rows.values.copy() if len(rows.values) else np.ones(len(rows.indices))
        full, response = values[entries].copy(), sums.copy()
        w, born = weights.copy(), not inside[g]
        if born:
            scale = sqrt(3 / rng.chisquare(3))
            drawn = scale * rng.standard_normal((len(members), w.shape[1]))
            w[members] = drawn - drawn.mean(axis=1, keepdims=True)
        path = steps_of(len(members) * (w.shape[1] - 1), float((rows.counts @ self._has(entries)) / len(members)))
        path = path if born else path[::-1]
        target = self.target._replace(rows=rows._replace(values=values), sums=response)
        values[entries], response[members] = path[0] * full, path[0] * sums[members]
        gain, adapt = 0.0, adapt.copy()
        for step in path[1:]:
            gain += self._energy(target, w)
            values[entries], response[members] = step * full, step * sums[members]
            gain -= self._energy(target, w)
            if 0.0 < step < 1.0:
                tail = (w, adapt, 0, 1, *self._moments(w), self.scratch, self.record)
                run_hmc(rng, target, metric, self.plan, *tail)
        others = int(inside.sum()) - int(inside[g])
        odds = log((1.0 + others) / (2.0 * len(inside) - others - 1.0))
        if not log(rng.random()) < (odds + gain if born else gain - odds):
            return False
        inside[g] = born
        if not born:
            w[members] = 0.0
        weights[:] = w
        return True

    def _energy(self, target: Target, w: Array) -> float:
        return float(energy_and_gradient(target, w, self.scratch.own[0], self.scratch.tile, self.scratch.bits))

    def _has(self, entries: Array) -> Array:
        """Return how many features of the column each row has (R,)."""
        row = np.searchsorted(self.target.rows.indptr, entries, side="right") - 1
        return np.bincount(row, minlength=len(self.target.rows.counts))

    def _moments(self, w: Array) -> tuple[Array, Array]:
        shape = w.shape[1], len(self.target.scale)
        return np.zeros(shape), np.zeros(shape)


def steps_of(n_contrasts: int, support: float) -> Array:
    """Return the values of lambda from 0 to 1: dense at first, where a column on many vertices begins to tell.

    >>> steps_of(2, 30.0)[[0, 1, -1]].round(3).tolist(), len(steps_of(2, 30.0))
    ([0.0, 0.044, 1.0], 11)
    """
    n = int(np.clip(round(EACH * n_contrasts), LEAST, MOST))
    reach = sqrt(max(support, 1.0))
    path = np.sinh(np.linspace(0, 1, n + 1) * asinh(reach)) / reach
    path[0], path[-1] = 0.0, 1.0
    return np.asarray(path)
