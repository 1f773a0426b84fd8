"""The whole flow, from a network to scores: blocks, memberships, weights, ranking, refit on the kept features."""

import dataclasses
from math import log
from typing import Any

import numpy as np

from ffbm.blocks.align import align_blocks
from ffbm.config import FitConfig
from ffbm.errors import DataError
from ffbm.pipeline.blocks import sample_blocks
from ffbm.pipeline.conduct import Conduct
from ffbm.pipeline.drawn import sample_weights_drawn
from ffbm.pipeline.given import take_blocks
from ffbm.pipeline.warming import compiling_ahead
from ffbm.pipeline.weights import sample_weights
from ffbm.progress import Listener, listening
from ffbm.ranking import rank_features
from ffbm.rng import child_seed, resolve_seed, stream
from ffbm.scoring import combine_folds, fold_rows, score_weights, split_rows
from ffbm.store.journal import Journal
from ffbm.store.parts import FitParts, Reduced
from ffbm.theta.design import Design, make_design
from ffbm.theta.prior import keep_scales, prior_scales
from ffbm.types import Array, BlockTrace, Features, Memberships, Network
from ffbm.types.ranking import Ranking
from ffbm.types.scores import Scores
from ffbm.types.variance import VarianceSplit
from ffbm.types.weights import WeightTrace
from ffbm.workers import Workers

_LEFT_OUT = ("constant", "empty", "excluded", "identifier", "rare")  # codes of notes on columns


def run_fit(
    net: Network,
    config: FitConfig,
    blocks: Any = None,
    progress: Listener | bool | None = None,
    workers: Workers = None,
    journal: Journal | None = None,
) -> FitParts:
    """Sample blocks and weights of a network, rank its features and score them.

    The block chains see the whole network; floor(f N) vertices drawn at random train the weights and the others
    test them. Every stage draws from streams of its own name under the one seed, so a stage run alone with that
    seed gives the same draws.

    Parameters
    ----------
    net : Network
    config : FitConfig
    blocks : BlockTrace or (N,) labels, optional
        In place of the block stage.
    progress : None, bool or callable
    workers : int, or address or Client of a dask cluster, optional
        In place of those of the settings.
    journal : Journal, optional
        Where chains are written down as they run, and found again.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> config = FitConfig(n_blocks=2, n_sweeps=100, n_warmup=100, n_draws=100, seed=1)
    >>> parts = run_fit(net, config)
    >>> parts.weights.weights.shape, len(parts.train), parts.reduced
    ((4, 100, 2, 3), 73, None)
    """
    if net.n_features == 0:
        raise DataError(f"a fit explains blocks by features, and {_why_none(net)}; sample_blocks does without")
    config = dataclasses.replace(config, seed=resolve_seed(config.seed))
    design = make_design(net.features, config.intercept)
    prior_scales(config.sigma, design.columns)  # a wrong one is refused before the block chains run
    workers = config.workers if workers is None else workers
    if config.target == "joint":
        from ffbm.pipeline.joint_fit import check_joint, explain_jointly

        check_joint(config, blocks)
        with listening(progress) as tell:
            return explain_jointly(net, design, config, _seed(config), Conduct(workers, tell, journal))
    with listening(progress) as tell, compiling_ahead() as wait_for_weight_level:
        conduct = Conduct(workers, tell, journal)
        trace = _find_blocks(net, config, blocks, conduct)
        members = align_blocks(trace)
        wait_for_weight_level()
        return _explain(net, design, config, trace, members, conduct)


