"""Exchanges of labels, weights and columns between joint chains of neighbouring targets."""

from typing import Any

from ffbm.blocks import exchange as chains
from ffbm.blocks.exchange import Replicas
from ffbm.joint.chain import JointState
from ffbm.types import Array


def exchange(state: Replicas, first: int, down: Array, up: Array) -> None:
    """Let chains exchange labels and weights: see ``blocks.exchange``. Which columns are inside goes with the weights.

    What belongs to a target, the geometry and the step size of its weight moves, stays there.
    """
    chains.exchange(state, first, down, up, take_over)


def take_over(chain: Any, other: Any) -> Any:
    """Return a chain, under either prior, with the labels, weights, columns and unknown cells of another."""
    moved = {"ledger": other.ledger, "totals": other.totals, "best": other.best}
    if isinstance(chain, JointState):
        cells = chain.cells.take_over(other.cells)
        return chain._replace(weights=other.weights, values=other.values, cells=cells, **moved)
    of_columns = {name: getattr(other.columns, name) for name in ("weights", "inside", "chance")}
    cells = chain.cells.take_over(other.cells)
    return chain._replace(columns=chain.columns._replace(**of_columns), cells=cells, **moved)
