"""The modes of partitions against graph-tool's, live, on the same draws.

graph-tool's ModeClusterState finds modes, each a PartitionModeState, that describe the draws in the fewest nats. It
pays for the memberships of every vertex in every mode, and asks for no least distance and no gap between modes; so the
two must agree where pictures are clear, and may differ where they hardly do.
"""

import numpy as np
import pytest

import ffbm
from ffbm.blocks.align import align_blocks

from ..blocks.pictures import cliques_in_pairs, noisy, relabel, trace_of, two_pictures
from .graph_tool import run_graph_tool

pytestmark = pytest.mark.peer

SCRIPT = """
import json, sys
import numpy as np
import graph_tool.all as gt
out = []
for draws in json.load(sys.stdin):
    gt.seed_rng(1)
    np.random.seed(1)
    state = gt.ModeClusterState(draws, relabel=True)
    gt.mcmc_equilibrate(state, wait=5, mcmc_args=dict(niter=1, beta=np.inf))
    g = gt.Graph(directed=False)
    g.add_vertex(len(draws[0]))
    home = list(state.b)
    modes = {}
    for r in sorted(set(home)):
        mode = state.get_mode(r)
        mode.replace_partitions()
        marginal = mode.get_marginal(g)
        modes[int(r)] = [list(map(int, marginal[v])) for v in g.vertices()]
    out.append({"mode_of": [int(r) for r in home], "modes": modes})
json.dump(out, sys.stdout)
"""


def planted(seed, n_nodes, n_blocks, changed, noise, shares, n_draws=40):
    """Draws of 4 chains that go to and fro between pictures with these shares."""
    rng = np.random.default_rng(seed)
    pictures = two_pictures(rng, n_nodes, n_blocks, changed)
    if len(shares) > 2:
        more = [rng.permutation(pictures[0]) for _ in range(len(shares) - 2)]
        pictures = np.concatenate((pictures, more))
    which = rng.choice(len(shares), p=shares, size=(4, n_draws))
    return trace_of(relabel(rng, noisy(rng, pictures[which], n_blocks, which.shape, noise), n_blocks), n_blocks)


def ring():
    """Draws of a sampled network with two equally good pictures, two chains in each."""
    edges, pictures = cliques_in_pairs()
    net = ffbm.as_network(edges)
    starts = pictures[[0, 1, 1, 0]]
    return ffbm.sample_blocks(net, n_blocks=2, n_sweeps=200, seed=1, initial=starts, moves="single", progress=False)


def polbooks():
    return ffbm.sample_blocks(ffbm.load_dataset("polbooks"), n_blocks=3, n_sweeps=500, seed=1, progress=False)


TRACES = {
    "one, no noise": lambda: planted(1, 60, 3, 0.0, 0.0, [1.0, 0.0]),
    "one, noise": lambda: planted(2, 80, 4, 0.0, 0.3, [1.0, 0.0]),
    "two, B = 2": lambda: planted(3, 60, 2, 0.4, 0.1, [0.5, 0.5]),
    "two, B = 4": lambda: planted(4, 80, 4, 0.5, 0.1, [0.7, 0.3]),
    "two, noise": lambda: planted(5, 200, 3, 0.5, 0.3, [0.6, 0.4]),
    "four": lambda: planted(6, 80, 3, 0.8, 0.1, [0.4, 0.3, 0.2, 0.1]),
    "ring": ring,
    "polbooks": polbooks,
}


@pytest.fixture(scope="module")
def pairs():
    traces = {name: make() for name, make in TRACES.items()}
    given = [trace.labels.reshape(-1, trace.labels.shape[2]).tolist() for trace in traces.values()]
    return {
        name: (align_blocks(trace), found)
        for (name, trace), found in zip(traces.items(), run_graph_tool(SCRIPT, given), strict=True)
    }


@pytest.mark.parametrize("name", TRACES)
def test_draws_are_grouped_alike(pairs, name):
    members, found = pairs[name]
    grouped = set(zip(members.mode_of.ravel().tolist(), found["mode_of"], strict=True))
    assert len(grouped) == members.n_modes == len(found["modes"])


@pytest.mark.parametrize("name", TRACES)
def test_memberships_of_each_mode_agree(pairs, name):
    members, found = pairs[name]
    theirs_of = dict(zip(members.mode_of.ravel().tolist(), found["mode_of"], strict=True))
    for number, mode in enumerate(members.modes):
        counts = np.zeros_like(mode.probs)
        for i, row in enumerate(found["modes"][str(theirs_of[number])]):
            assert not any(row[members.n_blocks :])
            counts[i, : len(row)] = row[: members.n_blocks]
        theirs = counts / counts.sum(axis=1, keepdims=True)
        shared = mode.probs.T @ theirs
        columns = shared.argmax(axis=1)
        assert len(set(columns.tolist())) == members.n_blocks
        np.testing.assert_allclose(theirs[:, columns], mode.probs, atol=1e-9)
