"""Chains of blocks, of hierarchies and joint ones with replica exchange: when it is worth it, how ladders begin."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ffbm.blocks.chain import BlockDraws, BlockSettings, BlockSetup
from ffbm.blocks.descent import needs_structure
from ffbm.blocks.ladder import LadderSetup, LadderState, advance, start
from ffbm.blocks.start import greedy_labels
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.blocks.temperatures import find_betas
from ffbm.diagnostics import judge_blocks, measure_blocks
from ffbm.diagnostics.verdict import GRADES
from ffbm.joint import ladder as joint
from ffbm.joint.chain import JointSetup
from ffbm.joint.ladder import JointLadderSetup, JointLadderState
from ffbm.joint.selection import ColumnSetup
from ffbm.nested import ladder as nested
from ffbm.nested.chain import NestedSetup
from ffbm.nested.ladder import NestedLadderState
from ffbm.nested.search import find_hierarchy
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.length import Chains, Length, least_sweeps, run_for
from ffbm.pipeline.run import Stepper
from ffbm.pipeline.selection import starts_full
from ffbm.rng import stream
from ffbm.store.checkpoints import digest
from ffbm.types import Array, Graph

_JUMPS = 0.25  # as many moves of many vertices as plain chains make: exchanges do the rest, and cost less

FirstLabels = Callable[..., Array]  # labels (N,) to begin with, given the setup, the chain and a random stream


def may_temper(tempering: Any, graph: Graph) -> bool:
    """Tell whether tempering may be switched on: a start for each replica takes too long on large networks."""
    return isinstance(tempering, str) and not needs_structure(graph)


def run_ladders(
    tempering: Any,
    plain: BlockSetup,
    first: FirstLabels,
    length: Length,
    seed: int,
    n_chains: int,
    context: RunContext,
    key: str,
) -> Chains:
    """Run one ladder for each chain, every replica from a start of its own.

    The inverse temperatures are found beforehand, for all ladders alike, and then fixed.
    """
    settings = plain.settings._replace(jumps=_JUMPS * plain.settings.jumps)
    setup = LadderSetup(plain.target, plain.model, settings)
    betas = np.asarray(tempering)
    if not isinstance(tempering, list):
        rng = stream(seed, "temperatures")
        betas = find_betas(setup, first(plain, 0, rng), rng)
    begin = partial(context.begin, partial(_begin_one, seed, betas, first), LadderState, n_chains, setup)
    stepper = Stepper(advance, LadderState, BlockDraws)
    least = least_sweeps(plain.target.graph.n_nodes)
    return run_for("blocks, tempered", stepper, setup, begin, length, seed, context, key, least=least)


def _begin_one(seed: int, betas: Array, first: FirstLabels, setup: LadderSetup, chain: int) -> LadderState:
    rng = stream(seed, "ladders", chain)
    plain = BlockSetup(setup.target, setup.model, setup.settings)
    return start(setup, np.array([first(plain, chain, rng) for _ in betas]), betas, rng)


def run_tempered_if_stuck(
    tempering: Any,
    graph: Graph,
    plain: Callable[[bool], Chains],
    ladders: Callable[[], Chains],
    seed: int,
    n_measured: int | None = None,
) -> Chains:
    """Run plain chains, or ladders where these are asked for or plain chains are given up.

    ``plain`` is handed whether it may give chains up. Only the first ``n_measured`` labels of a draw are looked at.
    """
    if isinstance(tempering, list) or tempering is True:
        return ladders()
    chains = plain(may_temper(tempering, graph))
    return better_of(chains, ladders(), seed, n_measured) if chains.is_stuck else chains


def run_joint_chains(
    tempering: Any,
    stage: str,
    stepper: Stepper[Any, Any],
    setup: JointSetup | ColumnSetup,
    begin_one: Callable[..., Any],
    length: Length,
    seed: int,
    n_chains: int,
    context: RunContext,
    **options: Any,
) -> Chains:
    """Run joint chains, or ladders of them where these are asked for or the chains do not converge without.

    ``begin_one(seed, stage, setup, chain)`` makes a chain; ``options`` are those of ``run_for``.
    """
    key = digest(setup, tempering, seed, n_chains) if context.checkpoints else ""
    run: Callable[..., Chains] = partial(run_for, length=length, seed=seed, context=context, key=key, **options)

    def plain(gives_up: bool) -> Chains:
        begin = partial(context.begin, partial(begin_one, seed, stage), stepper.state, n_chains, setup)
        return run(stage, stepper, setup, begin, gives_up=gives_up)

    def ladders() -> Chains:
        """Run a ladder for each chain. Inverse temperatures are those of block chains without features."""
        is_given, model = isinstance(tempering, list), setup.model
        betas = np.asarray(tempering) if is_given else joint_betas(model.partitions, model.n_blocks, seed)
        several = JointLadderSetup(setup, setup.settings)
        begin = partial(context.begin, partial(_begin_joint, seed, stage, betas), JointLadderState, n_chains, several)
        return run(f"{stage}, tempered", Stepper(joint.advance, JointLadderState, stepper.draws), several, begin)

    return run_tempered_if_stuck(tempering, setup.model.graph, plain, ladders, seed)


def joint_betas(partitions: BlockTarget, n_blocks: int, seed: int) -> Array:
    """Return the inverse temperatures of a ladder of joint chains, from 1 down: those of blocks without features."""
    rng = stream(seed, "temperatures")
    settings = BlockSettings(burn=0, thin=1, allow_empty=True)
    setup = LadderSetup(partitions, block_model(partitions, n_blocks), settings)
    return find_betas(setup, first_labels(partitions, n_blocks, rng), rng)


def first_labels(partitions: BlockTarget, n_blocks: int, rng: np.random.Generator) -> Array:
    """Return labels (N,) for a joint chain to begin with."""
    return greedy_labels(partitions, min(n_blocks, partitions.graph.n_nodes), rng)


def _begin_joint(seed: int, stage: str, betas: Array, setup: JointLadderSetup, chain: int) -> JointLadderState:
    rng = stream(seed, stage, "ladders", chain)
    model = setup.chain.model
    labels = np.array([first_labels(model.partitions, model.n_blocks, rng) for _ in betas])
    return joint.start(setup, labels, betas, rng, starts_full(chain))


def run_nested_ladders(
    tempering: Any, setup: NestedSetup, length: Length, seed: int, n_chains: int, context: RunContext, key: str
) -> Chains:
    """Run a ladder of hierarchies for each chain, every replica from a search of its own."""
    betas = np.asarray(tempering)
    if not isinstance(tempering, list):
        rng = stream(seed, "hierarchies", "temperatures")
        betas = nested.find_betas(setup, find_hierarchy(setup, rng).levels, rng)
    begin = partial(context.begin, partial(_begin_nested, seed, betas), NestedLadderState, n_chains, setup)
    stepper = Stepper(nested.advance, NestedLadderState, BlockDraws)
    n_measured = setup.target.graph.n_nodes
    return run_for("hierarchies, tempered", stepper, setup, begin, length, seed, context, key, n_measured=n_measured)


def _begin_nested(seed: int, betas: Array, setup: NestedSetup, chain: int) -> NestedLadderState:
    rng = stream(seed, "hierarchies", "ladders", chain)
    return nested.start(setup, lambda stream, k: find_hierarchy(setup, stream, chain + k).levels, betas, rng)


def better_of(plain: Chains, ladders: Chains, seed: int, n_measured: int | None = None) -> Chains:
    """Return the ladders, unless the clock stopped them before they were graded as well as the plain chains."""
    grades = []
    for chains in (plain, ladders):
        measures = measure_blocks(chains.draws.labels[:, :, :n_measured], chains.draws.entropy, seed)
        grades.append(judge_blocks(measures, chains.previous, chains.round_trips).grade)
    return plain if GRADES.index(grades[0]) < GRADES.index(grades[1]) else ladders


def ladder_settings(chains: Chains) -> dict[str, Any]:
    """Return what settings of a trace say of ladders: inverse temperatures, and how often neighbours exchanged."""
    state = chains.states[0]
    if not isinstance(state, LadderState | JointLadderState | NestedLadderState):
        return {"tempering": False}
    rates = np.mean([chain.exchange.swap_rates for chain in chains.states], axis=0)
    return {"tempering": state.betas.tolist(), "swap_rates": np.round(rates, 4).tolist()}
