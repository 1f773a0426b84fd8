"""Arguments of block chains, checked: their length, a field, the labels they start from."""

import numpy as np
import numpy.typing as npt

from ffbm.blocks.blocktypes import number_by_type
from ffbm.blocks.entropy import check_labels
from ffbm.blocks.seeds import random_labels
from ffbm.blocks.target import BlockTarget
from ffbm.check import check_choice, check_int, check_real
from ffbm.config import burn_sweeps
from ffbm.errors import OptionError
from ffbm.pipeline.clock import end_in
from ffbm.pipeline.length import Length
from ffbm.types import Array, NodeTypes

_MOST_BURN = 0.9  # of chains whose length is not known beforehand


def check_sweeps(n_sweeps: int, burn_in: float, thin: int) -> tuple[int, int, int]:
    """Return how many sweeps are made, how many of them are dropped, and one in how many of the rest is kept."""
    n_sweeps, thin = check_int("n_sweeps", n_sweeps, low=1), check_int("thin", thin, low=1)
    burn = burn_sweeps(check_real("burn_in", burn_in, 0, 1), n_sweeps)
    if n_sweeps - burn < thin:
        raise OptionError(
            f"no draw is kept: {n_sweeps} sweeps less {burn} of burn-in are fewer than thin={thin}; run more sweeps"
        )
    return n_sweeps, burn, thin


def check_length(n_sweeps: int | str, burn_in: float, thin: int, max_minutes: float | None) -> Length:
    """Return how long block chains run: so many sweeps, or until they are done or so many minutes are over."""
    minutes = None if max_minutes is None else check_real("max_minutes", max_minutes, low=0, above=True)
    if isinstance(n_sweeps, str):
        check_choice("n_sweeps", n_sweeps, ("auto",))
        share = check_real("burn_in", burn_in, 0, _MOST_BURN)
        return Length(None, share, 0, check_int("thin", thin, low=1), end_in(minutes))
    n_sweeps, burn, thin = check_sweeps(n_sweeps, burn_in, thin)
    return Length(n_sweeps, burn_in, burn, thin, end_in(None))


def check_field(field: npt.ArrayLike | None, n_nodes: int, n_blocks: int) -> Array | None:
    """Return the field f[i, r] as an (N, B) array."""
    if field is None:
        return None
    values = np.asarray(field, dtype=np.float64)
    if values.shape != (n_nodes, n_blocks) or not np.isfinite(values).all():
        raise OptionError(
            f"field must be finite, of shape ({n_nodes}, {n_blocks}); got shape {values.shape}"
            f" with {int((~np.isfinite(values)).sum())} values that are not finite"
        )
    return values


def check_initial(
    initial: str | npt.ArrayLike, n_nodes: int, n_blocks: int, n_chains: int, allow_empty: bool
) -> str | Array:
    """Return the way to start, or the labels to start from, a row for each chain."""
    if isinstance(initial, str):
        return check_choice("initial", initial, ("greedy", "random"))
    rows = np.asarray(initial)
    rows = np.broadcast_to(rows, (n_chains, n_nodes)) if rows.ndim == 1 and len(rows) == n_nodes else rows
    if rows.shape != (n_chains, n_nodes):
        raise OptionError(
            f"initial labels must have shape ({n_nodes},) or ({n_chains}, {n_nodes}); got {np.shape(initial)}"
        )
    for row in rows:
        used = np.unique(check_labels(row, n_nodes))
        if used[-1] >= n_blocks or (len(used) < n_blocks and not allow_empty):
            raise OptionError(
                f"initial labels must use all of the blocks 0..{n_blocks - 1}; got {len(used)} blocks up to {used[-1]}"
            )
    return rows


def check_types(initial: str | Array, types: NodeTypes, block_types: Array) -> str | Array:
    """Return the labels to start from, numbered by ``block_types`` (B,); refuse those that mix types."""
    if isinstance(initial, str):
        return initial
    for row in initial:
        n_used, most = (
            np.bincount(blocks[blocks >= 0], minlength=len(types.values))
            for blocks in (types.check_blocks(row), block_types)
        )
        if (n_used > most).any():
            raise OptionError(
                f"initial labels must have at most {most.tolist()} blocks of the types {list(types.values)};"
                f" got {n_used.tolist()}"
            )
    return np.array([number_by_type(types.of_vertex, row, block_types) for row in initial])


def random_start(target: BlockTarget, block_types: Array, rng: np.random.Generator) -> Array:
    """Return random labels (N,) of blocks of about one size, each vertex in a block of its type."""
    if target.types is None:
        return random_labels(target.graph.n_nodes, len(block_types), rng)
    labels = np.empty(target.graph.n_nodes, dtype=np.int64)
    for t in range(int(target.types.max()) + 1):
        members, blocks = target.types == t, np.flatnonzero(block_types == t)
        labels[members] = blocks[random_labels(int(members.sum()), len(blocks), rng)]
    return labels
