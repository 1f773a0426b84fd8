"""Splits and merges that carry the weights along: in the joint target strong features hold a split fast otherwise.

A new partition b' is proposed as in ``mergesplit``, without looking at the weights W; then they are carried over, see
``carrier``. The last scans see a field, ln softmax(m x_i), where m is the mode of the weights given the launch state: a
function of the launch state, not of W. A launch begins in one of three ways, the same for the forward and the reverse
proposal: by coins, with all vertices in the block of the first anchor, or in that of the second. From a single anchor a
small block grows as it would not from coins.
"""

from typing import Any, NamedTuple

import numpy as np
from numba import njit

from ffbm.kernels.acceptance import IMPOSSIBLE
from ffbm.kernels.carrier import LOOSE, N_FIELD_SCANS, TIGHT, Carrier, find_mode_of, write_mode_field
from ffbm.kernels.compilation import INNER
from ffbm.kernels.dispatch import implement
from ffbm.kernels.mergesplit import (
    MERGE_SPLIT,
    RESPLIT,
    collect,
    draw_anchors,
    launch,
    merge_split,
    open_close,
    resplit,
    scan,
)
from ffbm.kernels.workspace import BEFORE

COINS, FROM_FIRST, FROM_SECOND = 0, 1, 2  # how a launch begins


class CarriedScans(NamedTuple):
    """Splits drawn by scans that see features, but not the weights."""

    model: Any  # the block model without a field
    scratch: np.ndarray  # (3, B+1) see ``workspace``
    with_field: Any  # the same model with a field to write in
    carrier: Carrier
    n_scans: int  # of a launch
    way: int  # how it begins


@njit(**INNER)
def informed_scan(scans, rng, c, split, goal, forced, sums):
    """Launch a split, let features speak, and scan it one last time; return ln of that scan's probability."""
    model, with_field, scratch = scans.model, scans.with_field, scans.scratch
    if scans.way == COINS:
        launch(rng, model, c, 1.0, scans.n_scans, split, sums, scratch)
    else:
        collect(model, c, split, split.r if scans.way == FROM_FIRST else split.s, sums, scratch)
        for _ in range(scans.n_scans):
            scan(rng, model, c, 1.0, split, goal, False, sums, scratch)
    for _ in range(N_FIELD_SCANS):
        write_mode_field(scans.carrier, c, LOOSE, with_field.field)
        scan(rng, with_field, c, 1.0, split, goal, False, sums, scratch)
    return scan(rng, with_field, c, 1.0, split, goal, forced, sums, scratch)


@njit(**INNER)
def propose_split(rng, tools, c, kind):
    """Propose other labels by one kind of move; return the change of S and ln of the ratio of proposal probabilities.

    tools: a ``CarriedMove``. The mode of the weights given the labels before is left in its buffers, ``modes[BEFORE]``.
    """
    i, j = draw_anchors(rng, c)
    opens, way = rng.random() < 0.5, int(rng.random() * 3)
    scans = CarriedScans(tools.without_field, tools.scratch, tools.with_field, tools.carrier, tools.n_scans, way)
    if kind == RESPLIT:
        change, _, log_ratio = resplit(rng, scans, c, i, j, tools.work)
    elif kind == MERGE_SPLIT:
        change, _, log_ratio = merge_split(rng, scans, c, i, j, tools.work)
    else:
        change, _, log_ratio = open_close(rng, scans, c, i, j, opens, tools.work)
    if log_ratio > IMPOSSIBLE:
        find_mode_of(tools.carrier, tools.work[BEFORE], TIGHT, tools.carrier.buffers.modes[BEFORE])
    return change, log_ratio


implement(CarriedScans, draw_split=informed_scan)
