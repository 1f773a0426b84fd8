"""The joint stage: chains of labels and weights together, p(b, theta | A, X), from a network."""

from dataclasses import replace
from math import ceil
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.align import align_blocks
from ffbm.blocks.chain import BlockDraws
from ffbm.blocks.groups import best_match
from ffbm.blocks.likelihoods import likelihood_of
from ffbm.blocks.search import best_of
from ffbm.blocks.target import BlockTarget
from ffbm.check import check_bool, check_choice, check_int, check_tempering
from ffbm.config import JOINT_SWEEPS, PLANNED_DRAWS, FitConfig
from ffbm.diagnostics import joint_diagnostics
from ffbm.errors import OptionError
from ffbm.joint.chain import ADAPTING, JointSettings, JointSetup, JointState, advance, start
from ffbm.joint.ladder import JointLadderState
from ffbm.joint.prepare import JointModel, joint_model
from ffbm.kernels.joint import JointDraws
from ffbm.pipeline import weights as weight_stage
from ffbm.pipeline.blocks import check_block_number
from ffbm.pipeline.blockstarts import check_length
from ffbm.pipeline.blocktrace import gather as gather_blocks
from ffbm.pipeline.choice import find_candidates, list_candidates, next_best
from ffbm.pipeline.context import QUIET, RunContext
from ffbm.pipeline.imputation import gather_imputed
from ffbm.pipeline.labels import moments, number_alike
from ffbm.pipeline.length import MOST_KEPT, Chains
from ffbm.pipeline.run import Stepper
from ffbm.pipeline.tempering import first_labels, run_joint_chains
from ffbm.rng import stream
from ffbm.theta.design import make_design
from ffbm.theta.prior import plain_sigma, prior_scales
from ffbm.types import Array, BlockTrace, Graph, Memberships, Network, Note
from ffbm.types.imputed import Imputed
from ffbm.types.weights import Sigma, WeightTrace
from ffbm.workers import open_workers

_FIRST_END = 1600  # sweeps after burn-in at the second check, the first at which chains with n_sweeps="auto" may end
JUMPS = {"default": 0.2, "single": 0.0}  # moves of many vertices after each sweep, on average, of either kind


class JointTrace(NamedTuple):
    """Draws of labels and weights under one numbering of the blocks: draw (c, t) of one goes with that of the other."""

    blocks: BlockTrace
    memberships: Memberships
    weights: WeightTrace


