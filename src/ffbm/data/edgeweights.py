"""Weights of edges as they are read: numbers, what they are taken for, and why."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from scipy.special import gammaln, xlogy

from ffbm.check import check_choice, check_real
from ffbm.data.raw import Array, numbers_in
from ffbm.errors import DataError, OptionError, keyword, named
from ffbm.plain import count_of
from ffbm.types import EdgeWeights, Network, Note
from ffbm.types.edgeweights import HYPERPARAMETERS, MICROCANONICAL

_NEEDS = {
    "geometric": "whole numbers from 0",
    "poisson": "whole numbers from 0",
    "exponential": "numbers above 0",
    "log-normal": "numbers above 0",
    "normal": "numbers",
}
_MOST = 2.0**53  # that counts may add up to: beyond, they are not whole as they are stored


@dataclass(slots=True)
class RawWeights:
    """A column of weights as it was written: ``locate(k)`` says where number k stands."""

    column: str
    values: Array  # (E,) float64
    locate: Callable[[int], str]


def real_weights(values: Any, column: str, where: str, locate: Callable[[int], str]) -> RawWeights:
    """Return a column of weights as numbers, or name the first cell that is none."""
    cells = np.asarray(values)
    numbers = numbers_in(cells)
    bad = ~np.isfinite(numbers)
    if bad.any():
        first = int(np.argmax(bad))
        came = cells[first].item() if isinstance(cells[first], np.generic) else cells[first]
        raise DataError(
            f"{where}: {keyword('edge_weight', repr(column))} must name finite numbers; {locate(first)} has {came!r}"
            f" ({count_of(int(bad.sum()), 'edge')} in all): repair or drop {'it' if bad.sum() == 1 else 'them'}"
        )
    return RawWeights(column, numbers, locate)


def choose_law(raw: RawWeights, model: str, prior: Any, where: str) -> EdgeWeights:
    """Say what weights are taken for: the model asked for, or with "auto" the one that suits them.

    Whole numbers from 0 are geometric or Poisson, numbers above 0 exponential or log-normal, all others normal; of two,
    the one that describes the weights of all edges together in fewer nats (BIC).

    >>> from ffbm.data.edgeweights import choose_law, real_weights
    >>> raw = real_weights([1, 0, 7, 2], "trips", "edges.csv", "row {}".format)
    >>> choose_law(raw, "auto", "microcanonical", "edges.csv").reason
    'whole numbers from 0, geometric by 1.7 nats over poisson'
    """
    check_choice("edge_weight_model", model, ("auto", *HYPERPARAMETERS))
    reason = "as asked"
    if model == "auto":
        model, reason = _choose(raw.values)
    _refuse(raw, model, where)
    return EdgeWeights(raw.values, model, check_prior(prior, model), raw.column, reason)


def reweigh(net: Network, edge_weight: str | bool | None, model: str | None, prior: Any) -> Network:
    """Return a network whose edges have weights as the settings of a fit say: those it was read with, or none.

    None leaves the column, the model or the prior as they are; ``edge_weight=False`` ignores weights.
    """
    weights = net.graph.weights
    if edge_weight is False:
        return net.without_weights()
    if weights is None:
        if edge_weight is None and model is None and prior is None:
            return net
        it = keyword("edge_weight", "")
        raise OptionError(f"{it} needs a network that was read with weights: give {it} to read_network")
    if edge_weight not in (None, weights.column):
        raise OptionError(
            f"{keyword('edge_weight')} must name the column that the network was read with, {weights.column!r};"
            f" got {edge_weight!r}"
        )
    if model is None and prior is None:
        return net
    raw = RawWeights(weights.column, weights.values, "edge {}".format)
    chosen = choose_law(raw, model or weights.model, weights.prior if prior is None else prior, "the network")
    if (chosen.model, chosen.prior) == (weights.model, weights.prior):
        return net
    remark = Note("edge-weight", f"edges weighted by {chosen.in_words} ({chosen.reason})", net.n_edges)
    notes = tuple(note for note in net.notes if note.code != "edge-weight")
    return replace(net, graph=replace(net.graph, weights=chosen), notes=(*notes, remark))


def check_prior(prior: Any, model: str) -> dict[str, float] | None:
    """Return the hyperparameters of a conjugate prior by name, or None if it is microcanonical.

    >>> check_prior({"a": 1, "b": 2}, "poisson")
    {'a': 1.0, 'b': 2.0}
    """
    if prior is None or prior == MICROCANONICAL:
        return None
    names = HYPERPARAMETERS[model]
    if not isinstance(prior, Mapping) or set(prior) != set(names):
        raise OptionError(
            f"{keyword('edge_weight_prior')} must be {MICROCANONICAL!r} or the numbers {', '.join(names)} of the"
            f" conjugate prior of {model} weights, as in {named(dict.fromkeys(names, 1.0))}; got {named(prior)}"
        )
    return {
        name: check_real(name, prior[name]) if name == "m0" else check_real(name, prior[name], low=0, above=True)
        for name in names
    }


def _refuse(raw: RawWeights, model: str, where: str) -> None:
    """Name the first weight that a model has no place for."""
    x = raw.values
    if model in ("geometric", "poisson"):
        bad = (x < 0) | (x != np.floor(x))
        if not bad.any() and x.sum() > _MOST:
            raise DataError(
                f"{where}: counts may add up to {_MOST:.0f}; {raw.column!r} adds up to more: give it in other units"
            )
    elif model == "normal":
        bad = np.zeros(len(x), dtype=bool)
    else:
        bad = x <= 0
    if bad.any():
        first = int(np.argmax(bad))
        raise DataError(
            f"{where}: {model} weights must be {_NEEDS[model]}; {raw.locate(first)} has {x[first]:g} in {raw.column!r} "
            f"({count_of(int(bad.sum()), 'edge')} in all): drop them, or choose another"
            f" {keyword('edge_weight_model', '')}"
        )
    if model in ("normal", "log-normal") and len(x) and x.min() == x.max():
        raise DataError(f"{where}: {model} weights must differ; all in {raw.column!r} are {x[0]:g}: leave them out")


def _choose(x: Array) -> tuple[str, str]:
    """Return the model that suits weights, and why."""
    if (x >= 0).all() and (x == np.floor(x)).all():
        kind, models = "whole numbers from 0", ("geometric", "poisson")
    elif (x > 0).all():
        kind, models = "numbers above 0", ("exponential", "log-normal")
    else:
        return "normal", "some are below 0" if (x < 0).any() else "some are 0 and not all are whole"
    costs = [_one_law(x, model) for model in models]
    idle = f"; all are {x[0]:g} and say nothing of blocks" if len(x) and x.min() == x.max() else ""
    best, other = (0, 1) if costs[0] <= costs[1] else (1, 0)
    if np.isinf(costs[other]):
        return models[best], f"{kind}, all equal, which {models[other]} weights cannot be{idle}"
    nats = f"{costs[other] - costs[best]:,.1f} nats"
    return models[best], f"{kind}, {models[best]} by {nats} over {models[other]}{idle}"


def _one_law(x: Array, model: str) -> float:
    """Return the nats of weights under one law for all edges, fitted, with ln E / 2 for each parameter (BIC)."""
    n, mean = len(x), float(x.mean()) if len(x) else 0.0
    if n == 0:
        return 0.0
    if model == "geometric":
        nats = n * float(xlogy(1 + mean, 1 + mean) - xlogy(mean, mean))
    elif model == "poisson":
        nats = n * (mean - float(xlogy(mean, mean))) + float(gammaln(x + 1).sum())
    elif model == "exponential":
        nats = n * (1 + np.log(mean))
    else:
        y = np.log(x)
        if y.min() == y.max():
            return np.inf
        nats = n / 2 * (1 + np.log(2 * np.pi * y.var())) + float(y.sum()) + np.log(n) / 2
    return float(nats + np.log(n) / 2)
