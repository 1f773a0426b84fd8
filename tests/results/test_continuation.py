"""Runs that go on: the same bits as if they had never stopped, and a clear word where they cannot."""

import dataclasses
import json
import re
from typing import NamedTuple

import numpy as np
import pytest

import ffbm
from ffbm.errors import DataError, OptionError
from ffbm.pipeline import run as running
from ffbm.results.record import strict_json
from ffbm.store.folder import CHAINS

SHORT = {"n_blocks": 2, "n_sweeps": 60, "n_warmup": 40, "n_draws": 50, "n_kept": 2, "n_chains": 2, "seed": 3}
pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")


def arrays_of(fit) -> dict[str, np.ndarray]:
    """Every array of a fit, by name."""
    tree = fit.to_datatree()
    return {f"{node.path}/{name}": np.asarray(v) for node in tree.subtree for name, v in node.dataset.variables.items()}


def assert_same(one, other) -> None:
    first, second = arrays_of(one), arrays_of(other)
    assert first.keys() == second.keys()
    for name, values in first.items():
        assert values.dtype == second[name].dtype, name
        assert values.tobytes() == second[name].tobytes() or values.tolist() == second[name].tolist(), name
    assert strict_json(one.scores.to_dict()) == strict_json(other.scores.to_dict())
    assert one.config == other.config


class Table(NamedTuple):
    """What a run remembers."""

    x: np.ndarray


class Stop(BaseException):
    """What ends a run at once, like the power going."""


@pytest.fixture
def often(monkeypatch):
    """Short segments, all of them saved."""
    monkeypatch.setattr("ffbm.pipeline.numbers._N_SWEEPS", 60)  # of chains with B free: they are written down as often
    monkeypatch.setattr("ffbm.pipeline.numbers._BURN", 10)
    monkeypatch.setattr(running, "_SEGMENT_SECONDS", 1e-4)
    monkeypatch.setattr(running, "_SAVE_SECONDS", 0.0)


SAVING = ("comparison of chains", "pairs of columns", "replicates", "report and files")  # stages without checkpoints


def stop_at(number: int):
    """A listener that ends the run at its word number ``number``; what is saved in one go is not stopped for ever."""
    heard = 0

    def listen(event):
        nonlocal heard
        heard += event.stage not in SAVING
        if heard == number:
            raise Stop

    return listen


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param({}, marks=pytest.mark.slow),  # with a search for B it is tested in every run
        pytest.param({"memberships": "drawn"}, marks=pytest.mark.slow),
        pytest.param({"folds": 2, "sampler": "mala"}, marks=pytest.mark.slow),
        {"n_blocks": "auto"},
        {"target": "joint"},
        pytest.param({"blocks": "given"}, marks=pytest.mark.slow),
    ],
    ids=["cut", "drawn", "folds", "auto", "joint", "given"],
)
def test_a_run_that_stopped_anywhere_ends_with_the_same_bits(net, tmp_path, often, settings):
    settings = {**SHORT, **settings}
    if settings.get("blocks"):
        settings |= {"blocks": np.arange(net.n_nodes) % 2, "n_blocks": "auto"}
    whole = ffbm.fit(net, **settings, progress=False)
    stops = 0
    while True:
        try:
            found = ffbm.fit(net, **settings, out=tmp_path / "run", resume=True, progress=stop_at(6 + 4 * (stops % 5)))
        except Stop:
            stops += 1
            continue
        break
    assert stops >= 5
    assert_same(found, whole)
    assert_same(ffbm.load_fit(tmp_path / "run"), whole)


def test_a_search_for_the_number_of_blocks_that_is_interrupted_keeps_its_rounds(tmp_path):
    """On a ring of vertices blocks may begin anywhere, so the search has several rounds."""
    ring = [(i, (i + step) % 60) for i in range(60) for step in range(1, 5)]
    net = ffbm.as_network(np.array(ring), np.arange(60)[:, None] % 2)
    settings = SHORT | {"n_blocks": "auto", "n_kept": 1, "workers": 1}

    def interrupt(event):
        if event.done == 6:  # of four pieces of work in the first round, four in the second
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt, match="go on with"):
        ffbm.fit(net, **settings, out=tmp_path / "run", progress=interrupt)
    rounds = {path: path.read_bytes() for path in (tmp_path / "run" / CHAINS).glob("number-of-blocks-*")}
    assert [path.name for path in rounds] == ["number-of-blocks-round-0.npz"]
    heard = []
    resumed = ffbm.fit(net, **settings, out=tmp_path / "run", resume=True, progress=heard.append)
    assert [event.done for event in heard if event.stage == "number of blocks"][:4] == [0, 4, 5, 6]
    assert all(path.read_bytes() == data for path, data in rounds.items())
    whole = ffbm.fit(net, **settings, progress=False)
    assert resumed.blocks.candidates.equals(whole.blocks.candidates)
    assert_same(resumed, whole)


