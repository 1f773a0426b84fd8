"""Workers: the one place that decides where independent pieces of work run."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol, TypeVar

from threadpoolctl import threadpool_limits

from ffbm.check import check_workers, is_client

Result = TypeVar("Result")

Workers = Any  # None, a number of threads, the address of a dask scheduler, or a dask Client


class Run(Protocol):
    """Apply a function to every item; the results come in the order of the items."""

    def __call__(self, function: Callable[..., Result], items: Sequence[Any], /, *shared: Any) -> list[Result]:
        """Return ``[function(*shared, item) for item in items]``.

        ``shared`` is what all items need and nobody changes, such as a graph: it travels once, not with every item.
        """


@contextmanager
def open_workers(workers: Workers, n_items: int) -> Iterator[Run]:
    """Open a pool and yield ``run(function, items, *shared) -> list``, results in the order of the items.

    ``workers=None`` takes as many threads as there are items or cores, whichever is fewer; the address of a dask
    scheduler, or a Client, takes that cluster. Kernels release the interpreter lock, and each item carries its own
    random stream, so the results are the same wherever they are computed. Inside, BLAS keeps to one thread.

    >>> with open_workers(2, n_items=3) as run:
    ...     run(abs, [-1, -2]), run(pow, [1, 2, 3], 2)
    ([1, 2], [2, 4, 8])
    """
    if is_cluster(check_workers(workers)):
        from ffbm.workers.cluster import open_cluster

        with open_cluster(workers) as run:
            yield run
        return
    cores = os.cpu_count() or 1
    count = min(n_items, cores) if workers is None else workers
    with threadpool_limits(limits=1, user_api="blas"):
        if min(count, n_items) <= 1:
            yield lambda function, items, /, *shared: [function(*shared, item) for item in items]
            return
        with ThreadPoolExecutor(count) as pool:
            yield lambda function, items, /, *shared: list(pool.map(partial(function, *shared), items))


@contextmanager
def connected(workers: Workers) -> Iterator[Workers]:
    """Keep one connection to the cluster at an address for all stages of a run; threads are as they are."""
    if not is_cluster(check_workers(workers)):
        yield workers
        return
    from ffbm.workers.cluster import connect, lent

    with connect(workers) if isinstance(workers, str) else lent(workers) as client:
        yield client


def is_cluster(workers: Workers) -> bool:
    """Tell whether workers are those of a cluster, and not threads of this process."""
    return isinstance(workers, str) or is_client(workers)
