"""The whole flow for the joint posterior: labels and weights, ranking, the same again on the kept features, scores."""

from typing import Any

from ffbm.config import FitConfig
from ffbm.errors import OptionError
from ffbm.pipeline.conduct import Conduct
from ffbm.pipeline.explanation import SampledWeights, explain, explain_kept
from ffbm.pipeline.joint import JointTrace, number_like, sample_joint
from ffbm.rng import stream
from ffbm.scoring import split_rows
from ffbm.store.parts import FitParts
from ffbm.theta.design import Design
from ffbm.theta.prior import keep_scales
from ffbm.types import Array, Network


def fit_jointly(net: Network, design: Design, config: FitConfig, seed: int, conduct: Conduct) -> FitParts:
    """Sample labels and weights together, rank features, and do it again with the kept ones alone.

    The training vertices are those that the cut posterior has under the same seed.

    Examples
    --------
    >>> import ffbm
    >>> from ffbm.theta.design import make_design
    >>> net = ffbm.load_dataset("polbooks")
    >>> config = FitConfig(n_blocks=2, target="joint", n_sweeps=100, n_warmup=50, n_chains=2, seed=1)
    >>> parts = fit_jointly(net, make_design(net.features), config, 1, Conduct(None, lambda event: None))
    >>> parts.weights.weights.shape, parts.blocks.labels.shape
    ((2, 16, 2, 3), (2, 16, 105))
    """
    train = split_rows(net.n_nodes, config.train_fraction, stream(seed, "split"))
    options: dict[str, Any] = {
        "rows": train,
        "intercept": bool(config.intercept),
        "sampler": config.sampler,
        "n_sweeps": config.n_sweeps,
        "burn_in": config.burn_in,
        "thin": config.thin,
        "n_draws": config.n_draws,
        "n_warmup": config.n_warmup,
        "n_chains": config.n_chains,
        "moves": config.moves,
        "degree_corrected": config.degree_corrected,
        **conduct.options,
    }
    first = sample_joint(net, config.n_blocks, seed=seed, features=design, sigma=config.sigma, **options)

    def sample_again(kept: Design, _rows: Array, seed: int, stage: str) -> SampledWeights:
        sigma = keep_scales(config.sigma, design, kept)
        trace = sample_joint(net, first.blocks.n_blocks, seed=seed, features=kept, sigma=sigma, stage=stage, **options)
        return _sampled(number_like(trace, first.memberships))

    rule: dict[str, Any] = {"k": config.k, "n_kept": config.n_kept}
    whole = explain(net.features, design, train, lambda *_: _sampled(first), seed, **rule, workers=conduct.threads)
    reduced = explain_kept(
        whole, design, train, sample_again, seed, stage="joint, kept features", workers=conduct.threads
    )
    return FitParts(net, config, train, first.blocks, first.memberships, whole, reduced)


def check_joint(config: FitConfig, blocks: Any) -> None:
    """Refuse what has no meaning for the joint posterior."""
    if config.memberships != "averaged":
        raise OptionError(
            f'memberships={config.memberships!r} is for target="cut": with "joint" every draw of the weights has'
            " labels of its own; leave it out"
        )
    if config.weight_prior == "learned":
        raise OptionError(
            'weight_prior="learned" is for target="cut": the joint chain has the fixed prior; leave it out'
        )
    if blocks is not None:
        raise OptionError('blocks= is for target="cut": with "joint" blocks are sampled with the weights; leave it out')
    if config.folds is not None:
        raise OptionError(
            'folds= is for target="cut": with "joint" every fold would have blocks of its own; leave it out'
        )


def _sampled(trace: JointTrace) -> SampledWeights:
    return SampledWeights(trace.weights, trace.memberships, trace.blocks, is_joint=True)
