"""How an explanation is made: weights are sampled, features ranked, and both scored."""

from collections.abc import Callable
from dataclasses import replace
from math import log
from typing import Any, NamedTuple

from ffbm.config import FitConfig
from ffbm.explanation import Explanation
from ffbm.pipeline.conduct import Conduct
from ffbm.pipeline.drawn import sample_weights_drawn
from ffbm.pipeline.weights import sample_weights
from ffbm.ranking import kept_features, rank_features
from ffbm.rng import child_seed, stream
from ffbm.scoring import combine_folds, fold_rows, score_draws, score_weights
from ffbm.theta.design import Design
from ffbm.theta.prior import keep_scales
from ffbm.types import Array, BlockTrace, Features, Memberships
from ffbm.types.scores import Scores
from ffbm.types.variance import VarianceSplit
from ffbm.types.weights import WeightTrace


class SampledWeights(NamedTuple):
    """Draws of the weights, and the memberships that they explain."""

    weights: WeightTrace
    memberships: Any  # Memberships, (N, B) array, or (N,) labels: what losses are taken against
    blocks: BlockTrace | None = None  # the partitions that the memberships are taken over
    variance: VarianceSplit | None = None
    is_joint: bool = False  # draw (c, t) of the blocks goes with draw (c, t) of the weights


# of a design, training vertices, seed, and the name of the stage
Sampler = Callable[[Design, Array, int, str], SampledWeights]


def explain(
    features: Features,
    design: Design,
    rows: Array,
    sample: Sampler,
    seed: int,
    *,
    k: float = 1.0,
    n_kept: int | str = "all",
    folds: int | None = None,
    stage: str = "weights",
    workers: int | None = None,
) -> Explanation:
    """Sample the weights of features on memberships, rank the features, and score them.

    Parameters
    ----------
    features : Features
        Of all vertices.
    design : Design
        The same, read: what the sampler and the scores are handed.
    rows : (n,) int64
        The training vertices.
    sample : callable
        ``sample(design, rows, seed, stage)`` returns SampledWeights: see ``sampler_given``.
    seed : int
    k, n_kept : float, int or "all"
        The rule of the ranking: see ``rank_features``.
    folds : int, optional
        Score by cross-validation: each fold is the test set of an explanation of its own, trained on the others.
    stage : str
        What progress calls it.
    workers : int, optional
        Threads that score.

    Examples
    --------
    >>> import numpy as np, ffbm
    >>> from ffbm.theta.design import make_design
    >>> net = ffbm.as_network([(0, 1), (2, 3)], np.eye(2)[[0, 0, 1, 1]])
    >>> members = np.array([0, 0, 1, 1])
    >>> def sample(design, rows, seed, stage):
    ...     return SampledWeights(sample_weights(design, members, rows, n_draws=100, seed=seed, stage=stage), members)
    >>> explanation = explain(net.features, make_design(net.features), np.arange(4), sample, seed=1)
    >>> explanation.weights.weights.shape, sorted(explanation.ranking.kept), explanation.scores.n_train
    ((4, 100, 2, 2), ['x0', 'x1'], 4)
    """
    sampled = sample(design, rows, seed, stage)
    rule: dict[str, Any] = {"k": k, "n_kept": features.n_features if n_kept == "all" else n_kept}
    if folds is None:
        scores = _score(sampled, design, rows, workers)
    else:
        parts = fold_rows(design.n_nodes, folds, stream(seed, "folds"))
        each = (
            explain(
                features, design, part, sample, child_seed(seed, "fold", number), **rule,
                stage=f"weights, fold {number + 1} of {folds}", workers=workers,
            )
            for number, part in enumerate(parts)
        )  # fmt: skip
        scores = combine_folds([one.scores for one in each])
    return Explanation(features, sampled.weights, rank_features(sampled.weights, **rule), scores, sampled.variance)


def explain_kept(
    whole: Explanation,
    design: Design,
    rows: Array,
    sample: Sampler,
    seed: int,
    *,
    stage: str,
    workers: int | None = None,
) -> Explanation | None:
    """Return the explanation by the kept features alone, from streams of its own; None if all of them are kept."""
    k, n_kept = whole.ranking.k, whole.ranking.n_kept
    if n_kept >= whole.features.n_features:
        return None
    kept = kept_features(whole.ranking)
    features, design, seed = whole.features.take(kept), design.take(kept), child_seed(seed, "reduced")
    reduced = explain(features, design, rows, sample, seed, k=k, n_kept=n_kept, stage=stage, workers=workers)
    return replace(reduced, variance=None)  # a saved run has that of all features alone


def sampler_given(
    config: FitConfig, whole: Design, blocks: BlockTrace, members: Memberships, conduct: Conduct
) -> Sampler:
    """Return what samples weights given y-hat or, with ``memberships="drawn"``, given every kept partition in turn.

    ``whole`` is the design with all features: some of them alone keep their scales.
    """
    options: dict[str, Any] = {
        "intercept": config.intercept,
        "sampler": config.sampler,
        "n_draws": config.n_draws,
        "n_warmup": config.n_warmup,
        **conduct.options,
    }
    is_drawn = config.memberships == "drawn" and "given" not in blocks.settings  # given blocks are one b: y-hat is it

    def sample(design: Design, rows: Array, seed: int, stage: str) -> SampledWeights:
        sigma = keep_scales(config.sigma, whole, design)
        one: dict[str, Any] = {"rows": rows, "sigma": sigma, "seed": seed, "stage": stage, **options}
        if is_drawn:
            weights, variance = sample_weights_drawn(design, blocks, members, **one)
            return SampledWeights(weights, members, blocks, variance)
        return SampledWeights(sample_weights(design, members, n_chains=config.n_chains, **one), members, blocks)

    return sample


def description_lengths(blocks: BlockTrace) -> dict[str, Any]:
    """Return the mean over draws of S(b) / (N + E), with the partition's own N ln B and without it."""
    n_nodes, without = blocks.labels.shape[2], blocks.entropy_per_entity
    partition = n_nodes * log(blocks.n_blocks) / (n_nodes + blocks.n_edges)
    return {"description_length": without + partition, "description_length_without_partition": without}


def _score(sampled: SampledWeights, design: Design, rows: Array, workers: int | None) -> Scores:
    weights, members, blocks, _, is_joint = sampled
    if blocks is None:
        return score_weights(weights, design, members, rows, workers=workers)
    if is_joint:
        scores = score_draws(weights, blocks, design, members, workers=workers)
    else:
        scores = score_weights(weights, design, members, rows, workers=workers)
    return replace(scores, **description_lengths(blocks))
