"""Weight chains that run until they are done: the rule looks at draws alone, and longer runs begin as shorter ones."""

import time

import numpy as np
import pytest

import ffbm
from ffbm.diagnostics import Verdict
from ffbm.diagnostics import weights as diagnostics
from ffbm.errors import OptionError
from ffbm.pipeline import weightlength
from ffbm.pipeline.drawn import select_columns
from ffbm.pipeline.weights import sample_weights
from ffbm.store.checkpoints import open_checkpoints

from ..planted import planted_network, two_flags

pytestmark = pytest.mark.auto_length

OPTIONS = {"n_warmup": 30, "n_chains": 2, "seed": 4, "progress": False, "max_minutes": None}
FIELDS = ("inclusion", "chance", "scales", "energy", "partition")


@pytest.fixture(scope="module")
def made():
    return planted_network(5, two_flags)


@pytest.fixture
def short(monkeypatch):
    """Checks come after 40, 80 and 160 draws, and the third is passed."""
    seen = []

    def judge(_drawn, _thin):
        seen.append(_drawn.energy.shape[1])
        return Verdict("converged" if len(seen) % 3 == 0 else "too short", "so it is over here")

    monkeypatch.setattr(weightlength, "PLANNED_DRAWS", 40)
    monkeypatch.setattr(weightlength, "_judge", judge)
    return seen


def test_chains_that_converge_end_at_the_first_check(made):
    net, labels = made
    auto = sample_weights(net.features, labels, n_chains=4, seed=1, progress=False)
    assert auto.n_draws == auto.settings["n_draws"] == 1000
    assert auto.converged
    assert np.array_equal(
        auto.weights, sample_weights(net.features, labels, n_draws=1000, seed=1, progress=False).weights
    )


def test_the_length_doubles_until_the_verdict_holds(made, short):
    net, labels = made
    auto = sample_weights(net.features, labels, **OPTIONS)
    assert short == [40, 80, 160]
    assert (auto.n_draws, auto.thin) == (160, 1)
    again = sample_weights(net.features, labels, n_draws=160, **OPTIONS)
    for name in ("weights", "energy", "chain_mean", "chain_sd", "n_steps"):
        assert np.array_equal(getattr(auto, name), getattr(again, name)), name


def test_thinning_doubles_with_the_length(made, short, monkeypatch):
    net, labels = made
    monkeypatch.setattr(weightlength, "_MOST_STORED", 50)
    auto = sample_weights(net.features, labels, **OPTIONS)
    assert (auto.n_draws, auto.thin, auto.weights.shape[1]) == (160, 4, 40)
    assert [note.code for note in auto.notes] == ["thinned_draws"]
    again = sample_weights(net.features, labels, n_draws=160, **OPTIONS)
    assert np.array_equal(auto.weights, again.weights[:, 3::4])
    assert np.array_equal(auto.mean, again.mean)


def test_a_length_that_the_clock_decides_gives_the_same_draws(made, short):
    net, labels = made
    cut = sample_weights(net.features, labels, **OPTIONS | {"max_minutes": 1e-9})
    assert cut.n_draws == 40  # the first check is always reached
    assert cut.settings["n_draws"] == 40


def test_the_clock_cuts_the_first_draws_short_but_not_all(made, short, monkeypatch):
    net, labels = made
    monkeypatch.setattr(weightlength, "_LEAST_DRAWS", 15)
    cut = sample_weights(net.features, labels, **OPTIONS | {"max_minutes": 1e-9})
    assert cut.n_draws == cut.settings["n_draws"] == 15
    again = sample_weights(net.features, labels, **OPTIONS, n_draws=15)
    assert np.array_equal(cut.weights, again.weights)


