"""What features say of one mode of the partitions: its own weights, ranking and scores."""

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from ffbm.check import check_int
from ffbm.errors import OptionError
from ffbm.explanation import Explanation
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.contributions import make_measure
from ffbm.pipeline.explanation import SampledWeights, Sampler, explain, refitter_given, sampler_given
from ffbm.pipeline.labels import number_alike
from ffbm.progress import Listener, listening
from ffbm.rng import child_seed
from ffbm.store.parts import FitParts
from ffbm.theta.design import make_design
from ffbm.types import Array, BlockTrace, Memberships

_STATISTICS = ("energy", "acceptance_rate", "step_size", "n_steps", "diverging")


def explain_mode(parts: FitParts, number: int, progress: Listener | bool | None = None) -> Explanation:
    """Sample the weights given one mode's memberships, with the settings and training vertices of the fit.

    The random streams are those of the seed named ("mode", number) under the fit's, so the answer is the same
    whenever it is asked for. The only mode of a fit is the fit itself: nothing is sampled again. Nor is it with
    ``target="joint"`` under the fixed prior: the draws of a mode have weights of their own already. Under the learned
    one columns are selected, and weights drawn, given the partitions of the mode; these have seen the features of all
    vertices, so there are no held-out scores.

    Examples
    --------
    >>> import ffbm
    >>> from ffbm.config import FitConfig
    >>> from ffbm.pipeline.fit import run_fit
    >>> from itertools import combinations
    >>> edges = [6 * c + np.array(pair) for c in range(4) for pair in combinations(range(6), 2)]  # four cliques
    >>> upper, left = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], 6, axis=1)  # two ways to pair them
    >>> net = ffbm.as_network(np.array(edges), np.column_stack((upper, left)))
    >>> blocks = ffbm.sample_blocks(net, n_blocks=2, n_chains=2, n_sweeps=100, initial=[upper, left], moves="single")
    >>> config = FitConfig(n_blocks=2, n_draws=100, n_warmup=100, seed=1)
    >>> parts = run_fit(net, config, blocks=blocks)
    >>> [explain_mode(parts, number).ranking.kept[0] for number in range(parts.memberships.n_modes)]
    ['x0', 'x1']
    """
    members, config = parts.memberships, parts.config
    number = check_int("mode", number, low=0)
    if number >= members.n_modes:
        raise OptionError(f"mode must be one of the {members.n_modes} found, from 0; got {number}")
    mode = members.modes[number]
    if members.n_modes == 1:
        return replace(parts.explanation, mode=mode)
    design = make_design(parts.network.features, bool(config.intercept), config.impute)
    with listening(progress) as tell:
        context = RunContext(None, tell)
        sample: Sampler = partial(_take_joint, parts, number)
        draws = draws_of_mode(parts.blocks, members, number)
        refit, train = None, parts.train
        if config.target != "joint":
            sample = sampler_given(config, design, *draws, context)
            refit = refitter_given(config, design, *draws, context.workers)
        elif config.weight_prior == "learned":
            train = np.arange(parts.network.n_nodes)
            sample = sampler_given(replace(config, memberships="drawn"), design, *draws, context)
        explanation = explain(
            parts.network.features,
            design,
            train,
            sample,
            child_seed(config.known_seed, "mode", number),
            k=parts.ranking.k,
            n_kept=parts.ranking.n_kept,
            folds=1 if config.target == "joint" else config.n_folds(parts.network.n_nodes),
            decides=config.weight_prior == "learned",
            refit=refit,
            stage=f"weights, mode {number}",
            workers=context.threads,
        )
    seed = child_seed(config.known_seed, "mode", number)
    measure = make_measure(parts.network, config, design, explanation.weights, draws[1], train, seed, context.threads)
    return replace(explanation, mode=mode, measure=measure)


def _take_joint(parts: FitParts, number: int, *_: Any) -> SampledWeights:
    """Take the draws of a mode, labels and weights, in its own numbering of the blocks."""
    blocks, mode_members = draws_of_mode(parts.blocks, parts.memberships, number)
    shape = blocks.labels.shape[:2]
    draws = np.flatnonzero(parts.memberships.mode_of == number)[: shape[0] * shape[1]]

    def of_mode(values: Array) -> Array:
        n_draws, rest = values.shape[0] * values.shape[1], values.shape[2:]
        return values.reshape(n_draws, *rest)[draws].reshape(*shape, *rest)

    trace = parts.weights
    blocks, mode_members, w = number_alike(blocks, mode_members, of_mode(trace.weights))
    statistics: dict[str, Any] = {name: of_mode(getattr(trace, name)) for name in _STATISTICS}
    statistics["settings"] = {**trace.settings, "n_chains": shape[0], "n_draws": shape[1]}
    trace = replace(trace, weights=w, chain_mean=w.mean(axis=1), chain_sd=w.std(axis=1), **statistics)
    return SampledWeights(trace, mode_members, blocks, is_joint=True)


def draws_of_mode(blocks: BlockTrace, members: Memberships, number: int) -> tuple[BlockTrace, Memberships]:
    """Return the draws of a mode as a trace of their own, with its memberships.

    They are dealt in order to as many chains of one length as there were; fewer than C draws at the end, which would
    make the last chain longer, are left out of the trace. The memberships are over all of them.
    """
    mode = members.modes[number]
    n_chains = min(len(blocks.labels), mode.n_draws)
    n_draws = mode.n_draws // n_chains
    draws = np.flatnonzero(members.mode_of == number)[: n_chains * n_draws]
    n_nodes = blocks.labels.shape[2]
    labels = blocks.labels.reshape(-1, n_nodes)[draws].reshape(n_chains, n_draws, n_nodes)
    parts = {
        name: getattr(blocks, name).reshape(-1)[draws].reshape(n_chains, n_draws) for name in ("entropy", "acceptance")
    }
    best = int(parts["entropy"].argmin())
    trace = replace(
        blocks,
        labels=labels,
        **parts,
        best_labels=labels.reshape(-1, n_nodes)[best].astype(np.int64),
        best_entropy=float(parts["entropy"].reshape(-1)[best]),
        diagnostics=None,
    )
    order = mode.order[: len(draws)].reshape(n_chains, n_draws, members.n_blocks)
    return trace, Memberships(mode.probs, mode.labels, mode.agreement, order)