@pytest.mark.parametrize(
    "workers", [pytest.param(1, marks=pytest.mark.slow), 2, pytest.param(3, marks=pytest.mark.slow)]
)
def test_the_number_of_workers_may_change_on_the_way(net, tmp_path, often, workers):
    with pytest.raises(Stop):
        ffbm.fit(net, **SHORT, out=tmp_path / "run", workers=4 - workers, progress=stop_at(12))
    found = ffbm.fit(net, **SHORT, out=tmp_path / "run", resume=True, workers=workers, progress=False)
    assert_same(found, ffbm.fit(net, **SHORT, progress=False))


def test_a_run_with_nothing_left_to_do_is_read(net, tmp_path):
    made = ffbm.fit(net, **SHORT, out=tmp_path / "run", progress=False)
    assert_same(ffbm.fit(net, **SHORT, out=tmp_path / "run", resume=True, progress=stop_at(1)), made)


def test_resume_without_a_seed_takes_that_of_the_run(net, tmp_path, often):
    settings = SHORT | {"seed": None}
    with pytest.raises(Stop):
        ffbm.fit(net, **settings, out=tmp_path / "run", progress=stop_at(12))
    found = ffbm.fit(net, **settings, out=tmp_path / "run", resume=True, progress=False)
    assert found.config.seed == json.loads((tmp_path / "run" / CHAINS / "run.json").read_text())["config"]["seed"]
    assert_same(found, ffbm.fit(net, **SHORT | {"seed": found.config.seed}, progress=False))


@pytest.mark.parametrize("target", ["cut", "joint"])
def test_sweeps_and_draws_of_a_run_that_ended_can_grow(net, tmp_path, target):
    settings = SHORT | {"target": target}
    ffbm.fit(net, **settings, out=tmp_path / "run", progress=False)
    longer = {"n_sweeps": 130} | ({"n_draws": 120} if target == "cut" else {})
    found = ffbm.fit(net, **settings | longer, out=tmp_path / "run", resume=True, progress=False)
    n_moves = -(-50 // 48)
    alone = longer | {"burn_in": 12 / 130} | ({"n_draws": n_moves * 118} if target == "joint" else {})
    assert_same(found, ffbm.fit(net, **settings | alone, progress=False))
    assert_same(ffbm.load_fit(tmp_path / "run"), found)


def test_lengthened_draws_keep_the_block_chains(net, tmp_path):
    first = ffbm.fit(net, **SHORT, out=tmp_path / "run", progress=False)
    stages = []
    longer = ffbm.fit(
        net, **SHORT | {"n_draws": 90}, out=tmp_path / "run", resume=True, progress=lambda p: stages.append(p)
    )
    assert not [p for p in stages if p.stage == "blocks" and p.done < p.total]
    assert first.blocks.labels.tobytes() == longer.blocks.labels.tobytes()
    assert first.weights.weights.tobytes() == np.ascontiguousarray(longer.weights.weights[:, :50]).tobytes()


def test_a_run_interrupted_while_it_is_lengthened_is_unfinished_and_goes_on(net, tmp_path, often):
    ffbm.fit(net, **SHORT, out=tmp_path / "run", progress=False)
    with pytest.raises(Stop):
        ffbm.fit(net, **SHORT | {"n_draws": 200}, out=tmp_path / "run", resume=True, progress=stop_at(6))
    with pytest.raises(DataError, match="has not ended: go on with"):
        ffbm.load_fit(tmp_path / "run")
    found = ffbm.fit(net, **SHORT | {"n_draws": 200}, out=tmp_path / "run", resume=True, progress=False)
    assert_same(found, ffbm.fit(net, **SHORT | {"n_draws": 200}, progress=False))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"n_blocks": 3}, "n_blocks was 2 and is 3"),
        ({"seed": 4, "sigma": 2.0}, "sigma was 1.0 and is 2.0; seed was 3 and is 4"),
        ({"n_draws": 40}, "n_draws was 50 and is 40; only --sweeps, --draws and --max-minutes may grow"),
        ({"blocks": [0] * 10}, "its given blocks differ"),
    ],
)
def test_other_settings_are_refused_by_name(net, tmp_path, change, message):
    ffbm.fit(net, **SHORT, out=tmp_path / "run", progress=False)
    before = arrays_of(ffbm.load_fit(tmp_path / "run"))
    with pytest.raises(OptionError, match=re.escape(message)):
        ffbm.fit(net, **SHORT | change, out=tmp_path / "run", resume=True, progress=False)
    assert all(
        values.tobytes() == before[name].tobytes()
        for name, values in arrays_of(ffbm.load_fit(tmp_path / "run")).items()
        if values.dtype != object
    )


