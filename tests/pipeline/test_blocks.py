"""sample_blocks: the same trace on any number of workers, with compiled kernels or without; clear refusals."""

import json
import os
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest

import ffbm
from ffbm.blocks.chain import BlockDraws
from ffbm.errors import DataError, OptionError
from ffbm.pipeline.blocktrace import gather
from ffbm.pipeline.length import Chains
from ffbm.types import Graph

from ..planted import planted_edges

RING = Graph.from_edges(range(8), [1, 2, 3, 4, 5, 6, 7, 0], 8)


@pytest.fixture(scope="module")
def polbooks():
    return ffbm.load_dataset("polbooks")


def test_any_number_of_workers(polbooks):
    traces = [
        ffbm.sample_blocks(polbooks, 3, n_sweeps=60, n_chains=3, seed=5, workers=workers) for workers in (1, 2, 7)
    ]
    for trace in traces[1:]:
        assert np.array_equal(trace.labels, traces[0].labels)
        assert np.array_equal(trace.entropy, traces[0].entropy)
        assert trace.best_entropy == traces[0].best_entropy


def test_chains_and_seeds_differ(polbooks):
    first = ffbm.sample_blocks(polbooks, 3, n_sweeps=20, seed=0)
    second = ffbm.sample_blocks(polbooks, 3, n_sweeps=20, seed=1)
    assert len({chain.tobytes() for chain in [*first.labels, *second.labels]}) == 8


def test_a_seed_that_was_drawn_is_recorded(polbooks):
    first = ffbm.sample_blocks(polbooks, 3, n_sweeps=20, seed=None)
    again = ffbm.sample_blocks(polbooks, 3, n_sweeps=20, seed=first.settings["seed"])
    assert np.array_equal(first.labels, again.labels)


def test_the_paper_s_figure_on_polbooks(polbooks):
    blocks = ffbm.sample_blocks(polbooks, 3)
    assert blocks.entropy_per_entity == pytest.approx(2.250, abs=0.002)
    assert blocks.best_entropy == pytest.approx(1225.4203, abs=1e-3)
    assert blocks.best_entropy == pytest.approx(
        ffbm.description_length(polbooks, blocks.best_labels).without_partition, abs=1e-6
    )
    assert blocks.converged.is_usable  # 4 x 160 draws are too few for "converged"
    assert blocks.labels.dtype == np.uint8


@pytest.mark.parametrize(("name", "bound"), [("school", 1.892), ("facebook", 1.630)])
@pytest.mark.slow
def test_the_paper_s_figures_on_the_other_two(paper_data, name, bound):
    assert ffbm.sample_blocks(ffbm.load_dataset(name), 10).entropy_per_entity <= bound


def test_initial_labels(polbooks):
    labels = np.arange(105) % 3
    own = ffbm.sample_blocks(polbooks, 3, n_sweeps=1, burn_in=0, thin=1, n_chains=2, initial=labels)
    each = ffbm.sample_blocks(
        polbooks, 3, n_sweeps=1, burn_in=0, thin=1, n_chains=2, initial=np.array([labels, labels])
    )
    assert np.array_equal(own.labels, each.labels)
    assert ffbm.sample_blocks(polbooks, 3, n_sweeps=5, thin=1, initial="random").labels.shape == (4, 4, 105)


def test_progress_is_told(polbooks):
    seen = []
    ffbm.sample_blocks(polbooks, 3, n_sweeps=30, progress=seen.append)
    assert seen[0].stage == "starts"
    assert seen[-1] == type(seen[0])("blocks", 30, 30)


def test_odd_networks():
    for graph in (Graph.from_edges([], [], 4), Graph.from_edges([0], [0], 1), RING):
        trace = ffbm.sample_blocks(graph, 1, n_sweeps=10, thin=1)
        assert not trace.labels.any()
    trace = ffbm.sample_blocks(RING, 12, n_sweeps=20, thin=1, allow_empty=True)
    assert trace.labels.max() < 12


