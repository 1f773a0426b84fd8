"""The evidence against exact values of tiny networks, and faults planted in it."""

import inspect
import json
from functools import partial
from itertools import combinations_with_replacement
from types import ModuleType

import numpy as np
import pytest

from ffbm.blocks import exchange
from ffbm.blocks.entropy import description_length
from ffbm.joint import branch, path, quadrature
from ffbm.joint.exchange import take_over
from ffbm.joint.quadrature import first_points, rule_weights
from ffbm.simulation import simulate
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.types import Graph
from ffbm.verification import evidence as checks
from ffbm.verification.enumeration import graph_of
from ffbm.verification.evidence import exact_evidence, meet_the_truth, sampled_evidence
from ffbm.verification.findings import Effort


def planted(module, right, wrong):
    """Return a module with a fault in its source."""
    source, faulty = inspect.getsource(module), ModuleType(module.__name__)
    assert source.count(right) == 1
    exec(source.replace(right, wrong), faulty.__dict__)
    return faulty


EFFORT = Effort(False, 0, lambda function, items: [function(item) for item in items])


@pytest.fixture(scope="module")
def cases(shared):
    """The reference: graph, features and exact values."""
    found = json.loads((shared / "reference" / "evidence.json").read_text())["cases"]
    return [
        (Graph.from_edges(*np.array(case["edges"]).T, case["n_vertices"]), np.array(case["X"], dtype=float), case)
        for case in found
    ]


def reference(case, sigma, intercept):
    return case[f"log_bf_features_beside_intercept_sigma_{sigma}" if intercept else f"log_bf_sigma_{sigma}"]


def test_the_exact_evidence_is_that_of_the_reference(cases):
    for graph, x, case in cases[:1]:
        for sigma in (1, 2):
            assert exact_evidence(graph, x, sigma) == pytest.approx(reference(case, sigma, False), abs=1e-4)
            beside = exact_evidence(graph, x, sigma, INTERCEPT_SD)
            assert beside == pytest.approx(reference(case, sigma, True), abs=1e-4)


@pytest.fixture(scope="module")
def slopes(cases):
    """Exact slopes along the path of the first case, sigma 2 and no intercept, at 8 values of t."""
    (graph, x, _), tiny = cases[0], 1e-4
    return [
        (exact_evidence(graph, x, 2 * t * (1 + tiny)) - exact_evidence(graph, x, 2 * t * (1 - tiny))) / (2 * tiny * t)
        for t in first_points(8)
    ]


def test_the_rule_is_exact_enough_on_exact_slopes(cases, slopes):
    t = first_points(8)
    assert rule_weights(t)[-1] @ slopes == pytest.approx(cases[0][2]["log_bf_sigma_2"], abs=1e-3)
    faulty = planted(quadrature, "unit).anti", "unit[:, ::-1]).anti")  # the weights of other values of t
    assert abs(faulty.rule_weights(t)[-1] @ slopes - cases[0][2]["log_bf_sigma_2"]) > 0.01


def test_a_short_run_meets_the_truth():
    found = meet_the_truth(EFFORT)
    assert found.passed
    assert found.details["nats"] == pytest.approx(found.details["stepping_stone"], abs=0.05)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("intercept", [False, True])
def test_the_reference_to_two_hundredths_of_a_nat(cases, number, intercept):
    """A run with sigma 2 is also one with sigma 1: the path goes through it, at t = 1/2."""
    graph, x, case = cases[number]
    found = sampled_evidence(graph, x, 2.0, intercept, 8000, seed=5)
    assert found.nats[-1] == pytest.approx(reference(case, 2, intercept), abs=0.02)
    assert found.stones == pytest.approx(reference(case, 2, intercept), abs=0.02)
    u = np.append(0.0, np.sqrt(found.t))
    half = np.polynomial.Polynomial.fit(u, np.append(0.0, found.nats), len(found.t))(np.sqrt(0.5))
    assert half == pytest.approx(reference(case, 1, intercept), abs=0.02)


