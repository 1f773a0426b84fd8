"""The one command that would help chains which have not converged, with about how long it takes."""

import os
import shlex
from importlib.metadata import version
from typing import Any

from ffbm.blocks.descent import needs_structure
from ffbm.config import FitConfig
from ffbm.diagnostics.verdict import MULTIMODAL
from ffbm.pipeline.estimate import estimate_seconds
from ffbm.plain import in_words
from ffbm.store.parts import FitParts

_TIMES = 4  # as long as it was
_CHAINS = 4
_OPTIONS = {
    "n_chains": "--chains", "n_sweeps": "--sweeps", "n_draws": "--draws", "n_warmup": "--warmup",
    "max_minutes": "--max-minutes",
}  # fmt: skip
_SWITCHES = {"tempering": ("--tempering", "--no-tempering")}
_LENGTHS = ("n_sweeps", "n_draws", "max_minutes")  # these may grow when a run goes on; with any other it begins again


def command_to_go_on(fit: FitParts) -> str:
    """Return the command that lengthens what is too short, or the call if the fit was made in Python.

    A run in a folder goes on (``--resume``) where its chains can be lengthened; with other settings, or by another
    version, it begins again beside it. What follows ``#`` is about how long it takes, at most if it ends by itself.
    """
    changes = _changes(fit)
    can_resume = set(changes) <= set(_LENGTHS) and changes.get("n_sweeps") != "auto"
    can_resume = can_resume and fit.provenance.get("ffbm") == version("ffbm")
    words = shlex.split(str(fit.provenance.get("command", "")))
    if words[:2] == ["ffbm", "fit"]:
        command = shlex.join(_retyped(words, changes, can_resume))
    else:
        command = f"ffbm.fit(..., {', '.join(f'{name}={_text(value)!s}' for name, value in changes.items())})"
    bound = "at most" if _is_open(fit.config, changes) else "about"
    return f"{command}  # {bound} {in_words(_seconds(fit, changes))}"


def _changes(fit: FitParts) -> dict[str, Any]:
    """Return the settings that would help, by name."""
    config, diagnostics = fit.config, fit.diagnostics
    if config.n_chains == 1:
        return {"n_chains": _CHAINS}
    explained = [one for one in (diagnostics.weights, diagnostics.reduced) if one is not None]
    changes: dict[str, Any] = {}
    if not diagnostics.blocks.converged or (diagnostics.joint is not None and not diagnostics.joint.converged):
        changes |= _for_blocks(fit)
    if config.target == "joint":  # one chain draws both: its weights are lengthened by its sweeps
        return changes or _more_sweeps(config)
    if any(one.diverges for one in explained):
        changes["n_warmup"] = _TIMES * config.n_warmup
    elif not all(one.converged for one in explained):
        if config.n_draws == "auto":
            changes["max_minutes"] = _TIMES * config.max_minutes
        else:
            changes["n_draws"] = _TIMES * config.countable_draws
    return changes


def _for_blocks(fit: FitParts) -> dict[str, Any]:
    """Return what helps block chains: tempering, not more of the same, where they stay in different pictures."""
    config = fit.config
    is_fixed, is_off = isinstance(config.n_sweeps, int), config.tempering is False
    stays = fit.diagnostics.blocks.converged.grade == MULTIMODAL and not fit.blocks.settings.get("tempering")
    if stays and (is_fixed or is_off) and not needs_structure(fit.network.graph):
        return ({"n_sweeps": "auto"} if is_fixed else {}) | ({"tempering": True} if is_off else {})
    return _more_sweeps(config)


def _more_sweeps(config: FitConfig) -> dict[str, Any]:
    if config.n_sweeps == "auto":
        return {"max_minutes": _TIMES * config.max_minutes}
    return {"n_sweeps": _TIMES * config.countable_sweeps}


def _text(value: Any) -> str:
    """Return a value as it stands in a call."""
    return (
        f"{value:g}"
        if isinstance(value, float | int) and not isinstance(value, bool)
        else repr(value).replace("'", '"')
    )


def _is_open(config: FitConfig, changes: dict[str, Any]) -> bool:
    """Return whether chains end by themselves, before the clock stops them."""
    return "max_minutes" in changes or changes.get("n_sweeps", config.n_sweeps) == "auto"


def _retyped(words: list[str], changes: dict[str, Any], can_resume: bool) -> list[str]:
    """Return the words of a command with some options changed, so that it goes on, or begins beside what is there."""
    words = [word for word in words if word != "--resume"]
    for name, value in changes.items():
        if name in _SWITCHES:
            words = [*(word for word in words if word not in _SWITCHES[name]), _SWITCHES[name][0]]
        else:
            words = _with_option(words, _OPTIONS[name], _text(value).strip('"'))
    out = _value_of(words, "--out")
    if out is None:
        return words
    return [*words, "--resume"] if can_resume else _with_option(words, "--out", out.rstrip("/") + "-again")


def _value_of(words: list[str], option: str) -> str | None:
    for word, following in zip(words, [*words[1:], ""], strict=True):
        if word == option:
            return following
        if word.startswith(f"{option}="):
            return word.partition("=")[2]
    return None


def _with_option(words: list[str], option: str, value: str) -> list[str]:
    """Return the words with an option set, in its place if it is there already."""
    for at, word in enumerate(words):
        if word == option:
            return [*words[: at + 1], value, *words[at + 2 :]]
        if word.startswith(f"{option}="):
            return [*words[:at], f"{option}={value}", *words[at + 1 :]]
    return [*words, option, value]


def _seconds(fit: FitParts, changes: dict[str, Any]) -> float:
    """Return about how many seconds the longer run takes in all."""
    config = fit.config
    if _is_open(config, changes):
        return 60 * float(changes.get("max_minutes", config.max_minutes))
    known = {"n_sweeps": config.countable_sweeps, "n_draws": config.countable_draws}
    known |= {"n_warmup": config.n_warmup, "n_chains": config.n_chains}
    lengths = {name: int(changes.get(name, value)) for name, value in known.items()}
    n_blocks = fit.memberships.n_blocks
    return estimate_seconds(fit.network, n_blocks, workers=min(os.cpu_count() or 1, lengths["n_chains"]), **lengths)
