"""Explanations: weights, ranking and scores from one call, whatever samples the weights."""

import dataclasses

import numpy as np
import pytest

from ffbm.blocks.align import align_blocks
from ffbm.config import FitConfig
from ffbm.pipeline.blocks import sample_blocks
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.explanation import SampledWeights, description_lengths, explain, explain_kept, sampler_given
from ffbm.pipeline.given_blocks import take_blocks
from ffbm.pipeline.joint import sample_joint
from ffbm.pipeline.weights import sample_weights
from ffbm.ranking import rank_features
from ffbm.rng import child_seed, stream
from ffbm.scoring import combine_folds, fold_rows, score_draws, score_weights
from ffbm.theta.design import make_design

from ..planted import planted_network, two_flags

CONFIG = FitConfig(weight_prior="fixed", n_kept=10, n_draws=60, n_warmup=50, n_chains=2, seed=4)
QUIET = RunContext(1)


@pytest.fixture(scope="module")
def net():
    return planted_network(1, two_flags)[0]


@pytest.fixture(scope="module")
def blocks(net):
    return sample_blocks(net, 2, n_sweeps=60, n_chains=2, seed=4)


@pytest.fixture(scope="module")
def members(blocks):
    return align_blocks(blocks)


@pytest.fixture(scope="module")
def sample(net, blocks, members):
    return sampler_given(CONFIG, read(net), blocks, members, QUIET)


def read(net):
    return make_design(net.features)


def alone(net, members, rows, seed):
    return sample_weights(net.features, members, rows, n_draws=60, n_warmup=50, n_chains=2, seed=seed)


def test_it_is_the_stages_one_after_the_other(net, blocks, members, sample):
    rows = np.arange(50)
    whole = explain(net.features, read(net), rows, sample, 7, k=0.5, n_kept=1)
    weights = alone(net, members, rows, 7)
    np.testing.assert_array_equal(whole.weights.weights, weights.weights)
    ranking = rank_features(weights, k=0.5, n_kept=1)
    np.testing.assert_array_equal(whole.ranking.scores, ranking.scores)
    assert whole.ranking.kept == ranking.kept
    scores = dataclasses.replace(score_weights(weights, net.features, members), **description_lengths(blocks))
    assert whole.scores.to_dict() == scores.to_dict()
    assert whole.scores.description_length > whole.scores.description_length_without_partition > 0
    assert whole.features is net.features
    assert whole.variance is whole.mode is None


def test_folds_are_explanations_of_their_own(net, members, sample):
    whole = explain(net.features, read(net), np.arange(50), sample, 7, folds=3)
    np.testing.assert_array_equal(whole.weights.rows, np.arange(50))
    parts = enumerate(fold_rows(net.n_nodes, 3, stream(7, "folds")))
    each = [alone(net, members, rows, child_seed(7, "fold", number)) for number, rows in parts]
    scores = combine_folds([score_weights(trace, net.features, members) for trace in each])
    assert whole.scores.loss_test == scores.loss_test
    assert whole.scores.n_test == net.n_nodes
    assert whole.scores.description_length is not None


def test_the_kept_features_are_explained_from_streams_of_their_own(net, sample):
    rows = np.arange(50)
    whole = explain(net.features, read(net), rows, sample, 7, k=0.5, n_kept=1)
    reduced = explain_kept(whole, read(net), rows, sample, 7, stage="again")
    assert reduced.features.names == reduced.weights.names == whole.ranking.kept == ("x1",)
    assert (reduced.ranking.k, reduced.ranking.n_kept) == (0.5, 1)
    assert reduced.weights.seed == child_seed(7, "reduced")
    np.testing.assert_array_equal(reduced.weights.rows, rows)
    for n_kept in (2, 5, "all"):
        whole = explain(net.features, read(net), rows, sample, 7, n_kept=n_kept)
        assert explain_kept(whole, read(net), rows, sample, 7, stage="again") is None


def test_partitions_are_drawn_only_if_there_are_several(net, blocks, members):
    config = dataclasses.replace(CONFIG, memberships="drawn")
    drawn = sampler_given(config, read(net), blocks, members, QUIET)(read(net), np.arange(50), 7, "weights")
    assert drawn.weights.settings["memberships"] == "drawn"
    assert drawn.variance.within.shape == (2, 2)
    whole = explain(net.features, read(net), np.arange(50), lambda *_: drawn, 7)
    assert whole.variance is drawn.variance
    one = take_blocks(net, np.arange(net.n_nodes) % 2, "auto")
    given = sampler_given(config, read(net), one, align_blocks(one), QUIET)(read(net), np.arange(50), 7, "weights")
    assert given.variance is None


def test_joint_draws_are_held_to_their_own_labels(net):
    trace = sample_joint(net, 2, rows=np.arange(50), n_sweeps=60, n_warmup=40, n_chains=2, seed=4)
    sampled = SampledWeights(trace.weights, trace.memberships, trace.blocks, is_joint=True)
    scores = score_draws(trace.weights, trace.blocks, net.features, trace.memberships)
    losses = [
        explain(net.features, read(net), np.arange(50), lambda *_, one=one: one, 1).scores.loss_test
        for one in (sampled, sampled._replace(is_joint=False))
    ]
    assert losses[0] == scores.loss_test != losses[1]


def test_without_partitions_there_is_no_description_length(net, members):
    sampled = SampledWeights(alone(net, members, np.arange(50), 7), members)
    assert explain(net.features, read(net), np.arange(50), lambda *_: sampled, 7).scores.description_length is None