@pytest.mark.slow
@pytest.mark.parametrize("n_still", [0, 1])
def test_the_learned_prior_to_two_hundredths_of_a_nat(n_still):
    """Both columns, and the flag beside the number."""
    graph, x = graph_of(checks._EDGES, 7), np.array(checks._FLAG_AND_NUMBER)
    moving, still = x[:, : 2 - n_still], x[:, 2 - n_still :]
    exact = exact_evidence(graph, moving, None, INTERCEPT_SD, still)
    found = sampled_evidence(graph, x, None, True, 8000, seed=5, n_still=n_still)
    assert found.nats[-1] == pytest.approx(exact, abs=0.02)
    assert found.stones == pytest.approx(exact, abs=0.02)


FAULTS = {
    "": ("gap: int = 3", "gap: int = 3"),
    "the gradient without the features' expected part": ("z * (y - expected)", "z * (y - 0.0 * expected)"),
    "the intercept multiplied by t": ("np.where(moving, at, 1.0)", "np.full(len(moving), at)"),
}


TRIANGLES = Graph.from_edges([0, 1, 0, 3, 4, 3], [1, 2, 2, 4, 5, 5], 6), 4.0 * np.repeat([[1.0], [-1.0]], 3, axis=0)


@pytest.mark.parametrize("name", FAULTS)
def test_planted_faults_are_caught(name, monkeypatch):
    put_in(monkeypatch, planted(path, *FAULTS[name]))
    exact = exact_evidence(*TRIANGLES, 2.0, INTERCEPT_SD)
    found = sampled_evidence(*TRIANGLES, 2.0, True, 200, seed=1)
    off = max(abs(found.nats[-1] - exact), abs(found.stones - exact))
    assert (off > 0.4) == (name != "")


@pytest.mark.parametrize("limit", ["up[k] + down[k + 1]", "np.inf"])
def test_an_exchange_whatever_its_ratio_is_caught(limit, monkeypatch):
    """With hot chains; one sweep in a step leaves chains less time to forget what a wrong exchange made of them."""
    faulty = planted(exchange, "< up[k] + down[k + 1]", f"< {limit}")
    monkeypatch.setattr(path, "exchange", lambda *given: faulty.exchange(*given, take_over))
    monkeypatch.setattr(checks, "make_path", partial(path.make_path, gap=1))
    assert (off_by(400) > 0.4) == (limit == "np.inf")


@pytest.fixture
def hot_everywhere(monkeypatch):
    """A chain at every t that hardly sees the network, so that what is wrong with hot chains shows."""
    monkeypatch.setattr(checks, "_HOT", np.array([0.02]))
    monkeypatch.setattr(checks, "_BRANCHING", range(8))


def off_by(n_steps):
    exact = exact_evidence(*TRIANGLES, 2.0, INTERCEPT_SD)
    found = sampled_evidence(*TRIANGLES, 2.0, True, n_steps, seed=1)
    return max(abs(found.nats[-1] - exact), abs(found.stones - exact))


@pytest.mark.usefixtures("hot_everywhere")
def test_hot_draws_in_the_integral_are_caught(monkeypatch):
    right, wrong = "enumerate(state.chains)]", "enumerate([its.chains[0] for its in state.branches])]"
    put_in(monkeypatch, planted(path, right, wrong))
    assert off_by(100) > 0.4


@pytest.mark.usefixtures("hot_everywhere")
@pytest.mark.parametrize("energy", ["energy", "0.0 * energy", pytest.param("-energy", marks=pytest.mark.slow)])
def test_faults_in_exchanges_with_hot_chains_are_caught(energy, monkeypatch):
    monkeypatch.setattr(
        path, "exchange_with", planted(branch, "setup.betas, energy", f"setup.betas, {energy}").exchange_with
    )
    assert (off_by(100) > 0.4) == (energy != "energy")


def put_in(monkeypatch, faulty):
    for part in ("make_path", "start", "advance"):
        monkeypatch.setattr(checks, part, getattr(faulty, part))


