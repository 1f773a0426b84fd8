"""A network of a million edges, from files to a table of columns: half a minute of one core."""

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.errors import ConvergenceWarning

N_NODES, N_EDGES, N_BLOCKS = 100_000, 1_000_000, 10


@pytest.mark.users_defaults
def test_a_million_edges_from_files_to_a_table_of_columns(tmp_path):
    rng = np.random.default_rng(1)
    truth = np.arange(N_NODES) * N_BLOCKS // N_NODES
    size = N_NODES // N_BLOCKS
    source = rng.integers(0, N_NODES, N_EDGES)
    inside = truth[source] * size + rng.integers(0, size, N_EDGES)
    target = np.where(rng.random(N_EDGES) < 0.5, inside, rng.integers(0, N_NODES, N_EDGES))
    pd.DataFrame({"source": source, "target": target}).to_csv(tmp_path / "edges.csv", index=False)
    telling = np.where(rng.random(N_NODES) < 0.4, truth % 4, rng.integers(0, 4, N_NODES))
    table = {"id": np.arange(N_NODES), "telling": np.char.add("t", telling.astype(str))}
    table["noise"] = np.char.add("n", rng.integers(0, 4, N_NODES).astype(str))
    pd.DataFrame(table).to_csv(tmp_path / "people.csv", index=False)

    net = ffbm.read_network(tmp_path / "edges.csv", nodes=tmp_path / "people.csv")
    assert (net.n_nodes, net.n_edges, net.n_features) == (N_NODES, N_EDGES, 8)
    short = {"n_sweeps": 20, "n_chains": 2, "n_draws": 50, "n_warmup": 50}
    with pytest.warns(ConvergenceWarning, match="too short"):
        fit = ffbm.fit(net, n_blocks=N_BLOCKS, seed=1, progress=False, **short)
    overlap = np.zeros((N_BLOCKS, N_BLOCKS), dtype=np.int64)
    np.add.at(overlap, (truth[net.node_ids.astype(np.int64)], fit.memberships.labels), 1)
    assert overlap.max(axis=1).sum() > 0.99 * N_NODES
    decided = fit.column_table.set_index("column")["decision"]
    assert decided["telling"] == "matters"
    assert decided["noise"] != "matters"
    fit.report(tmp_path / "report.html")
    assert (tmp_path / "report.html").stat().st_size < 10e6
