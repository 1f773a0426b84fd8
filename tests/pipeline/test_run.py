"""The loop that runs chains: each by itself, together where they are written down."""

import threading
import time
from typing import NamedTuple

import numpy as np
import pytest

from ffbm.pipeline import run
from ffbm.pipeline.context import RunContext
from ffbm.progress import Progress
from ffbm.store.checkpoints import open_checkpoints

N_STEPS = 60
MODEL = object()


class Steps(NamedTuple):
    """What the chains of this file draw: their numbered steps."""

    step: np.ndarray


class Counter(NamedTuple):
    """A chain that counts."""

    chain: int
    done: int


def count(_, state, n_steps):
    return state._replace(done=state.done + n_steps), Steps(
        np.arange(state.done, state.done + n_steps) + 1000 * state.chain
    )


def begin():
    return [Counter(chain, 0) for chain in range(3)]


def go(advance, workers, heard=None, checkpoints=None):
    context = RunContext(workers, (heard if heard is not None else []).append, checkpoints)
    return run.run_chains("counting", run.Stepper(advance, Counter, Steps), MODEL, begin, N_STEPS, context)[:2]


def expected():
    return np.arange(N_STEPS) + 1000 * np.arange(3)[:, None]


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_draws_stand_in_order_chain_by_chain(workers):
    heard = []
    states, draws = go(count, workers, heard)
    assert states == [Counter(chain, N_STEPS) for chain in range(3)]
    np.testing.assert_array_equal(draws.step, expected())
    assert heard[0] == Progress("counting", 0, N_STEPS)
    assert heard[-1] == Progress("counting", N_STEPS, N_STEPS)
    assert [event.done for event in heard] == sorted(event.done for event in heard)


def test_a_slow_chain_does_not_hold_the_others_up():
    others_ended = threading.Semaphore(0)

    def advance(model, state, n_steps):
        if state.chain == 0:  # its first step ends when the others have made their last
            assert others_ended.acquire(timeout=60)
            assert others_ended.acquire(timeout=60)
            others_ended.release(2)
        state, draws = count(model, state, n_steps)
        if state.chain and state.done == N_STEPS:
            others_ended.release()
        return state, draws

    np.testing.assert_array_equal(go(advance, 2)[1].step, expected())


@pytest.mark.parametrize("workers", [1, 2, 3])
def test_chains_meet_where_they_are_written_down(tmp_path, monkeypatch, workers):
    monkeypatch.setattr(run, "_SEGMENT_SECONDS", 0.002)
    monkeypatch.setattr(run, "_SAVE_SECONDS", 0.01)
    saved = []

    def advance(model, state, n_steps):
        time.sleep(0.001 * (1 + state.chain) * n_steps)
        return count(model, state, n_steps)

    with open_checkpoints(str(tmp_path / "run"), {"config": {}}, False) as checkpoints:
        log = checkpoints.stage("counting", "key", Counter, Steps)
        keep = log.save
        monkeypatch.setattr(log, "save", lambda states, *rest: saved.append((rest[0], states)) or keep(states, *rest))
        monkeypatch.setattr(checkpoints, "stage", lambda *_: log)
        np.testing.assert_array_equal(go(advance, workers, checkpoints=checkpoints)[1].step, expected())
    assert len(saved) > 3
    assert all(state.done == done for done, states in saved for state in states)


@pytest.mark.parametrize("workers", [1, 2])
def test_what_goes_wrong_in_a_chain_comes_through(monkeypatch, workers):
    monkeypatch.setattr(run, "_SEGMENT_SECONDS", 0.0)

    def advance(model, state, n_steps):
        if state.chain == 2 and state.done > 5:
            raise ArithmeticError("lost count")
        return count(model, state, n_steps)

    with pytest.raises(ArithmeticError, match="lost count"):
        go(advance, workers)


@pytest.mark.parametrize("workers", [1, 2])
def test_the_model_is_handed_to_every_step(workers):
    models = []

    def advance(model, state, n_steps):
        models.append(model)
        return count(model, state, n_steps)

    go(advance, workers)
    assert models
    assert all(model is MODEL for model in models)
