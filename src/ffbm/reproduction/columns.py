"""One run of each column: the block level that both share, the published program, the exact posterior."""

from dataclasses import dataclass
from math import sqrt
from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.align import align_blocks
from ffbm.diagnostics import summarise
from ffbm.explanation import Explanation
from ffbm.pipeline.blocks import sample_blocks
from ffbm.pipeline.explanation import SampledWeights, Sampler, description_lengths, explain, explain_kept
from ffbm.pipeline.weights import sample_weights
from ffbm.progress import Listener
from ffbm.reproduction.paper import Experiment
from ffbm.reproduction.program import program_loss, run_program
from ffbm.rng import child_seed, stream
from ffbm.scoring import score_weights, split_rows
from ffbm.theta.design import Design, make_design
from ffbm.types import Array, Memberships, Network
from ffbm.types.ranking import Ranking
from ffbm.types.scores import Scores
from ffbm.types.weights import WeightTrace

LIMIT_SIGMA = sqrt(0.5)  # the prior squared is the prior of this sigma
_DRAWS = 1000  # of a weight chain
_LIMIT_DRAWS = 250  # of each of 4 chains: a mean loss needs no more


@dataclass(frozen=True, eq=False)
class RunBlocks:
    """The block level of a run, which both columns share: one chain as the paper runs it, and the split."""

    seed: int
    members: Memberships
    train: Array
    entropy: Array  # (1, T)
    best_entropy: float
    numbers: dict[str, float]

    @property
    def test(self) -> Array:
        """The vertices that are not for training."""
        return np.setdiff1d(np.arange(len(self.members.labels)), self.train)


class ColumnRun(NamedTuple):
    """What is kept of the explanation that one run gives for one column: figures, and no draws of the weights."""

    numbers: dict[str, float]
    ranking: Ranking
    scores: Scores
    energy: Array  # (C, T)


def run_blocks(net: Network, paper: Experiment, seed: int, listen: Listener) -> RunBlocks:
    """Sample blocks as the paper does: one chain of single-vertex moves from a greedy start; draw the split."""
    trace = sample_blocks(
        net,
        paper.n_blocks,
        n_sweeps=paper.n_sweeps,
        burn_in=paper.block_burn_in,
        thin=paper.block_thin,
        n_chains=1,
        seed=seed,
        moves="single",
        workers=1,
        progress=listen,
    )
    return RunBlocks(
        seed=seed,
        members=align_blocks(trace),
        train=split_rows(net.n_nodes, paper.train_fraction, stream(seed, "split")),
        entropy=trace.entropy,
        best_entropy=trace.best_entropy,
        numbers=description_lengths(trace),
    )


def run_published(net: Network, paper: Experiment, blocks: RunBlocks, listen: Listener) -> ColumnRun:
    """Run the authors' program on the memberships and the split of a run."""
    scales = {"weights": paper.step_scale, "reduced": paper.reduced_scale}

    def sample(design: Design, _rows: Array, _seed: int, stage: str) -> SampledWeights:
        return SampledWeights(program_trace(design, paper, blocks, scales[stage], stage, listen), blocks.members)

    return _run_column(net, paper, blocks, sample)


def run_exact(net: Network, paper: Experiment, blocks: RunBlocks, listen: Listener) -> ColumnRun:
    """Sample the posterior that the paper writes down, on the memberships and the split of a run."""

    def sample(design: Design, rows: Array, seed: int, stage: str) -> SampledWeights:
        seed = child_seed(blocks.seed, "exact", stage)
        trace = sample_weights(
            design,
            blocks.members,
            rows,
            paper.sigma,
            n_draws=_DRAWS,
            seed=seed,
            workers=1,
            progress=listen,
            weight_prior="fixed",
        )
        return SampledWeights(trace, blocks.members)

    return _run_column(net, paper, blocks, sample)


def run_limit(net: Network, paper: Experiment, blocks: RunBlocks, listen: Listener) -> dict[str, float]:
    """Sample what the program tends to as its steps shrink: the posterior with the prior squared."""
    trace = sample_weights(
        net.features,
        blocks.members,
        blocks.train,
        sigma=paper.sigma * LIMIT_SIGMA,
        n_draws=_LIMIT_DRAWS,
        n_warmup=_LIMIT_DRAWS,
        seed=child_seed(blocks.seed, "limit"),
        workers=1,
        progress=listen,
        weight_prior="fixed",
    )
    scores = score_weights(trace, net.features, blocks.members, blocks.train, workers=1)
    return {"loss_train": scores.loss_train, "loss_test": scores.loss_test, "median_sd": float(np.median(trace.sd))}


