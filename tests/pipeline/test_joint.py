"""The joint stage: draws that belong together under one numbering, the same on any number of workers."""

import dataclasses

import numpy as np
import pytest
import scipy.sparse as sp

import ffbm
from ffbm.blocks.align import align_blocks
from ffbm.config import FitConfig
from ffbm.diagnostics import Verdict
from ffbm.diagnostics.verdict import CONVERGED
from ffbm.errors import OptionError
from ffbm.explanation import Explanation
from ffbm.joint import chain
from ffbm.joint.chain import ADAPTING
from ffbm.kernels.joint import JointDraws
from ffbm.pipeline import joint, joint_fit, length
from ffbm.pipeline import weights as weight_stage
from ffbm.pipeline.fit import run_fit
from ffbm.pipeline.joint import number_like, sample_joint
from ffbm.pipeline.labels import number_alike
from ffbm.pipeline.modes import explain_mode
from ffbm.ranking import rank_features
from ffbm.scoring import combine_folds, score_draws
from ffbm.store.parts import FitParts
from ffbm.theta.target import energy

from ..planted import planted_network, two_flags

QUICK = FitConfig(
    n_blocks=2, target="joint", weight_prior="fixed", n_sweeps=60, n_warmup=40, n_draws=80, n_chains=2, thin=2, seed=4,
    n_kept=1,
)  # fmt: skip


@pytest.fixture(scope="module")
def net():
    return planted_network(1, two_flags)[0]


@pytest.fixture(scope="module")
def parts(net):
    return run_fit(net, QUICK, progress=False)


def energies(net, weights, blocks, sigma=1.0):
    x = sp.csr_array(net.features.values).toarray()
    found = np.empty(blocks.labels.shape[:2])
    for place in np.ndindex(*found.shape):
        b = blocks.labels[place][weights.rows]
        found[place] = energy(weights.weights[place], x[weights.rows], np.eye(blocks.n_blocks)[b], sigma)
    return found


def test_labels_and_weights_are_of_one_draw(net, parts):
    assert parts.blocks.labels.shape[:2] == parts.weights.weights.shape[:2] == (2, 24)
    np.testing.assert_allclose(energies(net, parts.weights, parts.blocks), parts.weights.energy, atol=1e-8)


def test_one_numbering_for_all_draws(parts):
    one = np.broadcast_to(np.arange(2), parts.memberships.order.shape)
    np.testing.assert_array_equal(parts.memberships.order, one)
    share = np.stack([(parts.blocks.labels == r).mean(axis=(0, 1)) for r in range(2)], axis=1)
    np.testing.assert_allclose(parts.memberships.probs, share)
    np.testing.assert_array_equal(align_blocks(parts.blocks).order, one)
    assert (np.diff(parts.memberships.sizes) <= 0).all()


def test_renumbered_draws_still_belong_together(net):
    found = sample_joint(net, 3, n_sweeps=60, n_warmup=40, n_chains=2, thin=2, seed=3)
    like = dataclasses.replace(found.memberships, probs=np.roll(found.memberships.probs, 1, axis=1))
    other = number_like(found, like)
    np.testing.assert_array_equal(other.blocks.labels, (found.blocks.labels + 1) % 3)
    np.testing.assert_allclose(energies(net, other.weights, other.blocks), other.weights.energy, atol=1e-8)


def test_workers_change_nothing(net, parts):
    for workers in (1, 2):
        other = run_fit(net, QUICK, workers=workers, progress=False)
        np.testing.assert_array_equal(parts.blocks.labels, other.blocks.labels)
        np.testing.assert_array_equal(parts.weights.weights, other.weights.weights)
        assert parts.scores.to_dict() == other.scores.to_dict()


def test_the_training_vertices_are_those_of_the_cut_posterior(net, parts):
    cut = run_fit(net, dataclasses.replace(QUICK, target="cut"), progress=False)
    np.testing.assert_array_equal(parts.train, cut.train)
    np.testing.assert_array_equal(parts.weights.rows, cut.train)


def test_the_refit_samples_blocks_again(net, parts):
    assert parts.reduced.weights.names == ("x1",)
    assert parts.reduced.weights.seed != parts.weights.seed
    assert parts.reduced.weights.weights.shape == (2, 24, 2, 1)
    # the telling flag speaks for the same block in both
    assert np.sign(parts.reduced.weights.mean[0, 0] - parts.reduced.weights.mean[1, 0]) == np.sign(
        parts.weights.mean[0, 1] - parts.weights.mean[1, 1]
    )


def test_losses_are_those_of_each_draws_own_labels(net, parts):
    rows = len(parts.train)
    prior = (parts.weights.weights**2).sum(axis=(2, 3)) / 2
    assert parts.scores.loss_train == pytest.approx(((parts.weights.energy - prior) / rows).mean())
    again = score_draws(parts.weights, parts.blocks, net.features, parts.memberships)
    assert again.loss_test == parts.scores.loss_test


