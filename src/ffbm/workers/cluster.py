"""The workers of a dask cluster: shared data are sent to each of them once, and then only what moves."""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, nullcontext
from typing import Any

from ffbm.errors import DataError, OptionError
from ffbm.states import from_bytes, to_bytes
from ffbm.workers.blas import one_blas_thread

_TIMEOUT = "20s"  # to find the scheduler
_PATIENCE = 60.0  # seconds until a cluster without workers is given up
_TRIES = 5  # at work that all workers die of
_PAUSE = 2.0  # seconds after the second of them, then twice, three times as many


class _Remote:
    """The workers of a cluster; a thread of this process waits for each piece of work that is submitted."""

    def __init__(self, cluster: "_Cluster", pool: ThreadPoolExecutor, width: int) -> None:
        self._cluster, self._pool, self.width = cluster, pool, width

    def __call__(
        self, function: Callable[..., Any], items: Sequence[Any], /, *shared: Any, kind: Any = None
    ) -> list[Any]:
        return self._cluster.run(function, items, shared, kind)

    def submit(self, function: Callable[..., Any], item: Any, /, *shared: Any, kind: Any = None) -> Future[Any]:
        return self._pool.submit(lambda: self._cluster.run(function, [item], shared, kind)[0])


@contextmanager
def open_cluster(workers: Any, n_items: int) -> Iterator[_Remote]:
    """Yield ``run(function, items, *shared) -> list`` on the cluster at an address or of a Client."""
    width = max(1, n_items)
    with (
        connect(workers) if isinstance(workers, str) else nullcontext(workers) as client,
        ThreadPoolExecutor(width) as pool,
    ):
        yield _Remote(_cluster_of(client), pool, width)


@contextmanager
def lent(client: Any) -> Iterator[Any]:
    """Use a Client for the length of a run, and leave no data on its cluster."""
    try:
        yield client
    finally:
        _cluster_of(client).forget()


@contextmanager
def connect(address: str) -> Iterator[Any]:
    """Open a Client of the scheduler at an address, for the length of a run."""
    try:
        import distributed
    except ImportError:
        raise OptionError('a cluster needs dask.distributed: install it with pip install "ffbm[cluster]"') from None
    make: Any = distributed.Client
    try:
        client = make(address, timeout=_TIMEOUT, set_as_default=False)
    except (OSError, ValueError) as error:
        raise OptionError(
            f"there must be a dask scheduler at {address}; it does not answer: start one with dask scheduler"
        ) from error
    with client:
        yield client


class _Cluster:
    """Shared data stay on the cluster as long as the next piece of work needs them too."""

    def __init__(self, client: Any) -> None:
        self._client, self._lock = client, threading.Lock()
        self.forget()

    def forget(self) -> None:
        """Let the cluster drop the shared data."""
        self._sent: dict[int, tuple[Any, Any]] = {}  # what was sent, and where it is, by its identity

    def run(self, function: Callable[..., Any], items: Sequence[Any], shared: tuple[Any, ...], kind: Any) -> list[Any]:
        """Return ``[function(*shared, item) for item in items]``, of type ``kind``, computed on the workers.

        A piece of work whose worker dies is given to another. If all of them die, the shared data die with them: they
        are sent again to those that come after.
        """
        import distributed
        from distributed.comm.core import CommClosedError

        messages = [(type(item), to_bytes(item)) for item in items]
        for number in range(_TRIES):
            if number:
                time.sleep(_PAUSE * (number - 1))  # those that come after need a moment
            sent = None
            try:
                sent = self._send(shared)
                remote = [where for _, where in sent.values()]
                futures = [self._client.submit(_work, function, *one, *remote, pure=False) for one in messages]
                results = self._client.gather(futures)
            except (distributed.CancelledError, distributed.KilledWorker, CommClosedError, TimeoutError):
                with self._lock:
                    if self._sent is sent:  # and no other thread has sent them again
                        self.forget()
            else:
                return _read_results(kind, results)
        raise OptionError(
            f"workers of the cluster died {_TRIES} times at the same work: look at their logs, then resume"
        )

    def _send(self, shared: tuple[Any, ...]) -> dict[int, tuple[Any, Any]]:
        """Return where the shared data are on the cluster, in their order; what is not there is sent."""
        with self._lock:
            if self._client.status != "running":
                raise OptionError(f"the Client of the cluster is {self._client.status}: open another")
            if [*map(id, shared)] != [*self._sent]:
                self._sent = {id(part): self._sent.get(id(part)) or (part, self._scatter(part)) for part in shared}
            return self._sent

    def _scatter(self, part: Any) -> Any:
        try:
            self._client.wait_for_workers(1, timeout=_PATIENCE)
        except TimeoutError as error:
            raise OptionError("the cluster has no workers: start some with dask worker ADDRESS") from error
        return self._client.scatter(_Box(part), broadcast=True, hash=False)


def _cluster_of(client: Any) -> _Cluster:
    """Return what is on the cluster of a Client: kept with it, so that the stages of a run share what was sent."""
    cluster: _Cluster = vars(client).setdefault("_ffbm", _Cluster(client))
    return cluster


class _Box:
    """Keeps dask from looking into a tuple for tasks, and arrays in it from being sent one by one."""

    def __init__(self, value: Any) -> None:
        self.value = value


def _read_results(kind: Any, results: Sequence[bytes]) -> list[Any]:
    try:
        return [from_bytes(kind, data) for data in results]
    except ValueError as error:
        raise DataError(
            "what workers of the cluster sent cannot be read: they must have the same version of ffbm as this process"
        ) from error


def _work(function: Callable[..., Any], kind: type, item: bytes, *shared: _Box) -> bytes:
    with one_blas_thread():
        return to_bytes(function(*(box.value for box in shared), from_bytes(kind, item)))
