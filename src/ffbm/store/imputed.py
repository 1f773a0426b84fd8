"""The law of unknown cells as a data set, and back."""

from dataclasses import fields

import numpy as np
import xarray as xr

from ffbm.types.imputed import Imputed

_AXES = {
    "vertex": ("cell",),
    "part": ("cell",),
    "first": ("cell_bound",),
    "probability": ("cell_value",),
    "number_vertex": ("number_cell",),
    "number": ("number_cell",),
    "number_mean": ("number_cell",),
    "number_sd": ("number_cell",),
    "law": ("law_draw", "class", "law_entry"),
    "start": ("part_bound",),
    "feature": ("value",),
    "column": ("part_number",),
    "feature_of_number": ("number_feature",),
    "column_of_number": ("number_feature",),
}


def imputed_to_dataset(imputed: Imputed) -> xr.Dataset:
    """Return the law of each unknown cell, and that of the columns."""
    return xr.Dataset({f"cells_{name}": (axes, getattr(imputed, name)) for name, axes in _AXES.items()})


def imputed_from_dataset(data: xr.Dataset) -> Imputed:
    """Return what ``imputed_to_dataset`` wrote."""
    return Imputed(**{field.name: np.asarray(data[f"cells_{field.name}"]) for field in fields(Imputed)})