def sample_joint(
    net: Network,
    n_blocks: int | str,
    rows: Any = None,
    sigma: Sigma = 1.0,
    intercept: bool = False,
    sampler: str = FitConfig.sampler,
    n_sweeps: int | str = JOINT_SWEEPS,
    burn_in: float = FitConfig.burn_in,
    thin: int = FitConfig.thin,
    n_draws: int = PLANNED_DRAWS,
    n_warmup: int = FitConfig.n_warmup,
    n_chains: int = FitConfig.n_chains,
    seed: int = 0,
    moves: str = FitConfig.moves,
    *,
    features: Any = None,
    degree_corrected: bool = True,
    tempering: Any = False,
    max_minutes: float | None = None,
    stage: str = "joint",
    context: RunContext = QUIET,
) -> JointTrace:
    """Sample labels and weights from the model's own posterior, on all of [B]^N: a block may be empty.

    The target is proportional to exp(-S(b)) prod_i softmax_{b_i}(W x_i) exp(-sum_d |w_d|^2 / (2 sigma_d^2)), with the
    product over the training vertices; to the others features say nothing.

    Parameters
    ----------
    net : Network
    n_blocks : int or "auto"
        B; "auto" chooses it from the graph alone, as ``sample_blocks`` does.
    rows, sigma, intercept, sampler
        The training vertices and the weights: see ``sample_weights``.
    n_sweeps, burn_in, thin
        Each chain makes ``n_sweeps`` sweeps over the labels, each followed by weight moves, drops the share ``burn_in``
        and keeps the labels and the weights of every ``thin``-th of the rest. With "auto" chains run until labels are
        graded converged at two checks in a row, and the log joint and |W|^2 are too, or ``max_minutes`` are over.
    n_draws : int
        At least so many weight moves are made by each chain after burn-in, shared out among the sweeps; with "auto"
        among those of the first two checks.
    n_warmup : int
        Weight moves of each chain before the first sweep, given the labels it starts from.
    n_chains, seed
        As in ``sample_blocks``.
    moves : {"default", "single"}
        "default" also moves many vertices at once, with the weights as they are and with the weights carried along.
    features : Features or Design, optional
        In place of the network's own.
    degree_corrected : bool
        As in ``sample_blocks``.
    tempering : bool, "auto" or inverse temperatures
        Replica exchange: every chain is a ladder of joint chains. "auto" does so where chains whose length is open do
        not converge without.
    stage : str
        What progress calls it.
    context : RunContext

    Returns
    -------
    JointTrace
        ``blocks``, ``memberships`` and ``weights``; ``blocks.labels[c, t]`` and ``weights.weights[c, t]`` are one draw.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> draws = sample_joint(net, 3, n_sweeps=100, n_warmup=100, n_chains=2, seed=1)
    >>> draws.blocks.labels.shape, draws.weights.weights.shape
    ((2, 16, 105), (2, 16, 3, 3))
    """
    graph = net.graph
    wanted = check_joint_number(graph, n_blocks)
    length = check_length(n_sweeps, burn_in, thin, max_minutes)
    burn, n_after = (ADAPTING, _FIRST_END) if length.n_sweeps is None else (length.burn, length.n_sweeps - length.burn)
    n_chains, tempering = check_int("n_chains", n_chains, low=1), check_tempering(tempering)
    jumps = JUMPS[check_choice("moves", moves, tuple(JUMPS))]
    settings = JointSettings(
        burn=burn,
        thin=length.thin,
        n_moves=ceil(check_int("n_draws", n_draws, low=1) / n_after),
        n_warmup=check_int("n_warmup", n_warmup, low=0),
        jumps=jumps,
        shifts=jumps,
        sampler=check_choice("sampler", sampler, ("hmc", "mala")),
    )
    partitions = BlockTarget(graph, likelihood_of(check_bool("degree_corrected", degree_corrected)))
    design = make_design(net.features if features is None else features, intercept)
    chosen: dict[str, Any] = {
        "target": "joint", "moves": moves, "seed": seed,
        "n_chains": n_chains, "sigma": plain_sigma(sigma, prior_scales(sigma, design.columns)),
        "intercept": bool(intercept), "degree_corrected": degree_corrected,
    }  # fmt: skip
    if wanted is None:
        wanted, search = choose_number(partitions, seed, context)
        chosen |= search
    with open_workers(1, 1) as run:  # for its one BLAS thread
        model = run(lambda b: joint_model(partitions, design, b, rows, sigma, intercept), [wanted])[0]
    settings, notes = within_memory(settings, length.n_sweeps, n_chains, model)
    setup, stepper = JointSetup(model, settings), Stepper(advance, JointState, JointDraws)
    chains = run_joint_chains(
        tempering, stage, stepper, setup, _begin_one, length._replace(thin=settings.thin), seed, n_chains, context,
        most_kept=min(MOST_KEPT, most_draws(n_chains, model)), is_enough=_is_joint_known,
    )  # fmt: skip
    return gather(net, model, chains, chosen | settings._asdict(), notes)


def _is_joint_known(draws: JointDraws) -> bool:
    return bool(joint_diagnostics(draws.labels, draws.entropy, draws.energy, draws.weights).converged)


def _begin_one(seed: int, stage: str, setup: JointSetup, chain: int) -> JointState:
    rng, model = stream(seed, stage, chain), setup.model
    return start(setup, first_labels(model.partitions, model.n_blocks, rng), rng)


def check_joint_number(graph: Graph, n_blocks: int | str) -> int | None:
    """Return B; None if it is to be chosen."""
    wanted = check_block_number(graph, n_blocks, allow_empty=True)
    if wanted is None and n_blocks != "auto":
        raise OptionError(f'n_blocks must be a number or "auto" for the joint posterior; got {n_blocks!r}')
    return wanted


