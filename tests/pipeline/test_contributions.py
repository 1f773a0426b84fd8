"""What each column explains: refits held to long chains, differences to their definition, p values to the test."""

import numpy as np
import pytest

import ffbm
from ffbm.config import FitConfig
from ffbm.pipeline import contributions
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.contributions import MOST_PAIRS, Fold, column_bits, mean_and_error
from ffbm.pipeline.permutation import quick_p_values
from ffbm.pipeline.refits import N_DRAWS, Refit
from ffbm.pipeline.weights import sample_weights
from ffbm.scoring import base_rate, fold_rows, predict
from ffbm.theta.design import make_design

N = 240
LEARNED = FitConfig(weight_prior="learned")
FIXED = FitConfig(weight_prior="fixed", sigma=0.7)
QUIET = RunContext(1)


def made_network(seed=1):
    """Return a network of three blocks with columns that tell them, tell them too, and tell nothing."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(0, 3, N)
    team = np.where(rng.random(N) < 0.85, labels, rng.integers(0, 3, N))
    club = np.where(rng.random(N) < 0.95, team, rng.integers(0, 3, N))  # of the team alone
    import pandas as pd

    table = pd.DataFrame(
        {
            "team": [f"t{v}" for v in team],
            "club": [f"c{v}" for v in club],
            "coin": rng.integers(0, 2, N).astype(str),
            "age": rng.normal(size=N) + labels,
        }
    )
    ends = rng.integers(0, N, (6 * N, 2))
    ends = ends[(ends[:, 0] != ends[:, 1]) & ((labels[ends[:, 0]] == labels[ends[:, 1]]) | (rng.random(6 * N) < 0.2))]
    return ffbm.as_network(ends, table), labels


@pytest.fixture(scope="module")
def given():
    net, labels = made_network()
    design = make_design(net.features, intercept=True)
    folds = [Fold(rows, np.eye(3)[labels]) for rows in fold_rows(N, 3, np.random.default_rng(1))]
    return net, labels, design, folds


def full(given, config, **options):
    _, labels, design, _ = given
    prior = {"weight_prior": "learned"} if config.weight_prior == "learned" else {"sigma": config.sigma}
    return sample_weights(design, labels, intercept=True, seed=1, **prior, **options)


@pytest.fixture(scope="module")
def bits(given):
    net, _, design, folds = given
    weights = full(given, LEARNED, n_draws=300, n_warmup=200)
    return column_bits(net, LEARNED, design, weights, folds, 1, QUIET)


@pytest.mark.parametrize("config", [LEARNED, FIXED], ids=["learned", "fixed"])
def test_a_refit_predicts_what_a_long_run_does(given, config):
    """Mean squared weights differ by chance alone, and held-out probabilities by about a hundredth."""
    _, labels, design, folds = given
    weights = full(
        given, config, n_draws=200, n_warmup=200, n_chains=1, **({"n_sweeps": 0} if config is LEARNED else {})
    )
    rows, part = folds[0].rows, design.take(np.flatnonzero([c in ("team", "age") for c in design.columns[:-1]]))
    trace = Refit(config, design, weights)(part, labels, rows, np.random.default_rng(3))
    prior = {"weight_prior": "learned", "n_sweeps": 0} if config is LEARNED else {"sigma": 0.7}
    long = sample_weights(part, labels, rows, intercept=True, n_draws=4000, n_warmup=500, n_chains=1, seed=2, **prior)
    assert trace.weights.shape == (1, N_DRAWS, 3, 5)
    assert trace.names == long.names
    np.testing.assert_allclose(predict(trace, part), predict(long, part), atol=0.04)
    assert np.abs(predict(trace, part) - predict(long, part)).mean() < 0.01
    centred, known = trace.centred[0], long.centred[0]
    error = known.std(axis=0) / np.sqrt(N_DRAWS / 5)
    assert (np.abs(centred.mean(axis=0) - known.mean(axis=0)) < 4.5 * error).all()
    assert 0.8 < (centred.std(axis=0) / known.std(axis=0)).mean() < 1.2


def test_bits_are_those_of_the_definition(given, bits):
    """Over each fold: y log2 p / q of the test vertices, p from a long chain on the training vertices."""
    _, labels, design, folds = given
    y = np.eye(3)[labels]
    gains = {}
    for name, columns in {
        "alone": ("team",),
        "all": ("team", "club", "coin", "age"),
        "rest": ("club", "coin", "age"),
    }.items():
        part = design.take(np.flatnonzero([c in columns for c in design.columns[:-1]]))
        each = []
        for fold in folds:
            trace = sample_weights(
                part, labels, fold.rows, weight_prior="learned", n_sweeps=0, n_draws=1500, n_chains=1, seed=5
            )
            p = predict(trace, part)[fold.held_out]
            rate = base_rate(y[fold.rows])[0]
            each.append((y[fold.held_out] * np.log2(p / rate)).sum(axis=1))
        gains[name] = np.concatenate(each)
    g = bits.names.index("team")
    unique = gains["all"] - gains["rest"]
    for value, error, known in (
        (bits.alone[g], bits.alone_se[g], gains["alone"]),
        (bits.whole, bits.whole_se, gains["all"]),
        (bits.unique[g], bits.unique_se[g], unique),
    ):
        assert value == pytest.approx(known.mean(), abs=0.03)
        assert 0.95 < error / (known.std(ddof=1) / np.sqrt(N)) < 1.3  # that folds share vertices makes it larger
    assert bits.needed == pytest.approx(np.log2(3), abs=0.02)
    assert bits.n_vertices == N


def test_the_error_counts_what_vertices_do_to_the_weights_of_others():
    """Bits of a column of noise are s_i times the mean s of others, in ten directions; plain errors are too small."""
    rng = np.random.default_rng(2)
    own = np.arange(200) % 5
    z, plain = [], []
    for _ in range(400):
        s = rng.normal(size=(200, 10))
        w = np.array([s[own != fold].mean(axis=0) for fold in range(5)])
        mean, error = mean_and_error(w @ s.T, own, 5)
        z.append(mean / error)  # it explains nothing of fresh vertices, whatever w
        there = (w[own] * s).sum(axis=1)
        plain.append(mean / (there.std(ddof=1) / np.sqrt(200)))
    assert 0.9 < np.std(z) < 1.1
    assert np.std(plain) > 1.3


def test_what_was_planted_is_found(bits):
    names = bits.names
    assert names == ("team", "club", "coin", "age")
    alone = dict(zip(names, bits.alone / bits.alone_se, strict=True))
    unique = dict(zip(names, bits.unique / bits.unique_se, strict=True))
    assert min(alone[name] for name in ("team", "club", "age")) > 4 > 2 > alone["coin"]
    assert unique["age"] > 2 > max(unique["club"], unique["coin"])
    shared = {frozenset((names[pair.first], names[pair.second])): pair for pair in bits.shared}
    same = shared[frozenset(("team", "club"))]
    assert same.bits > 4 * same.error
    assert same.bits > 0.7 * bits.alone[names.index("club")]
    assert (bits.p_adjacency[[0, 1, 3]] < 0.01).all()
    assert bits.p_adjacency[2] > 0.01


@pytest.mark.parametrize(("workers", "threads"), [(None, 3), (2, 2)])
def test_columns_are_measured_by_as_many_threads_as_asked_for(given, monkeypatch, workers, threads):
    net, _, design, folds = given
    heard = []
    monkeypatch.setattr(contributions, "column_bits", lambda *of: of[6])
    context = contributions.make_measure_on(net, FitConfig(), design, None, folds, 1, threads=3)(heard.append, workers)
    context.tell("progress")
    assert (context.workers, heard) == (threads, ["progress"])


def test_an_answer_does_not_depend_on_workers_or_on_what_else_is_asked(given, bits):
    net, _, design, folds = given
    weights = full(given, LEARNED, n_draws=300, n_warmup=200)
    config = FitConfig(weight_prior="learned", columns=1)
    few = column_bits(net, config, design, weights, folds, 1, RunContext(2))
    np.testing.assert_array_equal(few.alone, bits.alone)
    assert few.n_tested == 1
    tested = int(np.flatnonzero(np.isfinite(few.unique))[0])
    assert tested == int(weights.selected.probability.argmax())
    assert few.unique[tested] == bits.unique[tested]


def test_groups_of_columns_are_one(given):
    net, _, design, folds = given
    config = FitConfig(weight_prior="learned", column_groups={"both": ["team", "club"]})
    groups = {"column_groups": config.column_groups}
    weights = full(given, LEARNED, n_draws=100, n_warmup=100, n_chains=1, **groups)
    found = column_bits(net, config, design, weights, folds[:1], 1, QUIET)
    assert found.names == ("both", "coin", "age")
    assert found.n_folds == 1
    assert found.n_vertices == N // 3
    assert found.alone[0] > 4 * found.alone_se[0]
    assert found.p_adjacency[0] < 0.01


def test_p_values_are_those_of_the_permutation_test(given):
    net = given[0]
    table = ffbm.permutation_test(net, seed=7, blocks=None).set_index("column")
    columns = list(net.features.column_names)
    found, n_permutations = quick_p_values(net, [[name] for name in columns], 7, QUIET)
    assert n_permutations == 1000
    np.testing.assert_array_equal(found, table.loc[columns, ["p_adjacency", "p_degrees"]])


def test_pairs_are_bounded(given, monkeypatch):
    _, _, design, _ = given
    from ffbm.theta.columns import group_columns

    groups, ones = group_columns(design), np.ones(4)
    assert contributions._pairs(design, groups, ones, 0.1 * ones)[0] == (0, 1)
    assert contributions._pairs(design, groups, ones, ones) == []
    monkeypatch.setattr(contributions, "MOST_PAIRS", 1)
    assert contributions._pairs(design, groups, ones, 0.1 * ones) == [(0, 1)]
    assert MOST_PAIRS == 15


def test_one_block_or_nothing_held_out_tests_nothing(given):
    net, labels, design, _ = given
    weights = full(given, LEARNED, n_draws=20, n_warmup=20, n_chains=1)
    everyone = [Fold(np.arange(N), np.eye(3)[labels])]
    found = column_bits(net, LEARNED, design, weights, everyone, 1, QUIET)
    assert np.isnan([*found.alone, *found.unique, found.whole]).all()
    assert np.isfinite(found.p_adjacency).all()
