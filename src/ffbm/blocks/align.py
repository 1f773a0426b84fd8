"""One numbering of the blocks for all draws: the labels of a chain mean nothing, their pattern does."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from scipy.optimize import linear_sum_assignment

from ffbm.blocks.groups import best_match
from ffbm.blocks.modes import find_modes
from ffbm.errors import DataError, OptionError
from ffbm.kernels.overlap import overlap, shared_vertices, tally_labels
from ffbm.types import Array, BlockTrace, Memberships, Mode
from ffbm.types.blocks import MANY_CELLS

_ROUNDS = 100  # the sum of overlaps rises in every round but the last, so this is never reached


def align_blocks(blocks: BlockTrace) -> Memberships:
    """Bring the draws of all chains to one numbering of the blocks and average them.

    Each draw is renumbered to overlap as much as possible with the memberships, by the Hungarian method;
    then the memberships are counted again, and so on until no draw changes. The first memberships are
    the labels of the lowest description length. Blocks are numbered by decreasing size at the end.

    Parameters
    ----------
    blocks : BlockTrace

    Returns
    -------
    Memberships
        ``probs`` (N, B), ``labels`` (N,), ``agreement`` and ``order`` over all draws; ``modes``, the same for each
        group of draws that shows a picture of its own, with its ``weight``, and ``mode_of`` (C, T), the mode of each
        draw. Often there is one mode, the whole.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> blocks = ffbm.sample_blocks(net, n_blocks=3, n_sweeps=200, seed=1)
    >>> members = ffbm.align_blocks(blocks)
    >>> members.probs.shape, bool(members.agreement > 0.8), len(members.modes)
    ((105, 3), True, 1)
    """
    trace: Any = blocks
    if not isinstance(trace, BlockTrace):
        kind = type(trace).__name__
        raise OptionError(f"align_blocks takes what sample_blocks returns; got {kind}: of a fit, see fit.memberships")
    n_chains, n_draws, n_nodes = blocks.labels.shape
    if n_chains * n_draws == 0:
        raise DataError("align_blocks needs at least one draw; got none: run more sweeps or thin less")
    draws = blocks.labels.reshape(-1, n_nodes)
    block_types = _types_of_blocks(blocks)
    order, probs = _align(draws, blocks.best_labels, _unlike(block_types, block_types))
    labels = probs.argmax(axis=1)
    by_size = np.lexsort((-probs.sum(axis=0, dtype=np.float64), -np.bincount(labels, minlength=blocks.n_blocks)))
    rank = np.argsort(by_size)
    order, labels = rank[order], rank[labels]
    _count(draws, order, probs)  # again, in place: a table of memberships may be the largest thing in memory
    probs /= len(draws)
    whole = Memberships(
        probs=probs,
        labels=labels,
        agreement=float(probs.max(axis=1).mean(dtype=np.float64)),
        order=order.reshape(n_chains, n_draws, blocks.n_blocks),
    )
    mode_of = find_modes(draws, order)
    if not mode_of.any():
        return whole
    modes: list[Mode] = []
    for number in range(int(mode_of.max()) + 1):
        like = modes[0].probs if modes else whole.probs
        modes.append(_mode(blocks, mode_of == number, like, block_types, block_types[by_size]))
    return replace(whole, modes=tuple(modes), mode_of=mode_of.reshape(n_chains, n_draws))


def _types_of_blocks(blocks: BlockTrace) -> Array:
    """Return the type (B,) of each block of a draw; all alike if there are no types, or they change between draws."""
    block_types = np.zeros(blocks.n_blocks, dtype=np.int64)
    for t, numbers in enumerate(blocks.settings.get("node_types", {}).values()):
        block_types[numbers or []] = t
    return block_types


def _unlike(block_types: Array, others: Array) -> Array:
    """Return 1 (B, B) where two blocks have different types: such pairs never overlap, nor are they to be matched."""
    return (block_types[:, np.newaxis] != others).astype(float)


def _mode(blocks: BlockTrace, chosen: Array, like: Array, block_types: Array, types_like: Array) -> Mode:
    """Average the chosen draws (C T,); blocks take the numbers of those of ``like`` (N, B) they overlap with most."""
    n_chains, n_draws, n_nodes = blocks.labels.shape
    which = np.flatnonzero(chosen)
    draws = [blocks.labels.reshape(-1, n_nodes)[t] for t in which]  # views: a trace may be large
    lowest = draws[int(blocks.entropy.reshape(-1)[which].argmin())]
    order, probs = _align(draws, lowest, _unlike(block_types, block_types))
    new = best_match(probs.T @ like - _unlike(block_types, types_like))
    probs = np.ascontiguousarray(probs[:, np.argsort(new)])
    return Mode(
        weight=len(which) / len(chosen),
        probs=probs,
        labels=probs.argmax(axis=1),
        agreement=float(probs.max(axis=1).mean(dtype=np.float64)),
        chains=chosen.reshape(n_chains, n_draws).mean(axis=1),
        order=new[order],
    )


def _align(draws: Array | Sequence[Array], like: Array, unlike: Array) -> tuple[Array, Array]:
    """Return the numbering of each draw (draws, B) and the memberships (N, B) at the fixed point from labels (N,)."""
    order = _assign(draws, partial(shared_vertices, others=like), unlike)
    precision = np.float64 if len(like) * len(unlike) <= MANY_CELLS else np.float32
    probs = np.empty((len(like), len(unlike)), dtype=precision)
    for _ in range(_ROUNDS):
        _count(draws, order, probs)
        new = _assign(draws, partial(overlap, probs=probs), unlike)
        if np.array_equal(new, order):
            break
        order = new
    else:
        _count(draws, order, probs)
    probs /= len(draws)
    return order, probs


def _assign(draws: Array | Sequence[Array], share: Callable[..., None], unlike: Array) -> Array:
    """Return the numbering of each draw (draws, B) that has most in common with what ``share`` compares it with."""
    order = np.empty((len(draws), len(unlike)), dtype=np.int64)
    for labels, new in zip(draws, order, strict=True):
        shared = -unlike
        share(labels, out=shared)
        new[:] = linear_sum_assignment(shared, maximize=True)[1]
    return order


def _count(draws: Array | Sequence[Array], order: Array, total: Array) -> None:
    """Write how often each vertex is in each block (N, B)."""
    total[:] = 0
    for labels, new in zip(draws, order, strict=True):
        tally_labels(labels, new, total)