def _explain(
    net: Network, design: Design, config: FitConfig, blocks: BlockTrace, members: Memberships, conduct: Conduct
) -> FitParts:
    seed = _seed(config)
    lengths = description_lengths(net, blocks)
    train = split_rows(net.n_nodes, config.train_fraction, stream(seed, "split"))
    weights, variance = find_weights(design, config, blocks, members, train, seed, conduct, "weights")
    n_kept = net.n_features if config.n_kept == "all" else int(config.n_kept)
    ranking = rank_features(weights, k=config.k, n_kept=n_kept)
    reduced = None
    if n_kept < net.n_features:
        kept = design.take(kept_features(ranking))
        own = dataclasses.replace(config, sigma=keep_scales(config.sigma, design, kept))
        again, _ = find_weights(
            kept, own, blocks, members, train, child_seed(seed, "reduced"), conduct, "weights, kept features"
        )
        scores = score_weights(again, kept, members, train, workers=conduct.threads)
        reduced = Reduced(again, dataclasses.replace(scores, **lengths))
    scores = score_split(design, config, blocks, members, weights, train, conduct)
    return FitParts(
        network=net,
        config=config,
        train=train,
        blocks=blocks,
        memberships=members,
        weights=weights,
        ranking=ranking,
        scores=dataclasses.replace(scores, **lengths),
        reduced=reduced,
        variance=variance,
    )


def keep_features(features: Features, ranking: Ranking) -> Features:
    """Return the features that a ranking keeps, in the order of the table."""
    return features.take(kept_features(ranking))


def kept_features(ranking: Ranking) -> Array:
    """Return the numbers of the features that a ranking keeps, in increasing order."""
    return np.sort(ranking.order[: ranking.n_kept])


def _why_none(net: Network) -> str:
    """Say why a network has no features, and what to do."""
    left = [note.message for note in net.notes if note.code in _LEFT_OUT]
    if left:
        return f"none of its columns became one ({'; '.join(left[:3])}): see include= (--include)"
    return "this network has none: give a table of vertex attributes with nodes= (--nodes), or features="


def description_lengths(net: Network, blocks: BlockTrace) -> dict[str, Any]:
    """Return the mean over draws of S(b) / (N + E), with the partition's own N ln B and without it."""
    without = blocks.entropy_per_entity
    partition = net.n_nodes * log(blocks.n_blocks) / (net.n_nodes + net.n_edges)
    return {"description_length": without + partition, "description_length_without_partition": without}


def _find_blocks(net: Network, config: FitConfig, blocks: Any, conduct: Conduct) -> BlockTrace:
    if blocks is not None:
        return take_blocks(net, blocks, config.n_blocks)
    return sample_blocks(
        net,
        n_blocks=config.n_blocks,
        n_sweeps=config.n_sweeps,
        burn_in=config.burn_in,
        thin=config.thin,
        n_chains=config.n_chains,
        seed=config.seed,
        moves=config.moves,
        **conduct.options,
    )


def find_weights(
    features: Features | Design,
    config: FitConfig,
    blocks: BlockTrace,
    members: Memberships,
    rows: Array,
    seed: int,
    conduct: Conduct,
    stage: str,
) -> tuple[WeightTrace, VarianceSplit | None]:
    """Run the weight stage, given y-hat or every kept partition; the second has a split of the variance."""
    options: dict[str, Any] = {
        "rows": rows,
        "sigma": config.sigma,
        "intercept": config.intercept,
        "sampler": config.sampler,
        "n_draws": config.n_draws,
        "n_warmup": config.n_warmup,
        "seed": seed,
        "stage": stage,
        **conduct.options,
    }
    if config.memberships == "drawn" and "given" not in blocks.settings:  # given blocks are one b: y-hat is it
        return sample_weights_drawn(features, blocks, members, **options)
    return sample_weights(features, members, n_chains=config.n_chains, **options), None


def score_split(
    features: Features | Design,
    config: FitConfig,
    blocks: BlockTrace,
    members: Memberships,
    weights: WeightTrace,
    train: Array,
    conduct: Conduct,
) -> Scores:
    """Score the one split, or by cross-validation: each fold is the test set of weights trained on the others."""
    if config.folds is None:
        return score_weights(weights, features, members, train, workers=conduct.threads)
    seed = _seed(config)
    found = []
    for number, rows in enumerate(fold_rows(len(members.labels), config.folds, stream(seed, "folds"))):
        stage = f"weights, fold {number + 1} of {config.folds}"
        trained, _ = find_weights(
            features, config, blocks, members, rows, child_seed(seed, "fold", number), conduct, stage
        )
        found.append(score_weights(trained, features, members, rows, workers=conduct.threads))
    return combine_folds(found)


def _seed(config: FitConfig) -> int:
    if config.seed is None:
        raise AssertionError("the seed is resolved before the first stage")
    return config.seed
