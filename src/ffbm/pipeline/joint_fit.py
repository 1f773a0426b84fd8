"""The whole flow for the joint posterior: labels and weights, ranking, the same again on the kept features, scores."""

from dataclasses import replace
from typing import Any

from ffbm.config import FitConfig
from ffbm.errors import OptionError
from ffbm.pipeline.conduct import Conduct
from ffbm.pipeline.fit import description_lengths, kept_features
from ffbm.pipeline.joint import JointTrace, number_like, sample_joint
from ffbm.ranking import rank_features
from ffbm.rng import child_seed, stream
from ffbm.scoring import score_draws, split_rows
from ffbm.store.parts import FitParts, Reduced
from ffbm.theta.design import Design
from ffbm.theta.prior import keep_scales
from ffbm.types import Network
from ffbm.types.scores import Scores


def explain_jointly(net: Network, design: Design, config: FitConfig, seed: int, conduct: Conduct) -> FitParts:
    """Sample labels and weights together, rank features, and do it again with the kept ones alone.

    The training vertices are those that the cut posterior has under the same seed.

    Examples
    --------
    >>> import ffbm
    >>> from ffbm.theta.design import make_design
    >>> net = ffbm.load_dataset("polbooks")
    >>> config = FitConfig(n_blocks=2, target="joint", n_sweeps=100, n_warmup=50, n_chains=2, seed=1)
    >>> parts = explain_jointly(net, make_design(net.features), config, 1, Conduct(None, lambda event: None))
    >>> parts.weights.weights.shape, parts.blocks.labels.shape
    ((2, 16, 2, 3), (2, 16, 105))
    """
    train = split_rows(net.n_nodes, config.train_fraction, stream(seed, "split"))
    options: dict[str, Any] = {
        "rows": train,
        "sigma": config.sigma,
        "intercept": config.intercept,
        "sampler": config.sampler,
        "n_sweeps": config.n_sweeps,
        "burn_in": config.burn_in,
        "thin": config.thin,
        "n_draws": config.n_draws,
        "n_warmup": config.n_warmup,
        "n_chains": config.n_chains,
        "moves": config.moves,
        **conduct.options,
    }
    found = sample_joint(net, config.n_blocks, seed=seed, features=design, **options)
    n_kept = net.n_features if config.n_kept == "all" else int(config.n_kept)
    ranking = rank_features(found.weights, k=config.k, n_kept=n_kept)
    reduced = None
    if n_kept < net.n_features:
        kept = design.take(kept_features(ranking))
        options["sigma"] = keep_scales(config.sigma, design, kept)
        again = sample_joint(
            net, found.blocks.n_blocks, seed=child_seed(seed, "reduced"), features=kept, stage="joint, kept features",
            **options,
        )  # fmt: skip
        again = number_like(again, found.memberships)
        reduced = Reduced(again.weights, _score(net, again, kept, conduct))
    return FitParts(
        network=net,
        config=config,
        train=train,
        blocks=found.blocks,
        memberships=found.memberships,
        weights=found.weights,
        ranking=ranking,
        scores=_score(net, found, design, conduct),
        reduced=reduced,
    )


def check_joint(config: FitConfig, blocks: Any) -> None:
    """Refuse what has no meaning for the joint posterior."""
    if config.memberships != "averaged":
        raise OptionError(
            f'memberships={config.memberships!r} is for target="cut": with "joint" every draw of the weights has'
            " labels of its own; leave it out"
        )
    if blocks is not None:
        raise OptionError('blocks= is for target="cut": with "joint" blocks are sampled with the weights; leave it out')
    if config.folds is not None:
        raise OptionError(
            'folds= is for target="cut": with "joint" every fold would have blocks of its own; leave it out'
        )


def _score(net: Network, found: JointTrace, features: Design, conduct: Conduct) -> Scores:
    scores = score_draws(found.weights, found.blocks, features, found.memberships, workers=conduct.threads)
    return replace(scores, **description_lengths(net, found.blocks))
