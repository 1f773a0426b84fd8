"""The modes of the partitions as a data set over named axes, and back."""

from typing import Any

import numpy as np
import xarray as xr

from ffbm.types import Memberships, Mode


def modes_to_dataset(members: Memberships, nodes: Any) -> xr.Dataset:
    """Return the modes: ``mode_of`` each draw, ``order`` its numbering there, and what each mode says of vertices."""
    order = np.empty_like(members.order)
    for number, mode in enumerate(members.modes):
        order[members.mode_of == number] = mode.order
    by_draw = ("chain", "block_draw")
    return xr.Dataset(
        {
            "mode_of": (by_draw, members.mode_of),
            "order": ((*by_draw, "block"), order),
            "probs": (("mode", "node", "block"), np.stack([mode.probs for mode in members.modes])),
            "labels": (("mode", "node"), np.stack([mode.labels for mode in members.modes])),
            "weight": ("mode", [mode.weight for mode in members.modes]),
            "agreement": ("mode", [mode.agreement for mode in members.modes]),
            "chains": (("mode", "chain"), np.stack([mode.chains for mode in members.modes])),
        },
        coords={
            "mode": np.arange(members.n_modes),
            "node": nodes,
            "block": np.arange(members.n_blocks),
            "chain": np.arange(order.shape[0]),
            "block_draw": np.arange(order.shape[1]),
        },
    )


def modes_from_dataset(data: xr.Dataset) -> dict[str, Any]:
    """Return ``modes`` and ``mode_of`` as ``modes_to_dataset`` wrote them."""
    arrays = {name: np.asarray(data[name]) for name in data.data_vars}
    modes = tuple(
        Mode(
            weight=float(arrays["weight"][number]),
            probs=arrays["probs"][number],
            labels=arrays["labels"][number],
            agreement=float(arrays["agreement"][number]),
            chains=arrays["chains"][number],
            order=arrays["order"][arrays["mode_of"] == number],
        )
        for number in range(data.sizes["mode"])
    )
    return {"modes": modes, "mode_of": arrays["mode_of"]}
