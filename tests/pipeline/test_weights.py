import numpy as np
import pytest

from ffbm.errors import OptionError
from ffbm.pipeline import weights as stage
from ffbm.pipeline.weights import sample_weights
from ffbm.progress import Progress
from ffbm.theta.target import energy


def case(n=50, n_features=4, n_blocks=3, seed=2):
    rng = np.random.default_rng(seed)
    x = (rng.random((n, n_features)) < 0.5).astype(float)
    return x, rng.dirichlet(np.ones(n_blocks), n)


def quick(sampler="hmc", **options):
    return sample_weights(*case(), **({"n_draws": 50, "n_warmup": 30, "sampler": sampler, "progress": False} | options))


@pytest.mark.parametrize("sampler", ["hmc", "mala"])
def test_shapes_and_settings(sampler):
    trace = quick(sampler, seed=7, sigma=0.6)
    assert trace.weights.shape == trace.centred.shape == (4, 50, 3, 4)
    for statistic in (trace.energy, trace.acceptance_rate, trace.step_size, trace.n_steps, trace.diverging):
        assert statistic.shape == (4, 50)
    assert (trace.n_chains, trace.n_draws, trace.n_blocks, trace.n_features) == (4, 50, 3, 4)
    assert (trace.sampler, trace.sigma, trace.seed) == (sampler, 0.6, 7)
    assert trace.names == trace.columns == ("0", "1", "2", "3")
    assert trace.thin == 1
    assert trace.notes == ()
    assert repr(trace).startswith(
        f"<WeightTrace ({sampler}): 4 chains x 50 draws, 3 blocks x 4 features, acceptance 0."
    )
    np.testing.assert_allclose(trace.centred.sum(axis=2), 0, atol=1e-12)


@pytest.mark.parametrize("sampler", ["hmc", "mala"])
def test_the_energy_is_that_of_the_reported_weights(sampler):
    x, y = case()
    rows = np.arange(3, 40)
    x[rows, 1] = 0  # nobody in training has it
    trace = sample_weights(x, y, rows, 0.8, True, sampler, n_draws=20, n_warmup=20, progress=False)
    with_one = np.column_stack((x, np.ones(len(x))))[rows]
    again = [[energy(w, with_one, y[rows], 0.8) for w in chain] for chain in trace.weights]
    # U from sums X'y leaves out nothing: rows of y sum to 1
    np.testing.assert_allclose(trace.energy, again, rtol=1e-12, atol=1e-9)
    assert trace.names[-1] == "(intercept)"


def test_moments_are_those_of_the_draws():
    trace = quick()
    np.testing.assert_allclose(trace.mean, trace.weights.mean(axis=(0, 1)), atol=1e-12)
    np.testing.assert_allclose(trace.sd, trace.weights.std(axis=(0, 1)), atol=1e-12)


@pytest.mark.parametrize("sampler", ["hmc", "mala"])
def test_the_trace_does_not_depend_on_workers_nor_on_the_other_chains(sampler):
    one, two, more = quick(sampler, workers=1), quick(sampler, workers=2), quick(sampler, n_chains=6)
    np.testing.assert_array_equal(one.weights, two.weights)
    np.testing.assert_array_equal(one.weights, more.weights[:4])
    np.testing.assert_array_equal(one.energy, two.energy)
    assert not np.array_equal(one.weights, quick(sampler, seed=1).weights)
    assert len(np.unique(one.weights[:, 0, 0, 0])) == 4


def test_draws_beyond_the_memory_allowed_are_thinned_and_it_says_so(monkeypatch):
    whole = quick()
    monkeypatch.setattr(stage, "STORED_BYTES", whole.weights.nbytes // 3)
    trace = quick()
    assert trace.thin == 3
    np.testing.assert_array_equal(trace.weights, whole.weights[:, 2::3])
    np.testing.assert_array_equal(trace.energy, whole.energy)
    np.testing.assert_array_equal(trace.stored(trace.energy), whole.energy[:, 2::3])
    np.testing.assert_array_equal(trace.mean, whole.mean)
    np.testing.assert_array_equal(trace.sd, whole.sd)
    [note] = trace.notes
    assert note.code == "thinned_draws"
    assert note.count == 4 * (50 - 16)
    assert "1 in 3 stored" in repr(trace)
    assert trace.diagnostics.rhat.shape == (3, 4)


def test_diagnostics_come_with_the_trace():
    trace = quick(n_draws=500)
    assert trace.diagnostics.rhat.shape == (3, 4)
    assert trace.converged
    assert trace.diagnostics.n_divergences == 0


def test_divergences_count_also_where_the_draw_is_not_stored(monkeypatch):
    monkeypatch.setattr(stage, "STORED_BYTES", quick().weights.nbytes // 3)
    trace = quick()
    trace.diverging[0, 0] = True
    assert trace.diagnostics.n_divergences == 1
    assert not trace.converged


def test_progress_is_told():
    seen = []
    quick(progress=seen.append)
    assert seen[0] == Progress("weights", 0, 80)
    assert seen[-1] == Progress("weights", 80, 80)


def test_no_seed_draws_one_and_records_it():
    trace = quick(seed=None)
    np.testing.assert_array_equal(trace.weights, quick(seed=trace.seed).weights)


def test_a_network_without_features_or_with_one_block_can_be_sampled():
    assert sample_weights(np.zeros((3, 0)), [0, 1, 1], n_draws=5, progress=False).weights.shape == (4, 5, 2, 0)
    one = sample_weights(np.ones((3, 2)), [0, 0, 0], n_draws=5, progress=False)
    np.testing.assert_array_equal(one.centred, 0)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"sampler": "nuts"}, "sampler must be one of 'hmc', 'mala'; got 'nuts'"),
        ({"n_draws": 0}, "n_draws must be"),
        ({"n_warmup": -1}, "n_warmup must be"),
        ({"n_chains": 0}, "n_chains must be"),
        ({"seed": -1}, "seed must be"),
        ({"annealing": 0.1}, 'annealing is for sampler="mala"'),
        ({"annealing": 0.0, "sampler": "mala"}, "annealing must be a number, above 0"),
    ],
)
def test_what_cannot_be_chosen_is_refused(changes, message):
    with pytest.raises(OptionError, match=message):
        quick(**changes)
