"""A run on disk as a fit."""

import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

from ffbm.data.registry import DATASETS
from ffbm.errors import DataError
from ffbm.results.fitted import Fit
from ffbm.results.typed import TypedFit
from ffbm.store.folder import TRACES, how_to_repeat, read_provenance
from ffbm.store.parts import FitParts
from ffbm.theta.design import make_design
from ffbm.types.columns import ColumnBits


def load_fit(path: str | os.PathLike[str]) -> Fit:
    """Read a fit that ``Fit.save`` or ``ffbm.fit(..., out=...)`` wrote; it equals that one in every array.

    Parameters
    ----------
    path : folder

    Returns
    -------
    Fit
        Or, of a run with ``node_type``, a TypedFit.

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
    from ffbm.store.tree import TYPES, from_tree, read_tree

    file = Path(path) / TRACES
    try:
        tree = read_tree(file)
        if TYPES in tree.children:
            from ffbm.results.types_run import load_typed

            return TypedFit.of(load_typed(tree))  # type: ignore[return-value]  # as the documentation says
        parts = from_tree(tree)
    except (OSError, KeyError, ValueError) as error:
        raise DataError(
            f"{file} must be the netCDF file that a saved run holds; it is damaged: {how_to_repeat(path)}"
        ) from error
    if parts.explanation.measure is not None:
        return Fit.of(parts)
    return Fit.of(parts, explanation=replace(parts.explanation, measure=_measuring(parts)))  # of an earlier version


def load_plain(path: str | os.PathLike[str], task: str) -> Fit:
    """Read a fit without types of vertices; say that ``task`` is for these alone otherwise."""
    fit: Any = load_fit(path)
    if isinstance(fit, TypedFit):
        raise DataError(f"{task} is for runs without types of vertices; {os.fspath(path)} was fitted with --node-type")
    return fit


def _measuring(parts: FitParts) -> Callable[..., ColumnBits]:
    """Return what measures the columns of a run that was saved without."""
    from ffbm.pipeline.contributions import make_measure

    config, net = parts.config, parts.network
    design = make_design(net.features, bool(config.intercept), config.impute)
    return make_measure(net, config, design, parts.weights, parts.memberships, parts.train, config.known_seed)
