"""Fits on a dask cluster of two processes: the same bits, whatever becomes of the workers."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.cli import run as run_command
from ffbm.errors import DataError, OptionError
from ffbm.pipeline.contributions import _gain
from ffbm.pipeline.refits import _run_fold
from ffbm.states import to_bytes
from ffbm.workers import cluster, open_workers

from .mortal import worker_processes
from .results.test_continuation import Stop, assert_same, stop_at

distributed = pytest.importorskip("distributed")
SHORT = {"n_blocks": 3, "n_sweeps": 60, "n_warmup": 40, "n_draws": 50, "n_kept": 2, "n_chains": 2, "seed": 3}
pytestmark = [
    pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning"),
    pytest.mark.filterwarnings("ignore::ResourceWarning:distributed"),
    pytest.mark.filterwarnings("ignore:unclosed.*:ResourceWarning"),  # sockets of dask's that close a moment later
]


@pytest.fixture(scope="module")
def net():
    return ffbm.load_dataset("polbooks")


OPTIONS = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": ":0", "silence_logs": 50}


@pytest.fixture(scope="module")
def local():
    """A scheduler and two worker processes on loopback."""
    with distributed.LocalCluster(**OPTIONS) as opened:
        yield opened


@pytest.fixture
def fresh_client():
    """The client of a cluster that no worker was taken from."""
    with distributed.LocalCluster(**OPTIONS) as opened, distributed.Client(opened, set_as_default=False) as client:
        client.wait_for_workers(2)
        yield client


@pytest.fixture
def client(local):
    with distributed.Client(local, set_as_default=False) as opened:
        opened.wait_for_workers(2)
        yield opened


@pytest.mark.parametrize(
    "settings", [{"n_blocks": "auto"}, {"target": "joint"}, {"memberships": "drawn"}], ids=["cut", "joint", "drawn"]
)
def test_a_cluster_gives_the_bits_of_one_worker(net, client, settings):
    heard = []
    found = ffbm.fit(net, **SHORT | settings, workers=client, progress=heard.append)
    assert_same(found, ffbm.fit(net, **SHORT | settings, workers=1, progress=False))
    assert {event.stage for event in heard if event.done == event.total} >= {
        "starts", *(("joint",) if settings.get("target") else ("blocks", "weights", "weights, kept features"))
    }  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings", [{}, {"n_blocks": "auto", "hierarchy": True, "tempering": [1.0, 0.95]}], ids=["blocks", "hierarchies"]
)
def test_a_cluster_gives_the_bits_of_one_worker_for_directed_networks(client, settings):
    rng = np.random.default_rng(4)
    source, target = rng.integers(0, 60, (2, 900))
    arcs = np.column_stack((source, target))[(rng.random(900) < 0.1) | (target // 20 == (source // 20 + 1) % 3)]
    net = ffbm.as_network(arcs, pd.DataFrame({"side": np.repeat(list("abc"), 20)}), directed=True)
    assert net.graph.is_directed
    found = ffbm.fit(net, **SHORT | settings, workers=client, progress=False)
    assert_same(found, ffbm.fit(net, **SHORT | settings, workers=1, progress=False))


def test_bits_of_columns_are_pieces_of_work(client, tmp_path, monkeypatch):
    rng = np.random.default_rng(2)
    labels, table = np.repeat([0, 1], 30), {"noise": rng.integers(0, 3, 60).astype(str)}
    table["side"] = np.where(rng.random(60) < 0.8, labels, 1 - labels).astype(str)
    net = ffbm.as_network(rng.integers(0, 60, size=(200, 2)), pd.DataFrame(table))
    given = {"n_draws": 50, "n_warmup": 50, "n_chains": 2, "seed": 1, "blocks": labels, "progress": False}
    known = ffbm.fit(net, **given, workers=1).column_table
    monkeypatch.setattr("ffbm.pipeline.contributions._gain", _in_a_worker)
    found = ffbm.fit(net, **given, out=tmp_path / "run", workers=client)
    pd.testing.assert_frame_equal(found.column_table, known)


def _in_a_worker(*given):
    distributed.get_worker()  # an error anywhere else
    return _gain(*given)


def test_folds_are_pieces_of_work(net, client, monkeypatch):
    rng = np.random.default_rng(1)
    table = pd.DataFrame({"side": rng.choice(["a", "b", None], net.n_nodes), "size": rng.random(net.n_nodes)})
    given = {"blocks": np.arange(net.n_nodes) % 3, "n_draws": 50, "n_warmup": 50, "n_chains": 2, "seed": 1, "folds": 3}
    for other in (net, ffbm.as_network(net.graph.edges, table)):  # with cells to be sampled, too
        options = given | {"impute": other is not net, "progress": False}
        known = ffbm.fit(other, **options, workers=1)
        with monkeypatch.context() as patch:
            patch.setattr("ffbm.pipeline.refits._run_fold", _fold_in_a_worker)
            found = ffbm.fit(other, **options, workers=client)
        assert found.scores.to_dict() == known.scores.to_dict()
        np.testing.assert_array_equal(found.explanation.held_out, known.explanation.held_out)


def _fold_in_a_worker(*given):
    distributed.get_worker()
    return _run_fold(*given)


def test_permutations_on_a_cluster(net, client):
    given = {"n_permutations": 30, "blocks": None}
    found, known = (ffbm.permutation_test(net, **given, workers=workers) for workers in (client, 1))
    pd.testing.assert_frame_equal(found, known)


@pytest.mark.slow
def test_a_worker_that_is_killed_is_survived(net, fresh_client, monkeypatch):
    client = fresh_client
    monkeypatch.setattr(cluster, "_PATIENCE", 300.0)  # a busy machine takes long to start a worker
    killed = []

    def listen(event):
        if event.stage in ("blocks", "weights") and 0 < event.done < event.total and len(killed) < 2:
            killed.append(worker_processes(client)[0])
            os.kill(killed[-1], signal.SIGKILL)

    longer = SHORT | {"n_sweeps": 400, "n_draws": 300}
    found = ffbm.fit(net, **longer, workers=client, progress=listen)
    assert len(killed) == 2
    assert_same(found, ffbm.fit(net, **longer, workers=1, progress=False))


@pytest.mark.slow
def test_all_workers_killed_at_once_are_survived(net, fresh_client, monkeypatch):
    client = fresh_client
    monkeypatch.setattr(cluster, "_PATIENCE", 300.0)  # a busy machine takes long to start a worker
    killed = []

    def listen(event):
        if event.stage == "blocks" and event.done > 0 and not killed:
            killed.extend(worker_processes(client))
            for pid in killed:
                os.kill(pid, signal.SIGKILL)

    found = ffbm.fit(net, **SHORT, workers=client, progress=listen)
    assert len(killed) == 2
    assert_same(found, ffbm.fit(net, **SHORT, workers=1, progress=False))


# made by eval, so that workers, which cannot import this file, are sent all of it
TAKE = eval("lambda shared, item: (2 * item, float(shared[-1]))")
TAKEN = tuple[int, float]
COUNT = """
from ffbm.workers import cluster
cluster.seen = getattr(cluster, "seen", [])
cluster.seen.clear()
def restore(box, state):
    box.__dict__.update(state)
    cluster.seen.append(1)
