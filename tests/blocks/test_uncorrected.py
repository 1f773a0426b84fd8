"""The SBM without degree correction: exact values, a law, chains that follow it, and errors that say what is wrong."""

import json

import numpy as np
import pytest

import ffbm
from ffbm.blocks.entropy import description_length
from ffbm.errors import OptionError
from ffbm.pipeline.joint import sample_joint
from ffbm.types import Graph
from ffbm.verification.generation import model_law


@pytest.fixture(scope="module")
def stars():
    """Two stars of five leaves whose centres are linked: degrees tell centres from leaves, and nothing else does."""
    edges = [(0, leaf) for leaf in range(2, 7)] + [(1, leaf) for leaf in range(7, 12)] + [(0, 1)] * 3
    return ffbm.as_network(np.array(edges), np.eye(12)[:, :2])


def test_reference_values(shared):
    held = json.loads((shared / "reference" / "likelihoods.json").read_text())
    wanted = {"degree_corrected": False, "directed": False, "model": "flat"}
    cases = [case for case in held["cases"] if all(case[name] == value for name, value in wanted.items())]
    assert len(cases) >= 2
    for case in cases:
        given = held["graphs"][case["graph"]]
        graph = Graph.from_edges(*np.array(given["edges"]).T, given["n_nodes"])
        ours = description_length(graph, case["labels"], prior="full", degree_corrected=False)
        for part in ("adjacency", "edge_counts", "partition", "total"):
            assert getattr(ours, part) == pytest.approx(case["exact_nats"][part], abs=1e-6), (case["case"], part)
        assert ours.degrees == 0


def test_by_hand():
    """Two vertices in one block, one edge: of four ends, two make the edge between them."""
    graph = Graph.from_edges([0], [1], 2)
    assert np.exp(-description_length(graph, [0, 0], degree_corrected=False).without_partition) == pytest.approx(1 / 2)


@pytest.mark.parametrize("labels", [(0, 0, 1), (0, 1, 2), (1, 1, 4), (0, 0, 0)])
@pytest.mark.parametrize("n_edges", [1, 2, 3])
def test_the_law_of_multigraphs_sums_to_one(labels, n_edges):
    assert sum(model_law(labels, n_edges, degree_corrected=False).values()) == pytest.approx(1, abs=1e-12)


def test_chains_carry_its_description_length(stars):
    for n_blocks in (2, "auto", "free"):
        trace = ffbm.sample_blocks(stars, n_blocks, n_sweeps=100, n_chains=2, degree_corrected=False, progress=False)
        assert trace.settings["degree_corrected"] is False
        for labels, s in zip(trace.labels.reshape(-1, 12), trace.entropy.ravel(), strict=True):
            truth = ffbm.description_length(stars, labels, degree_corrected=False).without_partition
            assert s == pytest.approx(truth, abs=1e-8)


@pytest.mark.slow
def test_without_correction_degrees_make_blocks():
    """One planted block whose degrees have a long tail."""
    graph = ffbm.simulate(300, 1, 1500, degree_exponent=2.1, seed=1).network.graph
    numbers = [
        ffbm.sample_blocks(graph, "auto", n_sweeps=20, n_chains=1, degree_corrected=corrected, progress=False).n_blocks
        for corrected in (True, False)
    ]
    assert numbers[0] == 1 < numbers[1]


@pytest.mark.slow  # compiles the joint chain with this likelihood
def test_the_joint_chain_carries_it_too(stars):
    draws = sample_joint(stars, 3, n_sweeps=60, n_warmup=20, n_chains=1, degree_corrected=False)
    for labels, s in zip(draws.blocks.labels[0], draws.blocks.entropy[0], strict=True):
        truth = ffbm.description_length(stars, labels, degree_corrected=False).without_partition
        assert s == pytest.approx(truth, abs=1e-8)


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
@pytest.mark.slow
@pytest.mark.parametrize("target", ["cut", "joint"])
def test_a_fit_says_and_saves_it(stars, target, tmp_path):
    options = {"n_sweeps": 60, "n_draws": 40, "n_warmup": 30, "n_chains": 2, "seed": 1, "progress": False}
    fit = ffbm.fit(stars, 2, target=target, degree_corrected=False, out=tmp_path / "run", **options)
    assert "without degree correction" in fit.summary()
    again = ffbm.load_fit(tmp_path / "run")
    assert again.config.degree_corrected is False
    assert np.array_equal(again.blocks.entropy, fit.blocks.entropy)
    with pytest.raises(OptionError, match="degree_corrected was False and is True"):
        ffbm.fit(stars, 2, target=target, out=tmp_path / "run", resume=True, **options)


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_given_blocks_are_measured_by_it(stars):
    labels = np.repeat([0, 1], [2, 10])
    fit = ffbm.fit(stars, blocks=labels, degree_corrected=False, n_draws=40, n_warmup=30, n_chains=2, progress=False)
    truth = ffbm.description_length(stars, labels, degree_corrected=False).without_partition
    assert fit.blocks.entropy == pytest.approx(truth)
    with pytest.raises(OptionError, match="sampled with degree_corrected=False"):
        ffbm.fit(stars, blocks=fit.blocks, n_draws=40, progress=False)


def test_simulated_degrees_are_alike():
    made = ffbm.simulate(400, 1, 4000, exact=True, degree_corrected=False, seed=1)
    degrees = made.network.graph.degrees
    assert degrees.var() == pytest.approx(degrees.mean(), rel=0.25)  # half-edges thrown at random
    assert made.settings["degree_corrected"] is False
    spread = ffbm.simulate(400, 1, 4000, exact=True, seed=1).network.graph.degrees
    assert spread.var() > 5 * degrees.var()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda net: ffbm.sample_blocks(net, 2, degree_corrected="no"), "degree_corrected must be True or False"),
        (lambda net: ffbm.description_length(net, [0] * 12, degree_corrected=1), "degree_corrected must be True or"),
        (lambda net: ffbm.fit(net, 2, degree_corrected=None), "degree_corrected must be True or False; got None"),
        (lambda net: ffbm.simulate(degree_corrected=False), "degree_corrected=False is for exact=True"),
        (lambda net: sample_joint(net, 2, degree_corrected=0), "degree_corrected must be True or False; got 0"),
    ],
)
def test_errors(stars, call, message):
    with pytest.raises(OptionError, match=message):
        call(stars)
