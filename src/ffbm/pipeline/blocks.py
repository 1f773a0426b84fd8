"""The block stage: chains of partitions, p(b | A), from a network."""

import time
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ffbm.blocks.blocktypes import number_by_type, one_after_another, types_of_blocks
from ffbm.blocks.chain import BlockDraws, BlockSettings, BlockSetup, BlockState, advance, start
from ffbm.blocks.descent import needs_structure
from ffbm.blocks.likelihoods import likelihood_of
from ffbm.blocks.priors import FULL, UNIFORM, UNLABELLED
from ffbm.blocks.search import best_of, descend_to_one, free_block_types
from ffbm.blocks.start import Starts, greedy_labels, greedy_starts, pick_apart
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.check import check_bool, check_choice, check_int, check_real, check_tempering
from ffbm.errors import DataError, OptionError
from ffbm.pipeline.blockstarts import check_field, check_initial, check_length, check_types, random_start
from ffbm.pipeline.blocktrace import gather, gather_free
from ffbm.pipeline.choice import list_candidates, next_best, search_until
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.length import least_sweeps, run_for
from ffbm.pipeline.numbers import probabilities
from ffbm.pipeline.run import Stepper
from ffbm.pipeline.tempering import FirstLabels, run_ladders, run_tempered_if_stuck
from ffbm.progress import Listener, listening
from ffbm.rng import resolve_seed, stream
from ffbm.store.checkpoints import Checkpoints, digest
from ffbm.types import Array, BlockTrace, Graph, Network, NodeTypes, node_types
from ffbm.workers import Workers

_MAX_BLOCKS = 2**24  # empty ones included
_MAX_EDGES = 2**30 - 1  # edge counts are 32-bit
_JUMPS = {"default": 0.2, "single": 0.0}  # moves of many vertices after each sweep, on average
_RELOCATIONS = 0.0005  # for each block in use, tried after each sweep: about a seventh of the time, whatever B is
_STARTS_PER_CHAIN = 3  # of which each chain takes one
_MORE_IF_FREE = 5  # as many times: without them blocks open and close one vertex at a time


