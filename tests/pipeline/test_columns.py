"""What each block chain says of the columns by itself."""

from dataclasses import replace

import numpy as np
import pytest

import ffbm
from ffbm.config import FitConfig
from ffbm.pipeline import columns
from ffbm.pipeline.columns import compare_chains
from ffbm.pipeline.fit import run_fit

from ..blocks.pictures import cliques_in_pairs

SHORT = {"n_warmup": 100, "n_draws": 200, "seed": 3}


@pytest.fixture(scope="module")
def two():
    """A network with two pictures and a flag that tells each; three chains, two of which stay in the first."""
    edges, pictures = cliques_in_pairs()
    noise = np.random.default_rng(0).random(pictures.shape[1]) < 0.5
    net = ffbm.as_network(edges, np.column_stack((*pictures, noise)).astype(float), name="ring")
    options = {"n_chains": 3, "n_sweeps": 100, "seed": 1, "moves": "single", "progress": False}
    blocks = ffbm.sample_blocks(net, n_blocks=2, initial=pictures[[0, 1, 0]], **options)
    return run_fit(net, FitConfig(n_blocks=2, n_chains=3, train_fraction=1.0, **SHORT), blocks=blocks, progress=False)


def test_chains_in_different_pictures_name_different_columns(two):
    found = compare_chains(two)
    assert not found
    assert set(found.contested) == {"x0", "x1"}
    assert found.decisions[:, 0].tolist() == [True, False, True]
    assert found.decisions[:, 1].tolist() == [False, True, False]
    assert found.do_not == ("x2",)
    assert str(found) == (
        "the chains differ on 50% of the vertices, and on whether x0 or x1 score above 0; in every picture found x2"
        " does not"
    )
    assert found.changed == 0.5
    assert found.bits_agree  # either picture is told by its flag


def test_under_the_learned_prior_each_chain_decides_by_inclusion(two):
    config = replace(two.config, weight_prior="learned", intercept=True, n_draws=200)
    learned = run_fit(two.network, config, blocks=two.blocks, progress=False)
    found = compare_chains(learned)
    assert set(found.contested) == {"x0", "x1"}
    assert "on whether x0 or x1 matter; in every picture found x2 is not decided" in str(found)
    assert found.decisions.tolist() == [[True, False, False], [False, True, False], [True, False, False]]
    chain = np.unique(learned.weights.selected.partition) // learned.blocks.n_draws
    inclusion = learned.weights.selected.by_partition
    for c in range(3):
        expected = inclusion[chain == c].mean(axis=0) - 0.5
        np.testing.assert_allclose(found.scores[c], expected, atol=1e-12)


def test_it_is_the_same_whenever_it_is_asked_for(two):
    one, other = compare_chains(two), compare_chains(two)
    np.testing.assert_array_equal(one.sizes, other.sizes)
    np.testing.assert_array_equal(one.bits, other.bits)


def test_how_chains_number_their_blocks_does_not_matter(two):
    """The same partitions with the blocks of one chain exchanged, which its order undoes."""
    labels, order = two.blocks.labels.copy(), two.memberships.order.copy()
    labels[1] = 1 - labels[1]
    order[1] = order[1][:, ::-1]
    other = replace(two, blocks=replace(two.blocks, labels=labels), memberships=replace(two.memberships, order=order))
    one, same = compare_chains(two), compare_chains(other)
    np.testing.assert_array_equal(one.sizes, same.sizes)
    np.testing.assert_array_equal(one.bits, same.bits)
    assert one.changed == same.changed


def test_sizes_are_of_centred_weights_column_by_column(two):
    trace = columns._weights_by_chain(two)
    assert trace.weights.shape == (3, 16 * 7, 2, 3)  # 16 partitions, and about 100 draws
    w = trace.centred
    found = compare_chains(two)
    for g in range(3):
        np.testing.assert_allclose(found.sizes[:, g], (w[..., g] ** 2).sum(axis=2).mean(axis=1))


def test_time_is_bounded(two, monkeypatch):
    assert len(columns._some(two)) == 16
    monkeypatch.setattr(columns, "seconds_of_draws", lambda *_: 0.25)
    assert columns._some(two).tolist() == [0, 4, 8, 11, 15]
    monkeypatch.setattr(columns, "seconds_of_draws", lambda *_: 1e3)
    assert columns._some(two).tolist() == [0, 15]


@pytest.mark.parametrize(
    "options", [{"memberships": "drawn"}, pytest.param({"target": "joint", "n_sweeps": 100}, marks=pytest.mark.slow)]
)
def test_weights_that_belong_to_block_chains_already_are_taken(planted, options):
    parts = run_fit(planted, FitConfig(n_blocks=2, n_chains=2, **SHORT, **options), progress=False)
    assert columns._weights_by_chain(parts) is parts.weights
    found = compare_chains(parts)
    assert found.columns == ("x0", "x1")
    assert "x1" in found.matter


@pytest.fixture(scope="module")
def planted():
    from ..planted import noise_flag, planted_network, telling_flag

    return planted_network(1, lambda b, rng: np.column_stack((noise_flag(b, rng), telling_flag(b, rng))))[0]


def test_where_there_is_nothing_to_compare(planted):
    options = {"n_sweeps": 100, **SHORT}
    one_chain = run_fit(planted, FitConfig(n_blocks=2, n_chains=1, **options), progress=False)
    one_block = run_fit(planted, FitConfig(n_blocks=1, n_chains=2, **options), progress=False)
    given = run_fit(planted, FitConfig(n_chains=2, **SHORT), blocks=np.arange(80) % 2, progress=False)
    assert compare_chains(one_chain) is compare_chains(one_block) is compare_chains(given) is None


def test_chains_of_many_vertices_are_compared_on_some(two, monkeypatch):
    everyone = compare_chains(two)
    monkeypatch.setattr(columns, "_COMPARED", 20)
    some = columns._compared(two)
    assert len(np.unique(some)) == 20 < two.network.n_nodes
    found = compare_chains(two)
    assert found.matter == everyone.matter
    np.testing.assert_array_equal(found.scores, everyone.scores)  # weights are the same
    assert found.changed == pytest.approx(everyone.changed, abs=0.15)
    assert found.bits == pytest.approx(everyone.bits, abs=0.3)
    assert not np.array_equal(found.bits, everyone.bits)
