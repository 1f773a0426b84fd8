"""Weights of edges through a whole fit: what they add, what is kept of them, what is refused."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import ffbm
from ffbm.cli import app
from ffbm.errors import OptionError

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
SHORT = {"n_sweeps": 200, "n_warmup": 60, "n_draws": 80, "n_chains": 2, "seed": 1, "folds": 1, "workers": 1,
         "progress": False}  # fmt: skip
LAW = {"edge_weight_model": "poisson", "edge_weight_prior": {"a": 1.0, "b": 0.2}}


def made(**options):
    """Two halves that edges say nothing of, and weights all."""
    labels = np.repeat([0, 1], 20)
    features = np.column_stack((labels == 0, np.arange(40) % 2)).astype(float)
    return ffbm.simulate(labels=labels, features=features, n_edges=240, contrast=1, seed=4, **{**LAW, **options})


@pytest.fixture(scope="module")
def weighted():
    return ffbm.fit(made().network, **SHORT)


@pytest.mark.slow
def test_weights_make_the_blocks(weighted):
    assert weighted.memberships.n_blocks == 2
    halves = weighted.memberships.labels.reshape(2, 20).mean(axis=1)
    assert abs(halves[0] - halves[1]) >= 0.9  # all but a vertex or two
    plain = ffbm.fit(made().network, edge_weight=False, **SHORT)
    assert plain.memberships.n_blocks == 1
    told = ffbm.compare(weighted, plain)
    assert told.names == ("weighted", "unweighted")
    assert "description length" not in told.summary()


@pytest.mark.slow
def test_laws_of_the_same_weights_are_compared_on_one_measure():
    labels, net, prior = np.repeat([0, 1], 20), made().network, {"a": 1.0, "b": 1.0}
    models = {
        "poisson": {},
        "geometric": {"edge_weight_model": "geometric", "edge_weight_prior": prior},
        "microcanonical": {"edge_weight_prior": "microcanonical"},
        "normal": {"edge_weight_model": "normal", "edge_weight_prior": {"m0": 5.0, "k0": 1.0, "v0": 4.0, "nu0": 3.0}},
    }
    fits = {name: ffbm.fit(net, blocks=labels, **model, **SHORT) for name, model in models.items()}
    told = ffbm.compare(fits["poisson"], fits["geometric"])
    assert told.names == ("poisson", "geometric")
    assert "description length per vertex and edge" in told.summary()
    for name in ("microcanonical", "normal"):  # the sum of all weights is given, or densities are no chances
        assert "description length" not in ffbm.compare(fits["poisson"], fits[name]).summary()


@pytest.mark.slow
def test_carried_length_is_the_description_length(weighted):
    net = weighted.network
    for b, carried in zip(weighted.blocks.labels[0, ::10], weighted.blocks.entropy[0, ::10], strict=True):
        assert ffbm.description_length(net, b).without_partition == pytest.approx(carried, abs=1e-6)


@pytest.mark.slow
def test_summary_and_record_say_what_weights_are(weighted, tmp_path):
    assert "weighted edges" in weighted.summary()
    law = "edges weighted by 'weight', poisson with a = 1, b = 0.2"
    assert f"{law}\n" in weighted.summary()
    assert f"{law} (simulated)\n" in weighted.summary(verbose=True)
    weighted.save(tmp_path / "run")
    again = ffbm.load_fit(tmp_path / "run")
    assert again.network.fingerprint == weighted.network.fingerprint
    assert again.network.graph.weights.prior == LAW["edge_weight_prior"]
    assert again.provenance["network"]["edge_weight"]["model"] == "poisson"
    edges = list(weighted.to_networkx().edges(data="weight"))
    assert sorted(x for _, _, x in edges) == sorted(weighted.network.graph.weights.values)


@pytest.mark.slow
def test_what_looks_at_edges_alone(weighted):
    assert len(weighted.check(n_replicates=20).table) > 0
    assert np.isfinite(weighted.link_scores([("0", "1")])).all()
    table = ffbm.permutation_test(weighted.network, n_permutations=20, workers=1, progress=False)
    plain = ffbm.permutation_test(weighted.network.without_weights(), n_permutations=20, workers=1, progress=False)
    assert table.equals(plain)


@pytest.mark.slow
def test_directed_joint_tempered_and_resumed(tmp_path):
    net = made(directed=True).network
    parts = {**SHORT, "n_sweeps": 100, "n_blocks": 2}
    ffbm.fit(net, out=tmp_path / "run", **parts)
    longer = ffbm.fit(net, out=tmp_path / "run", resume=True, **{**parts, "n_sweeps": 200})
    straight = ffbm.fit(net, **{**parts, "n_sweeps": 200})
    assert np.array_equal(longer.blocks.best_labels, straight.blocks.best_labels)
    hot = ffbm.fit(net, tempering=[1.0, 0.5], **parts)
    assert hot.memberships.n_blocks == 2
    joint = ffbm.fit(net, target="joint", **parts)
    lengths = joint.blocks.entropy[0, -1], ffbm.description_length(net, joint.blocks.labels[0, -1]).without_partition
    assert lengths[0] == pytest.approx(lengths[1], abs=1e-6)


@pytest.mark.slow
def test_hierarchies_have_weights(tmp_path):
    net, parts = made().network, {**SHORT, "n_sweeps": 100, "hierarchy": True}
    ffbm.fit(net, out=tmp_path / "run", **parts)
    longer = ffbm.fit(net, out=tmp_path / "run", resume=True, **{**parts, "n_sweeps": 200})
    straight = ffbm.fit(net, **{**parts, "n_sweeps": 200})
    kept = straight.blocks.entropy.shape[1]  # fewer: the burn-in of a longer run is longer
    assert np.array_equal(longer.blocks.entropy[:, -kept:], straight.blocks.entropy)
    assert longer.memberships.n_blocks == 2  # edges say nothing of them
    halves = longer.memberships.labels.reshape(2, 20).mean(axis=1)
    assert abs(halves[0] - halves[1]) >= 0.9
    assert str(ffbm.load_fit(tmp_path / "run").tree) == str(longer.tree)
    flat = ffbm.description_length(net, longer.memberships.labels, prior="full")
    assert longer.tree.description_length < flat.total + np.log(2) + 5


def test_what_edge_weight_is():
    with pytest.raises(OptionError, match="edge_weight must be the name of a column, False or None"):
        ffbm.fit(made().network, edge_weight=3, **SHORT)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"edge_weight_model": "poisson", "edge_weight_prior": None}, "weights are drawn from a prior with numbers"),
        ({"edge_weight_model": None}, "name edge_weight_model= too"),
        ({"edge_weight_model": "gamma"}, "edge_weight_model must be"),
    ],
)
def test_simulations_refused(options, told):
    with pytest.raises(OptionError, match=told):
        made(**options)


@pytest.mark.parametrize(
    ("model", "prior"),
    [
        ("geometric", {"a": 3.0, "b": 2.0}),
        ("poisson", {"a": 2.0, "b": 0.5}),
        ("exponential", {"a": 3.0, "b": 2.0}),
        ("log-normal", {"m0": 1.0, "k0": 2.0, "v0": 0.2, "nu0": 5.0}),
        ("normal", {"m0": 1.0, "k0": 2.0, "v0": 0.2, "nu0": 5.0}),
    ],
)
def test_simulated_weights_are_likeliest_under_their_own_prior(model, prior, tmp_path):
    """The mean of ln P over draws is highest under the law they were drawn from (Gibbs' inequality)."""
    nets = [
        ffbm.simulate(30, 3, 90, exact=True, edge_weight_model=model, edge_weight_prior=prior, seed=seed)
        for seed in range(60)
    ]

    def cost(factor):
        numbers = {name: x * (factor if name in ("b", "v0") else 1.0) for name, x in prior.items()}
        return np.array([_length(one, model, numbers) for one in nets])

    own = cost(1.0)
    for factor in (0.4, 2.5):
        gap = cost(factor) - own
        assert gap.mean() > 3 * gap.std() / np.sqrt(len(gap))
    nets[0].save(tmp_path / "net")
    again = ffbm.read_network(
        tmp_path / "net" / "edges.csv", nodes=tmp_path / "net" / "nodes.csv", edge_weight="weight",
        edge_weight_model=model, edge_weight_prior=prior,
    )  # fmt: skip
    assert again.fingerprint == nets[0].network.fingerprint


def _length(one, model, prior):
    from dataclasses import replace

    graph = one.network.graph
    return ffbm.description_length(
        replace(graph, weights=replace(graph.weights, model=model, prior=prior)), one.labels
    ).weights


def test_command_line(tmp_path):
    run = CliRunner().invoke
    options = ["--edge-weight-model", "poisson", "--edge-weight-prior", "a=1,b=0.2"]
    assert (
        run(app, ["simulate", "--out", str(tmp_path / "net"), "--vertices", "30", "--seed", "1", *options]).exit_code
        == 0
    )
    source = [str(tmp_path / "net" / "edges.csv"), "--nodes", str(tmp_path / "net" / "nodes.csv")]
    told = run(app, ["describe", *source, "--edge-weight", "weight"])
    assert "edge weights" in told.output
    assert "whole numbers from 0" in told.output
    record = json.loads(run(app, ["describe", *source, "--edge-weight", "weight", *options, "--json"]).stdout)
    assert record["edge_weight"] == {
        "column": "weight", "model": "poisson", "prior": {"a": 1.0, "b": 0.2}, "reason": "as asked",
    }  # fmt: skip
    wrong = run(app, ["describe", *source, "--edge-weight", "weight", "--edge-weight-prior", "much"])
    assert isinstance(wrong.exception, OptionError) or wrong.exit_code == 2