def program_trace(
    design: Design, paper: Experiment, blocks: RunBlocks, scale: float, stage: str, listen: Listener
) -> WeightTrace:
    """Return the draws of the published program as a trace of one chain."""
    draws = run_program(
        design.x[design.group[blocks.train]],
        blocks.members.probs[blocks.train],
        scale,
        stream(blocks.seed, "published program", stage),
        n_steps=paper.n_steps,
        burn_in=paper.burn_in,
        thin=paper.thin,
        listen=listen,
    )
    settings: dict[str, Any] = {
        "sampler": "published program",
        "sigma": paper.sigma,
        "seed": blocks.seed,
        "scale": scale,
    }
    shape = 1, len(draws.energy)
    return WeightTrace(
        weights=draws.weights[np.newaxis],
        energy=draws.energy[np.newaxis],
        acceptance_rate=draws.acceptance[np.newaxis],
        step_size=draws.step_size[np.newaxis],
        n_steps=np.full(shape, paper.thin, dtype=np.int32),
        diverging=np.zeros(shape, dtype=bool),
        chain_mean=draws.weights.mean(axis=0)[np.newaxis],
        chain_sd=draws.weights.std(axis=0)[np.newaxis],
        names=design.names,
        columns=design.columns,
        support=design.support,
        rows=blocks.train,
        thin=1,
        settings=settings,
    )


def _run_column(net: Network, paper: Experiment, blocks: RunBlocks, sample: Sampler) -> ColumnRun:
    """Explain the memberships of a run by all features and by the kept ones; take the figures of the paper's table."""
    n_kept = "all" if paper.n_kept is None else paper.n_kept
    design = make_design(net.features)
    whole = explain(net.features, design, blocks.train, sample, blocks.seed, k=paper.k, n_kept=n_kept, workers=1)
    numbers = _measure(whole, blocks)
    if paper.n_kept is not None:
        numbers |= {"cutoff": whole.ranking.cutoff, **_kept_sizes(whole.ranking)}
    reduced = explain_kept(whole, design, blocks.train, sample, blocks.seed, stage="reduced", workers=1)
    if reduced is not None:
        numbers |= {f"reduced_{name}": value for name, value in _measure(reduced, blocks).items()}
    return ColumnRun(numbers | blocks.numbers, whole.ranking, whole.scores, whole.weights.energy)


def _measure(explanation: Explanation, blocks: RunBlocks) -> dict[str, float]:
    trace, scores, features = explanation.weights, explanation.scores, explanation.features
    numbers = {
        name: float(getattr(scores, name))
        for name in (
            *("loss_train", "loss_test", "predictive_loss_train", "predictive_loss_test"),
            *("base_rate_loss_test", "bits_test"),
        )
    }
    if trace.sampler == "published program":  # its losses are its own
        for name, rows in (("loss_train", blocks.train), ("loss_test", blocks.test)):
            x, y = features.values[rows], blocks.members.probs[rows]
            numbers[name] = program_loss(trace.weights[0], x, y)
    of_weights = summarise(trace.weights)
    rhat = summarise(split_chain(trace.weights)).rhat if trace.n_chains == 1 else of_weights.rhat
    numbers |= {
        "max_rhat": float(rhat.max()),
        "min_ess": float(of_weights.ess_bulk.min()),
        "min_ess_tail": float(of_weights.ess_tail.min()),
        "median_ess": float(np.median(of_weights.ess_bulk)),
        "n_draws": float(trace.n_chains * trace.n_draws),
        "median_sd": float(np.median(trace.sd)),
        "acceptance": float(trace.acceptance_rate.mean()),
    }
    return numbers


def _kept_sizes(ranking: Ranking) -> dict[str, float]:
    """Return the mean |weight| and sd over the kept features, each in the block of its score."""
    features = ranking.order[: ranking.n_kept]
    block = ranking.block_scores[:, features].argmax(axis=0)
    return {
        "kept_size": float(np.abs(ranking.mean[block, features]).mean()),
        "kept_sd": float(ranking.sd[block, features].mean()),
    }


def split_chain(weights: Array) -> Array:
    """Turn a single chain (1, T, ...) into its two halves (2, T // 2, ...), so that an R-hat can be taken.

    >>> split_chain(np.arange(5.0)[np.newaxis]).tolist()
    [[1.0, 2.0], [3.0, 4.0]]
    """
    half = weights.shape[1] // 2
    return weights[0, weights.shape[1] - 2 * half :].reshape(2, half, *weights.shape[2:])
