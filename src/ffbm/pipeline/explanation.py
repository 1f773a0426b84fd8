"""How an explanation is made: weights are sampled, features ranked, and both scored."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from math import log
from typing import Any, NamedTuple

import numpy as np

from ffbm.config import MOST_FOLDED, FitConfig
from ffbm.explanation import Explanation
from ffbm.pipeline.clock import OUT_OF_TIME, Schedule, end_in, minutes_left
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.drawn import sample_weights_drawn, select_columns
from ffbm.pipeline.refits import Refit
from ffbm.pipeline.selection import affordable_rows
from ffbm.pipeline.weights import sample_weights
from ffbm.ranking import kept_features, rank_features
from ffbm.rng import child_seed, stream
from ffbm.scoring import combine_folds, fold_rows, predict_some, score_draws, score_weights
from ffbm.theta.columns import keep_groups
from ffbm.theta.cost import affordable_moves, affordable_vertices
from ffbm.theta.design import Design
from ffbm.theta.prior import keep_scales
from ffbm.types import Array, BlockTrace, Features, Memberships, Note
from ffbm.types.blocks import MANY_CELLS
from ffbm.types.scores import Scores
from ffbm.types.variance import VarianceSplit
from ffbm.types.weights import WeightTrace
from ffbm.workers import Workers

_OF_SELECTION = (  # arguments of the weights that ``select_columns`` takes too
    "rows", "intercept", "intercept_sd", "column_groups", "seed", "max_minutes", "whole_minutes", "stage",
)  # fmt: skip
_SECONDS_WARM, _LEAST_WARM = 20.0, 100  # of a chain's warm-up, about, where its length is open; moves at least


class SampledWeights(NamedTuple):
    """Draws of the weights, and the memberships that they explain."""

    weights: WeightTrace
    memberships: Any  # Memberships, (N, B) array, or (N,) labels: what losses are taken against
    blocks: BlockTrace | None = None  # the partitions that the memberships are taken over
    variance: VarianceSplit | None = None
    is_joint: bool = False  # draw (c, t) of the blocks goes with draw (c, t) of the weights


# of a design, training vertices, seed, and the name of the stage; and whether columns are selected too
Sampler = Callable[..., SampledWeights]


class Refitter(NamedTuple):
    """Samples the weights of folds: short chains that start where a fit is, which are pieces of work."""

    refit: Refit
    memberships: Memberships
    blocks: BlockTrace | None
    workers: Workers

    def __call__(self, design: Design, rows: Array, seed: int, stage: str) -> SampledWeights:  # noqa: ARG002
        """Sample the weights given some training vertices."""
        return self._sampled(self.refit(design, self.memberships, rows, stream(seed, "refit")))

    def folds(self, design: Design, parts: Sequence[Array], seeds: Sequence[int]) -> Iterator[SampledWeights]:
        """Yield the same for each set of training vertices."""
        return map(self._sampled, self.refit.folds(design, self.memberships, parts, seeds, self.workers))

    def _sampled(self, weights: WeightTrace) -> SampledWeights:
        return SampledWeights(weights, self.memberships, self.blocks)


def explain(
    features: Features,
    design: Design,
    rows: Array,
    sample: Sampler,
    seed: int,
    *,
    k: float = 1.0,
    n_kept: int | str | None = "all",
    folds: int = 1,
    decides: bool = False,
    refit: Callable[[WeightTrace], Refitter] | None = None,
    stage: str = "weights",
    workers: int | None = None,
    schedule: Schedule | None = None,
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
    folds : int
        Score by cross-validation: each fold is the test set of weights of its own, trained on the others. With 1, the
        training vertices serve the scores.
    decides : bool
        Under the learned prior: weights and decisions on columns come from all vertices, and the training vertices
        serve the scores alone.
    refit : callable, optional
        Takes the weights and returns what samples those of folds; ``sample`` if left out.
    stage : str
        What progress calls it.
    workers : int, optional
        Threads that score.
    schedule : Schedule, optional
        Where the other folds would take longer than there is time, the first one has to be enough, and a note says so.

    Examples
    --------
    >>> import numpy as np, ffbm
    >>> from ffbm.theta.design import make_design
    >>> net = ffbm.as_network([(0, 1), (2, 3)], np.eye(2)[[0, 0, 1, 1]])
    >>> members = np.array([0, 0, 1, 1])
    >>> def sample(design, rows, seed, stage):
    ...     weights = sample_weights(design, members, rows, n_draws=100, seed=seed, weight_prior="fixed")
    ...     return SampledWeights(weights, members)
    >>> explanation = explain(net.features, make_design(net.features), np.arange(4), sample, seed=1)
    >>> explanation.weights.weights.shape, sorted(explanation.ranking.kept), explanation.scores.n_train
    ((4, 100, 2, 2), ['x0', 'x1'], 4)
    """
    everyone = np.arange(design.n_nodes)
    sampled = sample(design, everyone, seed, stage, True) if decides else sample(design, rows, seed, stage)
    rule: dict[str, Any] = {"k": k, "n_kept": features.n_features if n_kept in ("all", None) else n_kept}
    held_out, refitter = None, None if refit is None else refit(sampled.weights)
    if folds == 1:
        trained = sampled
        if decides and len(rows) < len(everyone):
            is_large = refitter is not None and design.n_nodes > MOST_FOLDED  # then one short chain, as of a fold
            sample_once: Any = refitter if is_large else sample
            trained = sample_once(design, rows, child_seed(seed, "scores"), f"{stage}, for scores")
            cells = design.n_nodes * sampled.weights.n_blocks
            if cells <= MANY_CELLS or len(sampled.weights.rows) == len(everyone):  # else the weights held out some
                held_out = np.full((design.n_nodes, sampled.weights.n_blocks), np.nan)
                fill_held_out(held_out, trained, design, rows)
        scores = score_sampled(trained, design, rows, workers)
    else:
        parts = fold_rows(design.n_nodes, folds, stream(seed, "folds"))
        fold_scores, start = [], time.monotonic()
        end = np.inf if schedule is None else schedule.end_of("scores")
        held_out = np.full((design.n_nodes, sampled.weights.n_blocks), np.nan)
        seeds = [child_seed(seed, "fold", number) for number in range(folds)]
        sampled_folds = (
            (sample(design, parts[f], seeds[f], f"weights, fold {f + 1} of {folds}") for f in range(folds))
            if refitter is None
            else refitter.folds(design, parts, seeds)
        )
        for number, (part, trained) in enumerate(zip(parts, sampled_folds, strict=True)):
            fold_scores.append(score_sampled(trained, design, part, workers))
            fill_held_out(held_out, trained, design, part)
            if number == 0 and start + folds * (time.monotonic() - start) > end:
                break
        scores = combine_folds(fold_scores) if len(fold_scores) == folds else _of_one_fold(fold_scores[0], folds)
    ranking = rank_features(sampled.weights, **rule)
    return Explanation(features, sampled.weights, ranking, scores, sampled.variance, held_out=held_out)