CODE = """
import json, sys, numpy as np, ffbm
from ffbm.types import Graph
rng = np.random.default_rng(0)
graph = Graph.from_edges(rng.integers(0, 20, 60), rng.integers(0, 20, 60), 22)
field = rng.normal(size=(22, 3))
trace = ffbm.sample_blocks(graph, 3, n_sweeps=8, thin=1, n_chains=2, field=field, allow_empty=True, workers=1)
json.dump([trace.labels.tolist(), trace.entropy.tolist()], sys.stdout)
"""


@pytest.mark.slow
def test_compiled_or_not():
    labels, entropy = [], []
    for disabled in "01":
        environment = {**os.environ, "NUMBA_DISABLE_JIT": disabled}
        said = subprocess.run([sys.executable, "-c", CODE], env=environment, capture_output=True, check=True)
        one, two = json.loads(said.stdout)
        labels.append(one)
        entropy.append(two)
    assert labels[0] == labels[1]
    assert np.allclose(entropy[0], entropy[1], atol=1e-9, rtol=0)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"n_blocks": 0}, OptionError, "n_blocks must be a whole number, at least 1"),
        ({"n_blocks": 9}, OptionError, "at most 8; got 9"),
        ({"n_blocks": "many"}, OptionError, "'auto', 'free'"),
        ({"n_blocks": "free", "field": np.zeros((8, 2))}, OptionError, "blocks have no labels"),
        ({"n_blocks": 2, "n_sweeps": 4}, OptionError, "no draw is kept"),
        ({"n_blocks": 2, "burn_in": 1.5}, OptionError, "burn_in must be a number"),
        ({"n_blocks": 2, "thin": 0}, OptionError, "thin must be"),
        ({"n_blocks": 2, "n_chains": 0}, OptionError, "n_chains must be"),
        ({"n_blocks": 2, "moves": "gibbs"}, OptionError, "'default', 'single'"),
        ({"n_blocks": 2, "epsilon": 0}, OptionError, "epsilon must be a number, above 0"),
        ({"n_blocks": 2, "beta": float("nan")}, OptionError, "beta must be a number"),
        ({"n_blocks": 2, "seed": -1}, OptionError, "seed must be"),
        ({"n_blocks": 2, "workers": 0}, OptionError, "workers must be"),
        ({"n_blocks": 2, "progress": "yes"}, OptionError, "progress must be"),
        ({"n_blocks": 2, "field": np.zeros((8, 3))}, OptionError, r"shape \(8, 2\)"),
        ({"n_blocks": 2, "field": np.full((8, 2), np.inf)}, OptionError, "16 values that are not finite"),
        ({"n_blocks": 2, "initial": "best"}, OptionError, "'greedy', 'random'"),
        ({"n_blocks": 2, "initial": np.zeros(5, int)}, OptionError, r"\(8,\) or \(4, 8\)"),
        ({"n_blocks": 2, "initial": np.zeros(8, int)}, OptionError, "use all of the blocks"),
        ({"n_blocks": 2, "initial": np.full(8, 0.5)}, DataError, "whole numbers"),
    ],
)
def test_errors(options, error, words):
    with pytest.raises(error, match=words):
        ffbm.sample_blocks(RING, **options)


def test_no_vertices():
    with pytest.raises(DataError, match="without vertices"):
        ffbm.sample_blocks(Graph.from_edges([], [], 0), 1)


