"""A fit for ArviZ: a DataTree for its version 1, InferenceData for those before."""

from typing import Any

import xarray as xr

from ffbm.errors import OptionError
from ffbm.store.parts import FitParts
from ffbm.store.tree import to_tree

_GROUPS = ("posterior", "sample_stats", "constant_data")


def to_datatree(fit: FitParts) -> xr.DataTree:
    """Return everything as a DataTree; beside the weights of ``/posterior`` stand those centred over blocks."""
    tree = to_tree(fit)
    draws = tree["posterior"].to_dataset()
    weights = draws["weights"]
    tree["posterior"] = xr.DataTree(draws.assign(centred=weights - weights.mean("block")))
    return tree


def to_inference_data(fit: FitParts) -> Any:
    """Return what the installed ArviZ takes: InferenceData before its version 1, the DataTree since."""
    try:
        import arviz
    except ImportError:
        raise OptionError(
            "to_inference_data() needs the package arviz: pip install arviz, or see to_datatree()"
        ) from None
    tree = to_datatree(fit)
    made = getattr(arviz, "InferenceData", None)
    return tree if made is None else made(**{name: tree[name].to_dataset() for name in _GROUPS})
