import numpy as np
import pytest
from scipy.special import log_softmax

import ffbm
from ffbm.errors import DataError, OptionError
from ffbm.pipeline import weights as averaged
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.drawn import sample_weights_drawn
from ffbm.progress import Progress
from ffbm.theta.drawn import advance_drawn, plan_drawn, start_drawn
from ffbm.theta.target import energy
from ffbm.types import BlockTrace, Memberships


def blocks_of(labels, n_blocks):
    """A trace of these partitions (C, T, N), already in one numbering."""
    labels = np.asarray(labels, dtype=np.uint8)
    n_chains, n_draws, _ = labels.shape
    flat = np.zeros((n_chains, n_draws))
    blocks = BlockTrace(labels, flat, flat, labels[0, 0].astype(int), 0.0, n_blocks, 0, {})
    probs = np.eye(n_blocks)[labels].mean(axis=(0, 1))
    order = np.tile(np.arange(n_blocks), (n_chains, n_draws, 1))
    return blocks, Memberships(probs, probs.argmax(axis=1), 1.0, order)


def case(n=30, n_features=3, n_blocks=3, n_chains=2, n_draws=6, seed=1):
    rng = np.random.default_rng(seed)
    x = (rng.random((n, n_features)) < 0.5).astype(float)
    first = rng.integers(0, n_blocks, n)
    labels = np.where(
        rng.random((n_chains, n_draws, n)) < 0.2, rng.integers(0, n_blocks, (n_chains, n_draws, n)), first
    )
    return x, *blocks_of(labels, n_blocks)


def quick(**options):
    return sample_weights_drawn(*case(), **({"n_draws": 20} | options))


@pytest.mark.parametrize(("n_draws", "n_each"), [(1, 2), (12, 2), (13, 3), (20, 4)])
def test_every_partition_gets_its_share_of_draws(n_draws, n_each):
    trace, split = quick(n_draws=n_draws)
    assert trace.weights.shape == (2, 6 * n_each, 3, 3)
    assert trace.n_draws == 6 * n_each
    assert (split.n_each, split.n_partitions) == (n_each, 12)
    assert trace.settings["memberships"] == "drawn"
    assert trace.settings["n_warmup"] == 84  # 500 shared out over 6 partitions


