"""A run that goes on: with what it was begun with, or longer."""

import contextlib
import errno
from collections.abc import Iterator
from dataclasses import replace
from math import ceil
from pathlib import Path
from typing import Any

from ffbm.config import FitConfig, burn_sweeps
from ffbm.errors import OptionError, Wording, keyword
from ffbm.store.checkpoints import Checkpoints, digest, read_record
from ffbm.store.folder import CHAINS, PROVENANCE, RECORD, how_to_resume, is_run, is_unfinished
from ffbm.types import BlockTrace, Network

_LENGTHS = ("n_sweeps", "n_draws", "max_minutes")


def describe_run(net: Network, blocks: Any, version: str, command: str, config: FitConfig) -> dict[str, Any]:
    """Return what a run is begun with, as plain values: all that its draws depend on."""
    return {
        "ffbm": version,
        "network": net.fingerprint,
        "features": digest(net.features.values, net.features.names),
        "nodes": digest(net.node_ids),
        "blocks": None if blocks is None else _name(blocks),
        "config": config.to_dict(),
        "burn": burn_sweeps(config.burn_in, config.countable_sweeps),
        "command": command,
        "where": str(Path.cwd()),  # names of files in the command may be relative
    }


def saved_settings(path: str) -> dict[str, Any]:
    """Return the settings that the run in a folder was begun with; none if there is no run."""
    return dict(read_record(Path(path))["config"]) if (Path(path) / CHAINS / RECORD).is_file() else {}


def go_on(checkpoints: Checkpoints, wanted: dict[str, Any], config: FitConfig) -> tuple[FitConfig, bool]:
    """Return the settings that a run goes on with, and whether there is anything left to do.

    Data and settings must be those it was begun with, but for its length: chains can be lengthened. Then their burn-in
    stays as it was, in sweeps, and so do the weight moves after each sweep of a joint chain.
    """
    begun = checkpoints.record
    _compare_data(checkpoints.folder, begun, wanted)
    old, new = begun["config"], dict(wanted["config"])
    new["seed"] = old["seed"] if new["seed"] is None else new["seed"]
    _compare_settings(checkpoints.folder, old, new)
    longer = any(_is_longer(new[name], old[name]) for name in _LENGTHS)
    if longer and new["target"] == "joint":
        if new["n_draws"] > old["n_draws"]:
            raise OptionError("a run of the joint posterior is lengthened by its sweeps: give --sweeps, not --draws")
        if isinstance(new["n_sweeps"], int):
            each = ceil(old["n_draws"] / (old["n_sweeps"] - begun["burn"]))
            new["n_draws"] = each * (new["n_sweeps"] - begun["burn"])
    if is_run(checkpoints.folder) and not longer:
        return config, False
    if longer:
        checkpoints.rewrite({**begun, "config": new})
        (checkpoints.folder / PROVENANCE).unlink(missing_ok=True)  # no whole run until the longer one is
    if isinstance(new["n_sweeps"], int) and new["n_sweeps"] * old["burn_in"] != begun["burn"]:
        new["burn_in"] = begun["burn"] / new["n_sweeps"]
    return replace(config, **new), True


def _is_longer(new: Any, old: Any) -> bool:
    """Return whether one length is beyond another; "auto" is no length."""
    return not isinstance(new, str) and not isinstance(old, str) and new > old


@contextlib.contextmanager
def with_a_hint_to_resume(path: str | None) -> Iterator[None]:
    """Say how to go on if the disk is full, or the user stops the run."""
    try:
        yield
    except KeyboardInterrupt as stop:
        if path is not None and is_unfinished(path):
            raise KeyboardInterrupt(Wording(how_to_resume(Path(path)))) from stop
        raise
    except (OSError, RuntimeError) as error:  # HDF5 wraps the system's word in its own
        is_full = getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT) or "No space left" in str(error)
        if path is None or not is_full:
            raise
        raise OptionError(f"the disk is full: free some space; {how_to_resume(Path(path))}") from error


def _compare_data(folder: Path, begun: dict[str, Any], wanted: dict[str, Any]) -> None:
    if begun.get("ffbm") != wanted["ffbm"]:
        raise OptionError(
            f"{folder} was begun by ffbm {begun.get('ffbm')}, and this is {wanted['ffbm']}: its draws could differ;"
            " finish it there, or begin another"
        )
    words = {"network": "network", "features": "features", "nodes": "vertex ids", "blocks": "given blocks"}
    other = [text for name, text in words.items() if begun.get(name) != wanted[name]]
    if other:
        raise OptionError(f"{folder} was begun with other data: its {', '.join(other)} differ; choose another --out")


def _compare_settings(folder: Path, old: dict[str, Any], new: dict[str, Any]) -> None:
    other = [
        f"{keyword(name)} was {old.get(name)} and is {value}"
        for name, value in new.items()
        if old.get(name) != value and not (name in _LENGTHS and _is_longer(value, old[name]))
    ]
    if other:
        raise OptionError(
            f"{folder} was begun with other settings: {'; '.join(other)};"
            " only --sweeps, --draws and --max-minutes may grow"
        )


def _name(blocks: Any) -> str:
    return digest(blocks.labels) if isinstance(blocks, BlockTrace) else digest(list(map(str, blocks)))
