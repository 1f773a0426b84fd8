"""``ffbm.evidence``: what it returns, and what it refuses."""

import json
import math
from dataclasses import replace
from fnmatch import fnmatch
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.config import FitConfig
from ffbm.diagnostics import Verdict
from ffbm.errors import ConvergenceWarning, DataError, FFBMError, OptionError
from ffbm.joint.path import PathDraws
from ffbm.pipeline import evidence as stage
from ffbm.pipeline.estimate import estimate_evidence
from ffbm.results.bayes_factor import weigh
from ffbm.run_options import RunOptions
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.verification.evidence import exact_evidence


@pytest.fixture(scope="module")
def net():
    """Two teams that keep to themselves, and a coin."""
    made = ffbm.simulate(labels=np.repeat([0, 1], 12), features=1, n_edges=100, contrast=8, seed=2)
    team, coin = np.repeat([0.0, 1.0], 12), np.random.default_rng(1).integers(0, 2, 24)
    return ffbm.as_network(made.network.graph.edges, np.column_stack((team, coin)))


@pytest.fixture(scope="module")
def found(net):
    return ffbm.evidence(net, 2, sigma=2.0, error=0.5, n_chains=2, seed=3, workers=1, progress=False)


def test_what_is_returned(found, net):
    assert found.nats > 3
    assert 0 < found.error < 0.6
    assert found.converged.is_usable
    assert found.stepping_stone == pytest.approx(found.nats, abs=4 * found.error)
    assert found.columns == net.features.column_names
    assert found.beside == ()
    curve = found.curve
    assert curve.columns.tolist() == ["t", "sigma", "slope", "slope_error", "nats", "error"]
    assert curve["nats"].iloc[-1] == found.nats
    assert curve["error"].iloc[-1] == found.error
    np.testing.assert_allclose(curve["sigma"], 2 * curve["t"])
    assert f"{found.nats:.{2 if found.error < 0.2 else 1}f} nats" in str(found)
    assert "more likely" in found.sentence()
    assert "evidence for them" in found.sentence()
    told = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert told["nats"] == found.nats
    assert told["convergence"]["grade"] == found.converged.grade
    assert len(told["curve"]["t"]) == told["settings"]["n_values"]
    axes = found.plot(title="teams").axes[0]
    assert axes.get_xlabel().startswith("prior standard deviation")
    np.testing.assert_allclose(axes.lines[1].get_ydata()[1:], curve["nats"])


def test_the_same_seed_gives_the_same_on_any_number_of_workers(net, monkeypatch):
    monkeypatch.setattr(stage, "FIRST", 20)
    monkeypatch.setattr(stage, "BURN", 10)
    monkeypatch.setattr(stage, "SHARE", 100.0)
    monkeypatch.setattr(stage, "MOST", 8)
    stage_run = [stage.find_evidence(_subject(net), 1e9, 2, 1, math.inf, _context(workers))[0] for workers in (1, 2)]
    np.testing.assert_array_equal(stage_run[0].slope, stage_run[1].slope)


def test_a_column_beside_the_others(net):
    name = net.features.column_names[1]
    found = ffbm.evidence(net, 2, name, sigma={name: 1.0}, error=0.5, n_chains=2, seed=3, workers=1, progress=False)
    assert found.columns == (name,)
    assert found.beside == (net.features.column_names[0],)
    assert "sigma" not in found.curve
    assert found.nats < 1
    assert f"given {found.beside[0]}" in found.sentence()


