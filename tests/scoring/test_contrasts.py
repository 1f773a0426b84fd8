import numpy as np
import pytest
from scipy.special import softmax

from ffbm.errors import OptionError
from ffbm.scoring import effects
from ffbm.types import Features

from .traces import case, trace_of


def mean_prob(trace, x):
    """The mean over vertices of the probabilities, for each draw."""
    return np.array([softmax(x @ w.T, axis=1).mean(axis=0) for chain in trace.weights for w in chain])


def with_flag(x, d, value):
    x = x.copy()
    x[:, d] = value
    return x


def read(table, name, what="effect"):
    return table.loc[table["feature"] == name, what].to_numpy()


def test_a_flag_set_against_not_set():
    x, _, _, trace = case(n=60)
    table = effects(trace, x)
    assert list(table) == ["feature", "column", "block", "effect", "low", "high", "support", "kind"]
    assert len(table) == 5 * 3
    for d in range(5):
        draws = mean_prob(trace, with_flag(x, d, 1)) - mean_prob(trace, with_flag(x, d, 0))
        np.testing.assert_allclose(read(table, str(d)), draws.mean(axis=0), atol=1e-12)
        np.testing.assert_allclose(read(table, str(d), "low"), np.quantile(draws, 0.025, axis=0), atol=1e-12)
        np.testing.assert_allclose(read(table, str(d), "high"), np.quantile(draws, 0.975, axis=0), atol=1e-12)
    np.testing.assert_allclose(table.groupby("feature")["effect"].sum(), 0, atol=1e-12)
    assert set(table["kind"]) == {"flag"}


def one_column(seed=1, n=40):
    """A column of three exclusive values that some vertices lack, a flag of its own and a number."""
    rng = np.random.default_rng(seed)
    value = rng.integers(0, 4, n)
    x = np.column_stack((np.eye(4)[value][:, 1:], rng.random(n) < 0.5, rng.standard_normal(n)))
    names = ("class=a", "class=b", "class=c", "old", "age")
    columns = ("class", "class", "class", "old", "age")
    features = Features(x, names, columns, np.array([0, 0, 0, 0, 44.0]), np.array([1, 1, 1, 1, 9.0]))
    return features, trace_of(rng.standard_normal((2, 30, 3, 5)), names, columns, support=features.support), value


def test_values_of_one_column_exclude_each_other():
    features, trace, value = one_column()
    x = features.values
    table = effects(trace, features)
    bare = x.copy()
    bare[:, :3] = 0
    q = [mean_prob(trace, bare)] + [mean_prob(trace, with_flag(bare, d, 1)) for d in range(3)]
    counts = np.bincount(value, minlength=4)
    for v, name in enumerate(("class=a", "class=b", "class=c"), start=1):
        others = sum(counts[u] * q[u] for u in range(4) if u != v) / (counts.sum() - counts[v])
        np.testing.assert_allclose(read(table, name), (q[v] - others).mean(axis=0), atol=1e-12)
        assert set(read(table, name, "kind")) == {"value"}
        assert set(read(table, name, "support")) == {counts[v]}


def test_a_number_goes_one_deviation_up():
    features, trace, _ = one_column()
    x = features.values
    table = effects(trace, features, ["age"])
    expected = mean_prob(trace, with_flag(x, 4, x[:, 4] + 1)) - mean_prob(trace, x)
    np.testing.assert_allclose(read(table, "age"), expected.mean(axis=0), atol=1e-12)
    assert set(table["kind"]) == {"number"}


def test_flags_of_one_column_that_come_together_are_plain_flags():
    features, trace, _ = one_column()
    x = features.values.copy()
    x[0, :3] = 1
    both = Features(x, features.names, features.columns, features.mean, features.sd)
    table = effects(trace, both, ["class=b"])
    expected = mean_prob(trace, with_flag(x, 1, 1)) - mean_prob(trace, with_flag(x, 1, 0))
    np.testing.assert_allclose(read(table, "class=b"), expected.mean(axis=0), atol=1e-12)
    assert set(table["kind"]) == {"flag"}


