"""What can go wrong, by name. A message says what was required, what came and what to do, in one line.

Arguments in it are marked by ``keyword``, and what only one side would say by ``either``: so Python names keywords and
the command line its options, and neither has to guess what a finished sentence means.
"""

from collections.abc import Callable, Mapping
from typing import Any

_EDGE, _OR = "\ufdd0", "\ufdd1"  # around a marked part, between its two forms: characters that no text may have


def keyword(name: str, value: Any = None) -> str:
    """Mark an argument in a message, with its value; an empty one leaves the equals sign.

    >>> print(Wording(f"{keyword('drop', '')} is not for {keyword('exact', True)}"))
    drop= is not for exact=True
    """
    return f"{_EDGE}{name if value is None else f'{name}={value}'}{_EDGE}"


def either(python: str, typed: str = "") -> str:
    """Mark what Python says in one way and the command line in another, or not at all."""
    return f"{_EDGE}{python}{_OR}{typed}{_EDGE}"


def named(values: Any) -> str:
    """Mark values by name, a dict in Python and NAME=VALUE,NAME=VALUE on the command line; others as they are.

    >>> print(Wording(f"as in {named({'a': 1})}"), Wording(f"as in {named({'a': 1})}").typed(str))
    as in {'a': 1} as in a=1
    """
    if not isinstance(values, Mapping):
        return repr(values)
    return either(repr(dict(values)), ",".join(f"{name}={value}" for name, value in values.items()))


class Wording(str):
    """A message as Python says it, which remembers what is marked in it."""

    marked: str

    def __new__(cls, marked: str) -> "Wording":
        """Take a text with marks, or one that remembers them."""
        marked = getattr(marked, "marked", marked)
        parts = marked.split(_EDGE)
        parts[1::2] = [part.partition(_OR)[0] for part in parts[1::2]]
        self = super().__new__(cls, "".join(parts))
        self.marked = marked
        return self

    def typed(self, option: Callable[[str], str]) -> str:
        """Return the message as the command line says it; ``option`` writes a keyword, with its value if it has one."""
        parts = self.marked.split(_EDGE)
        parts[1::2] = [part.partition(_OR)[2] if _OR in part else option(part) for part in parts[1::2]]
        return "".join(parts)


class FFBMError(Exception):
    """An error whose cause lies with the input, the arguments or the machine, not with the package."""

    def __init__(self, message: str = "") -> None:
        self.wording = Wording(message)
        super().__init__(str(self.wording))


class DataError(FFBMError, ValueError):
    """A network, table or file that cannot be used as it is."""


class OptionError(FFBMError, ValueError):
    """An argument outside what a function or command accepts."""


class MissingPartError(OptionError, AttributeError):
    """A part that results of another kind have: ``hasattr`` and ``getattr`` with a default know what it means."""


class ConvergenceWarning(UserWarning):
    """Chains that are not graded "converged": whether their summaries can be relied on, and what would help."""
