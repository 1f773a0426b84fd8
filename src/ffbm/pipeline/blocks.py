"""The block stage: chains of partitions, p(b | A), from a network."""

from typing import Any

import numpy as np
import numpy.typing as npt

from ffbm.blocks.chain import BlockDraws, BlockSettings, BlockState, advance, block_model, start
from ffbm.blocks.entropy import check_labels
from ffbm.blocks.seeds import random_labels
from ffbm.blocks.start import greedy_labels
from ffbm.check import check_choice, check_int, check_real
from ffbm.diagnostics import block_diagnostics
from ffbm.errors import DataError, OptionError
from ffbm.pipeline.run import run_chains
from ffbm.progress import Listener, Progress, listening
from ffbm.rng import resolve_seed, stream
from ffbm.types import Array, BlockTrace, Graph, Network
from ffbm.workers import open_workers

_MAX_BLOCKS = 16_384  # the table of edge counts is dense: 1 GiB at this size
_MAX_EDGES = 2**30 - 1  # edge counts are 32-bit
_JUMPS = {"default": 0.2, "single": 0.0}  # moves of many vertices after each sweep, in the mean


def sample_blocks(
    net: Network | Graph,
    n_blocks: int,
    n_sweeps: int = 1000,
    burn_in: float = 0.2,
    thin: int = 5,
    n_chains: int = 4,
    seed: int | None = 0,
    moves: str = "default",
    *,
    epsilon: float = 0.5,
    beta: float = 1.0,
    allow_empty: bool = False,
    field: npt.ArrayLike | None = None,
    initial: str | npt.ArrayLike = "greedy",
    workers: int | None = None,
    progress: Listener | bool | None = None,
) -> BlockTrace:
    """Sample partitions of a network into blocks from p(b | A), the microcanonical degree-corrected SBM.

    The target is proportional to exp(beta (sum_i f[i, b_i] - S(b))), with S the description length; see
    ``description_length``.

    Parameters
    ----------
    net : Network or Graph
    n_blocks : int
        B. All blocks stay in use unless ``allow_empty``.
    n_sweeps, burn_in, thin : int, float, int
        Each chain makes ``n_sweeps`` sweeps over all vertices, drops the share ``burn_in`` of them from
        the start and keeps every ``thin``-th of the rest.
    n_chains : int
        C, each with its own start and random stream.
    seed : int or None
        The same seed gives the same trace on any number of workers; None draws one and records it.
    moves : {"default", "single"}
        The kinds of moves. "single" moves one vertex at a time to a block chosen with the help of a
        random neighbour; "default" also splits two blocks anew, merges one pair and splits another, and
        with ``allow_empty`` opens and closes blocks, once in five sweeps.
    epsilon : float
        How often the proposal ignores the neighbour: its block is left to chance with probability
        eps B / (e_t + eps B).
    beta : float
        Inverse temperature of the whole target.
    allow_empty : bool
        Sample on all of [B]^N, empty blocks included.
    field : (N, B) array, optional
        f[i, r], the log prior of vertex i in block r.
    initial : {"greedy", "random"} or (N,) or (C, N) labels
        Where chains start: an agglomerative descent, random labels, or labels of one's own.
    workers : int, optional
        Threads; as many as chains or cores, whichever is fewer, if left out.
    progress : None, bool or callable

    Returns
    -------
    BlockTrace
        ``labels`` (C, T, N), ``entropy`` (C, T), ``best_labels``, ``best_entropy``, ``converged``, ...

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> blocks = ffbm.sample_blocks(net, n_blocks=3, n_sweeps=500, seed=0)
    >>> blocks.labels.shape, round(blocks.best_entropy, 2)
    ((4, 80, 105), 1225.42)
    """
    graph = net.graph if isinstance(net, Network) else net
    n_blocks = check_block_number(graph, n_blocks, allow_empty)
    n_sweeps, thin = check_int("n_sweeps", n_sweeps, low=1), check_int("thin", thin, low=1)
    burn = int(check_real("burn_in", burn_in, 0, 1) * n_sweeps)
    if n_sweeps - burn < thin:
        raise OptionError(
            f"no draw is kept: {n_sweeps} sweeps less {burn} of burn-in are fewer than thin={thin}; run more sweeps"
        )
    n_chains = check_int("n_chains", n_chains, low=1)
    settings = BlockSettings(
        burn,
        thin,
        check_real("beta", beta, low=0),
        check_real("epsilon", epsilon, low=0, above=True),
        bool(allow_empty),
        _JUMPS[check_choice("moves", moves, tuple(_JUMPS))],
    )
    seed = resolve_seed(seed)
    model = block_model(graph, n_blocks, _check_field(field, graph.n_nodes, n_blocks))
    given = _check_initial(initial, graph.n_nodes, n_blocks, n_chains, allow_empty)

    def begin(chain: int) -> BlockState:
        rng = stream(seed, "blocks", chain)
        labels = _first_labels(graph, n_blocks, given, chain, rng)
        return start(graph, model, labels, settings, rng)

    with listening(progress) as tell:
        tell(Progress("starts", 0, n_chains))
        with open_workers(workers, n_chains) as run:
            states = run(begin, range(n_chains))
        tell(Progress("starts", n_chains, n_chains))
        states, draws = run_chains("blocks", states, advance, n_sweeps, workers, tell)
    chosen = {"n_sweeps": n_sweeps, "burn_in": burn_in, "moves": moves, "seed": seed, **settings._asdict()}
    return _gather(graph, n_blocks, states, draws, chosen)


