"""The block chain as a stepper: nothing depends on how it is cut into segments."""

import numpy as np
import pytest

from ffbm.blocks import edges
from ffbm.blocks.chain import BlockSettings, BlockSetup, advance, start
from ffbm.blocks.entropy import description_length
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, UNCORRECTED
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.rng import stream

from .graphs import graph_of, random_graph


def begin(burn=7, thin=3, field=False, likelihood=DEGREE_CORRECTED, directed=False, **options):
    rng = np.random.default_rng(3)
    graph = random_graph(rng, 40, 120, directed)
    target = BlockTarget(graph, likelihood)
    model = block_model(target, 4, rng.normal(size=(40, 4)) if field else None)
    setup = BlockSetup(target, model, BlockSettings(burn, thin, **options))
    return setup, start(setup, np.arange(40) % 4, stream(1, "test"))


def all_of(state):
    return [*state.ledger, state.totals, state.tally, state.best, state.rng.random(3)]


@pytest.mark.parametrize("field", [False, True])
@pytest.mark.parametrize("cuts", [[50], [1] * 50, [6, 1, 1, 20, 22], [7, 3, 40]])
def test_segments_make_no_difference(cuts, field):
    whole, drawn = advance(*begin(field=field), 50)
    (setup, state), parts = begin(field=field), []
    for cut in cuts:
        state, part = advance(setup, state, cut)
        parts.append(part)
    for name in drawn._fields:
        assert np.array_equal(getattr(drawn, name), np.concatenate([getattr(p, name) for p in parts])), name
    for first, second in zip(all_of(whole), all_of(state), strict=True):
        assert np.array_equal(first, second)


@pytest.mark.parametrize(
    ("likelihood", "directed"),
    [
        (DEGREE_CORRECTED, False),
        pytest.param(DEGREE_CORRECTED, True, marks=pytest.mark.slow),
        pytest.param(UNCORRECTED, False, marks=pytest.mark.slow),
    ],
)
def test_a_table_of_factorials_that_ends_early_changes_no_draw(likelihood, directed, monkeypatch):
    """That of a large network does; here most counts of blocks are beyond its end."""
    options = {"burn": 0, "thin": 1, "jumps": 0.5, "likelihood": likelihood, "directed": directed}
    _, drawn = advance(*begin(**options), 30)
    monkeypatch.setattr(edges, "_TABULATED", 12)
    setup, state = begin(**options)
    assert setup.model.likelihood.lf.shape == (1, 13)
    assert state.ledger.e.min() > 12
    state, again = advance(setup, state, 30)
    np.testing.assert_array_equal(again.labels, drawn.labels)
    np.testing.assert_allclose(again.entropy, drawn.entropy, rtol=0, atol=1e-9)
    assert state.totals[0] == pytest.approx(setup.target.entropy(state.ledger.b, 4), abs=1e-9)


def test_draws_are_those_after_burn_in_and_thinning():
    _, every = advance(*begin(burn=0, thin=1), 30)
    _, some = advance(*begin(burn=7, thin=3), 30)
    assert some.labels.shape == (7, 40)
    assert np.array_equal(some.labels, every.labels[9::3])
    assert np.array_equal(some.entropy, every.entropy[9::3])
    assert some.acceptance[0] == pytest.approx(every.acceptance[7:10].mean())


@pytest.mark.parametrize("allow_empty", [False, True])
def test_entropy_is_carried_right_and_the_best_is_kept(allow_empty):
    setup, state = begin(0, 1, allow_empty=allow_empty, field=True)
    graph, first = setup.target.graph, state.totals[0]
    state, draws = advance(setup, state, 300)
    for labels, entropy in zip(draws.labels[::20], draws.entropy[::20], strict=True):
        assert entropy == pytest.approx(description_length(graph, labels).without_partition, abs=1e-8)
    field = setup.model.field[np.arange(40), state.ledger.b].sum()
    assert state.totals[1] == pytest.approx(field, abs=1e-9)
    assert state.totals[2] == pytest.approx(description_length(graph, state.best).without_partition, abs=1e-8)
    assert state.totals[2] <= min(first, draws.entropy.min()) + 1e-9
    if not allow_empty:
        assert all(len(set(labels)) == 4 for labels in draws.labels)


def test_the_best_may_lie_within_a_sweep():
    setup, state = begin(0, 1)
    ends = []
    for _ in range(40):
        state, draws = advance(setup, state, 1)
        ends.append(draws.entropy[0])
        assert state.totals[2] == pytest.approx(
            description_length(setup.target.graph, state.best).without_partition, abs=1e-8
        )
    assert state.totals[2] < min(ends)


def test_edge_costs_count_blocks_in_use():
    from math import comb, log

    graph = graph_of([(0, 1)] * 7, 2)
    expected = [0.0, 0.0, log(comb(3 + 6, 7)), log(comb(6 + 6, 7))]
    assert DEGREE_CORRECTED.edge_cost(graph, np.arange(4.0)) == pytest.approx(expected, abs=1e-12)


def test_a_partition_that_is_met_again_is_not_better_by_rounding():
    """The chain leaves and comes back to the lowest S, which seems higher by less than sums round."""
    target = BlockTarget(graph_of([(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5)], 6))
    setup = BlockSetup(target, block_model(target, 2), BlockSettings(0, 1))
    labels = np.array([0, 0, 0, 1, 1, 1])
    for above, is_kept in ((5e-10, True), (1e-6, False)):
        state = start(setup, labels, stream(1, "test"))
        state.totals[2] += above
        state.best[:] = 7
        state, draws = advance(setup, state, 300)
        met = np.isclose(draws.entropy, target.entropy(labels, 2), atol=1e-9)
        assert 0 < met.sum() < len(met)
        assert (state.best == 7).all() == is_kept
