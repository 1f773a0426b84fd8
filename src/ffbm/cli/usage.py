"""Wrong arguments, reported in one line: which option, what it takes, what came."""

import re
from collections.abc import Collection, Sequence
from typing import Any

import ffbm

_NUMBERS = {"N": "a whole number", "X": "a number"}  # by how the options are written in the help
_NO_COMMAND = re.compile(r"No such command '(\w+)'")
_EXTRA = re.compile(r"unexpected extra argument[^(]*(?:\(s\) )?\((.+)\)$")
_NO_VALUE = re.compile(r"Option '(--?[\w-]+)' requires an argument")
_POSSIBLE = re.compile(r" \(Possible options: (-[^)]*)\)$")


def tell_usage(problem: Any, arguments: Sequence[str], commands: Collection[str]) -> str:
    """Return the line for what typer says of wrong arguments; ``problem`` is the error that it raised."""
    context = getattr(problem, "ctx", None)
    begun = next((word for word in arguments if word in commands), None)
    command = context.command_path if context else " ".join(filter(None, ("ffbm", begun)))
    parameter = getattr(problem, "param", None)
    message = problem.format_message().rstrip(".")
    wanted = _NUMBERS.get(getattr(parameter, "metavar", None) or "")
    if parameter is not None and wanted is not None and message.startswith("Invalid value"):
        value = _given_to(parameter.opts, arguments)
        return f"{parameter.opts[0]} must be {wanted}" + ("" if value is None else f"; got {value!r}")
    if extra := _EXTRA.search(message):
        has_table = context is not None and any("--nodes" in known.opts for known in context.command.params)
        if has_table and begun != "simulate":
            return f"{command} takes one SOURCE: a table of attributes goes with --nodes {extra[1].split()[0]}"
    if (unknown := _NO_COMMAND.match(message)) and unknown[1] in ffbm.__all__:
        return f"{message}; in Python it is ffbm.{unknown[1]}"
    if lacking := _NO_VALUE.match(message):
        message = f"{lacking[1]} takes a value, and none is given"
    message = _POSSIBLE.sub(r"; did you mean \1?", message).replace(". Did you mean", "; did you mean")
    return f"{message}; see {command} --help" if not message.endswith("?") else f"{message} See {command} --help"


def _given_to(names: Sequence[str], arguments: Sequence[str]) -> str | None:
    """Return what an option was given last on a command line."""
    last = None
    for position, word in enumerate(arguments):
        name, equals, value = word.partition("=")
        if name in names:
            last = value if equals else next(iter(arguments[position + 1 :]), None)
    return last