def test_the_clock_cuts_the_first_sweeps_over_columns_short(made):
    net, labels = made
    options = {"weight_prior": "learned", "n_chains": 2, "n_warmup": 30, "seed": 3, "progress": False}
    cut = sample_weights(net.features, labels, max_minutes=1e-9, **options)
    assert (cut.n_draws, cut.selected.n_draws) == (100, 10)
    assert cut.selected.partition.shape == (2, 10)
    again = sample_weights(net.features, labels, n_draws=5, n_sweeps=10, **options).selected
    for name in (*FIELDS, "weights"):
        assert np.array_equal(getattr(cut.selected, name), getattr(again, name)), name


def test_a_run_that_was_stopped_goes_on_bit_for_bit(made, short, tmp_path):
    net, labels = made
    whole = sample_weights(net.features, labels, **OPTIONS)
    heard = []

    def stop(event):
        heard.append(event)
        if event.done >= 100:  # in the stretch from 40 to 80
            raise KeyboardInterrupt

    with open_checkpoints(tmp_path / "run", {}, resume=False) as checkpoints, pytest.raises(KeyboardInterrupt):
        sample_weights(net.features, labels, **OPTIONS | {"progress": stop}, checkpoints=checkpoints)
    short.clear()
    with open_checkpoints(tmp_path / "run", {}, resume=True) as checkpoints:
        again = sample_weights(net.features, labels, **OPTIONS, checkpoints=checkpoints)
    assert np.array_equal(whole.weights, again.weights)
    assert np.array_equal(whole.chain_sd, again.chain_sd)


def test_one_chain_cannot_be_judged_and_ends(made):
    net, labels = made
    assert sample_weights(net.features, labels, n_chains=1, n_warmup=30, seed=1, progress=False).n_draws == 1000


@pytest.mark.parametrize("workers", [1, 2])
def test_sweeps_go_on_until_inclusion_is_precise(made, workers):
    net, labels = made
    options = {"weight_prior": "learned", "n_chains": 2, "n_warmup": 30, "seed": 3, "progress": False}
    auto = sample_weights(net.features, labels, max_minutes=None, workers=workers, **options).selected
    assert auto.is_precise
    assert auto.n_draws in (100, 200, 400, 800)
    again = sample_weights(net.features, labels, n_draws=5, n_sweeps=auto.n_draws, **options).selected
    for name in (*FIELDS, "weights"):
        assert np.array_equal(getattr(auto, name), getattr(again, name)), name


def test_rounds_over_partitions(made, monkeypatch):
    net, _ = made
    blocks = ffbm.sample_blocks(net, n_blocks=2, n_sweeps=60, n_chains=2, seed=1, progress=False)
    members, options = ffbm.align_blocks(blocks), {"seed": 1}
    errors = iter([0.02, 0.001, 0.001])
    monkeypatch.setattr(weightlength, "mean_error", lambda *_: np.array([next(errors)]))
    monkeypatch.setattr("ffbm.pipeline.selection.PARTITIONS", 2)
    monkeypatch.setattr(weightlength, "_MOST_STORED", 100)
    auto = select_columns(net.features, blocks, members, max_minutes=None, **options)
    assert auto.n_draws == 4 * 2 * 20
    assert auto.partition[0].tolist() == np.tile(np.repeat(auto.partition[0, [0, 20]], 20), 4).tolist()
    assert auto.weights.shape[1] == auto.n_draws // auto.thin == 80
    again = select_columns(net.features, blocks, members, n_draws=auto.n_draws, **options)
    for name in FIELDS:
        assert np.array_equal(getattr(auto, name), getattr(again, name)), name