def test_folds_are_runs_of_their_own_scored_against_their_own_memberships(net, parts, monkeypatch):
    folds, sample = {}, joint_fit.sample_joint

    def remember(*given, rows, **options):
        trace = sample(*given, rows=rows, **options)
        folds[options.get("stage", "joint")] = rows, trace
        return trace

    monkeypatch.setattr(joint_fit, "sample_joint", remember)
    found = run_fit(net, dataclasses.replace(QUICK, folds=2, n_kept="all"), progress=False)
    np.testing.assert_array_equal(found.weights.weights, parts.weights.weights)
    assert list(folds) == ["joint", "joint, fold 1 of 2", "joint, fold 2 of 2"]
    rows = [folds[name][0] for name in list(folds)[1:]]
    assert sorted(np.concatenate(rows).tolist()) == list(range(net.n_nodes))
    own = [number_like(folds[name][1], parts.memberships) for name in list(folds)[1:]]
    each = [score_draws(trace.weights, trace.blocks, net.features, trace.memberships) for trace in own]
    assert found.scores.loss_test == combine_folds(each).loss_test
    assert found.scores.n_test == net.n_nodes
    assert found.scores.description_length == parts.scores.description_length
    assert found.explanation.columns.n_vertices == net.n_nodes
    np.testing.assert_array_equal(np.isfinite(found.explanation.held_out), True)


def test_nothing_held_out(net):
    found = run_fit(net, dataclasses.replace(QUICK, train_fraction=1.0, n_kept="all"), progress=False)
    assert len(found.train) == net.n_nodes
    assert np.isnan(found.scores.loss_test)
    assert found.reduced is None


def test_the_number_of_blocks_is_chosen_as_for_the_cut_posterior(net):
    found = run_fit(net, dataclasses.replace(QUICK, n_blocks="auto", n_kept="all"), progress=False)
    assert found.blocks.n_blocks == ffbm.sample_blocks(net, "auto", n_sweeps=20, n_chains=1, seed=4).n_blocks
    assert found.blocks.candidates is not None


@pytest.mark.parametrize(
    ("change", "blocks", "said"),
    [
        ({"memberships": "drawn"}, None, "memberships='drawn' is for target=\"cut\""),
        ({}, np.zeros(80, dtype=int), 'blocks= is for target="cut"'),
        ({"n_sweeps": 5, "thin": 9}, None, "no draw is kept"),
    ],
)
def test_what_is_refused(net, change, blocks, said):
    with pytest.raises(OptionError, match=said):
        run_fit(net, dataclasses.replace(QUICK, **change), blocks, progress=False)


