"""BLAS with one thread: chains run side by side, and threads of BLAS inside them would only be in each other's way."""

import sys
from contextlib import AbstractContextManager
from functools import lru_cache
from typing import Any

from threadpoolctl import ThreadpoolController


def one_blas_thread() -> AbstractContextManager[Any]:
    """Return a context in which BLAS keeps to one thread."""
    return _loaded_libraries(len(sys.modules)).limit(limits=1, user_api="blas")


@lru_cache(maxsize=1)
def _loaded_libraries(n_modules: int) -> ThreadpoolController:  # noqa: ARG001
    """Look for the libraries in memory, which takes milliseconds: again only if modules were imported since."""
    return ThreadpoolController()
