"""Random streams: one seed enters, every chain and stage draws from a stream of its own name."""

import contextlib
import hashlib
import random
import secrets
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np

from ffbm.check import check_seed

_IGRAPH = threading.Lock()


def resolve_seed(seed: int | None) -> int:
    """Return ``seed`` checked, or a fresh one that can be recorded and used again."""
    return secrets.randbits(64) if seed is None else check_seed(seed)


def child_seed(seed: int, *name: str | int) -> int:
    """Return the seed called ``name`` under ``seed``, for a stage that runs again under streams of its own.

    >>> child_seed(7, "reduced") == child_seed(7, "reduced") != child_seed(7, "fold", 0) < 2**64
    True
    """
    return int(stream(seed, "child", *name).integers(2**64, dtype=np.uint64))


def stream(seed: int, *name: str | int) -> np.random.Generator:
    """Return the random stream called ``name`` under ``seed``.

    The same seed and name give the same stream in any process, on any number of workers, whatever
    else is drawn; different names give independent streams.

    >>> bool(stream(7, "blocks", 0).random() == stream(7, "blocks", 0).random())
    True
    >>> bool(stream(7, "blocks", 0).random() == stream(7, "blocks", 1).random())
    False
    """
    digest = hashlib.blake2b("\0".join(map(str, name)).encode(), digest_size=16).digest()
    words = np.frombuffer(digest, dtype="<u4").tolist()
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=words)))


@contextlib.contextmanager
def igraph_stream(seed: int) -> Iterator[None]:
    """Let igraph draw from a stream of this seed: it has one for the whole process, so one thread at a time may.

    >>> import igraph
    >>> with igraph_stream(3):
    ...     edges = igraph.Graph.Erdos_Renyi(5, 0.5).get_edgelist()
    >>> with igraph_stream(3):
    ...     edges == igraph.Graph.Erdos_Renyi(5, 0.5).get_edgelist()
    True
    """
    import igraph

    with _IGRAPH:
        igraph.set_random_number_generator(random.Random(seed))
        try:
            yield
        finally:
            igraph.set_random_number_generator(random)


def far_from(rng: np.random.Generator) -> np.random.Generator:
    """Return a generator 2^127 steps ahead of another, which stays where it is.

    >>> rng = np.random.default_rng(1)
    >>> far_from(rng).random() == far_from(rng).random(), far_from(rng).random() == rng.random()
    (True, False)
    """
    ahead: Any = np.random.PCG64(0)
    ahead.state = rng.bit_generator.state
    return np.random.Generator(ahead.jumped())
