"""Functions of which there are several: the class of the first argument chooses one when a kernel is compiled.

``question`` declares such a function by its name and arguments; ``answer`` says what does it for one class of named
tuples. numba picks the answer once, so a chain pays nothing for there being others.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from numba.extending import overload

from ffbm.kernels.compilation import INLINE

_ANSWERS: dict[str, dict[str, Any]] = {}  # by the name of the tuple's class, then of the question
_OPTIONS = {name: INLINE[name] for name in ("forceinline", "error_model")}


def question(declaration: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of this name and these arguments that the class of its first argument answers."""
    name = declaration.__name__

    @wraps(declaration)
    def ask(first: Any, *rest: Any) -> Any:
        return _ANSWERS[type(first).__name__][name](first, *rest)

    @wraps(declaration)
    def choose(first: Any, *_rest: Any) -> Any:
        return _ANSWERS[first.instance_class.__name__][name].py_func

    overload(ask, jit_options=_OPTIONS)(choose)
    return ask


def answer(kind: type, **functions: Any) -> None:
    """Let these functions, by the names of their questions, answer for named tuples of this class."""
    _ANSWERS.setdefault(kind.__name__, {}).update(functions)


def is_answered(kind: type, name: str) -> bool:
    """Return whether named tuples of this class have an answer to a question."""
    return name in _ANSWERS[kind.__name__]
