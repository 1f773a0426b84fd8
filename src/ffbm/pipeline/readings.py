"""Columns that can be read as a number or as values: tried both ways once the blocks are known."""

from dataclasses import replace

import numpy as np
from scipy.special import log_softmax

from ffbm.config import FitConfig
from ffbm.data.remarks import Remark, gather_notes, option
from ffbm.data.repeats import merge_repeats
from ffbm.rng import stream
from ffbm.scoring import base_rate, fold_rows
from ffbm.theta.design import Design, make_design
from ffbm.theta.mode import find_mode
from ffbm.theta.prepare import weight_target
from ffbm.types import Array, Features, Network

AS_VALUES, AS_NUMBER = "read-as-values", "read-as-number"  # codes of notes
CLEAR = 2.0  # standard errors by which values must explain more than the number
_FOLDS = 5
_LEAST = 10  # vertices


def settle_readings(net: Network, members: Array, config: FitConfig, seed: int) -> Network:
    """Return the network with each column that may be codes read in the way that explains more; notes say which.

    Both readings are fitted alone, with an intercept, on four fifths of the vertices: the mode of the weights under the
    fixed prior. Values are taken where their bits on the fifth left out are more by two standard errors. With one
    block, or scales given feature by feature, numbers stay numbers.

    Parameters
    ----------
    net : Network
        ``features.other`` has the columns to be tried.
    members : (N, B) float64
    config : FitConfig
    seed : int

    Examples
    --------
    >>> import ffbm
    >>> ward = np.tile([3, 1, 2], 20)  # 1 is apart from 2 and 3: no line does that
    >>> net = ffbm.as_network([(i, i + 3) for i in range(57)], ward[:, np.newaxis], node_ids=range(60))
    >>> settled = settle_readings(net, np.eye(2)[(ward == 2).astype(int)], FitConfig(), seed=1)
    >>> net.features.names, settled.features.names
    (('x0',), ('x0=1', 'x0=2', 'x0=3'))
    """
    other = net.features.other
    if not other:
        return net
    features, notes, remarks = replace(net.features, other={}), list(net.notes), []
    if members.shape[1] > 1 and net.n_nodes >= _LEAST and not isinstance(config.sigma, list):
        parts = fold_rows(net.n_nodes, _FOLDS, stream(seed, "readings"))
        for name, values in other.items():
            number = features.take(features.of_column(name))
            bits = np.array([held_out_bits(make_design(reading, True), members, parts) for reading in (number, values)])
            gain = bits[1] - bits[0]
            as_values = gain.mean() > CLEAR * gain.std() / np.sqrt(len(gain)) and not _clashes(features, name, values)
            if as_values:
                features = features.with_values(name, values)
            remarks.append(_reading_remark(name, values.n_features, *bits.mean(axis=1), takes_values=bool(as_values)))
        notes = [note for note in notes if note.code != "looks-coded"]
        if any(remark.code == AS_VALUES for remark in remarks):
            features, merged = merge_repeats(features, net.reading.get("include", ()))
            notes += merged
    remarks.sort(key=lambda remark: remark.code != AS_VALUES)
    return replace(net, features=features, notes=(*gather_notes(remarks), *notes))


def held_out_bits(design: Design, members: Array, parts: list[Array]) -> Array:
    """Return the bits (N,) over the base rate that the mode of the weights explains of each vertex left out."""
    bits = np.zeros(len(members))
    for rows in parts:
        test_rows = np.setdiff1d(np.arange(len(members)), rows)
        target = weight_target(design, members, rows, 1.0, True)
        weights = np.zeros((len(design.names), members.shape[1]))
        weights[target.training.rows.active] = find_mode(target.gaussian)
        log_p = log_softmax(design.x @ weights, axis=1)[design.group[test_rows]]
        bits[test_rows] = (members[test_rows] * (log_p - np.log(base_rate(members[rows])[0]))).sum(axis=1) / np.log(2)
    return bits


def _clashes(features: Features, name: str, values: Features) -> bool:
    """Return whether another column has a feature of a name that the values would get."""
    others = {feature for feature, column in zip(features.names, features.columns, strict=True) if column != name}
    return bool(others & set(values.names))


def _reading_remark(name: str, n_values: int, as_number: float, as_values: float, *, takes_values: bool) -> Remark:
    code, first = (AS_VALUES, f"{n_values} values") if takes_values else (AS_NUMBER, "a number")
    explains = f"alone it explains {as_values:.2f} bits per vertex as values, {as_number:.2f} as a number"
    overrule = option("numeric" if takes_values else "categorical")
    return Remark(code, name, f"read as {first}: {explains}; {overrule} overrules", n_values)
