"""Checks of arguments, each with one sentence that says what was required and what came."""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise
from numbers import Integral, Real
from typing import Any

from ffbm.errors import OptionError, either, keyword
from ffbm.plain import did_you_mean


def check_int(name: str, value: Any, low: int | None = None, high: int | None = None) -> int:
    """Return ``value`` as an int between ``low`` and ``high``, both included.

    >>> check_int("n_blocks", 3, low=1)
    3
    >>> check_int("n_blocks", 0, low=1)
    Traceback (most recent call last):
        ...
    ffbm.errors.OptionError: n_blocks must be a whole number, at least 1; got 0
    """
    if not _is_whole(value) or _outside(value, low, high):
        raise OptionError(f"{keyword(name)} must be a whole number{_bounds(low, high)}; got {value!r}")
    return int(value)


def check_int_or(word: str, name: str, value: Any, low: int) -> int | str:
    """Return ``value`` if it is that one word, or as an int from ``low`` on.

    >>> check_int_or("auto", "n_blocks", "auto", low=1), check_int_or("auto", "n_blocks", 3, low=1)
    ('auto', 3)
    """
    if isinstance(value, str) and value == word:
        return value
    if not _is_whole(value) or _outside(value, low, None):
        raise OptionError(
            f"{keyword(name)} must be a whole number{_bounds(low, None)}, or {either(repr(word), word)}; got {value!r}"
        )
    return int(value)


def check_real(
    name: str, value: Any, low: float | None = None, high: float | None = None, *, above: bool = False
) -> float:
    """Return ``value`` as a finite float in [low, high], or in (low, high] with ``above=True``."""
    wrong = isinstance(value, bool) or not isinstance(value, Real) or not abs(float(value)) < float("inf")
    if wrong or _outside(value, low, high) or (above and value == low):
        raise OptionError(f"{keyword(name)} must be a number{_bounds(low, high, above=above)}; got {value!r}")
    return float(value)


def check_bool(name: str, value: Any) -> bool:
    """Return ``value`` if it is a truth value."""
    if not isinstance(value, bool):
        raise OptionError(f"{keyword(name)} must be True or False; got {value!r}")
    return value


def check_bool_or(name: str, value: Any, word: str) -> bool | str:
    """Return ``value`` if it is a truth value or that one word.

    >>> check_bool_or("directed", "auto", "auto"), check_bool_or("directed", True, "auto")
    ('auto', True)
    """
    if not isinstance(value, bool) and not (isinstance(value, str) and value == word):
        raise OptionError(f"{keyword(name)} must be True, False or {word!r}; got {value!r}")
    return value


def check_scale(name: str, value: Any) -> float | list[float] | dict[str, float]:
    """Return ``value`` as one number above 0, a list of them (one for each feature), or a dict of them by column.

    >>> check_scale("sigma", 2), check_scale("sigma", (1, 0.5)), check_scale("sigma", {"age": 2})
    (2.0, [1.0, 0.5], {'age': 2.0})
    >>> check_scale("sigma", [1, 0])
    Traceback (most recent call last):
        ...
    ffbm.errors.OptionError: sigma[1] must be a number, above 0; got 0
    """
    if isinstance(value, Mapping):
        for key in value:
            if not isinstance(key, str):
                raise OptionError(f"{keyword(name)} must have names of columns as keys; got {key!r}")
        return {key: check_real(f"{name}[{key!r}]", one, low=0, above=True) for key, one in value.items()}
    shape = getattr(value, "shape", None)
    if isinstance(value, list | tuple) or (shape is not None and len(shape) == 1):
        return [check_real(f"{name}[{i}]", one, low=0, above=True) for i, one in enumerate(value)]
    if shape:
        raise OptionError(
            f"{keyword(name)} must be a number, one for each feature, or a dict by column; got the shape {shape}"
        )
    return check_real(name, value, low=0, above=True)


def check_choice(name: str, value: Any, choices: Collection[str]) -> str:
    """Return ``value`` if it is one of ``choices``."""
    if not isinstance(value, str) or value not in choices:
        raise OptionError(
            f"{keyword(name)} must be one of {either(', '.join(map(repr, choices)), ', '.join(choices))}; got {value!r}"
        )
    return value


def check_seed(value: Any) -> int:
    """Return ``value`` as a seed: a whole number from 0 to 2**128 - 1."""
    if not _is_whole(value) or int(value) < 0:
        raise OptionError(f"{keyword('seed')} must be a whole number, 0 or more{either(', or None')}; got {value!r}")
    if int(value) >= 2**128:
        raise OptionError(f"{keyword('seed')} must be a whole number below 2**128{either(', or None')}; got {value!r}")
    return int(value)


def check_column(option: str, name: Any, names: Sequence[str]) -> None:
    """Refuse the name of a column that a network does not have.

    >>> check_column("columns=", "aeg", ["age", "team"])
    Traceback (most recent call last):
        ...
    ffbm.errors.OptionError: columns= must name columns of the network; got 'aeg': did you mean 'age'?
    """
    if name not in names:
        cure = did_you_mean(str(name), names) or f"its columns are {', '.join(map(repr, names[:10]))}"
        raise OptionError(f"{option} must name columns of the network; got {name!r}: {cure}")


def check_groups(value: Any) -> None:
    """Refuse groups of columns that are no mapping of names to lists."""
    if not isinstance(value, Mapping) or any(isinstance(part, str) for part in value.values()):
        raise OptionError(
            'column_groups must be a mapping of names to lists of columns, {"school": ["school a", "school b"]};'
            f" got {value!r}"
        )


def _is_whole(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool)


def _outside(value: Any, low: float | None, high: float | None) -> bool:
    return (low is not None and value < low) or (high is not None and value > high)


def _bounds(low: float | None, high: float | None, *, above: bool = False) -> str:
    least = None if low is None else (f"above {low}" if above else f"at least {low}")
    most = None if high is None else f"at most {high}"
    return "".join(f", {part}" for part in (least, most) if part)


def is_client(workers: Any) -> bool:
    """Return whether workers are a dask Client, without importing dask."""
    return hasattr(workers, "scatter")


def check_workers(workers: Any) -> Any:
    """Return ``workers`` if work can be given to them: None, a number of threads, or a dask cluster.

    >>> check_workers("tcp://host:8786"), check_workers(2)
    ('tcp://host:8786', 2)
    """
    if workers is None or is_client(workers):
        return workers
    if isinstance(workers, str):
        if re.fullmatch(r"[a-z]+://\S+", workers) is None:
            raise OptionError(f"the address of a cluster must be like tcp://host:8786; got {workers!r}")
        return workers
    return check_int("workers", workers, low=1)


def check_tempering(value: Any) -> str | bool | list[float]:
    """Return "auto", a truth value, or inverse temperatures from 1 down.

    >>> check_tempering([1, 0.9, 0.8])
    [1.0, 0.9, 0.8]
    """
    if isinstance(value, bool):
        return value
    if isinstance(value, str) or not isinstance(value, Iterable):
        return check_choice("tempering", value, ("auto",))
    betas = [check_real("tempering", one, low=0, high=1, above=True) for one in value]
    if not betas or betas[0] != 1 or any(lower >= upper for upper, lower in pairwise(betas)):
        raise OptionError(
            f"{keyword('tempering')} must be inverse temperatures from 1 down, as [1, 0.9, 0.8]; got {betas}"
        )
    return betas
