"""One sweep over the unknown cells, given the weights: exact draws of values, Metropolis steps of numbers.

Given the weights, a cell of vertex i has the law pi(x | the vertex's other cells) times prod_k softmax_k(W x_i)^y_ik,
with the class of the vertex summed out of pi. Values are enumerated. A number is proposed from pi and accepted by the
likelihood ratio. Held-out vertices have y = 0: their cells follow pi. Then classes and the law of the columns are drawn
given all cells.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ffbm.kernels.softmax import Target
from ffbm.theta.cells import Cells, CellState, Empty
from ffbm.theta.mixture import Mixture, draw_mixture, draw_of, draw_rows, log_normal, log_of_classes
from ffbm.types.graph import Array

N_PROPOSALS = 2  # proposals for each number in a sweep
_LEAST = 1e-300
_PIECE = 2**21  # logits worked on at a time


class SweepState(NamedTuple):
    """What a sweep updates cell by cell, of the M vertices with unknown cells."""

    logits: Array  # (M, B)
    log_classes: Array  # (M, K): see ``log_of_classes``


@dataclass(frozen=True, eq=False)
class CellSampler:
    """The unknown cells of one chain, tied to the target whose rows and response they are part of.

    Parameters
    ----------
    cells : Cells
    y : (M, B) float64
        The memberships of the vertices with unknown cells; 0 if they are held out.
    state : CellState
        Changed in place.
    target : Target
        Its values and its response X'y are changed in place, and its values by feature, if it has them.
    copies : list of arrays
        Further ones of the values by feature, written too.
    base : (A, B) float64
        The response of the known cells.
    """

    cells: Cells
    y: Array
    state: CellState
    target: Target
    base: Array
    copies: list[Array] = field(default_factory=list)

    def tie(self, empty: Empty = None) -> None:
        """Write the cells into the target's rows and response; those of some parts and numbers are left ``empty``."""
        cells, values = self.cells, self.target.rows.values
        if not len(values):  # with one block nothing has a weight
            return
        cells.write(self.state, values, empty)
        self.target.sums[:] = self.base + cells.response(self.state, self.y, len(self.base), empty)
        for copy in (self.target.slab.value, *self.copies):
            if len(copy):
                copy[:] = values[cells.by_feature]

    def sweep(self, rng: np.random.Generator, weights: Array, keeps: bool) -> None:
        """Draw all unknown cells given the weights (A, B), then the law of the columns; count them if it ``keeps``."""
        cells, state = self.cells, self.state
        law, parts = state.law, self.cells.parts
        padded = np.vstack((weights, np.zeros(weights.shape[1])))  # the last row: of values that set no active feature
        codes, numbers = cells.complete(state)
        carried = SweepState(self.logits(padded), log_of_classes(law, codes[cells.vertices], numbers[cells.vertices]))
        for p in np.flatnonzero(np.diff(cells.bounds)):
            self._draw_values(rng, int(p), law, padded, carried, keeps)
        for q in np.flatnonzero(np.diff(cells.number_bounds)):
            self._move_numbers(rng, int(q), law, padded, carried)
        if keeps:
            state.moments[0] += state.numbers
            state.moments[1] += state.numbers**2
            state.n_draws[0] += 1
        codes, numbers = cells.complete(state)
        classes = draw_rows(rng, log_of_classes(law, codes, numbers))
        for array, drawn in zip(law, draw_mixture(rng, parts, cells.n_classes, classes, codes, numbers), strict=True):
            array[:] = drawn
        self.tie()

    def logits(self, padded: Array) -> Array:
        """Return the logits (M, B) of the vertices with unknown cells; the last row of the weights is 0."""
        cells, state = self.cells, self.state
        logits = cells.known @ padded[:-1]
        np.add.at(logits, cells.row, padded[cells.position[state.values]])
        which = np.repeat(np.arange(len(cells.parts.number)), np.diff(cells.number_bounds))
        np.add.at(logits, cells.number_row, state.numbers[:, np.newaxis] * padded[cells.number_position[which]])
        return np.asarray(logits)

    def _draw_values(
        self, rng: np.random.Generator, p: int, law: Mixture, padded: Array, carried: SweepState, keeps: bool
    ) -> None:
        """Draw the cells of one part, given all others."""
        cells, state = self.cells, self.state
        begin, end = cells.parts.start[p], cells.parts.start[p + 1]
        chances, options = law.chances[:, begin:end], padded[cells.position[begin:end]]
        size = max(1, _PIECE // options.size)
        for first in range(cells.bounds[p], cells.bounds[p + 1], size):
            piece = slice(first, min(first + size, int(cells.bounds[p + 1])))
            row, old = cells.row[piece], state.values[piece] - begin
            logits = carried.logits[row] - options[old]
            others = carried.log_classes[row] - np.log(chances)[:, old].T
            proposed = logits[:, np.newaxis] + options
            log_likelihood = np.einsum("nvb,nb->nv", proposed, self.y[row])
            log_likelihood -= log_sum_exp(proposed) * self.y[row].sum(axis=1, keepdims=True)
            prior = np.exp(others - others.max(axis=1, keepdims=True)) @ chances
            log_weight = log_likelihood + np.log(np.maximum(prior, _LEAST))
            weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
            new = draw_of(rng, weight)
            if keeps:
                probability = weight / weight.sum(axis=1, keepdims=True)
                state.total[cells.first[piece.start] : cells.first[piece.stop]] += probability.ravel()
            state.values[piece] = begin + new
            carried.logits[row] = logits + options[new]
            carried.log_classes[row] = others + np.log(chances)[:, new].T

    def _move_numbers(self, rng: np.random.Generator, q: int, law: Mixture, padded: Array, carried: SweepState) -> None:
        """Propose the unknown cells of one number from their law given all others, and accept by the likelihood."""
        cells, state = self.cells, self.state
        part = slice(cells.number_bounds[q], cells.number_bounds[q + 1])
        row, x, w = cells.number_row[part], state.numbers[part], padded[cells.number_position[q]]
        y, others = self.y[row], carried.log_classes[row] - log_normal(law, q, x)
        logits = carried.logits[row] - x[:, np.newaxis] * w
        log_likelihood = log_probability(logits + x[:, np.newaxis] * w, y)
        for _ in range(N_PROPOSALS):
            classes = draw_rows(rng, others)
            proposed = law.mean[classes, q] + law.sd[classes, q] * rng.standard_normal(len(row))
            of_proposed = log_probability(logits + proposed[:, np.newaxis] * w, y)
            taken = np.log(rng.random(len(row))) < of_proposed - log_likelihood
            x, log_likelihood = np.where(taken, proposed, x), np.where(taken, of_proposed, log_likelihood)
        carried.logits[row] = logits + x[:, np.newaxis] * w
        carried.log_classes[row] = others + log_normal(law, q, x)
        state.numbers[part] = x


def log_probability(logits: Array, y: Array) -> Array:
    """Return sum_k y_k ln softmax_k over the last axis."""
    return np.asarray((y * logits).sum(axis=-1) - y.sum(axis=-1) * log_sum_exp(logits))


def log_sum_exp(logits: Array) -> Array:
    """Return ln of the sum of exp over the last axis."""
    top = logits.max(axis=-1)
    return np.asarray(top + np.log(np.exp(logits - top[..., np.newaxis]).sum(axis=-1)))
