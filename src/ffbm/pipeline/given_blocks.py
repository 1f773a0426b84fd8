"""Blocks that a user gives, in place of the block stage."""

import math
from typing import Any

import numpy as np

from ffbm.blocks.entropy import description_length
from ffbm.diagnostics import given_diagnostics
from ffbm.errors import DataError, OptionError, keyword
from ffbm.types import BlockTrace, Network


def take_blocks(net: Network, blocks: Any, n_blocks: int | str, degree_corrected: bool = True) -> BlockTrace:
    """Return a trace of blocks as it is, or make one of a single draw from N labels, if they fit the network.

    Labels may be numbers or text; block r of the trace is value number r of the sorted values, which
    ``settings["given"]`` lists.

    >>> import ffbm
    >>> net = ffbm.as_network([(0, 1), (1, 2), (2, 3)])
    >>> trace = take_blocks(net, ["b", "b", "a", "a"], "auto")
    >>> trace.labels.tolist(), trace.settings["given"], trace.converged.reason
    ([[[1, 1, 0, 0]]], ['a', 'b'], 'the blocks were given, not sampled')
    """
    trace = blocks if isinstance(blocks, BlockTrace) else _from_labels(net, blocks, degree_corrected)
    if trace.labels.shape[2] != net.n_nodes or trace.n_edges != net.n_edges:
        raise DataError(
            f"blocks must be those of the network, of {net.n_nodes:,} vertices and {net.n_edges:,} edges;"
            f" got a trace of {trace.labels.shape[2]:,} and {trace.n_edges:,}"
        )
    if trace.settings.get("degree_corrected", True) != degree_corrected:
        raise OptionError(
            f"blocks= were sampled with degree_corrected={not degree_corrected}: give the same to the fit"
        )
    if n_blocks not in ("auto", trace.n_blocks):
        raise OptionError(
            f"{keyword('n_blocks', n_blocks)} and blocks= of {trace.n_blocks} blocks differ: leave out n_blocks"
        )
    return trace


def _in_order(net: Network, labels: Any) -> Any:
    """Return the labels of a pandas Series in the order of the vertices, if its index has their ids."""
    index = getattr(labels, "index", None)
    if index is None or callable(index):  # a list has a method of that name
        return labels
    ids = [str(label) for label in index]
    if sorted(ids) == sorted(map(str, net.node_ids)):
        index_of = {label: at for at, label in enumerate(ids)}
        return np.asarray(labels)[[index_of[str(label)] for label in net.node_ids]]
    if ids == [str(number) for number in range(len(ids))]:
        return labels
    raise OptionError(
        "blocks= given as a Series must be indexed by the ids of the vertices, or by 0, 1, 2, ... in their order;"
        f" its index begins with {', '.join(map(repr, ids[:3]))}"
    )


def _from_labels(net: Network, labels: Any, degree_corrected: bool) -> BlockTrace:
    entries = np.asarray(_in_order(net, labels))
    if entries.ndim == 0:
        raise OptionError(f"blocks= takes the block of each vertex; got {labels!r}: their number is n_blocks=")
    if entries.shape != (net.n_nodes,) or entries.dtype.kind not in "iubUSO":
        raise OptionError(
            f"blocks must be a BlockTrace or a label for each of the {net.n_nodes:,} vertices, whole numbers or text;"
            f" got {entries.dtype} of shape {entries.shape}"
        )
    if entries.dtype.kind not in "iub":
        if any(not isinstance(label, str | int) for label in entries.tolist()):
            raise OptionError("blocks must have a label for every vertex, whole numbers or text; some are neither")
        entries = entries.astype(str)
    values, b = np.unique(entries, return_inverse=True)
    s = description_length(net, b, degree_corrected=degree_corrected).without_partition
    small = b.astype(np.min_scalar_type(max(len(values) - 1, 0)))[np.newaxis, np.newaxis]
    return BlockTrace(
        labels=small,
        entropy=np.full((1, 1), s),
        acceptance=np.full((1, 1), math.nan),
        best_labels=b.astype(np.int64),
        best_entropy=s,
        n_blocks=len(values),
        n_edges=net.n_edges,
        settings={"given": [str(value) for value in values], "degree_corrected": degree_corrected},
        diagnostics=given_diagnostics(),
    )