def sample_blocks(
    net: Network | Graph,
    n_blocks: int | str | Mapping[str, int],
    n_sweeps: int | str = "auto",
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
    degree_corrected: bool = True,
    tempering: bool | str | npt.ArrayLike = "auto",
    max_minutes: float | None = 10,
    node_type: Any = None,
    workers: Workers = None,
    progress: Listener | bool | None = None,
    checkpoints: Checkpoints | None = None,
) -> BlockTrace:
    """Sample partitions of a network into blocks from p(b | A), the microcanonical SBM.

    The target is proportional to exp(beta (sum_i f[i, b_i] - S(b))), with S the description length; see
    ``description_length``.

    Parameters
    ----------
    net : Network or Graph
    n_blocks : int, "auto" or "free"
        B; all blocks stay in use unless ``allow_empty``. "auto" takes the B whose best partition has the
        lowest description length under Peixoto's prior, then samples at that B. "free" samples set
        partitions with any number of blocks, with weight exp(-beta S), S under Peixoto's prior. With types a mapping
        from each type to its B, or one of these words.
    n_sweeps : int or "auto"
        How many sweeps over all vertices each chain makes. With "auto" the length doubles until the chains are graded
        converged at two checks in a row, or ``max_minutes`` are over; ``settings`` has the length that it came to, and
        that length gives the same draws again.
    burn_in, thin : float, int
        The share of the sweeps that is dropped from the start, and of the rest one in how many is kept. With "auto"
        thinning doubles with the length where more than 1,000 draws of a chain would be kept.
    n_chains : int
        C, each with its own start and random stream.
    seed : int or None
        The same seed gives the same trace on any number of workers; None draws one and records it.
    moves : {"default", "single"}
        The kinds of moves. "single" moves one vertex at a time to a block chosen with the help of a
        random neighbour; "default" also splits two blocks again, merges one pair and splits another, and
        with ``allow_empty`` or "free" opens and closes blocks, once in five sweeps ("free": in each).
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
    degree_corrected : bool
        Whether a block may hold vertices of any degree. Without it vertices of different degree tend to different
        blocks.
    tempering : bool, "auto" or inverse temperatures
        Replica exchange: every chain is a ladder of replicas of which the hotter ones cross between modes and trade
        places with their neighbours; draws are those of the cold one. beta multiplies ln P(A|b) only. "auto" switches
        it on where chains of growing length do not converge; inverse temperatures go from 1 down, as
        ``[1, 0.9, 0.8]``.
    node_type : column name or (N,) types, optional
        Vertices of different types, such as people and events, never share a block. Blocks are then numbered type by
        type, in the order of the sorted types; ``settings["node_types"]`` has the types and the blocks of each. With
        ``field`` or ``initial`` labels follow that order too.
    max_minutes : float or None
        How long chains with ``n_sweeps="auto"`` may take, the search for the number of blocks included, which may take
        half of it; None for as long as it takes.
    workers : int, or address or Client of a dask cluster, optional
        Threads; as many as chains or cores, whichever is fewer, if left out.
    progress : None, bool or callable
    checkpoints : Checkpoints, optional
        Where the chains are written down as they run: that of ``fit(out=...)``.

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
    >>> pairs = [("ann", "ball"), ("bob", "ball"), ("bob", "fair"), ("cem", "fair")]
    >>> blocks = ffbm.sample_blocks(
    ...     ffbm.as_network(pairs), {"who": 2, "what": 1}, n_sweeps=50, node_type=["who", "what", "who", "what", "who"]
    ... )
    >>> blocks.n_blocks, blocks.settings["node_types"]
    (3, {'what': [0], 'who': [1, 2]})
    """
    graph = net.graph if isinstance(net, Network) else net
    is_free = isinstance(n_blocks, str) and n_blocks == "free"
    types = node_types(net, node_type)
    of_vertex = None if types is None else types.of_vertex
    wanted = _check_numbers(graph, n_blocks, allow_empty, types)
    length = check_length(n_sweeps, burn_in, thin, max_minutes)
    n_chains = check_int("n_chains", n_chains, low=1)
    degree_corrected = check_bool("degree_corrected", degree_corrected)
    tempering = check_tempering(tempering)
    settings = BlockSettings(
        length.burn,
        length.thin,
        check_real("beta", beta, low=0),
        check_real("epsilon", epsilon, low=0, above=True),
        bool(allow_empty) or is_free,
        _JUMPS[check_choice("moves", moves, tuple(_JUMPS))] * (_MORE_IF_FREE if is_free else 1),
        relocations=0.0 if moves == "single" or needs_structure(graph) else _RELOCATIONS,
    )
    if is_free and field is not None:
        raise OptionError(
            'a field is for labelled blocks, and with n_blocks="free" blocks have no labels; leave it out'
        )
    target = BlockTarget(graph, likelihood_of(degree_corrected), UNLABELLED if is_free else UNIFORM, of_vertex)
    seed = resolve_seed(seed)
    chosen = {"moves": moves, "seed": seed, "degree_corrected": degree_corrected, **settings._asdict()}
    with listening(progress) as tell:
        context = RunContext(workers, tell, checkpoints)
        if wanted is None and not is_free:
            half = 0.5 * (time.monotonic() + length.end)
            candidates, n_left = search_until(target, seed, context, half)
            best, chosen["candidates"] = candidates[best_of(candidates)], list_candidates(candidates)
            chosen["next_best"] = next_best(candidates)
            wanted = np.bincount(types_of_blocks(of_vertex, best.labels)).tolist()
            chosen["probabilities"] = probabilities(target, candidates, seed, context, half)
            chosen |= {"search_rounds_left": n_left} if n_left else {}
        block_types = free_block_types(target) if wanted is None else one_after_another(wanted)
        n_rows = len(block_types)
        initial_labels = check_initial(initial, graph.n_nodes, n_rows, n_chains, settings.allow_empty)
        if types is not None:
            initial_labels = check_types(initial_labels, types, block_types)
            chosen["node_types"] = blocks_of(types, None if is_free else block_types)
        model = block_model(target, block_types, check_field(field, graph.n_nodes, n_rows))
        setup, first = BlockSetup(target, model, settings), partial(_first_labels, wanted, initial_labels, block_types)
        key = digest(setup, initial_labels, seed, n_chains, wanted) if checkpoints else ""
        ladders = partial(run_ladders, tempering, setup, first, length, seed, n_chains, context, key)
        begin = partial(_begin_all, wanted, initial_labels, block_types, setup, seed, n_chains, context)
        stepper = Stepper(advance, BlockState, BlockDraws)
        least = least_sweeps(net.n_nodes)
        plain = partial(run_for, "blocks", stepper, setup, begin, length, seed, context, key, least=least)
        chains = run_tempered_if_stuck(tempering, graph, plain, ladders, seed)
    if is_free:
        return gather_free(graph, chains, chosen, of_vertex)
    return gather(graph, n_rows, chains, chosen)


