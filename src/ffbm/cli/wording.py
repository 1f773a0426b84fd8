"""Errors of the package in the words of the command line: keywords become the options of the command at hand.

The package speaks Python: ``n_blocks must be ...``, ``exact=True``. Who typed ``--blocks`` is told of ``--blocks``.
"""

import re
import shlex
from collections.abc import Collection

from ffbm.errors import OptionError

# keywords whose option is not the same word; all others are written with dashes
_OTHER_WORDS = {
    "n_blocks": "--blocks",
    "n_kept": "--keep",
    "n_chains": "--chains",
    "n_sweeps": "--sweeps",
    "max_minutes": "--max-minutes",
    "n_draws": "--draws",
    "n_warmup": "--warmup",
    "n_nodes": "--vertices",
    "n_edges": "--edges",
    "n_features": "--features",
    "n_permutations": "--permutations",
}

_BEFORE = r"(?<![\w'\"/.=-])"  # no part of a path, of an option or of what a user wrote, which stands in quotes
_AFTER = r"(?![\w'\"/-]|\.\w| = )"
_VALUE = r"('[^']*'|\"[^\"]*\"|[\w.+-]*\w)"
_COMMAND = re.compile(r"((?:go on|start it again) with )(.*)", re.DOTALL)  # as it is typed: no word of it changes
_PYTHON_RUN = re.compile(r"fit\(\.\.\., out=('[^']*'|\"[^\"]*\")(, resume=True)?\)")


class WordedError(OptionError):
    """A message in the right words already, such as those of a settings file."""


def in_options(message: str, options: Collection[str]) -> str:
    """Say in options what an error says in keywords; what the command has no option for stays as it is.

    >>> in_options("n_blocks must be a whole number, at least 1; got 0", ["--blocks"])
    '--blocks must be a whole number, at least 1; got 0'
    >>> in_options("contrast= is for planted graphs; got it with exact=True", ["--contrast", "--exact"])
    '--contrast is for planted graphs; got it with --exact'
    >>> in_options("keep it with unknown=keep (--unknown keep)", ["--unknown"])
    'keep it with --unknown keep'
    """
    sentence, lead, command, *_ = (*_COMMAND.split(message, maxsplit=1), "", "")
    known = {option[2:].replace("-", "_"): option for option in options}
    known |= {keyword: option for keyword, option in _OTHER_WORDS.items() if option in options}
    if known:
        sentence = _translate(sentence, known)
    way = _PYTHON_RUN.sub(
        lambda match: f"ffbm fit SOURCE --out {_value(match[1])}{' --resume' if match[2] else ''}", command
    )
    return sentence + lead + way


def _translate(text: str, known: dict[str, str]) -> str:
    any_word = "|".join(sorted(known, key=len, reverse=True))
    plain = "|".join(word for word in known if "_" in word) or "(?!)"  # cannot be a word of a sentence

    def option(found: re.Match[str]) -> str:
        return known[found[1]]

    def with_value(found: re.Match[str]) -> str:
        if found[2] == "True":
            return known[found[1]]
        return f"{known[found[1]]} {_value(found[2])}"

    # both are named: the option is enough
    text = re.sub(rf"{_BEFORE}(?:{any_word})=('[^']*'|[^\s=]+)? \((--[a-z-]+(?: \1)?)\)", r"\2", text)
    text = re.sub(r", or \w+= in Python", "", text)
    text = re.sub(rf"{_BEFORE}leave ({any_word})=False", r"leave out \1=", text)
    text = re.sub(rf"{_BEFORE}({any_word})={_VALUE}", with_value, text)
    text = re.sub(rf"{_BEFORE}({any_word})=(?!\w)", option, text)
    text = re.sub(rf"(?:(?<=^)|(?<=: ))({any_word})(?= (?:must|goes|names) )", option, text)
    text = re.sub(rf"{_BEFORE}({plain}){_AFTER}", option, text)
    text = re.sub(r"(?<=must be one of )[^;]*", lambda found: found[0].replace("'", ""), text)
    return re.sub(r", or '(\w+)'; got", r", or \1; got", text.replace(", or None; got", "; got"))


def _value(text: str) -> str:
    """Write a value as a shell takes it."""
    return shlex.quote(text[1:-1] if text[0] in "'\"" else text)