@pytest.mark.parametrize("intercept_sd", [INTERCEPT_SD, 4.0])
def test_the_intercept_that_is_asked_for_is_that_of_both_models(intercept_sd):
    """The exact values are 0.74 and 0.24 nats."""
    pairs = [[0, 1], [0, 2], [1, 2], [2, 3], [3, 4], [3, 5], [4, 5], [1, 0], [4, 3]]
    x = np.array([[1, -1.2], [1, -0.7], [1, -0.3], [0, 0.1], [0, 0.4], [0, 1.6]])
    net = ffbm.as_network(pairs, x, directed=False)
    exact = exact_evidence(net.graph, net.features.values, 2.0, intercept_sd)
    more = {"error": 0.03, "max_minutes": 60, "n_chains": 2, "seed": 1, "workers": 1, "progress": False}
    found = ffbm.evidence(net, 2, sigma=2.0, intercept_sd=intercept_sd, **more)
    assert found.converged
    assert found.nats == pytest.approx(exact, abs=0.1)


def test_the_learned_prior_and_columns_in_groups(net):
    one, other = net.features.column_names
    given = {"weight_prior": "learned", "column_groups": {"the coin": [other]}, "progress": False}
    with pytest.warns(ConvergenceWarning):
        found = ffbm.evidence(net, 2, "the coin", max_minutes=1e-6, workers=1, **given)
    assert found.columns == ("the coin",)
    assert found.beside == (one,)
    assert "sigma" not in found.curve
    assert (found.settings["weight_prior"], found.settings["sigma"]) == ("learned", None)
    with pytest.raises(OptionError, match="columns= must name columns"):
        ffbm.evidence(net, 2, other, **given)


@pytest.mark.slow
def test_under_the_learned_prior_a_coin_is_charged_for_less(net):
    """It may be out."""
    coin = net.features.column_names[1]
    options = {"error": 0.1, "n_chains": 2, "seed": 3, "workers": 1, "progress": False}
    learned, fixed = (ffbm.evidence(net, 2, coin, prior, **options) for prior in ("learned", "fixed"))
    assert fixed.nats < learned.nats < 0.5


def test_nothing_can_be_said_with_one_block(net):
    found = ffbm.evidence(net, 1, progress=False)
    assert (found.nats, found.error, found.converged.grade) == (0.0, 0.0, "converged")
    assert found.sentence() == "There is no evidence on the 2 attributes, in a model with 1 block: there is one block."


def test_the_value_is_withheld_where_chains_do_not_converge(net):
    with pytest.warns(ConvergenceWarning, match="withheld"):
        found = ffbm.evidence(net, 2, max_minutes=1e-6, workers=1, progress=False)
    assert found.nats is None
    assert found.error is None
    assert found.stepping_stone is None
    assert found.curve["nats"].isna().all()
    assert "Whether the 2 attributes predict the network" in found.sentence()
    assert "is not known" in found.sentence()
    assert "max_minutes=" in found.converged.command
    assert found.to_dict()["nats"] is None
    with pytest.raises(DataError, match="no evidence to draw"):
        found.plot()


def test_the_sigma_of_a_fit_may_end_with_that_of_the_intercept(net, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "ffbm.results.bayes_factor.find_evidence",
        lambda *given: (asked.append(given[0]), (stage.no_evidence(""), 0))[1],
    )
    n_features = len(net.features.names)
    for sigma, scale in ((2.0, [2.0] * n_features + [1.28]), ([0.5, 2.0, 3.0], [0.5, 2.0, 3.0])):
        config = FitConfig(weight_prior="fixed", sigma=sigma, intercept=True)
        fitted = SimpleNamespace(config=config, network=net, blocks=SimpleNamespace(n_blocks=2))
        weigh(fitted, 1.0, RunOptions(), progress=False)
        np.testing.assert_array_equal(asked[-1].scale, scale)


@pytest.mark.parametrize(
    ("apart", "steps", "grade", "reason"),
    [
        (0.0, 1.0, "converged", "R-hat of the evidence is at most"),
        (9.0, 1.0, "multimodal", "each of 4 ladders keeps to an integral of its own, 0.* to 27.* nats"),
        (0.0, 0.02, "too short", "R-hat of the evidence"),  # each wanders slowly: it does not know its own
    ],
)
def test_ladders_that_know_different_integrals_hold_different_blocks(apart, steps, grade, reason):
    rng = np.random.default_rng(4)
    noise = rng.normal(size=(4, 400))
    integral = (noise if steps == 1.0 else steps * noise.cumsum(axis=1)) + apart * np.arange(4)[:, np.newaxis]
    draws = PathDraws(*rng.normal(size=(4, 4, 400, 2)))
    judged = stage._judge(draws, integral)
    assert judged.grade == grade
    assert fnmatch(judged.reason, f"{reason}*")


