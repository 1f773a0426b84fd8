"""Generic functions: the class of the first argument chooses an implementation when a kernel is compiled.

``generic`` declares such a function by its name and arguments; ``implement`` names what does it for one class of named
tuples. numba chooses once, so a chain pays nothing for there being other implementations.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from numba.extending import overload

from ffbm.kernels.compilation import INLINE

_IMPLEMENTATIONS: dict[str, dict[str, Any]] = {}  # by the name of the tuple's class, then of the generic function
_OPTIONS = {name: INLINE[name] for name in ("forceinline", "error_model")}


def generic(declaration: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of this name and these arguments that the class of its first argument implements."""
    name = declaration.__name__

    @wraps(declaration)
    def call(first: Any, *rest: Any) -> Any:
        return _IMPLEMENTATIONS[type(first).__name__][name](first, *rest)

    @wraps(declaration)
    def choose(first: Any, *_rest: Any) -> Any:
        return _IMPLEMENTATIONS[first.instance_class.__name__][name].py_func

    overload(call, jit_options=_OPTIONS)(choose)
    return call


def implement(kind: type, **functions: Any) -> None:
    """Let these functions, by the names of the generic ones, serve named tuples of this class."""
    _IMPLEMENTATIONS.setdefault(kind.__name__, {}).update(functions)


def is_implemented(kind: type, name: str) -> bool:
    """Return whether named tuples of this class have an implementation of a generic function."""
    return name in _IMPLEMENTATIONS[kind.__name__]