def test_a_flag_that_everybody_has_is_compared_with_nobody():
    x = np.ones((4, 1))
    trace = trace_of(np.array([[[[np.log(3)], [0.0]]]]))
    np.testing.assert_allclose(effects(trace, x)["effect"], [0.25, -0.25])


def test_the_features_asked_for_in_their_order_and_no_intercept():
    features, trace, _ = one_column()
    table = effects(trace, features, ["old", "class=a"])
    assert table["feature"].drop_duplicates().tolist() == ["old", "class=a"]
    named = trace_of(trace.weights[..., :2], names=["a", "(intercept)"])
    assert set(effects(named, features.values[:, :1])["feature"]) == {"a"}
    with pytest.raises(OptionError, match="must be features of the trace, such as 'a'; got '\\(intercept\\)'"):
        effects(named, features.values[:, :1], ["(intercept)"])
    assert len(effects(trace, features, [])) == 0


@pytest.mark.parametrize("workers", [1, 2])
def test_pieces_and_workers_change_nothing(workers, monkeypatch):
    features, trace, _ = one_column()
    whole = effects(trace, features)
    monkeypatch.setattr("ffbm.scoring.contrasts._PIECE", 1)
    assert effects(trace, features, workers=workers).equals(whole)


def test_at_most_so_many_draws_are_looked_at_evenly():
    features, trace, _ = one_column()
    few = trace_of(trace.weights.reshape(1, 60, 3, 5)[:, 3::6], trace.names, trace.columns)
    np.testing.assert_allclose(
        effects(trace, features, n_draws=10)["effect"], effects(few, features)["effect"], atol=1e-12
    )


def test_by_default_a_thousand_draws_are_looked_at_and_fewer_where_vertices_differ_in_many_ways(monkeypatch):
    features, trace, _ = one_column()
    many = trace_of(np.tile(trace.weights.reshape(1, 60, 3, 5), (1, 40, 1, 1)), trace.names, trace.columns)
    many.weights[:] += np.random.default_rng(1).normal(size=many.weights.shape)
    assert effects(many, features).equals(effects(many, features, n_draws=1000))
    monkeypatch.setattr("ffbm.scoring.contrasts._PROBABILITIES", 1)
    assert effects(many, features).equals(effects(many, features, n_draws=200))


def test_of_very_many_different_vertices_some_are_averaged_over(monkeypatch):
    rng = np.random.default_rng(2)
    x = np.column_stack((rng.random(4000) < 0.3, rng.standard_normal(4000)))
    names = ("old", "age")
    features = Features(x, names, names, np.array([0, 44.0]), np.array([1, 9.0]))
    trace = trace_of(rng.standard_normal((1, 20, 3, 2)), names, names, support=features.support)
    whole = effects(trace, features)
    monkeypatch.setattr("ffbm.scoring.contrasts._AVERAGED", 1000)
    some = effects(trace, features)
    assert not some["effect"].equals(whole["effect"])
    assert some["support"].equals(whole["support"])
    np.testing.assert_allclose(some["effect"], whole["effect"], atol=5 / np.sqrt(1000) / 2)
    assert effects(trace, features).equals(some)
    few = Features(x.round(), names, names, np.array([0, 44.0]), np.array([1, 9.0]))  # many alike
    monkeypatch.setattr("ffbm.scoring.contrasts._AVERAGED", 50)
    alike = effects(trace, few)
    monkeypatch.setattr("ffbm.scoring.contrasts._AVERAGED", 4000)
    assert effects(trace, few).equals(alike)


def test_weights_beyond_the_range_of_exponentials_stay_numbers():
    x = np.array([[1.0, 0.0], [0.0, 1.0]])
    trace = trace_of(np.array([[[[900.0, 0.0], [0.0, 900.0], [-900.0, -900.0]]]]))
    table = effects(trace, x)
    assert np.isfinite(table["effect"]).all()
    np.testing.assert_allclose(table.groupby("feature")["effect"].sum(), 0, atol=1e-12)


def test_one_block_has_no_effects():
    table = effects(trace_of(np.ones((1, 3, 1, 2))), np.eye(2))
    np.testing.assert_array_equal(table["effect"], 0)
