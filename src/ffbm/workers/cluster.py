"""The workers of a dask cluster: shared data are sent to each of them once, and then only what moves."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from threadpoolctl import threadpool_limits

from ffbm.errors import OptionError
from ffbm.packing import pack, unpack

_TIMEOUT = "20s"  # to find the scheduler


@contextmanager
def open_cluster(workers: Any) -> Iterator[Callable[..., list[Any]]]:
    """Yield ``run(function, items, *shared) -> list`` on the cluster at an address or of a Client."""
    if not isinstance(workers, str):
        yield _Cluster(workers).run
        return
    with connect(workers) as client:
        yield _Cluster(client).run


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
    """One set of shared data at a time stays on the cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._shared: tuple[Any, ...] = ()
        self._remote: Any = _Box(())

    def run(self, function: Callable[..., Any], items: Sequence[Any], /, *shared: Any) -> list[Any]:
        if [id(part) for part in shared] != [id(part) for part in self._shared]:
            self._shared = shared
            self._remote = self._client.scatter(_Box(shared), broadcast=True, hash=False)
        futures = [self._client.submit(_work, self._remote, function, pack(item, shared), pure=False) for item in items]
        return [unpack(done, shared) for done in self._client.gather(futures)]


class _Box:
    """Keeps dask from looking into a tuple for tasks, and arrays in it from being sent one by one."""

    def __init__(self, shared: tuple[Any, ...]) -> None:
        self.shared = shared


def _work(box: _Box, function: Callable[..., Any], item: bytes) -> bytes:
    with threadpool_limits(limits=1, user_api="blas"):
        return pack(function(*box.shared, unpack(item, box.shared)), box.shared)
