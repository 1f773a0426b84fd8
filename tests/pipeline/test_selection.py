"""The learned prior in ``sample_weights``: what it returns, and what it refuses."""

import numpy as np
import pytest
from scipy.signal import lfilter

import ffbm
from ffbm.errors import OptionError
from ffbm.pipeline import selection
from ffbm.pipeline.drawn import sample_weights_drawn
from ffbm.pipeline.weights import sample_weights
from ffbm.types.selection import mean_error

from ..planted import planted_network, two_flags

SHORT = {"weight_prior": "learned", "n_draws": 60, "n_warmup": 30, "seed": 4, "progress": False}


@pytest.fixture(scope="module")
def made():
    return planted_network(5, two_flags)


def test_the_full_model_and_the_selection(made):
    net, labels = made
    trace = sample_weights(net.features, labels, **SHORT)
    assert trace.weights.shape == (4, 60, 2, 3)
    assert trace.names[-1] == "(intercept)"
    assert trace.column_names == net.features.column_names == trace.selected.column_names
    assert trace.inclusion.shape == trace.scales.shape == (4, 60, 2)
    assert trace.inclusion.dtype == bool
    assert trace.selected.weights.shape == (4, 60, 2, 3)
    assert (trace.selected.probability > 0.5).tolist() == [False, True]
    assert trace.selected.full_start.tolist() == [False, True, False, True]
    assert trace.weight_prior == trace.settings["weight_prior"] == "learned"
    assert "more likely in" in repr(trace.selected)
    assert (trace.selected.error >= 0).all()
    assert (trace.selected.difference < 0.3).all()


def test_the_fixed_prior_has_no_selection(made):
    net, labels = made
    trace = sample_weights(net.features, labels, n_draws=5, n_warmup=5, progress=False)
    assert trace.selected is trace.inclusion is trace.scales is None
    assert trace.column_names == net.features.column_names
    assert trace.weight_prior == "fixed"


def test_workers_change_no_bit(made):
    net, labels = made
    one, two = (sample_weights(net.features, labels, workers=n, **SHORT) for n in (1, 2))
    assert np.array_equal(one.weights, two.weights)
    for name in ("inclusion", "chance", "scales", "weights", "energy"):
        assert np.array_equal(getattr(one.selected, name), getattr(two.selected, name)), name


def test_labels_and_their_memberships_are_one_response(made):
    net, labels = made
    hard = sample_weights(net.features, labels, **SHORT)
    soft = sample_weights(net.features, np.eye(2)[labels], **SHORT)
    assert np.array_equal(hard.selected.chance, soft.selected.chance)


def test_groups_of_columns(made):
    net, labels = made
    trace = sample_weights(net.features, labels, column_groups={"both": ["x0", "x1"]}, **SHORT)
    assert trace.column_names == ("both",)
    assert trace.inclusion.shape == (4, 60, 1)


def test_one_block_and_no_features():
    one = sample_weights(np.eye(3), [0, 0, 0], **SHORT)
    assert one.selected.chance.mean() == pytest.approx(0.25, abs=0.1)  # the prior's, 1 / (1 + G)
    none = sample_weights(np.zeros((3, 0)), [0, 1, 0], **SHORT)
    assert none.inclusion.shape == (4, 60, 0)
    assert none.selected.is_precise


def test_drawn_partitions(made):
    net, _ = made
    blocks = ffbm.sample_blocks(net, n_blocks=2, n_sweeps=60, n_chains=2, seed=1, progress=False)
    members = ffbm.align_blocks(blocks)
    trace, _ = sample_weights_drawn(
        net.features, blocks, members, n_sweeps=20, weight_prior="learned", n_draws=60, n_warmup=30, seed=4
    )
    n_partitions = 2  # with 20 sweeps there is time for no more
    assert trace.inclusion.shape == (2, n_partitions * selection.N_EACH, 2)
    assert trace.selected.by_partition.shape == (n_partitions, 2)  # both chains go through the same ones
    assert (trace.selected.probability > 0.5).tolist() == [False, True]
    assert trace.selected.settings["n_partitions"] == n_partitions
    assert np.array_equal(*trace.selected.partition)
    assert (trace.selected.error < 0.1).all()


def test_fewer_sweeps_where_columns_are_large(made, monkeypatch):
    net, labels = made
    monkeypatch.setattr(selection, "OPERATIONS", 1.0)
    monkeypatch.setattr(selection, "LEAST_SWEEPS", 50)
    assert sample_weights(net.features, labels, **SHORT).inclusion.shape[1] == 50
    assert sample_weights(net.features, labels, n_sweeps=9, **SHORT).inclusion.shape[1] == 9


def test_without_sweeps_columns_are_not_selected(made):
    net, labels = made
    trace = sample_weights(net.features, labels, n_sweeps=0, **SHORT)
    assert trace.selected is None
    assert trace.weight_prior == "learned"


def test_error_of_a_mean():
    rng = np.random.default_rng(2)
    steps = rng.normal(size=(400, 900, 1)).cumsum(axis=1) * 0  # nothing moves
    assert mean_error(steps[:2]).tolist() == [0.0]
    apart = np.zeros((2, 100, 1))
    apart[1] = 1.0  # chains that disagree
    assert mean_error(apart)[0] == pytest.approx(0.5, abs=0.005)


@pytest.mark.parametrize(("memory", "most"), [(0.6, 1.6), (0.98, 4.0)])
def test_the_error_is_that_of_the_mean_also_the_largest_of_many(memory, most):
    """Chains that forget at once or slowly, of mean 0: two errors cover it, and the largest is not overstated."""
    drawn = lfilter(
        [np.sqrt(1 - memory**2)], [1, -memory], np.random.default_rng(3).normal(size=(4, 2600, 200)), axis=1
    )
    drawn = drawn[:, 1000:]
    error, mean = mean_error(drawn), drawn.mean(axis=(0, 1))
    assert np.mean(np.abs(mean) > 2 * error) < 0.09
    assert error.max() < most * mean.std()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"weight_prior": "flat"}, "weight_prior must be"),
        ({"weight_prior": "learned", "sigma": 2.0}, "sigma is of weight_prior"),
        ({"weight_prior": "learned", "sigma": {"x0": 1.0}}, "sigma is of weight_prior"),
        ({"weight_prior": "learned", "intercept_sd": 0}, "intercept_sd must be a number"),
        ({"weight_prior": "learned", "intercept": "yes"}, "intercept must be True or False"),
        ({"weight_prior": "learned", "n_sweeps": -1}, "n_sweeps must be a whole number"),
        ({"column_groups": {"a": ["x0"]}}, 'column_groups are for weight_prior="learned"'),
        ({"weight_prior": "learned", "column_groups": {"a": ["x9"]}}, "column_groups must name columns"),
        ({"weight_prior": "learned", "column_groups": {"a": ["x0"], "b": ["x0"]}}, "in one group only"),
        ({"weight_prior": "learned", "column_groups": {"x1": ["x0"]}}, "rename it"),
        ({"weight_prior": "learned", "column_groups": {"a": "x0"}}, "a mapping of names to lists"),
        ({"weight_prior": "learned", "column_groups": ["x0"]}, "a mapping of names to lists"),
    ],
)
def test_refused(options, message, made):
    net, labels = made
    with pytest.raises(OptionError, match=message):
        sample_weights(net.features, labels, n_draws=5, n_warmup=5, progress=False, **options)
