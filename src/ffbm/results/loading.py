"""A run on disk as a fit."""

import os
from pathlib import Path

from ffbm.data.registry import DATASETS
from ffbm.errors import DataError
from ffbm.results.fitted import Fit
from ffbm.store.folder import TRACES, read_provenance


def load_fit(path: str | os.PathLike[str]) -> Fit:
    """Read a fit that ``Fit.save`` or ``ffbm.fit(..., out=...)`` wrote; it equals that one in every array.

    Parameters
    ----------
    path : folder

    Examples
    --------
    >>> import ffbm, pathlib, tempfile
    >>> from ffbm.results import fit
    >>> net = ffbm.load_dataset("polbooks")
    >>> run = pathlib.Path(tempfile.mkdtemp()) / "run"
    >>> made = fit(net, n_blocks=3, n_sweeps=4000, seed=1, out=run)
    >>> bool((load_fit(run).weights.weights == made.weights.weights).all())
    True
    """
    read_provenance(path, tuple(DATASETS))
    from ffbm.store.tree import from_tree, read_tree

    file = Path(path) / TRACES
    try:
        return Fit.of(from_tree(read_tree(file)))
    except (OSError, KeyError, ValueError) as error:
        raise DataError(f"{file} must be the netCDF file that a saved run holds; it is damaged") from error