OF_TAILS = {
    "": ("gap: int = 3", "gap: int = 3"),
    "the derivative without the tails'": ("seen[0] + tails_slope(t, freedom, square)", "seen[0]"),
    "exchanges without the tails": (", seen[1] + down - here, seen[2] + up - here", ", seen[1], seen[2]"),
    "the tails of t = 1 everywhere": ("tails.degrees(at, groups.degrees)", "groups.degrees"),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", OF_TAILS)
def test_planted_faults_in_the_tails_are_caught(name, monkeypatch):
    put_in(monkeypatch, planted(path, *OF_TAILS[name]))
    graph, x = Graph.from_edges(*np.tile(TRIANGLES[0].edges, (3, 1)).T, 6), TRIANGLES[1] / 8  # weights must be large
    exact = exact_evidence(graph, x, None, INTERCEPT_SD)
    found = sampled_evidence(graph, x, None, True, 1000, seed=1)
    off = max(abs(found.nats[-1] - exact), abs(found.stones - exact))
    assert (off > 3 * found.error[-1]) == (name != "")


def graphs(n_nodes, n_edges):
    """All multigraphs with so many vertices and edges."""
    pairs = list(combinations_with_replacement(range(n_nodes), 2))
    for edges in combinations_with_replacement(pairs, n_edges):
        yield Graph.from_edges(*np.array(edges).T, n_nodes)


def log_p_null(graph, intercept_sd):
    """ln p(A) of the model with intercepts only."""
    from scipy.special import logsumexp

    states = np.array(np.meshgrid(*[[0, 1]] * graph.n_nodes)).reshape(graph.n_nodes, -1).T
    log_b = checks._log_labels(states, np.zeros((graph.n_nodes, 0)), 1.0, intercept_sd)
    return logsumexp(log_b - [description_length(graph, b).without_partition for b in states])


X_FOUR = np.array([[1.0], [1.0], [0.0], [-1.0]])


@pytest.mark.parametrize("sigma", [2.0, None])
def test_the_mean_of_the_exponential_is_1_under_the_null(sigma):
    """E[p(A|X) / p(A)] over networks drawn from p(A) is the sum of p(A|X): 1."""
    total, mean = 0.0, 0.0
    for graph in graphs(4, 2):
        p = np.exp(log_p_null(graph, INTERCEPT_SD))
        total += p
        mean += p * np.exp(exact_evidence(graph, X_FOUR, sigma, INTERCEPT_SD))
    assert total == pytest.approx(1, abs=1e-9)
    assert mean == pytest.approx(1, abs=1e-9)


@pytest.mark.slow
def test_the_mean_of_the_exponential_is_1_under_the_null_by_chains():
    """The same with the evidence of chains, on all networks of 4 vertices and 2 edges, each with its probability."""
    p = np.array([np.exp(log_p_null(graph, INTERCEPT_SD)) for graph in graphs(4, 2)])
    runs = [sampled_evidence(graph, X_FOUR, 2.0, True, 40, seed=number) for number, graph in enumerate(graphs(4, 2))]
    ratio, error = np.exp([run.nats[-1] for run in runs]), np.array([run.error[-1] for run in runs])
    assert p @ ratio == pytest.approx(1, abs=4 * float(np.sqrt(np.sum((p * ratio * error) ** 2))) + 0.005)


def test_noise_speaks_against_itself_on_average_exactly():
    """Numbers that have nothing to do with networks of eight vertices, all of their labels enumerated."""
    rng = np.random.default_rng(1)
    nats = [
        exact_evidence(simulate(8, 2, 20, features=1, seed=seed).network.graph, rng.standard_normal((8, 1)), 2.0, 1.0)
        for seed in range(16)
    ]
    assert np.mean(nats) < -4 * np.std(nats, ddof=1) / np.sqrt(len(nats))


@pytest.mark.slow
def test_noise_speaks_against_itself_on_average():
    """Features that have nothing to do with the network have negative evidence, on average over networks."""
    rng, nats = np.random.default_rng(1), []
    for seed in range(100):
        made = simulate(30, 2, 90, features=1, seed=seed)
        x = rng.standard_normal((30, 2))
        nats.append(sampled_evidence(made.network.graph, x, 1.0, True, 60, seed=seed).nats[-1])
    assert np.mean(nats) < -2 * np.std(nats, ddof=1) / np.sqrt(len(nats))