def _of_one_fold(scores: Scores, folds: int) -> Scores:
    """Return the scores of the first fold, with a note that there was no time for the others."""
    note = Note(OUT_OF_TIME, f"scores: time was enough for 1 of {folds} folds", folds - 1)
    return replace(scores, notes=(*scores.notes, note))


def fill_held_out(held_out: Array, trained: SampledWeights, design: Design, rows: Array) -> None:
    """Write down what is predicted of the vertices that the weights were not trained on."""
    test_rows = np.setdiff1d(np.arange(design.n_nodes), rows)
    held_out[test_rows] = predict_some(trained.weights, design, test_rows)


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
    kept = kept_features(whole.ranking)
    if len(kept) == whole.features.n_features:
        return None
    features, design, seed = whole.features.take(kept), design.take(kept), child_seed(seed, "reduced")
    reduced = explain(features, design, rows, sample, seed, k=k, n_kept=n_kept, stage=stage, workers=workers)
    return replace(reduced, variance=None)  # a saved run has that of all features alone


def sampler_given(
    config: FitConfig,
    whole: Design,
    blocks: BlockTrace,
    members: Memberships,
    context: RunContext,
    end: float | None = None,
) -> Sampler:
    """Return a sampler of weights given y-hat or, with ``memberships="drawn"``, given every kept partition in turn.

    ``whole`` is the design with all features: some of them alone keep their scales. Chains whose length is open may run
    until ``end``, by the clock, or for the minutes of a fit.
    """
    options = config.pick("intercept", "sampler", "n_draws", "n_warmup", "weight_prior", "intercept_sd")
    alone = {"n_chains": config.n_chains, **context.options}
    learns = config.weight_prior == "learned"
    is_drawn = config.memberships == "drawn" and "given" not in blocks.settings  # given blocks are one b: y-hat is it

    def sample(design: Design, rows: Array, seed: int, stage: str, selects: bool = False) -> SampledWeights:
        sigma, all_rows = keep_scales(config.sigma, whole, design), rows
        rows = affordable_vertices(design, rows, members.n_blocks, stream(seed, "weights", "vertices"))
        stop = end_in(config.max_minutes) if end is None else end
        arguments: dict[str, Any] = {"rows": rows, "sigma": sigma, "seed": seed, "stage": stage, **options}
        arguments["max_minutes"] = minutes_left(stop)
        if learns:
            arguments["column_groups"] = keep_groups(config.column_groups, design.columns)
            arguments["n_sweeps"] = None if selects else 0
        if config.n_draws == "auto":
            cost = design.x.nnz, members.n_blocks
            arguments["n_warmup"] = affordable_moves(*cost, config.effort * _SECONDS_WARM, _LEAST_WARM, config.n_warmup)
        if is_drawn:
            weights, variance = sample_weights_drawn(design, blocks, members, **arguments, context=context)
            return SampledWeights(_with_rate(weights, config), members, blocks, variance)
        if selects and "given" not in blocks.settings:  # averaged memberships never decide
            half = {"n_sweeps": 0, "max_minutes": minutes_left(0.5 * (time.monotonic() + stop))}
            weights = sample_weights(design, members, **arguments | alone | half)
            rng = stream(seed, "selection", "vertices")
            subset = affordable_rows(design, rows, members.n_blocks, rng, config.effort)
            arguments |= {"max_minutes": minutes_left(stop), "whole_minutes": config.max_minutes, "rows": subset}
            chosen = {name: arguments[name] for name in _OF_SELECTION}
            selected = select_columns(design, blocks, members, n_draws=config.n_draws, context=context, **chosen)
            notes = *weights.notes, *_subset_note("selected_on", subset, all_rows)
            weights = replace(weights, selected=selected, notes=notes)
        else:
            weights = sample_weights(design, members, **arguments, **alone)
        weights = replace(weights, notes=(*weights.notes, *_subset_note("trained_on", rows, all_rows)))
        return SampledWeights(_with_rate(weights, config), members, blocks)

    return sample


