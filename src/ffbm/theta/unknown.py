"""The unknown cells of a target: where they are, and what the memberships of their vertices are."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ffbm.theta.cells import Cells, CellState, lay_out_cells
from ffbm.theta.design import Training
from ffbm.theta.prepare import WeightTarget
from ffbm.types.graph import Array


class Unknown(NamedTuple):
    """The unknown cells, the memberships of the M vertices that have them, and the response of all known cells."""

    cells: Cells
    y: Array  # (M, B), 0 if they are held out
    base: Array  # (A, B)

    def complete(self, target: WeightTarget, state: CellState) -> WeightTarget:
        """Return the target with these cells."""
        sums = self.base + self.cells.response(state, self.y, len(self.base))
        return replace(target, values=self.values(target.training, state), sums=sums)

    def values(self, training: Training, state: CellState) -> Array:
        """Return the values of the training rows with these cells."""
        values = training.rows.values.copy()
        if len(values):
            self.cells.write(state, values)
        return values

    def given(self, training: Training, labels: Array) -> "Unknown":
        """Return the same cells with labels (n,) of the training vertices."""
        everyone = np.zeros(training.design.n_nodes, dtype=np.int64)
        everyone[training.vertices] = labels
        y = np.zeros((len(everyone), training.n_blocks))
        y[training.vertices, labels] = 1.0
        return Unknown(self.cells, y[self.cells.vertices], training.sums_of_labels(everyone))


def lay_out_unknown(training: Training) -> Unknown | None:
    """Return the unknown cells of a design before labels are known; None if it has none."""
    if training.design.blanks is None:
        return None
    cells, n_blocks = lay_out_cells(training), training.n_blocks
    return Unknown(cells, np.zeros((len(cells.vertices), n_blocks)), np.zeros((len(training.rows.active), n_blocks)))


def find_unknown(target: WeightTarget, y: Any) -> Unknown | None:
    """Return the unknown cells of a target, whose response is that of memberships y (N, B); None if it has none."""
    training = target.training
    if training.design.blanks is None:
        return None
    cells = lay_out_cells(training)
    y_cells = y[cells.vertices]
    y_cells = np.array(y_cells.toarray() if hasattr(y_cells, "toarray") else y_cells, dtype=np.float64)
    y_cells[~np.isin(cells.vertices, training.vertices)] = 0.0
    return Unknown(cells, y_cells, target.sums.copy())
