"""Types of vertices, which never share a block: the type that each block has, and blocks numbered type by type.

Where there are no types, None stands for them and all vertices and blocks are of type 0.
"""

from collections.abc import Callable, Sequence

import numpy as np

from ffbm.blocks.meet import meet
from ffbm.types import Array


def n_types_of(types: Array | None) -> int:
    """Return how many types there are."""
    return 1 if types is None else int(types.max(initial=0)) + 1


def types_of_blocks(types: Array | None, labels: Array) -> Array:
    """Return the type (B,) of each block of a partition that has no empty ones.

    >>> types_of_blocks(np.array([0, 0, 1]), np.array([1, 2, 0])).tolist()
    [1, 0, 0]
    """
    block_types = np.zeros(int(labels.max(initial=-1)) + 1, dtype=np.int64)
    if types is not None:
        block_types[labels] = types
    return block_types


def with_empty(types: Array | None, labels: Array, wanted: Callable[[int, int], int]) -> Array:
    """Return the types of the blocks of a partition and of empty ones after them.

    ``wanted`` says how many blocks a type is to have, given how many it has and how many vertices.

    >>> with_empty(np.array([0, 0, 1]), np.array([1, 2, 0]), lambda n_blocks, n_nodes: n_blocks + 1).tolist()
    [1, 0, 0, 0, 1]
    """
    block_types, n_types = types_of_blocks(types, labels), n_types_of(types)
    n_blocks = np.bincount(block_types, minlength=n_types)
    n_nodes = [len(labels)] if types is None else np.bincount(types).tolist()
    more = [wanted(has, nodes) - has for has, nodes in zip(n_blocks.tolist(), n_nodes, strict=True)]
    return np.concatenate((block_types, np.repeat(np.arange(n_types), more)))


def keep_apart(types: Array | None, labels: Array) -> Array:
    """Return the partition with every block cut by type, numbered from 0; as it is if there are no types."""
    return labels if types is None else meet(labels, types)


def one_after_another(n_blocks: Sequence[int]) -> Array:
    """Return the types of blocks that are numbered type by type.

    >>> one_after_another([2, 1]).tolist()
    [0, 0, 1]
    """
    return np.repeat(np.arange(len(n_blocks)), n_blocks)


def number_by_type(types: Array | None, labels: Array, block_types: Array) -> Array:
    """Return the same partition in labels of the types in ``block_types`` (B,); as it is if it has such already.

    >>> number_by_type(np.array([0, 0, 1]), np.array([1, 2, 0]), np.array([0, 0, 0, 1])).tolist()
    [0, 1, 3]
    """
    if types is None or np.array_equal(block_types[labels], types):
        return labels
    labels = np.unique(labels, return_inverse=True)[1]
    type_of = types_of_blocks(types, labels)
    order = np.argsort(type_of, kind="stable")
    number = np.empty_like(type_of)
    for t in range(n_types_of(types)):
        blocks = order[type_of[order] == t]
        number[blocks] = np.flatnonzero(block_types == t)[: len(blocks)]
    return np.asarray(number[labels])
