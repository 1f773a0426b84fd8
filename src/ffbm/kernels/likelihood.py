"""What a likelihood of graphs given blocks is asked for; which one answers is chosen when a kernel is compiled.

A likelihood is a named tuple of tables and four functions, in a file of its own that ends with ``register``. The class
of the tuple chooses: numba picks the functions by it once, so a chain pays nothing for there being several.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from numba.extending import overload

from ffbm.kernels.compiling import INLINE

_ANSWERS: dict[str, dict[str, Any]] = {}  # by the name of the tuple's class, then of the question
_OPTIONS = {name: INLINE[name] for name in ("forceinline", "error_model")}


def question(declaration: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of this name and these arguments that the likelihood, its first argument, answers."""
    name = declaration.__name__

    @wraps(declaration)
    def ask(likelihood: Any, *rest: Any) -> Any:
        return _ANSWERS[type(likelihood).__name__][name](likelihood, *rest)

    @wraps(declaration)
    def choose(likelihood: Any, *_rest: Any) -> Any:
        return _ANSWERS[likelihood.instance_class.__name__][name].py_func

    overload(ask, jit_options=_OPTIONS)(choose)
    return ask


def register(kind: type, change: Any, total: Any, merge_change: Any, block_term: Any) -> None:
    """Let the likelihood whose tables are of this class answer by these functions."""
    _ANSWERS[kind.__name__] = {
        "change": change, "total": total, "merge_change": merge_change, "block_term": block_term,
    }  # fmt: skip


@question
def change(likelihood, c, k, loops, kind, r, s, blocks, links, n_near):
    """Return the change of -ln P(A|b) when a vertex moves from its block r to another block s.

    The vertex has degree k, self-loops and a degree class; ``blocks`` and ``links`` list the ``n_near`` blocks that it
    has neighbours in, and its half-edges into each.
    """


@question
def total(likelihood, c):
    """Return -ln P(A|b) up to what does not depend on the partition."""


@question
def merge_change(likelihood, c, r, s):
    """Return the change of -ln P(A|b) when blocks r and s become one, P(e|b) left out; for dense tables."""


@question
def block_term(likelihood, n, e):
    """Return the part of -ln P(A|b) that a block of n vertices and e half-edges has by itself and that is dear.

    The ledger keeps it for every block, so that a change costs two of them, not four.
    """
