"""The flow: which stage gets what, streams of their own, and what is refused."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.blocks.align import align_blocks
from ffbm.config import FitConfig
from ffbm.errors import DataError, OptionError
from ffbm.pipeline.blocks import sample_blocks
from ffbm.pipeline.fit import run_fit
from ffbm.pipeline.given_blocks import take_blocks
from ffbm.pipeline.weights import sample_weights
from ffbm.ranking import keep_features
from ffbm.scoring import score_weights

from ..planted import planted_network, two_flags

PAPER = {"weight_prior": "fixed", "n_kept": 10}
QUICK = FitConfig(n_blocks=2, n_sweeps=60, n_warmup=60, n_draws=80, n_chains=2, seed=4, folds=1, **PAPER)


@pytest.fixture(scope="module")
def net():
    return planted_network(1, two_flags)[0]


@pytest.fixture(scope="module")
def parts(net):
    return run_fit(net, QUICK, progress=False)


def test_stages_alone_give_the_same(net, parts):
    blocks = sample_blocks(net, 2, n_sweeps=60, n_chains=2, seed=4)
    np.testing.assert_array_equal(parts.blocks.labels, blocks.labels)
    members = align_blocks(blocks)
    np.testing.assert_array_equal(parts.memberships.probs, members.probs)
    weights = sample_weights(net.features, members, parts.train, n_draws=80, n_warmup=60, n_chains=2, seed=4)
    np.testing.assert_array_equal(parts.weights.weights, weights.weights)
    assert parts.scores.loss_test == score_weights(weights, net.features, members).loss_test


def test_workers_change_nothing(net, parts):
    for workers in (1, 3):
        other = run_fit(net, QUICK, workers=workers, progress=False)
        np.testing.assert_array_equal(parts.weights.weights, other.weights.weights)
        assert parts.scores.to_dict() == other.scores.to_dict()


def test_the_split(net, parts):
    assert len(parts.train) == int(0.7 * net.n_nodes)
    assert len(np.unique(parts.train)) == len(parts.train)
    np.testing.assert_array_equal(parts.weights.rows, parts.train)
    other = run_fit(net, dataclasses.replace(QUICK, seed=5), progress=False)
    assert not np.array_equal(parts.train, other.train)


def test_the_refit_takes_the_kept_features_under_streams_of_its_own(net, parts):
    assert parts.reduced is None
    reduced = run_fit(net, dataclasses.replace(QUICK, n_kept=1), progress=False).reduced
    assert reduced.weights.names == ("x1",)
    assert reduced.weights.seed != parts.weights.seed
    np.testing.assert_array_equal(reduced.weights.rows, parts.train)
    alone = keep_features(net.features, parts.ranking)
    assert alone.names == net.features.names
    # the telling flag does about as well without the noise
    assert reduced.scores.bits_test > 0.2
    assert abs(reduced.scores.bits_test - parts.scores.bits_test) < 0.2


def test_all_features_are_kept_on_demand(net):
    for n_kept in ("all", 2, 3):
        assert run_fit(net, dataclasses.replace(QUICK, n_kept=n_kept), progress=False).reduced is None


def test_description_lengths(net, parts):
    size = net.n_nodes + net.n_edges
    s = parts.scores
    assert s.description_length_without_partition == pytest.approx(parts.blocks.entropy.mean() / size, rel=1e-12)
    whole = [
        ffbm.description_length(net, labels, 2).total / size
        for labels in parts.blocks.labels.reshape(-1, net.n_nodes).astype(int)
    ]
    assert s.description_length == pytest.approx(np.mean(whole), rel=1e-9)


def test_folds_test_every_vertex_once(net, parts):
    found = run_fit(net, dataclasses.replace(QUICK, folds=4), progress=False)
    assert found.scores.n_test == net.n_nodes
    np.testing.assert_array_equal(found.weights.weights, parts.weights.weights)
    assert found.scores.bits_test > 0.2
    assert np.isfinite(found.explanation.held_out).all()
    assert parts.explanation.held_out is None


def test_folds_are_found_for_the_size_of_the_network(net, parts):
    five = run_fit(net, dataclasses.replace(QUICK, folds="auto"), progress=False)
    named = run_fit(net, dataclasses.replace(QUICK, folds=5), progress=False)
    assert five.scores.to_dict() == named.scores.to_dict()
    assert five.scores.n_test == net.n_nodes
    assert parts.scores.n_test == net.n_nodes - len(parts.train)
    assert [FitConfig().n_folds(n) for n in (9, 10, 5000, 5001)] == [1, 5, 5, 1]
    assert FitConfig(target="joint").n_folds(100) == FitConfig(preset="paper").n_folds(100) == 1
    assert FitConfig(train_fraction=0.8).n_folds(100) == FitConfig(folds=None).n_folds(100) == 1


def test_nothing_held_out(net):
    found = run_fit(net, dataclasses.replace(QUICK, train_fraction=1.0), progress=False)
    assert len(found.train) == net.n_nodes
    assert np.isnan(found.scores.loss_test)
    assert [note.code for note in found.scores.notes] == ["no_test_vertices"]
    assert np.isfinite(found.scores.loss_train)


def test_drawn_memberships_split_the_variance(net):
    found = run_fit(net, dataclasses.replace(QUICK, memberships="drawn"), progress=False)
    assert found.explanation.variance.within.shape == (2, 2)
    assert found.explanation.variance.n_partitions == found.blocks.labels.shape[0] * found.blocks.labels.shape[1]


def test_blocks_of_ones_own(net):
    labels = np.where(np.arange(net.n_nodes) < 30, 7, 2)
    found = run_fit(net, dataclasses.replace(QUICK, n_blocks="auto"), labels, progress=False)
    assert found.memberships.sizes.tolist() == [50, 30]
    np.testing.assert_array_equal(found.memberships.labels, labels == 7)
    assert set(np.unique(found.memberships.probs)) == {0.0, 1.0}
    assert found.blocks.settings["given"] == ["2", "7"]
    assert found.blocks.converged
    assert "given" in found.blocks.converged.reason
    total = ffbm.description_length(net, (labels == 7).astype(int), 2).total
    assert found.scores.description_length == pytest.approx(total / (net.n_nodes + net.n_edges), rel=1e-12)


def test_a_trace_in_place_of_the_block_stage(net, parts):
    found = run_fit(net, dataclasses.replace(QUICK, n_blocks="auto"), parts.blocks, progress=False)
    np.testing.assert_array_equal(found.weights.weights, parts.weights.weights)


def test_drawn_memberships_of_given_blocks_are_the_blocks(net):
    labels = np.arange(net.n_nodes) % 2
    config = dataclasses.replace(QUICK, memberships="drawn")
    found = run_fit(net, config, labels, progress=False)
    assert found.weights.n_chains == 2
    assert found.explanation.variance is None


def test_stages_tell_how_far_they_are(net):
    seen = []
    run_fit(net, dataclasses.replace(QUICK, n_kept=1), progress=seen.append)
    stages = list(dict.fromkeys(event.stage for event in seen))
    assert stages == ["starts", "blocks", "weights", "weights, kept features"]
    for stage in stages:
        last = [event for event in seen if event.stage == stage][-1]
        assert last.done == last.total


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"n_blocks": 81}, "n_blocks must be a whole number, at least 1, at most 80"),
        ({"folds": 81}, "folds must be a whole number, at least 2, at most 80"),
        ({"train_fraction": 0.001}, "leaves none of 80 vertices for training"),
        ({"n_sweeps": 2}, "no draw is kept"),
    ],
)
def test_what_cannot_be_done_is_told_on_one_line(net, change, said):
    with pytest.raises(OptionError) as error:
        run_fit(net, dataclasses.replace(QUICK, **change), progress=False)
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_a_network_without_features_is_refused():
    with pytest.raises(DataError, match="features, and this network has none: give a table"):
        run_fit(ffbm.as_network([(0, 1), (1, 2)]), QUICK, progress=False)
    constant = ffbm.as_network([(0, 1), (1, 2)], pd.DataFrame({"x": [5, 5, 5]}))
    with pytest.raises(DataError, match=r"none of its columns became one .*'x' left out.*: see include="):
        run_fit(constant, QUICK, progress=False)


@pytest.mark.parametrize(
    ("blocks", "n_blocks", "error", "said"),
    [
        (np.zeros(5), "auto", OptionError, r"a label for each of the 80 vertices.* got float64 of shape \(5,\)"),
        (np.zeros(80), "auto", OptionError, "whole numbers or text"),
        ([None] * 80, "auto", OptionError, "some are neither"),
        ([0, 1] * 40, 3, OptionError, "n_blocks=3 and blocks= of 2 blocks differ"),
        (3, "auto", OptionError, "blocks= takes the block of each vertex; got 3: their number is n_blocks="),
        (pd.Series([0, 1] * 40, index=range(5, 85)), "auto", OptionError, "indexed by the ids .* begins with '5'"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(net, blocks, n_blocks, error, said):
    with pytest.raises(error, match=said):
        run_fit(net, dataclasses.replace(QUICK, n_blocks=n_blocks), blocks, progress=False)


def test_a_series_of_blocks_is_joined_by_its_index(net):
    labels = pd.Series([f"team {i % 3}" for i in range(net.n_nodes)], index=net.node_ids)
    inherent = take_blocks(net, labels.to_numpy(), "auto").labels
    for given in (labels, labels[::-1], labels.sample(frac=1, random_state=1), labels.reset_index(drop=True)):
        np.testing.assert_array_equal(take_blocks(net, given, "auto").labels, inherent)


def test_a_trace_of_another_network_is_refused(net, parts):
    other = planted_network(2, two_flags)[0]
    with pytest.raises(DataError, match="blocks must be those of the network"):
        run_fit(other, dataclasses.replace(QUICK, n_blocks="auto"), parts.blocks, progress=False)