def test_where_ladders_hold_different_blocks_another_number_of_blocks_is_proposed(net, monkeypatch):
    multimodal = replace(stage.no_evidence(""), verdict=Verdict("multimodal", "ladders hold different blocks"))
    monkeypatch.setattr("ffbm.results.bayes_factor.find_evidence", lambda *_: (multimodal, 0))
    with pytest.warns(ConvergenceWarning, match=r"withheld.*go on with ffbm\.fit\(net\)"):
        found = ffbm.evidence(net, 2, workers=1, progress=False)
    assert found.nats is None
    assert "ladders hold different blocks" in found.sentence()


def test_the_cost_is_said_beforehand(net, caplog):
    caplog.set_level("INFO", "ffbm")
    with pytest.warns(ConvergenceWarning):
        ffbm.evidence(net, 2, max_minutes=1e-6, workers=1, progress=False)
    assert "the evidence takes about" in caplog.text
    low, high = estimate_evidence(net, 2, 4, 2)
    assert low < high < estimate_evidence(net, 2, 4, 1)[1]
    assert low < estimate_evidence(net, 2, 4, 2, learned=True)[0]


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_blocks": "auto"}, OptionError, "n_blocks must be a number"),
        ({"n_blocks": 0}, OptionError, "n_blocks"),
        ({"columns": "teem"}, OptionError, "columns= must name columns of the network; got 'teem'"),
        ({"columns": []}, OptionError, "columns= must be a column name"),
        ({"columns": 3}, OptionError, "columns= must be a column name"),
        ({"weight_prior": "learned", "sigma": 2.0}, OptionError, "sigma is of weight_prior="),
        ({"column_groups": {"both": ["0", "1"]}}, OptionError, 'column_groups are for weight_prior="learned"'),
        ({"weight_prior": "lasso"}, OptionError, "weight_prior must be one of"),
        ({"sigma": 0}, OptionError, "sigma"),
        ({"intercept": 3}, OptionError, "intercept"),
        ({"intercept_sd": -1}, OptionError, "intercept_sd"),
        ({"error": 0}, OptionError, "error"),
        ({"max_minutes": 0}, OptionError, "max_minutes"),
        ({"n_chains": 1}, OptionError, "n_chains"),
        ({"degree_corrected": 2}, OptionError, "degree_corrected"),
        ({"net": [[0, 1]]}, OptionError, "net must be a Network"),
        ({"net": ffbm.as_network([[0, 1]])}, DataError, "must have a column"),
    ],
)
def test_what_is_refused(net, options, error, message):
    with pytest.raises(error, match=message):
        ffbm.evidence(**{"net": net, "n_blocks": 2, "progress": False, **options})


@pytest.mark.parametrize("columns", [None, "same"])
def test_a_column_that_was_not_read_is_refused_with_the_reason(columns):
    """It is no mystery to whoever gave it."""
    table = {"same": np.ones(3)} if columns is None else {"same": np.ones(3), "age": [1.0, 2.0, 4.0]}
    read = ffbm.as_network([[0, 1], [1, 2]], pd.DataFrame(table))
    with pytest.raises(FFBMError, match="column 'same' left out: it is 1 on every vertex") as error:
        ffbm.evidence(read, 2, columns)
    assert "\n" not in str(error.value)


def _subject(net):
    from ffbm.results.bayes_factor import _subject

    return _subject(net, 2, None, "fixed", 1.0, True, 1.28, None, True)


def _context(workers):
    from ffbm.pipeline.context import RunContext

    return RunContext(workers)