cluster._Box.__setstate__ = restore
"""


def test_pieces_of_work_may_be_submitted_at_once(client):
    shared = np.arange(5)
    with open_workers(client, 20) as run:
        futures = [run.submit(TAKE, i, shared, kind=TAKEN) for i in range(20)]
        results = [future.result() for future in futures]
    assert results == [(2 * i, 4.0) for i in range(20)]


def test_shared_data_reach_each_worker_once_and_tasks_without_them(fresh_client, monkeypatch):
    client = fresh_client
    client.run(exec, COUNT, {})
    sent = []
    monkeypatch.setattr(cluster, "to_bytes", lambda value: sent.append(to_bytes(value)) or sent[-1])
    shared = np.arange(1_000_000)
    for _ in range(3):  # the stages of a run
        with open_workers(client, 4) as run:
            for _ in range(5):
                results = run(TAKE, range(4), shared, kind=TAKEN)
    assert results == [(2 * i, 999_999.0) for i in range(4)]
    seen = client.run(eval, "__import__('ffbm.workers.cluster', fromlist=['seen']).seen")
    # 60 tasks; now and then dask fetches them a second time for a worker that it is just sending them to
    assert all(1 <= sum(times) <= 2 for times in seen.values()), seen
    assert max(map(len, sent)) < 1_000


def test_what_two_stages_share_is_sent_once(client):
    first, second = np.arange(3), np.arange(7)
    both = eval("lambda first, second, item: (item, float(second[-1]))")
    with open_workers(client, 1) as run:
        assert run(both, [1], first, second, kind=TAKEN) == [(1, 6.0)]
        before = [where.key for _, where in cluster._cluster_of(client)._sent.values()]
        assert run(TAKE, [1], second, kind=TAKEN) == [(2, 6.0)]
        after = [where.key for _, where in cluster._cluster_of(client)._sent.values()]
    assert after == before[1:]


def test_results_of_another_type_are_told(client):
    with (
        open_workers(client, 1) as run,
        pytest.raises(DataError, match="they must have the same version of ffbm"),
    ):
        run(TAKE, [1], np.arange(3), kind=list[np.ndarray])


def test_no_data_stay_on_the_cluster_after_a_run(net, client):
    ffbm.fit(net, **SHORT, workers=client, progress=False)
    end = time.monotonic() + 20
    while any(client.has_what().values()) and time.monotonic() < end:
        time.sleep(0.05)
    assert not any(client.has_what().values())


def test_a_run_begun_here_is_resumed_on_a_cluster_by_the_command(net, local, tmp_path, capsys):
    run = tmp_path / "run"
    with pytest.raises(Stop):
        ffbm.fit(net, **SHORT, out=run, progress=stop_at(6))
    given = ["--blocks", "3", "--sweeps", "60", "--warmup", "40", "--draws", "50", "--keep", "2", "--chains", "2"]
    arguments = ["fit", "polbooks", *given, "--seed", "3", "--out", str(run), "--resume"]
    assert run_command([*arguments, "--cluster", local.scheduler_address, "--quiet"]) == 0, capsys.readouterr().err
    assert_same(ffbm.load_fit(run), ffbm.fit(net, **SHORT, progress=False))


@pytest.mark.slow
def test_the_commands_of_dask_and_ours_work_together(net, tmp_path):
    """As in the documentation: a scheduler, two workers and a fit, each a command."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    file = tmp_path / "scheduler.json"
    scheduler = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--port", "0", "--host", "127.0.0.1"]
    begun = [subprocess.Popen([*scheduler, "--no-dashboard", "--scheduler-file", str(file)], **quiet)]
    try:
        end = time.monotonic() + 60
        while not file.exists() and time.monotonic() < end:
            time.sleep(0.05)
        address = re.search(r"tcp://[^\"]+", file.read_text())[0]
        worker = [sys.executable, "-m", "distributed.cli.dask_worker", address, "--nthreads", "1", "--no-dashboard"]
        begun += [subprocess.Popen([*worker, "--no-nanny"], cwd=tmp_path, **quiet) for _ in range(2)]
        command = [sys.executable, "-m", "ffbm", "fit", "polbooks", "--blocks", "3", "--sweeps", "60", "--warmup", "40"]
        command += ["--draws", "50", "--keep", "2", "--chains", "2", "--seed", "3", "--out", str(tmp_path / "run")]
        command += ["--weight-prior", "fixed"]
        done = subprocess.run([*command, "--cluster", address, "--quiet"], capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
    finally:
        for process in reversed(begun):
            process.terminate()
            process.wait(60)
    assert_same(ffbm.load_fit(tmp_path / "run"), ffbm.fit(net, **SHORT, progress=False))


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("tcp://127.0.0.1:9", "there must be a dask scheduler at tcp://127.0.0.1:9; it does not answer"),
        ("nonsense://x:1", "there must be a dask scheduler at nonsense://x:1"),
        ("host", "the address of a cluster must be like tcp://host:8786; got 'host'"),
    ],
)
def test_a_wrong_address_is_told_in_one_line(address, message, monkeypatch, capsys):
    monkeypatch.setattr(cluster, "_TIMEOUT", "1s")
    assert run_command(["fit", "polbooks", "--blocks", "3", "--cluster", address]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1
    assert message in err


def test_without_dask_the_remedy_is_told(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "distributed", None)
    assert run_command(["fit", "polbooks", "--blocks", "3", "--cluster", "tcp://127.0.0.1:1"]) == 2
    assert 'install it with pip install "ffbm[cluster]"' in capsys.readouterr().err


def test_a_client_that_is_closed_is_told(net, local):
    with distributed.Client(local, set_as_default=False) as client:
        pass
    with pytest.raises(OptionError, match="the Client of the cluster is closed: open another"):
        ffbm.fit(net, **SHORT, workers=client, progress=False)


def test_a_cluster_without_workers_is_told(net, monkeypatch):
    monkeypatch.setattr(cluster, "_PATIENCE", 0.2)
    with (
        distributed.LocalCluster(**OPTIONS | {"n_workers": 0}) as empty,
        distributed.Client(empty, set_as_default=False) as client,
        pytest.raises(OptionError, match="the cluster has no workers: start some with dask worker"),
    ):
        ffbm.fit(net, **SHORT, workers=client, progress=False)


def test_threads_and_a_cluster_exclude_each_other(capsys):
    assert run_command(["fit", "polbooks", "--workers", "2", "--cluster", "tcp://127.0.0.1:1"]) == 2
    assert "give one of them" in capsys.readouterr().err
