"""The folder of a stage: what was saved is found again, whatever is missing or damaged beside it."""

import json
import re
import zipfile
from typing import NamedTuple

import numpy as np
import pytest

from ffbm.errors import DataError
from ffbm.store.chainlog import ChainLog


class Draws(NamedTuple):
    x: np.ndarray
    y: np.ndarray


class State(NamedTuple):
    done: np.ndarray
    rng: np.random.Generator


class Other(NamedTuple):
    steps: np.ndarray
    rng: np.random.Generator


def states_at(done: int) -> list[State]:
    return [State(np.array([chain, done]), np.random.default_rng([chain, done])) for chain in (0, 1)]


def drawn(since: int, until: int) -> list[Draws]:
    """Two chains, a draw each step, and a second array with a row every other step."""
    even = [t for t in range(since, until) if t % 2]
    return [Draws(np.arange(since, until) + 100.0 * c, np.array([[t, c] for t in even]).reshape(-1, 2)) for c in (0, 1)]


def filled(folder, ends=(0, 3, 4, 9)) -> ChainLog:
    log = ChainLog(folder, "key", State, Draws)
    for since, until in zip((0, *ends), ends, strict=False):
        log.save(states_at(until), until, since, drawn(since, until))
    return log


def expected(until: int) -> list[np.ndarray]:
    return [np.stack(parts) for parts in zip(*drawn(0, until), strict=True)]


def test_the_last_state_is_found(tmp_path):
    filled(tmp_path)
    done, states = ChainLog(tmp_path, "key", State, Draws).load()
    assert done == 9
    assert [state.done.tolist() for state in states] == [[0, 9], [1, 9]]
    assert [state.rng.random(3).tolist() for state in states] == [
        state.rng.random(3).tolist() for state in states_at(9)
    ]


def test_a_checkpoint_is_named_arrays_and_json_text(tmp_path):
    filled(tmp_path)
    with np.load(tmp_path / "state-9.npz") as held:
        assert sorted(held.files) == ["0.done", "1.done", "generators.json"]
        assert held["1.done"].tolist() == [1, 9]
        text = json.loads(held["generators.json"])
    assert text["0.rng"] == np.random.default_rng([0, 9]).bit_generator.state


def test_states_of_another_type_are_refused_with_the_file(tmp_path):
    filled(tmp_path)
    path = re.escape(str(tmp_path / "state-9.npz"))
    with pytest.raises(DataError, match=f"{path} is damaged: remove it and resume"):
        ChainLog(tmp_path, "key", Other, Draws).load()


@pytest.mark.parametrize("member", ["1.done.npy", "0.done.npy", "generators.json"])
def test_a_state_that_lacks_something_is_refused_with_the_file(tmp_path, member):
    log = filled(tmp_path)
    path = tmp_path / "state-9.npz"
    with zipfile.ZipFile(path) as whole:
        held = {name: whole.read(name) for name in whole.namelist() if name != member}
    with zipfile.ZipFile(path, "w") as less:
        for name, data in held.items():
            less.writestr(name, data)
    with pytest.raises(DataError, match=f"{re.escape(str(path))} is damaged: remove it and resume"):
        log.load()


def test_joined_draws_are_those_of_one_stretch_and_replace_the_pieces(tmp_path):
    log = filled(tmp_path)
    for once_more in range(2):
        whole = log.join(9)
        for found, wanted in zip(whole, expected(9), strict=True):
            assert found.tolist() == wanted.tolist()
            assert found.dtype == wanted.dtype, once_more
        assert sorted(path.name for path in tmp_path.iterdir()) == ["joined-9", "key.txt", "state-9.npz"]


def test_a_stage_that_ended_can_go_on(tmp_path):
    log = filled(tmp_path)
    log.join(9)
    log.save(states_at(12), 12, 9, drawn(9, 12))
    assert log.load().done == 12
    assert [part.tolist() for part in log.join(12)] == [part.tolist() for part in expected(12)]


def test_without_the_last_draws_it_goes_on_from_the_state_before(tmp_path):
    log = filled(tmp_path)
    (tmp_path / "draws-4-9.npz").unlink()
    assert log.load().done == 4
    log.save(states_at(6), 6, 4, drawn(4, 6))
    assert [part.tolist() for part in log.join(6)] == [part.tolist() for part in expected(6)]


def test_without_the_first_draws_it_begins_anew(tmp_path):
    log = filled(tmp_path)
    (tmp_path / "draws-0-3.npz").unlink()
    assert log.load() is None


def test_pieces_of_an_earlier_attempt_with_other_ends_do_no_harm(tmp_path):
    log = filled(tmp_path, ends=(0, 3, 7))
    (tmp_path / "state-7.npz").unlink()  # killed between the draws and their state
    assert log.load().done == 3
    log.save(states_at(5), 5, 3, drawn(3, 5))
    log.save(states_at(8), 8, 5, drawn(5, 8))
    assert log.load().done == 8
    assert [part.tolist() for part in log.join(8)] == [part.tolist() for part in expected(8)]


def test_another_key_begins_anew(tmp_path):
    filled(tmp_path)
    assert ChainLog(tmp_path, "other", State, Draws).load() is None
    assert [path.name for path in tmp_path.iterdir()] == ["key.txt"]


@pytest.mark.parametrize("name", ["state-9.npz", "draws-3-4.npz"])
@pytest.mark.parametrize("harm", ["cut short", "a bit turned", "empty"])
def test_damage_is_told_with_the_file_and_the_remedy_works(tmp_path, name, harm):
    log = filled(tmp_path)
    path = tmp_path / name
    data = bytearray(path.read_bytes())
    if harm == "a bit turned":
        data[data.index(b"NUMPY") + 60] ^= 4  # of an array, not of what the archive says of it
    path.write_bytes({"cut short": data[: len(data) // 2], "a bit turned": data, "empty": b""}[harm])

    def go_on() -> list[list]:
        begun = log.load()
        if begun is None:
            log.save(states_at(9), 9, 0, drawn(0, 9))
        elif begun.done < 9:
            log.save(states_at(9), 9, begun.done, drawn(begun.done, 9))
        return [part.tolist() for part in log.join(9)]

    with pytest.raises(DataError, match=f"{re.escape(str(path))} is damaged: remove it and resume"):
        go_on()
    path.unlink()
    assert go_on() == [part.tolist() for part in expected(9)]