def choose_number(partitions: BlockTarget, seed: int, context: RunContext) -> tuple[int, dict[str, Any]]:
    """Return B as the graph alone chooses it, and what the settings of a trace say of the choice."""
    candidates = find_candidates(partitions, seed, context)
    record = {"candidates": list_candidates(candidates), "next_best": next_best(candidates)}
    return best_of(candidates), record


def within_memory(
    settings: JointSettings, n_sweeps: int | None, n_chains: int, model: JointModel
) -> tuple[JointSettings, tuple[Note, ...]]:
    """Keep fewer draws if all those of a fixed length would take more memory than stored weights may."""
    if n_sweeps is None:
        return settings, ()
    n_after = n_sweeps - settings.burn
    n_kept = n_after // settings.thin
    factor = min(ceil(n_kept / most_draws(n_chains, model)), n_kept) or 1
    if factor == 1:
        return settings, ()
    thin = settings.thin * factor
    text = f"1 in {thin} sweeps is kept, not 1 in {settings.thin}, to stay within"
    message = f"{text} {weight_stage.STORED_BYTES >> 20:,} MiB"
    return settings._replace(thin=thin), (Note("thinned_draws", message, n_chains * (n_kept - n_after // thin)),)


def most_draws(n_chains: int, model: JointModel) -> int:
    """Return how many draws of each chain stored weights have room for."""
    return max(weight_stage.STORED_BYTES // (8 * n_chains * model.n_blocks * len(model.scale)), 1)


def gather(
    net: Network, model: JointModel, chains: Chains, chosen: dict[str, Any], notes: tuple[Note, ...]
) -> JointTrace:
    """Join the draws of all chains and bring labels and rows of weights to one numbering of the blocks, together."""
    blocks, members, w = align_together(net.graph, model.n_blocks, chains, chosen)
    drawn: JointDraws = chains.draws._replace(weights=w)
    n_chains, n_draws = drawn.energy.shape
    settings = {**blocks.settings, "n_draws": n_draws, "n_chains": n_chains}
    weights = weight_stage.make_trace(model.training, drawn, *moments(w), 1, settings)
    weights = replace(weights, notes=notes, imputed=_imputed(model, chains.states))
    return JointTrace(blocks, members, weights)


def align_together(
    graph: Graph, n_blocks: int, chains: Chains, chosen: dict[str, Any]
) -> tuple[BlockTrace, Memberships, Array]:
    """Return labels, memberships and weights of all chains under one numbering of the blocks."""
    drawn = chains.draws
    of_blocks = chains._replace(draws=BlockDraws(drawn.labels, drawn.entropy, drawn.moved))
    raw = gather_blocks(graph, n_blocks, of_blocks, chosen)
    return number_alike(raw, align_blocks(raw), drawn.weights)


def _imputed(model: JointModel, states: list[Any]) -> Imputed | None:
    """Return the law of each unknown cell, by the chains or the cold replicas of ladders."""
    if model.unknown is None:
        return None
    cold: list[Any] = [state.chains[0] if isinstance(state, JointLadderState) else state for state in states]
    return gather_imputed(model.unknown.cells, [one.cells for one in cold], np.stack([one.laws for one in cold]))


def number_like(trace: JointTrace, like: Memberships) -> JointTrace:
    """Give the blocks of a trace the numbers of those of other memberships that they overlap with most."""
    members = like_numbers(trace.memberships, like)
    blocks, members, w = number_alike(trace.blocks, members, trace.weights.weights)
    mean, sd = moments(w)
    return JointTrace(blocks, members, replace(trace.weights, weights=w, chain_mean=mean, chain_sd=sd))


def like_numbers(members: Memberships, like: Memberships) -> Memberships:
    """Return memberships whose ``order`` gives the blocks the numbers of those of others that they overlap with."""
    new = best_match(members.probs.T @ like.probs)
    back = np.argsort(new)
    return replace(
        members,
        probs=np.ascontiguousarray(members.probs[:, back]),
        labels=new[members.labels],
        order=np.broadcast_to(new, members.order.shape),
        modes=tuple(
            replace(m, probs=np.ascontiguousarray(m.probs[:, back]), labels=new[m.labels], order=new[m.order])
            for m in members.modes
        ),
    )