def refitter_given(
    config: FitConfig,
    whole: Design,
    blocks: BlockTrace,
    members: Memberships,
    workers: Workers,
    scores_blocks: bool = True,
) -> Callable[[WeightTrace], Refitter] | None:
    """Return a function from the weights of a fit to a sampler of its folds; None where partitions are drawn.

    A fold is one short chain from where the fit is, given y-hat: its prediction is averaged over draws as that of a
    long one is. Given every partition in turn, folds are sampled as the fit is.
    """
    if config.memberships == "drawn" and "given" not in blocks.settings:
        return None
    return lambda like: Refitter(Refit(config, whole, like), members, blocks if scores_blocks else None, workers)


def _with_rate(weights: WeightTrace, config: FitConfig) -> WeightTrace:
    """Record with weights whose columns were selected which share of false ones is allowed."""
    if weights.selected is None:
        return weights
    return replace(weights, settings=weights.settings | {"fdr": config.fdr})


def _subset_note(code: str, used: Array, rows: Array) -> tuple[Note, ...]:
    """Say that only some of the vertices were used, if so."""
    if len(used) == len(rows):
        return ()
    purpose = {"selected_on": "columns were selected", "trained_on": "weights were sampled"}[code]
    message = f"{purpose} on {len(used):,} of {len(rows):,} vertices, drawn at random: all of them would take too long"
    return (Note(code, message, len(used)),)


def description_lengths(blocks: BlockTrace) -> dict[str, Any]:
    """Return the mean over draws of S(b) / (N + E), with the partition's own N ln B and without it.

    Of hierarchies the partitions of all levels are charged by Peixoto's prior.
    """
    n_nodes, without = blocks.labels.shape[2], blocks.entropy_per_entity
    nats = blocks.settings.get("hierarchy", n_nodes * log(blocks.n_blocks))
    partition = nats / (n_nodes + blocks.n_edges)
    return {"description_length": without + partition, "description_length_without_partition": without}


def score_sampled(sampled: SampledWeights, design: Design, rows: Array, workers: int | None) -> Scores:
    """Score weights against the memberships that they explain, trained on these rows."""
    weights, members, blocks, _, is_joint = sampled
    if blocks is None:
        return score_weights(weights, design, members, rows, workers=workers)
    if is_joint:
        scores = score_draws(weights, blocks, design, members, workers=workers)
    else:
        scores = score_weights(weights, design, members, rows, workers=workers)
    return replace(scores, **description_lengths(blocks))