def check_block_number(graph: Graph, n_blocks: Any, allow_empty: bool) -> int:
    """Return B if the graph can be sampled with it."""
    if n_blocks == "auto":
        raise OptionError('n_blocks="auto" is not available yet; give the number of blocks, as in n_blocks=10')
    if graph.n_nodes == 0:
        raise DataError("a network without vertices has no blocks; give one with at least 1 vertex")
    if graph.n_edges > _MAX_EDGES:
        raise DataError(f"at most {_MAX_EDGES:,} edges can be sampled; got {graph.n_edges:,}")
    return check_int("n_blocks", n_blocks, 1, _MAX_BLOCKS if allow_empty else min(graph.n_nodes, _MAX_BLOCKS))


def _check_field(field: npt.ArrayLike | None, n_nodes: int, n_blocks: int) -> Array | None:
    if field is None:
        return None
    values = np.asarray(field, dtype=np.float64)
    if values.shape != (n_nodes, n_blocks) or not np.isfinite(values).all():
        raise OptionError(
            f"field must be finite, of shape ({n_nodes}, {n_blocks}); got shape {values.shape}"
            f" with {int((~np.isfinite(values)).sum())} values that are not finite"
        )
    return values


def _check_initial(
    initial: str | npt.ArrayLike, n_nodes: int, n_blocks: int, n_chains: int, allow_empty: bool
) -> str | Array:
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


def _first_labels(graph: Graph, n_blocks: int, given: str | Array, chain: int, rng: np.random.Generator) -> Array:
    if not isinstance(given, str):
        return given[chain].astype(np.int64)
    if given == "random":
        return random_labels(graph.n_nodes, n_blocks, rng)
    return greedy_labels(graph, min(n_blocks, graph.n_nodes), rng)


def _gather(
    graph: Graph,
    n_blocks: int,
    states: list[BlockState],
    draws: list[list[BlockDraws]],
    chosen: dict[str, Any],
) -> BlockTrace:
    labels, entropy, acceptance = (
        np.stack([np.concatenate([getattr(part, name) for part in chain]) for chain in draws])
        for name in BlockDraws._fields
    )
    best = min(states, key=lambda state: float(state.totals[2]))
    return BlockTrace(
        labels=labels,
        entropy=entropy,
        acceptance=acceptance,
        best_labels=best.best.astype(np.int64),
        best_entropy=float(best.totals[2]),
        n_blocks=n_blocks,
        n_edges=graph.n_edges,
        settings=chosen,
        diagnostics=block_diagnostics(labels, entropy, acceptance, chosen["seed"]),
    )
