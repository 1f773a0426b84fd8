"""Workers: the one place that decides where independent pieces of work run."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from functools import partial
from typing import Any, Protocol, TypeVar

from ffbm.check import check_workers, is_client
from ffbm.workers.blas import one_blas_thread

Result = TypeVar("Result")

Workers = Any  # None, a number of threads, the address of a dask scheduler, or a dask Client


class Run(Protocol):
    """Apply a function to every item; the results come in the order of the items."""

    def __call__(
        self, function: Callable[..., Result], items: Sequence[Any], /, *shared: Any, kind: Any = None
    ) -> list[Result]:
        """Return ``[function(*shared, item) for item in items]``.

        ``shared`` is what all items need and nobody changes, such as a graph: it travels once, not with every item.
        Where items and results travel, they are values that ``ffbm.states`` makes bytes of, results of type ``kind``.
        """


class Pool(Run, Protocol):
    """Workers that also take pieces of work one by one."""

    width: int  # pieces that go on at once

    def submit(self, function: Callable[..., Result], item: Any, /, *shared: Any, kind: Any = None) -> Future[Result]:
        """Begin ``function(*shared, item)``; what it returns is in the future when it has ended."""


@contextmanager
def open_workers(workers: Workers, n_items: int) -> Iterator[Pool]:
    """Open a pool and yield ``run(function, items, *shared) -> list``, results in the order of the items.

    ``workers=None`` takes as many threads as there are items or cores, whichever is fewer; the address of a dask
    scheduler, or a Client, takes that cluster. Kernels release the interpreter lock, and each item carries its own
    random stream, so the results are the same wherever they are computed. Inside, BLAS keeps to one thread.

    >>> with open_workers(2, n_items=3) as run:
    ...     run(abs, [-1, -2]), run(pow, [1, 2, 3], 2), run.submit(pow, 3, 2).result()
    ([1, 2], [2, 4, 8], 8)
    """
    if is_cluster(check_workers(workers)):
        from ffbm.workers.cluster import open_cluster

        with open_cluster(workers, n_items) as run:
            yield run
        return
    count = max(1, min(n_items, (os.cpu_count() or 1) if workers is None else workers))
    with one_blas_thread(), _Caller() if count == 1 else ThreadPoolExecutor(count) as pool:
        yield _Threads(pool, count)


class _Threads:
    """The threads of an executor."""

    def __init__(self, pool: Executor, width: int) -> None:
        self._pool, self.width = pool, width

    def __call__(
        self,
        function: Callable[..., Result],
        items: Sequence[Any],
        /,
        *shared: Any,
        kind: Any = None,  # noqa: ARG002
    ) -> list[Result]:
        return list(self._pool.map(partial(function, *shared), items))

    def submit(
        self,
        function: Callable[..., Result],
        item: Any,
        /,
        *shared: Any,
        kind: Any = None,  # noqa: ARG002
    ) -> Future[Result]:
        return self._pool.submit(function, *shared, item)


class _Caller(Executor):
    """An executor that runs its work in the calling thread."""

    def submit(self, function: Callable[..., Result], /, *arguments: Any, **named: Any) -> Future[Result]:
        future: Future[Result] = Future()
        future.set_result(function(*arguments, **named))
        return future


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
    """Return whether workers are those of a cluster, and not threads of this process."""
    return isinstance(workers, str) or is_client(workers)