def test_the_number_of_blocks_is_found_and_told():
    edges, _ = planted_edges(np.random.default_rng(2), (25, 25, 25), 0.5, 0.03)
    graph = Graph.from_edges(edges[:, 0], edges[:, 1], 75)
    found = ffbm.sample_blocks(graph, "auto", n_sweeps=50, n_chains=2, progress=False)
    assert found.n_blocks == 3
    assert all(len(set(b)) == 3 for chain in found.labels for b in chain)
    table = found.candidates
    assert table.columns.tolist()[:3] == ["n_blocks", "description_length", "difference"]
    assert table["n_blocks"][0] == 3
    assert table["difference"][0] == 0
    assert table["difference"].is_monotonic_increasing
    best = ffbm.description_length(graph, found.best_labels, prior="full").total
    assert table["description_length"][0] <= best + 1e-6
    again = ffbm.sample_blocks(graph, "auto", n_sweeps=50, n_chains=2, workers=2, progress=False)
    assert np.array_equal(found.labels, again.labels)
    assert found.settings == again.settings
    assert ffbm.sample_blocks(graph, 3, n_sweeps=50, n_chains=2, progress=False).candidates is None


@pytest.mark.parametrize("n_links", [1, 7])
def test_the_best_of_free_blocks_is_no_worse_than_any_draw(n_links):
    """What a chain carries also counts labellings, which favour few blocks."""
    size = 6 if n_links == 1 else 8
    half = [(i, j) for i in range(size) for j in range(i)]
    links = [(i, size + i) for i in range(n_links)]
    graph = ffbm.as_network(half + [(i + size, j + size) for i, j in half] + links).graph
    found = ffbm.sample_blocks(graph, "free", n_sweeps=400, n_chains=2, progress=False)
    full = [ffbm.description_length(graph, b, prior="full").total for b in found.labels.reshape(-1, graph.n_nodes)]
    assert ffbm.description_length(graph, found.best_labels, prior="full").total <= min(full) + 1e-9
    assert found.n_blocks > found.best_labels.max()


def test_free_blocks_open_and_close():
    edges, _ = planted_edges(np.random.default_rng(0), (8, 8), 0.7, 0.1)  # too small to be sure that it is two
    graph = Graph.from_edges(edges[:, 0], edges[:, 1], 16)
    found = ffbm.sample_blocks(graph, "free", n_sweeps=3000, n_chains=2, progress=False)
    used = found.labels.max(axis=2) + 1
    assert len(np.unique(used)) > 1
    assert found.n_blocks == used.max()
    for b, s in zip(found.labels[:, -1], found.entropy[:, -1], strict=True):
        assert np.all(np.diff(np.bincount(b)) <= 0)  # numbered by size
        assert s == pytest.approx(ffbm.description_length(graph, b).without_partition)
    again = ffbm.sample_blocks(graph, "free", n_sweeps=3000, n_chains=2, workers=2, progress=False)
    assert np.array_equal(found.labels, again.labels)


@pytest.mark.slow
def test_more_blocks_than_a_dense_table_holds():
    rng = np.random.default_rng(0)
    ends = rng.integers(0, 9000, (20_000, 2))
    graph = Graph.from_edges(ends[:, 0], ends[:, 1], 9000)
    options = {"n_sweeps": 3, "burn_in": 0, "thin": 1, "n_chains": 1, "initial": "random", "progress": False}
    found = ffbm.sample_blocks(graph, 8300, **options)
    assert len(np.unique(found.labels[0, -1])) == 8300
    truth = ffbm.description_length(graph, found.labels[0, -1]).without_partition
    assert found.entropy[0, -1] == pytest.approx(truth, abs=1e-5)
    assert found.acceptance.min() > 0


def test_of_equally_good_chains_the_first_has_the_best_partition():
    graph = Graph.from_edges([0, 1], [1, 2], 3)
    labels, entropy = np.zeros((2, 1, 3), dtype=np.uint8), np.zeros((2, 1))

    def best(*lowest):
        states = [SimpleNamespace(best=np.full(3, c), lowest=s) for c, s in enumerate(lowest)]
        chains = Chains(states, BlockDraws(labels, entropy, entropy), n_sweeps=1, burn=0, thin=1)
        return gather(graph, 2, chains, {"seed": 0}).best_labels.tolist()

    assert best(5.0, 5.0 - 1e-12) == [0, 0, 0]
    assert best(5.0, 5.0 - 1e-3) == [1, 1, 1]
