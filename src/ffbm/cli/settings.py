"""What a fit is asked for: the command line over a settings file over what a run was begun with."""

import contextlib
from pathlib import Path
from typing import Any

from ffbm.cli.both_targets import BOTH
from ffbm.cli.by_type import split_blocks
from ffbm.config import FitConfig, read_settings
from ffbm.errors import OptionError
from ffbm.run_options import RunOptions, split_options


def blocks_asked(text: str | None, node_type: str | None, config: str | None) -> Any:
    """Return the number of blocks, or a number for each type if the command line or a settings file names types."""
    if node_type is None and config is not None:
        with contextlib.suppress(OptionError):  # reported where the settings are read
            node_type = read_settings(config).get("node_type")
    return number_or("auto", "--blocks", text) if node_type is None or text is None else split_blocks(text)


def source_of(source: str | None, config: str | None) -> tuple[str, dict[str, Any]]:
    """Return what is to be read, and how a settings file says to read it, if it names the source."""
    if source is not None:
        return source, {}
    from ffbm.results.settings_file import read_reading

    recorded = {} if config is None else read_reading(config)
    if "source" not in recorded:
        where = "" if config is None else f"; {config} has no [reading] with a source"
        raise OptionError(f"SOURCE must be a file or a registered data set, or --config the settings of a run{where}")
    return str(recorded.pop("source")), recorded


def settle(path: str | None, begun: dict[str, Any], **arguments: Any) -> tuple[FitConfig, RunOptions]:
    """Put the command line over the file over what a run was begun with over the defaults."""
    arguments = {name: value for name, value in arguments.items() if value is not None}
    from_file = {} if path is None else _read_settings(path, arguments)
    settings, run = split_options(begun | from_file | arguments)
    return FitConfig(**settings), run


def _read_settings(path: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Read a settings file; errors use the names that stand in it.

    Which others they go with may be said by the command line.
    """
    try:
        settings = read_settings(path)
    except OptionError as error:
        raise OptionError(str(error)) from error
    try:
        options, _ = split_options(settings)
        related = ("target", "weight_prior", "preset")  # what others are checked against
        FitConfig(**options | {name: arguments[name] for name in related if name in arguments})
    except OptionError as error:
        raise OptionError(f"{path}: {error}") from error
    return settings


def begun_with(out: str, target: str | None) -> dict[str, Any]:
    """Return the settings of the run in a folder; of two targets side by side, those of the first."""
    from ffbm.results.continuation import saved_settings

    return saved_settings(str(Path(out) / "cut") if target == BOTH else out)


def number_or(word: str, option: str, text: str | None) -> int | str | None:
    """Turn the text of an option into a number, unless it is the one word allowed."""
    if text is None or text == word:
        return text
    try:
        return int(text)
    except ValueError:
        raise OptionError(f"{option} must be a whole number or {word}; got {text!r}") from None
