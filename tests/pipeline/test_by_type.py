"""Weights by type: each type has a regression of its own, that what other types have says nothing to."""

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.errors import OptionError
from ffbm.pipeline.by_type import features_of_type

SHORT = {"n_draws": 60, "n_warmup": 60, "n_chains": 2, "folds": 1, "progress": False, "seed": 3}
SIZES = 18, 12


def two_modes(seed=1, ages=None):
    """People in two teams who go to events in two places; both have a year, and the years of events may be others."""
    rng = np.random.default_rng(seed)
    (n_people, n_events), colours, places = SIZES, np.array(["red", "blue"]), np.array(["hall", "yard"])
    team, place = np.arange(n_people) % 2, np.arange(n_events) % 2
    went = rng.random(SIZES) < 0.1 + 0.8 * (team[:, None] == place)
    people, events = [f"p{i}" for i in range(n_people)], [f"e{j}" for j in range(n_events)]
    born, held = rng.integers(1950, 2000, n_people), rng.integers(2000, 2020, n_events)
    table = [
        pd.DataFrame({"kind": "person", "team": colours[team], "year": born}, index=people),
        pd.DataFrame({"kind": "event", "place": places[place], "year": held if ages is None else ages}, index=events),
    ]
    return ffbm.as_network([(people[i], events[j]) for i, j in np.argwhere(went)], pd.concat(table))


@pytest.fixture(scope="module")
def net():
    return two_modes()


@pytest.fixture(scope="module")
def blocks(net):
    return ffbm.sample_blocks(
        net, {"person": 2, "event": 2}, n_sweeps=200, n_chains=2, node_type="kind", progress=False
    )


def test_each_type_has_its_own_columns_and_blocks(net, blocks):
    found = ffbm.explain_types(net, blocks, "kind", **SHORT)
    assert {of: it.weights.names for of, it in found.items()} == {
        "event": ("year", "place=hall", "place=yard", "(intercept)"),
        "person": ("team=blue", "team=red", "year", "(intercept)"),
    }
    for of, column in (("person", "team"), ("event", "place")):
        explained = found[of]
        assert explained.weights.weights.shape == (2, 60, 2, 4)
        assert explained.relevance.column_names[int(explained.relevance.inclusion.argmax())] == column
        assert explained.scores.bits_test > 0.3
        assert explained.column_table["column"].tolist()[0] in ("team", "place", "year")


def test_what_events_have_says_nothing_of_people(net, blocks):
    other = two_modes(ages=np.arange(SIZES[1]) ** 3)  # the same but for the years of events
    assert abs(net.features.values - other.features.values).max() > 0.1
    found = [ffbm.explain_types(it, blocks, "kind", weight_prior="fixed", **SHORT) for it in (net, other)]
    people, events = (
        np.abs(found[0][of].weights.weights - found[1][of].weights.weights).max() for of in ("person", "event")
    )
    assert people < 1e-6  # standardised twice, years differ in their last bits
    assert events > 0.1


def test_it_is_the_regression_of_the_type_alone(net, blocks):
    """The same draws as those of sample_weights on the vertices, blocks and columns of one type."""
    from ffbm.rng import child_seed

    options = {name: value for name, value in SHORT.items() if name != "folds"}
    found = ffbm.explain_types(net, blocks, "kind", weight_prior="fixed", folds=5, **options)["event"]
    people, events = np.arange(SIZES[0]), np.arange(SIZES[0], sum(SIZES))
    members = ffbm.align_blocks(blocks)
    own = members.probs[events][:, members.probs[events].sum(axis=0) > 0]
    x = features_of_type(net.features, events, "kind")
    seed = child_seed(3, "type", "event")
    alone = ffbm.sample_weights(x, own, found.weights.rows, weight_prior="fixed", **{**options, "seed": seed})
    assert np.array_equal(found.weights.weights, alone.weights)
    assert members.probs[people][:, members.probs[events].sum(axis=0) > 0].sum() == 0


def test_partitions_drawn_in_turn(net, blocks):
    found = ffbm.explain_types(net, blocks, "kind", weight_prior="fixed", memberships="drawn", **SHORT)
    assert found["person"].variance is not None


def test_numbers_are_standardised_among_the_vertices_of_a_type(net):
    x = features_of_type(net.features, np.arange(SIZES[0]), "kind")
    j = x.names.index("year")
    values = x.values.toarray() if hasattr(x.values, "toarray") else x.values
    assert values[:, j].mean() == pytest.approx(0)
    assert values[:, j].std() == pytest.approx(1)
    back = x.mean[j] + x.sd[j] * values[:, j]
    assert back.min() >= 1950
    assert back.max() < 2000


def test_types_without_anything_to_explain_are_left_out(net):
    one = ffbm.sample_blocks(net, {"person": 2, "event": 1}, n_sweeps=60, n_chains=1, node_type="kind", progress=False)
    assert list(ffbm.explain_types(net, one, "kind", weight_prior="fixed", **SHORT)) == ["person"]


@pytest.mark.parametrize(
    ("sampling", "node_type", "sentence"),
    [
        ({"n_blocks": 2}, "kind", "blocks must be sampled with node_type, of the types 'event', 'person'; got none"),
        ({"n_blocks": "free", "node_type": "kind"}, "kind", 'got n_blocks="free": take "auto"'),
        ({"n_blocks": {"blue": 1, "red": 1}, "node_type": ["red", "blue"] * 15}, "kind", "got 'blue', 'red'"),
        ({"n_blocks": 2}, None, "explain_types needs node_type"),
    ],
)
def test_errors(net, sampling, node_type, sentence):
    trace = ffbm.sample_blocks(net, n_sweeps=20, n_chains=1, progress=False, **sampling)
    with pytest.raises(OptionError) as caught:
        ffbm.explain_types(net, trace, node_type, **SHORT)
    assert sentence in str(caught.value)