@pytest.mark.parametrize("sampler", ["hmc", "mala"])
def test_the_energy_is_that_of_the_draw_given_its_own_partition(sampler):
    x, blocks, members = case()
    turn = np.array([2, 0, 1])
    members = Memberships(members.probs, members.labels, 1.0, np.broadcast_to(turn, members.order.shape))
    rows = np.arange(3, 25)
    trace, _ = sample_weights_drawn(x, blocks, members, rows, 0.7, True, sampler, n_draws=12, n_warmup=0)
    with_one = np.column_stack((x, np.ones(len(x))))[rows]
    again = [
        [energy(w, with_one, np.eye(3)[turn[blocks.labels[c, t // 2]]][rows], 0.7) for t, w in enumerate(chain)]
        for c, chain in enumerate(trace.weights)
    ]
    np.testing.assert_allclose(trace.energy, again, rtol=1e-12, atol=1e-9)
    assert trace.names[-1] == "(intercept)"


def test_the_trace_does_not_depend_on_workers_nor_on_what_is_remembered(monkeypatch):
    x, blocks, members = case()
    blocks.labels[1, [0, 3, 4, 5]] = blocks.labels[0, 0]  # partitions that come again
    one, _ = sample_weights_drawn(x, blocks, members, n_draws=20, context=RunContext(1))
    two, _ = sample_weights_drawn(x, blocks, members, n_draws=20, context=RunContext(2))
    monkeypatch.setattr("ffbm.theta.drawn._KEPT_SETUPS", 0)
    none, _ = sample_weights_drawn(x, blocks, members, n_draws=20, context=RunContext(1))
    for other in (two, none):
        np.testing.assert_array_equal(one.weights, other.weights)
        np.testing.assert_array_equal(one.energy, other.energy)
    same = one.weights[1, 12:].reshape(3, 4, -1)  # equal partitions, draws of their own
    assert not np.array_equal(same[0], same[1])
    assert not np.array_equal(one.weights[0, :4], one.weights[1, :4])


def test_advancing_twice_is_advancing_once():
    x, blocks, _ = case()
    options = {"sampler": "hmc", "n_warmup": 50, "n_each": 3, "seed": 5}
    plan = plan_drawn(x, blocks.labels, 3, None, 1.0, False, **options)
    whole, record = advance_drawn(plan, start_drawn(plan, 0), 5)
    parts = start_drawn(plan, 0)
    parts, first = advance_drawn(plan, parts, 2)
    parts, second = advance_drawn(plan, parts, 3)
    np.testing.assert_array_equal(record.weights, np.concatenate((first.weights, second.weights)))
    for name in ("mean", "between", "within"):
        np.testing.assert_array_equal(getattr(whole, name), getattr(parts, name))


def test_moments_and_the_split_are_those_of_the_draws():
    trace, split = quick()
    np.testing.assert_allclose(trace.mean, trace.weights.mean(axis=(0, 1)), atol=1e-12)
    np.testing.assert_allclose(trace.sd, trace.weights.std(axis=(0, 1)), atol=1e-12)
    np.testing.assert_allclose(trace.chain_sd, trace.weights.std(axis=1), atol=1e-12)
    by_partition = trace.weights.reshape(12, 4, 3, 3)
    within = by_partition.var(axis=1, ddof=1).mean(axis=0)
    np.testing.assert_allclose(split.within, within, atol=1e-12)
    np.testing.assert_allclose(split.between, by_partition.mean(axis=1).var(axis=0, ddof=1) - within / 4, atol=1e-12)


def posterior(x, y, sigma=1.0):
    """Mean and variance of w = w_0 - w_1 for one feature and two blocks, by quadrature."""
    w = np.linspace(-12, 12, 20_001)
    z = np.outer(w, x)  # logits of block 0 against block 1
    log_p = (y * -np.logaddexp(0, -z) + (1 - y) * -np.logaddexp(0, z)).sum(axis=1) - w**2 / (4 * sigma**2)
    p = np.exp(log_p - log_p.max())
    p /= p.sum()
    return p @ w, p @ w**2 - (p @ w) ** 2


def test_a_posterior_of_two_partitions_is_split_as_by_hand():
    x = np.ones((20, 1))
    states = np.array([[0] * 18 + [1] * 2, [0] * 4 + [1] * 16])
    rng = np.random.default_rng(0)
    blocks, members = blocks_of(states[(rng.random((2, 400)) < 0.3).astype(int)], 2)
    share = np.mean(blocks.labels[:, :, 5])
    trace, split = sample_weights_drawn(x, blocks, members, n_draws=4000)
    (mean_a, var_a), (mean_b, var_b) = (posterior(x[:, 0], 1.0 - state) for state in states)
    contrast = trace.weights[:, :, 0, 0] - trace.weights[:, :, 1, 0]
    mean = (1 - share) * mean_a + share * mean_b
    between = share * (1 - share) * (mean_a - mean_b) ** 2
    within = (1 - share) * var_a + share * var_b
    assert contrast.mean() == pytest.approx(mean, abs=5 * np.sqrt(within / 8000))
    # w_0 is half the contrast and a mean over blocks that is the prior's, N(0, 1/2), drawn afresh each time
    assert split.between[0, 0] == pytest.approx(between / 4 * 800 / 799, rel=0.05)
    assert split.within[0, 0] == pytest.approx(within / 4 + 1 / 2, rel=0.05)
    assert contrast.var() == pytest.approx(within + between, rel=0.06)


def test_where_b_is_certain_nothing_lies_between_and_the_weights_are_those_of_the_labels():
    rng = np.random.default_rng(2)
    x, labels = (rng.random((40, 2)) < 0.5).astype(float), rng.integers(0, 2, 40)
    blocks, members = blocks_of(np.tile(labels, (4, 100, 1)), 2)
    trace, split = sample_weights_drawn(x, blocks, members, n_draws=1000)
    same = averaged.sample_weights(x, labels, n_draws=1000, progress=False)
    assert np.abs(split.between).max() < 0.02
    np.testing.assert_allclose(trace.mean, same.mean, atol=0.1)
    np.testing.assert_allclose(trace.sd, same.sd, rtol=0.08)
    np.testing.assert_allclose(split.within, trace.sd**2, rtol=0.05)
    assert trace.converged


def test_thinned_draws_keep_the_moments(monkeypatch):
    whole, split = quick()
    monkeypatch.setattr(averaged, "STORED_BYTES", whole.weights.nbytes // 6)
    trace, again = quick()
    assert trace.thin == 6  # across partitions, of 4 draws each
    np.testing.assert_array_equal(trace.weights, whole.weights[:, 5::6])
    np.testing.assert_array_equal(trace.mean, whole.mean)
    np.testing.assert_array_equal(again.between, split.between)
    assert [note.code for note in trace.notes] == ["thinned_draws"]


def test_one_block_no_features_and_one_partition():
    x, blocks, members = case(n_blocks=1)
    trace, _ = sample_weights_drawn(x, blocks, members, n_draws=4)
    np.testing.assert_array_equal(trace.centred, 0)
    _, blocks, members = case()
    assert sample_weights_drawn(np.zeros((30, 0)), blocks, members)[0].weights.shape[2:] == (3, 0)
    x, blocks, members = case(n_chains=1, n_draws=1)
    trace, split = sample_weights_drawn(x, blocks, members, n_draws=10)
    assert trace.weights.shape == (1, 10, 3, 3)
    assert np.isnan(split.between).all()


def test_progress_counts_partitions():
    seen = []
    quick(context=RunContext(tell=seen.append))
    assert seen[0] == Progress("weights", 0, 6)
    assert seen[-1] == Progress("weights", 6, 6)


def test_what_does_not_fit_is_refused():
    x, blocks, members = case()
    _, _, other = case(n_draws=5)
    with pytest.raises(DataError, match="order of shape \\(2, 6, 3\\); got \\(2, 5, 3\\): use align_blocks"):
        sample_weights_drawn(x, blocks, other)
    with pytest.raises(DataError, match="features must have a row for each of 30 vertices; got 29 rows"):
        sample_weights_drawn(x[1:], blocks, members)
    for changes in ({"sampler": "nuts"}, {"n_draws": 0}, {"n_warmup": -1}):
        with pytest.raises(OptionError, match=next(iter(changes))):
            sample_weights_drawn(x, blocks, members, **changes)


def test_polbooks_mixes_over_partitions():
    net = ffbm.load_dataset("polbooks")
    blocks = ffbm.sample_blocks(net, 3, n_sweeps=200, n_chains=2, progress=False)
    members = ffbm.align_blocks(blocks)
    trace, split = sample_weights_drawn(net.features, blocks, members, n_draws=200)
    assert trace.acceptance_rate.mean() > 0.7
    assert not trace.diverging.any()
    # given its own partition a draw explains it better than y-hat, which is its average
    aligned = members.order[0, 0][blocks.labels[0, 0]]
    loss = -log_softmax(net.features.values @ trace.weights[0, 0].T, axis=1)[np.arange(105), aligned].mean()
    assert loss < np.log(3)
    assert (split.within > 1 / 3 * 0.5).all()  # the mean over blocks alone has variance 1/3