def test_other_data_are_refused(net, tmp_path):
    ffbm.fit(net, **SHORT, out=tmp_path / "run", progress=False)
    values = np.asarray(
        net.features.values.todense() if hasattr(net.features.values, "todense") else net.features.values
    )
    other = dataclasses.replace(net, features=dataclasses.replace(net.features, values=values + 1.0))
    with pytest.raises(OptionError, match=r"begun with other data: its .*features differ"):
        ffbm.fit(other, **SHORT, out=tmp_path / "run", resume=True, progress=False)


def test_another_version_is_refused(net, tmp_path):
    ffbm.fit(net, **SHORT, out=tmp_path / "run", progress=False)
    record = tmp_path / "run" / CHAINS / "run.json"
    record.write_text(json.dumps(json.loads(record.read_text()) | {"ffbm": "0.0.1"}))
    with pytest.raises(OptionError, match=r"begun by ffbm 0\.0\.1"):
        ffbm.fit(net, **SHORT | {"n_draws": 99}, out=tmp_path / "run", resume=True, progress=False)


def test_joint_runs_are_lengthened_by_sweeps(net, tmp_path):
    settings = SHORT | {"target": "joint"}
    ffbm.fit(net, **settings, out=tmp_path / "run", progress=False)
    with pytest.raises(OptionError, match="give --sweeps, not --draws"):
        ffbm.fit(net, **settings | {"n_draws": 99}, out=tmp_path / "run", resume=True, progress=False)


@pytest.mark.parametrize("text", ["", "{", "[]", '{"schema": 99}'])
def test_a_damaged_record_is_told(net, tmp_path, text):
    ffbm.fit(net, **SHORT, out=tmp_path / "run", progress=False)
    (tmp_path / "run" / CHAINS / "run.json").write_text(text)
    with pytest.raises(DataError, match=r"damaged|another version"):
        ffbm.fit(net, **SHORT, out=tmp_path / "run", resume=True, progress=False)


def test_resume_needs_a_folder_and_begins_in_an_empty_one(net, tmp_path):
    with pytest.raises(OptionError, match="say which with --out"):
        ffbm.fit(net, **SHORT, resume=True)
    assert_same(
        ffbm.fit(net, **SHORT, out=tmp_path / "new", resume=True, progress=False),
        ffbm.fit(net, **SHORT, progress=False),
    )


def test_a_folder_of_something_else_is_refused_and_left_alone(net, tmp_path):
    (tmp_path / "thesis.txt").write_text("years of work")
    with pytest.raises(OptionError, match=r"holds 'thesis\.txt'"):
        ffbm.fit(net, **SHORT, out=tmp_path, resume=True, progress=False)
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]


def test_a_run_that_never_began_leaves_no_folder(net, tmp_path):
    with pytest.raises(OptionError, match="train_fraction"):
        ffbm.fit(net, **SHORT | {"train_fraction": 1e-6}, blocks=np.arange(net.n_nodes) % 2, out=tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_damaged_draws_are_told_and_the_rest_goes_on(net, tmp_path, often):
    draws = (tmp_path / "run" / CHAINS).glob

    def stop_once_saved(event):
        if any(draws("*/draws-*.npz")):
            raise Stop

    with pytest.raises(Stop):
        ffbm.fit(net, **SHORT, out=tmp_path / "run", progress=stop_once_saved)
    damaged = sorted(draws("*/draws-*.npz"))[0]
    damaged.write_bytes(damaged.read_bytes()[:-40])
    kept = {path: path.read_bytes() for path in (tmp_path / "run").rglob("*") if path.is_file()}
    with pytest.raises(DataError, match=f"{re.escape(damaged.name)} is damaged: remove it and resume"):
        ffbm.fit(net, **SHORT, out=tmp_path / "run", resume=True, progress=False)
    assert all(path.read_bytes() == data for path, data in kept.items() if path.exists() and path.suffix == ".npz")
    damaged.unlink()
    found = ffbm.fit(net, **SHORT, out=tmp_path / "run", resume=True, progress=False)
    assert_same(found, ffbm.fit(net, **SHORT, progress=False))


def test_two_processes_do_not_work_at_one_run(net, tmp_path):
    from ffbm.store.checkpoints import open_checkpoints

    with open_checkpoints(tmp_path / "run", {"config": {}}, resume=False) as checkpoints:
        checkpoints.remember("x", "key", Table, lambda: Table(np.arange(3)))
        with pytest.raises(OptionError, match="another process is at the run"):
            ffbm.fit(net, **SHORT, out=tmp_path / "run", resume=True, progress=False)
