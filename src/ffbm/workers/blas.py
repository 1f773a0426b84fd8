"""BLAS with one thread: chains run side by side, and threads of BLAS inside them would only be in each other's way."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from threading import Lock
from typing import Any

from threadpoolctl import ThreadpoolController

_lock = Lock()
_limits: list[Any] = []  # one for each that is inside; the first has set it, the last lifts it


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Keep BLAS to one thread while anybody is inside."""
    with _lock:
        _limits.append(_limits[0] if _limits else _loaded_libraries(len(sys.modules)).limit(limits=1, user_api="blas"))
    try:
        yield
    finally:
        with _lock:
            limit = _limits.pop()
            if not _limits:
                limit.restore_original_limits()


@lru_cache(maxsize=1)
def _loaded_libraries(n_modules: int) -> ThreadpoolController:  # noqa: ARG001
    """Look for the libraries in memory, which takes milliseconds: again only if modules were imported since."""
    return ThreadpoolController()
