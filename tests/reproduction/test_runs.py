"""The runs of a reproduction: what they share, what they give, and that workers change nothing."""

import time
from threading import Event

import numpy as np
import pytest

import ffbm
from ffbm.diagnostics import summarise
from ffbm.errors import OptionError
from ffbm.progress import Progress
from ffbm.reproduction import runs
from ffbm.reproduction.columns import split_chain
from ffbm.reproduction.paper import EXACT, PAPER, PROGRAM
from ffbm.scoring import score_weights


def test_the_same_bits_for_any_number_of_workers(found):
    again = ffbm.reproduce("polbooks", runs=2, seed=7, workers=2, progress=False)
    assert again.record["datasets"] == found.record["datasets"]
    other = ffbm.reproduce("polbooks", runs=2, seed=8, workers=2, progress=False)
    assert other.record["datasets"] != found.record["datasets"]


def test_runs_differ_and_columns_share_blocks_and_split(found):
    runs = found.datasets["polbooks"]
    first, second = runs.blocks
    assert not np.array_equal(first.train, second.train)
    assert len(first.train) == 73
    assert sorted([*first.train, *first.test]) == list(range(105))
    columns = found.record["datasets"]["polbooks"]["columns"]
    for name in ("description_length", "description_length_without_partition"):
        assert columns[PROGRAM][name] == columns[EXACT][name]


def test_the_exact_column_is_the_package_s_own_sampler(found):
    runs = found.datasets["polbooks"]
    blocks, net = runs.blocks[0], runs.network
    trace = ffbm.sample_weights(net.features, blocks.members, blocks.train, seed=123, progress=False)
    scores = score_weights(trace, net.features, blocks.members, blocks.train)
    told = runs.exact[0].numbers
    for name in ("loss_train", "loss_test", "predictive_loss_test"):
        assert told[name] == pytest.approx(getattr(scores, name), abs=0.01)
    assert told["n_draws"] == 4000


def test_the_program_runs_as_in_the_paper(found):
    paper, run = PAPER["polbooks"], found.datasets["polbooks"].published[0]
    assert (paper.n_steps, paper.burn_in, paper.thin) == (10_000, 0.4, 10)
    assert run.numbers["n_draws"] == run.energy.size == 600
    assert run.numbers["min_ess"] < 50
    assert run.numbers["max_rhat"] > 1.1


def test_r_hat_of_one_chain_is_between_its_halves():
    draws = np.random.default_rng(1).normal(size=(1, 201, 2, 3))
    draws[:, 101:] += 2
    halves = split_chain(draws)
    np.testing.assert_array_equal(halves, np.stack((draws[0, 1:101], draws[0, 101:])))
    assert summarise(halves).rhat.min() > 1.3


def test_progress_is_told_by_stage(tmp_path):
    seen = []
    ffbm.reproduce("polbooks", runs=1, workers=1, progress=seen.append, out=tmp_path / "out")
    last = {event.stage: event for event in seen}
    stages = ["blocks", "published program", "exact posterior", "the program's limit"]
    assert list(last) == [*stages, "figures"]
    assert all(last[stage] == Progress(stage, 1, 1) for stage in stages)
    assert last["figures"].done == last["figures"].total == 7


def test_an_interrupt_stops_the_runs_under_way():
    heard, begun = [], Event()

    def work(item, listen):
        if item.number == 0:
            begun.wait(10)
            raise KeyboardInterrupt
        begun.set()
        for step in range(4000):
            heard.append(step)
            listen(Progress("x", step, 4000))
            time.sleep(0.001)

    net = ffbm.load_dataset("polbooks")
    items = [runs.Item(net, PAPER["polbooks"], number) for number in range(2)]
    with pytest.raises(KeyboardInterrupt):
        runs._run_all("x", work, items, 2, lambda _: None, {})
    assert 0 < len(heard) < 2000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"dataset": "polblogs"}, "dataset must be one of 'polbooks', 'school', 'facebook', 'all'; got 'polblogs'"),
        ({"runs": 0}, "runs must be a whole number, at least 1; got 0"),
        ({"seed": -1}, "seed must be"),
    ],
)
def test_wrong_arguments(options, said):
    with pytest.raises(OptionError, match=said):
        ffbm.reproduce(**options)


def test_a_folder_that_is_taken_is_refused_before_the_work(tmp_path, monkeypatch):
    (tmp_path / "mine.txt").write_text("here")
    monkeypatch.setattr(runs, "_run_all", lambda *_: pytest.fail("worked first"))
    with pytest.raises(OptionError, match="must be a new or an empty folder"):
        ffbm.reproduce("polbooks", runs=1, out=tmp_path)


@pytest.mark.slow
def test_the_whole_table_meets_every_bound(paper_data):
    found = ffbm.reproduce("all", runs=10, progress=False)
    assert not found.missing
    assert [bound for bound in found.bounds if not bound["met"]] == []
    assert len(found.bounds) == 3 + 6 + 6 + 1 + 2 + 2
    features = {name: told["features"] for name, told in found.record["datasets"].items()}
    assert features["polbooks"][EXACT]["runs_with_different_leaders"] == 10
    for column in (PROGRAM, EXACT):
        assert features["school"][column]["never_kept"] == ["classname=Teachers", "gender=F", "gender=M"]
        kept = features["facebook"][column]["kept_by_group"]
        assert kept["education"] >= 0.4 * sum(kept.values())
    assert all(reason["confirmed"] for reason in found.differences)
