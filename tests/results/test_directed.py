"""A fit of a directed network: every stage takes it, and what is said, drawn and saved shows the direction."""

import networkx
import numpy as np
import pytest

import ffbm
from ffbm.errors import OptionError
from ffbm.plots import plot_block_matrix, plot_network

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
SHORT = {"n_sweeps": 60, "n_draws": 40, "n_warmup": 30, "n_chains": 2, "seed": 1, "progress": False}


@pytest.fixture(scope="module")
def made():
    """Edges lead from one block to the other, and few back."""
    matrix, weights = [[1, 8], [1, 1]], [[3, 0], [-3, 0]]
    return ffbm.simulate(40, 2, 160, weights=weights, block_matrix=matrix, directed=True, seed=2)


@pytest.fixture(scope="module")
def net(made):
    return made.network


@pytest.fixture(scope="module")
def fit(net, tmp_path_factory):
    return ffbm.fit(net, 2, out=tmp_path_factory.mktemp("runs") / "one", **SHORT)


def test_it_is_saved_with_its_direction(net, fit, tmp_path):
    assert "40 vertices, 160 directed edges" in fit.summary()
    fit.save(tmp_path / "run")
    again = ffbm.load_fit(tmp_path / "run")
    assert again.network.graph.is_directed
    assert np.array_equal(again.network.graph.edges, net.graph.edges)
    graph = networkx.read_graphml(tmp_path / "run" / "network.graphml")
    assert isinstance(graph, networkx.DiGraph)
    ids = net.node_ids[net.graph.edges]
    assert set(graph.edges) == set(map(tuple, ids.tolist()))
    report = (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
    for said in ("160 directed edges", "from block", "to block", "arrow head", "out-degree"):
        assert said in report


def test_tables_have_both_degrees(net, fit):
    from ffbm.results.tables import table_of_blocks, table_of_nodes

    nodes, blocks = table_of_nodes(fit), table_of_blocks(fit)
    assert np.array_equal(nodes["out_degree"] + nodes["in_degree"], nodes["degree"])
    assert blocks["out_degree_sum"].sum() == blocks["in_degree_sum"].sum() == net.n_edges


def test_the_block_matrix_says_from_and_to(net, fit):
    axes = plot_block_matrix(net.graph, fit.memberships).axes[0]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("from block", "to block")
    ends = fit.memberships.labels[net.graph.edges]
    counts = np.bincount(2 * ends[:, 0] + ends[:, 1], minlength=4)
    assert [text.get_text() for text in axes.texts] == [str(n) for n in counts]
    assert counts[1] != counts[2]


def test_few_edges_have_arrow_heads(net, fit):
    from matplotlib.quiver import Quiver

    def arrows(network):
        axes = plot_network(network, fit.memberships).axes[0]
        return sum(item.N for item in axes.collections if isinstance(item, Quiver))

    assert arrows(net) == net.n_edges
    assert arrows(net.undirected()) == 0


def test_direction_can_be_ignored(net, fit):
    plain = ffbm.fit(net, 2, directed=False, **SHORT)
    assert not plain.network.graph.is_directed
    assert plain.network.notes[-1].code == "directed"
    assert plain.blocks.best_entropy != pytest.approx(fit.blocks.best_entropy)
    assert "directed and undirected" in str(ffbm.compare(fit, plain))
    assert "description length" not in ffbm.compare(fit, plain).summary()
    assert ffbm.config.FitConfig(preset="paper").directed is False


def test_a_run_goes_on_with_the_same_direction_alone(net, tmp_path):
    longer = ffbm.fit(net, 2, out=tmp_path / "run", **{**SHORT, "n_sweeps": 30})
    longer = ffbm.fit(net, 2, out=tmp_path / "run", resume=True, **SHORT)
    assert longer.blocks.labels.shape[1] > 0
    with pytest.raises(OptionError, match="its network differ"):
        ffbm.fit(net.undirected(), 2, out=tmp_path / "run", resume=True, **SHORT)


@pytest.mark.slow  # compiles the joint chain for directed graphs
def test_the_joint_posterior(net):
    found = ffbm.fit(net, 2, target="joint", **SHORT)
    for labels, s in zip(found.blocks.labels[0], found.blocks.entropy[0], strict=True):
        assert s == pytest.approx(ffbm.description_length(net, labels).without_partition, abs=1e-8)


def test_given_blocks_and_permutations(made, net):
    labels = np.arange(40) % 2
    found = ffbm.fit(net, blocks=labels, n_draws=40, n_warmup=30, n_chains=2, progress=False)
    truth = ffbm.description_length(net, labels)
    assert found.blocks.entropy == pytest.approx(truth.without_partition)
    told = ffbm.as_network(net.graph.edges, made.labels[:, None], directed=True)
    assert ffbm.permutation_test(told, n_permutations=200, seed=1, progress=False)["p_adjacency"].item() < 0.05


def test_what_was_simulated_is_read_again(made, net, tmp_path):
    made.save(tmp_path / "made")
    again = ffbm.read_network(tmp_path / "made" / "edges.csv", nodes=tmp_path / "made" / "nodes.csv", directed=True)
    assert again.fingerprint == net.fingerprint
    assert made.truth()["directed"] is True
    ends = made.labels[net.graph.edges]
    assert np.array_equal(made.edge_counts.ravel(), np.bincount(2 * ends[:, 0] + ends[:, 1], minlength=4))


def test_parts_of_permuted_labels_are_those_of_the_description_length(net):
    from ffbm.blocks.permutation import observed_parts, score_graph, shuffle_inside

    for n_groups in (3, 40):  # dense and compact tables
        codes = np.random.default_rng(1).permutation(np.arange(40) % n_groups)
        found = observed_parts(score_graph(net.graph), shuffle_inside(codes, np.zeros(40)))
        truth = ffbm.description_length(net, codes)
        assert found == pytest.approx([truth.adjacency, truth.degrees], abs=1e-8)