def check_block_number(graph: Graph, n_blocks: Any, allow_empty: bool) -> int | None:
    """Return B if the graph can be sampled with it; None if it is to be found."""
    if graph.n_nodes == 0:
        raise DataError("a network without vertices has no blocks; give one with at least 1 vertex")
    if graph.n_edges > _MAX_EDGES:
        raise DataError(f"at most {_MAX_EDGES:,} edges can be sampled; got {graph.n_edges:,}")
    if isinstance(n_blocks, str):
        check_choice("n_blocks", n_blocks, ("auto", "free"))
        return None
    return check_int("n_blocks", n_blocks, 1, _MAX_BLOCKS if allow_empty else min(graph.n_nodes, _MAX_BLOCKS))


def _check_numbers(graph: Graph, n_blocks: Any, allow_empty: bool, types: NodeTypes | None) -> list[int] | None:
    """Return B of each type, of which there is one if types is None; None if it is to be found."""
    if types is None or isinstance(n_blocks, str):
        wanted = check_block_number(graph, n_blocks, allow_empty)
        return None if wanted is None else [wanted]
    numbers = types.numbers(n_blocks, allow_empty)
    check_block_number(graph, sum(numbers), allow_empty)
    return numbers


def blocks_of(types: NodeTypes, block_types: Array | None) -> dict[str, list[int] | None]:
    """Return the blocks of each type; None if they change from draw to draw."""
    return {
        value: None if block_types is None else np.flatnonzero(block_types == t).tolist()
        for t, value in enumerate(types.values)
    }


def _begin_all(
    n_blocks: list[int] | None,
    initial: str | Array,
    block_types: Array,
    setup: BlockSetup,
    seed: int,
    n_chains: int,
    context: RunContext,
) -> list[BlockState]:
    """Begin every chain; those of a small network far apart."""
    if (
        isinstance(initial, str)
        and initial == "greedy"
        and n_blocks is not None
        and not needs_structure(setup.target.graph)
    ):
        one = partial(_find_starts, seed, _at_most(n_blocks, setup.target))
        initial = pick_apart(context.begin(one, Starts, _STARTS_PER_CHAIN * n_chains, setup.target), n_chains)
    first = partial(_first_labels, n_blocks, initial, block_types)
    return context.begin(partial(_begin_one, seed, first), BlockState, n_chains, setup)


def _at_most(n_blocks: Sequence[int], target: BlockTarget) -> list[int]:
    """Return how many blocks of each type can be in use."""
    n_nodes = [target.graph.n_nodes] if target.types is None else np.bincount(target.types).tolist()
    return [min(pair) for pair in zip(n_blocks, n_nodes, strict=True)]


def _find_starts(seed: int, n_blocks: Sequence[int], target: BlockTarget, number: int) -> Starts:
    return greedy_starts(target, n_blocks, stream(seed, "starts", number))


def _begin_one(seed: int, first: FirstLabels, setup: BlockSetup, chain: int) -> BlockState:
    rng = stream(seed, "blocks", chain)
    return start(setup, first(setup, chain, rng), rng)


def _first_labels(
    n_blocks: Sequence[int] | None,
    initial: str | Array,
    block_types: Array,
    setup: BlockSetup,
    chain: int,
    rng: np.random.Generator,
) -> Array:
    target = setup.target
    if not isinstance(initial, str):
        labels = initial[chain].astype(np.int64)
    elif initial == "random":
        return random_start(target, block_types, rng)
    elif n_blocks is None:
        candidates = descend_to_one(target._replace(prior=FULL), rng, communities=chain == 0)
        labels = candidates[best_of(candidates)].labels
    else:
        labels = greedy_labels(target, _at_most(n_blocks, target), rng, setup.model)
    return number_by_type(target.types, labels, block_types)