def test_sweeps_that_cannot_be_precise_in_time_end_early(made, monkeypatch):
    """An error of 0.5 would need 2,500 times the sweeps; one of 0.02, four times as many."""
    net, labels = made
    options = {"weight_prior": "learned", "n_chains": 2, "n_warmup": 30, "n_draws": "auto", "seed": 3}
    monkeypatch.setattr(weightlength, "_judge", lambda *_: Verdict("converged", "so it is"))
    monkeypatch.setattr("ffbm.pipeline.selection.FIRST_SWEEPS", 8)
    lengths = {}
    for error in (0.5, 0.02):
        monkeypatch.setattr(
            weightlength, "mean_error", lambda chance, _, e=error: np.array([e if chance.shape[1] < 32 else 0.001])
        )
        monkeypatch.setattr(weightlength, "IN_VAIN", 0.0)
        trace = sample_weights(net.features, labels, max_minutes=0.5, progress=False, **options)
        lengths[error] = trace.selected.n_draws
    assert lengths == {0.5: 8, 0.02: 64}


def test_when_sweeps_end():
    length = weightlength.DrawLength(None, time.monotonic() + 600, in_vain=60)
    assert length.end_of_sweeps(20, 1, 0.05) == length.end  # 24 times as long is just enough
    for error, in_all in ((0.06, 40), (0.5, 40)):  # after 20 seconds a second round would end after 40: it may begin
        assert length.end_of_sweeps(20, 1, error) == pytest.approx(time.monotonic() - 20 + in_all, abs=1)
    assert length.end_of_sweeps(45, 2, 0.5) < time.monotonic()  # a third one would end after 67
    assert weightlength.DrawLength(None).end_of_sweeps(20, 1, 0.5) == np.inf
    soon = weightlength.DrawLength(None, time.monotonic() + 5, in_vain=60)
    assert soon.end_of_sweeps(20, 1, 0.5) == soon.end


def test_sweeps_that_were_stopped_go_on_bit_for_bit(made, monkeypatch, tmp_path):
    net, labels = made
    monkeypatch.setattr("ffbm.pipeline.selection.FIRST_SWEEPS", 8)
    monkeypatch.setattr(weightlength, "_MOST_STORED", 20)
    monkeypatch.setattr(
        weightlength, "mean_error", lambda chance, _: np.array([0.02 if chance.shape[1] < 16 else 0.001])
    )
    monkeypatch.setattr(weightlength, "_judge", lambda *_: Verdict("converged", "so it is"))
    monkeypatch.setattr(weightlength, "PLANNED_DRAWS", 5)
    options = OPTIONS | {"weight_prior": "learned"}
    whole = sample_weights(net.features, labels, **options).selected
    assert (whole.n_draws, whole.thin) == (32, 2)

    def stop(event):
        if event.stage == "weights, columns" and event.done >= 30 + 20:  # in the stretch from 16 to 32 sweeps
            raise KeyboardInterrupt

    with open_checkpoints(tmp_path / "run", {}, resume=False) as checkpoints, pytest.raises(KeyboardInterrupt):
        sample_weights(net.features, labels, **options | {"progress": stop}, checkpoints=checkpoints)
    with open_checkpoints(tmp_path / "run", {}, resume=True) as checkpoints:
        again = sample_weights(net.features, labels, **options, checkpoints=checkpoints).selected
    for name in (*FIELDS, "weights"):
        assert np.array_equal(getattr(whole, name), getattr(again, name)), name


def test_the_error_of_inclusion_belongs_to_the_verdict(made, monkeypatch):
    net, labels = made
    trace = sample_weights(
        net.features, labels, weight_prior="learned", n_draws=60, n_warmup=30, seed=4, progress=False
    )
    monkeypatch.setattr(diagnostics, "MOST_ERROR", 1e-9)
    found = diagnostics.diagnose_weights(trace)
    assert not found.converged
    assert "Monte Carlo error of inclusion is up to" in found.converged.reason


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"n_draws": "many"}, "n_draws must be a whole number, at least 1, or 'auto'"),
        ({"n_draws": 0}, "n_draws must be a whole number"),
        ({"max_minutes": 0}, "max_minutes must be a number"),
    ],
)
def test_what_is_refused(wrong, message, made):
    net, labels = made
    with pytest.raises(OptionError, match=message):
        sample_weights(net.features, labels, progress=False, **wrong)
