"""What the shell offers for a word that is begun; nothing heavy is imported for it."""

from collections.abc import Callable
from pathlib import Path

REGISTERED = ("polbooks", "school", "facebook")  # their registry takes half a second to import


def sources(incomplete: str) -> list[str]:
    """Return the registered data sets and the files that begin with what was typed.

    >>> sources("polb")
    ['polbooks']
    """
    return [name for name in REGISTERED if name.startswith(incomplete)] + _files(incomplete)


def one_of(*words: str) -> Callable[[str], list[str]]:
    """Return what offers those of some words that begin with what was typed.

    >>> one_of("cut", "joint")("j")
    ['joint']
    """
    return lambda incomplete: [word for word in words if word.startswith(incomplete)]


def _files(incomplete: str) -> list[str]:
    folder, _, begun = incomplete.rpartition("/")
    directory = Path(f"{folder}/" if "/" in incomplete else ".").expanduser()
    try:
        matches = sorted(path for path in directory.iterdir() if path.name.startswith(begun))
    except OSError:
        return []
    before = f"{folder}/" if "/" in incomplete else ""
    shown = [path for path in matches if begun or not path.name.startswith(".")]
    return [f"{before}{path.name}{'/' if path.is_dir() else ''}" for path in shown]
