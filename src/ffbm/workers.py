"""Workers: the one place that decides where independent pieces of work run."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Protocol, TypeVar

from threadpoolctl import threadpool_limits

from ffbm.check import check_int

Item = TypeVar("Item")
Result = TypeVar("Result")


class Run(Protocol):
    """Apply a function to every item; the results come in the order of the items."""

    def __call__(self, function: Callable[[Item], Result], items: Sequence[Item], /) -> list[Result]:
        """Return ``[function(item) for item in items]``."""


@contextmanager
def open_workers(workers: int | None, n_items: int) -> Iterator[Run]:
    """Open a pool and yield ``map(function, items) -> list``, results in the order of the items.

    ``workers=None`` takes as many threads as there are items or cores, whichever is fewer. Kernels
    release the interpreter lock, and each item carries its own random stream, so the results are
    the same for any number of workers. Inside, BLAS keeps to one thread.

    >>> with open_workers(2, n_items=3) as run:
    ...     run(abs, [-1, -2, -3])
    [1, 2, 3]
    """
    cores = os.cpu_count() or 1
    count = min(n_items, cores) if workers is None else check_int("workers", workers, low=1)
    with threadpool_limits(limits=1, user_api="blas"):
        if min(count, n_items) <= 1:
            yield lambda function, items: [function(item) for item in items]
            return
        with ThreadPoolExecutor(count) as pool:
            yield lambda function, items: list(pool.map(function, items))