def test_fewer_draws_are_kept_if_memory_is_short(net, monkeypatch):
    monkeypatch.setattr(weight_stage, "STORED_BYTES", 8 * 2 * 24 * 4 // 3)
    found = run_fit(net, QUICK, progress=False)
    assert found.blocks.labels.shape[:2] == found.weights.weights.shape[:2] == (2, 8)
    assert found.weights.notes[0].code == "thinned_draws"
    np.testing.assert_allclose(energies(net, found.weights, found.blocks), found.weights.energy, atol=1e-8)


def test_more_weight_moves_on_demand(net):
    few, many = (sample_joint(net, 2, n_sweeps=50, n_warmup=20, n_draws=n, n_chains=1, seed=2) for n in (1, 400))
    assert few.weights.settings["n_moves"] == 1
    assert many.weights.settings["n_moves"] == 10
    assert many.weights.n_steps.min() > few.weights.n_steps.max()


def test_a_mode_takes_the_weights_of_its_draws(net):
    """Two pictures: half of the draws have a quarter of the vertices in the other block, and another numbering."""
    drawn = sample_joint(net, 2, n_sweeps=400, n_warmup=40, n_chains=2, thin=2, seed=4)
    labels, w = drawn.blocks.labels.copy(), drawn.weights.weights.copy()
    labels[1, :, 10:30] = 1 - labels[1, :, 10:30]
    labels[1], w[1] = 1 - labels[1], w[1][:, ::-1]
    blocks = dataclasses.replace(drawn.blocks, labels=labels)
    aligned, members, w = number_alike(blocks, align_blocks(blocks), w)
    weights = dataclasses.replace(drawn.weights, weights=w, energy=energies(net, w_trace(drawn, w), aligned))
    assert members.n_modes == 2
    scores = score_draws(weights, aligned, net.features, members)
    whole = Explanation(net.features, weights, rank_features(weights, n_kept=2), scores)
    config = dataclasses.replace(QUICK, n_kept=2)
    parts = FitParts(net, config, np.arange(net.n_nodes), aligned, members, whole)
    for number in range(2):
        found = explain_mode(parts, number)
        chain = int(members.modes[number].chains.argmax())
        assert sorted(found.weights.energy.ravel()) == sorted(weights.energy[chain].ravel())
        # in the mode's own numbering: x1 speaks for the block that has it
        telling = sp.csr_array(net.features.values).toarray()[:, 1]
        has_it = [telling[members.modes[number].labels == r].mean() for r in range(2)]
        assert np.sign(found.weights.mean[0, 1] - found.weights.mean[1, 1]) == np.sign(has_it[0] - has_it[1])


def w_trace(drawn, w):
    return dataclasses.replace(drawn.weights, weights=w)


@pytest.mark.parametrize("prior", ["fixed", "learned"])
def test_ladders_of_joint_chains_run_where_they_are_asked_for(net, prior):
    asked = dataclasses.replace(QUICK, weight_prior=prior, n_kept=None, n_draws=10, tempering=[1.0, 0.5])
    blocks = run_fit(net, asked, progress=False).blocks
    assert blocks.settings["tempering"] == [1.0, 0.5]
    assert 0 < blocks.settings["swap_rates"][0] <= 1
    assert blocks.diagnostics.round_trips is not None
    plain = run_fit(net, dataclasses.replace(asked, tempering="auto"), progress=False).blocks
    assert plain.settings["tempering"] is False
    assert not np.array_equal(plain.labels, blocks.labels)


SHORT = {"n_sweeps": "auto", "n_warmup": 40, "n_draws": 1, "n_chains": 2, "thin": 2, "seed": 3}


@pytest.mark.auto_length
def test_the_length_of_a_run_until_it_is_done_gives_the_same_run(net, monkeypatch):
    """Also after the thinning has doubled: the acceptance of weight moves is that of the draw's own sweep."""
    monkeypatch.setattr(length, "_FIRST", 20)
    monkeypatch.setattr(length, "_PER_BURN", 4)
    for module in (joint, chain):
        monkeypatch.setattr(module, "ADAPTING", 10)
    monkeypatch.setattr(joint, "MOST_KEPT", 30)
    checks = iter([False, False, True])
    monkeypatch.setattr(length, "judge_blocks", lambda *_: Verdict(CONVERGED, ""))
    monkeypatch.setattr(joint, "_is_joint_known", lambda _: next(checks))
    found = sample_joint(net, 2, **SHORT)
    settings = found.weights.settings
    assert (settings["n_sweeps"], settings["burn"], settings["thin"]) == (10 + 320, 10 + 64, 16)
    again = sample_joint(net, 2, **SHORT | {name: settings[name] for name in ("n_sweeps", "burn_in", "thin")})
    for name in ("labels", "entropy", "acceptance"):
        np.testing.assert_allclose(getattr(again.blocks, name), getattr(found.blocks, name), rtol=1e-12)
    for name in ("weights", "energy", "acceptance_rate", "step_size", "n_steps", "diverging"):
        np.testing.assert_allclose(getattr(again.weights, name), getattr(found.weights, name), rtol=1e-12)


def test_the_joint_is_known_once_its_chains_agree():
    rng = np.random.default_rng(2)
    draws = dict.fromkeys(JointDraws._fields, np.zeros((4, 500)))
    draws |= {"labels": rng.integers(0, 2, (4, 500, 9)), "weights": rng.normal(size=(4, 500, 2, 3))}
    draws |= {"energy": rng.normal(size=(4, 500)), "entropy": rng.normal(size=(4, 500))}
    assert joint._is_joint_known(JointDraws(**draws))
    for name in ("energy", "weights"):
        apart = draws[name] * np.array([1.0, 1.0, 1.0, 3.0]).reshape(4, *[1] * (draws[name].ndim - 1))
        apart[3] += 3.0 if name == "energy" else 0.0
        assert not joint._is_joint_known(JointDraws(**draws | {name: apart}))


@pytest.mark.auto_length
def test_further_runs_are_as_long_as_the_first(net, monkeypatch):
    runs = []

    def spy(*args, **options):
        found = sample_joint(*args, **options)
        runs.append((options["n_sweeps"], *(found.blocks.settings[name] for name in ("n_sweeps", "thin", "n_moves"))))
        minutes.append(options["max_minutes"])
        return found

    minutes = []
    monkeypatch.setattr(joint_fit, "sample_joint", spy)
    monkeypatch.setattr(length, "_FIRST", 20)
    monkeypatch.setattr(length, "judge_blocks", lambda *_: Verdict(CONVERGED, ""))
    monkeypatch.setattr(joint, "_is_joint_known", lambda _: True)
    run_fit(net, dataclasses.replace(QUICK, n_sweeps="auto", n_draws=3000, folds=2, max_minutes=4), progress=False)
    n_sweeps = ADAPTING + 2 * 20 * QUICK.thin
    assert runs == [("auto", n_sweeps, QUICK.thin, 2), *[(n_sweeps, n_sweeps, QUICK.thin, 2)] * 3]
    assert minutes == pytest.approx([0.7] * 4)


@pytest.mark.auto_length
def test_the_clock_stops_a_run_after_its_chains_have_adapted(net):
    settings = sample_joint(net, 2, **SHORT, max_minutes=1e-9).blocks.settings
    assert settings["n_sweeps"] == ADAPTING + 5 * SHORT["thin"]
