"""The folder of a stage: what was saved is found again, whatever is missing or damaged beside it."""

import re
from typing import NamedTuple

import numpy as np
import pytest

from ffbm.errors import DataError
from ffbm.store.chainlog import ChainLog


class Draws(NamedTuple):
    x: np.ndarray
    y: np.ndarray


SHARED = (np.arange(5_000),)


def drawn(since: int, until: int) -> list[Draws]:
    """Two chains, a draw each step, and a second array with a row every other step."""
    even = [t for t in range(since, until) if t % 2]
    return [Draws(np.arange(since, until) + 100.0 * c, np.array([[t, c] for t in even]).reshape(-1, 2)) for c in (0, 1)]


def filled(folder, ends=(0, 3, 4, 9)) -> ChainLog:
    log = ChainLog(folder, "key", Draws)
    for since, until in zip((0, *ends), ends, strict=False):
        log.save(
            [("chain", 0, until, SHARED[0]), ("chain", 1, until, SHARED[0])], SHARED, until, since, drawn(since, until)
        )
    return log


def expected(until: int) -> list[np.ndarray]:
    return [np.stack(parts) for parts in zip(*drawn(0, until), strict=True)]


def test_the_last_state_is_found_without_the_shared_data_written(tmp_path):
    filled(tmp_path)
    done, states = ChainLog(tmp_path, "key", Draws).load(SHARED)
    assert done == 9
    assert [state[:3] for state in states] == [("chain", 0, 9), ("chain", 1, 9)]
    assert states[0][3] is SHARED[0]
    assert (tmp_path / "state-9.npz").stat().st_size < 5_000


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
    log.save([1, 2], SHARED, 12, 9, drawn(9, 12))
    assert log.load(SHARED).done == 12
    assert [part.tolist() for part in log.join(12)] == [part.tolist() for part in expected(12)]


def test_without_the_last_draws_it_goes_on_from_the_state_before(tmp_path):
    log = filled(tmp_path)
    (tmp_path / "draws-4-9.npz").unlink()
    assert log.load(SHARED).done == 4
    log.save([1, 2], SHARED, 6, 4, drawn(4, 6))
    assert [part.tolist() for part in log.join(6)] == [part.tolist() for part in expected(6)]


def test_without_the_first_draws_it_begins_anew(tmp_path):
    log = filled(tmp_path)
    (tmp_path / "draws-0-3.npz").unlink()
    assert log.load(SHARED) is None


def test_pieces_of_an_earlier_attempt_with_other_ends_do_no_harm(tmp_path):
    log = filled(tmp_path, ends=(0, 3, 7))
    (tmp_path / "state-7.npz").unlink()  # killed between the draws and their state
    assert log.load(SHARED).done == 3
    log.save([1, 2], SHARED, 5, 3, drawn(3, 5))
    log.save([1, 2], SHARED, 8, 5, drawn(5, 8))
    assert log.load(SHARED).done == 8
    assert [part.tolist() for part in log.join(8)] == [part.tolist() for part in expected(8)]


def test_another_key_begins_anew(tmp_path):
    filled(tmp_path)
    assert ChainLog(tmp_path, "other", Draws).load(SHARED) is None
    assert [path.name for path in tmp_path.iterdir()] == ["key.txt"]


@pytest.mark.parametrize("name", ["state-9.npz", "draws-3-4.npz"])
@pytest.mark.parametrize("harm", ["cut short", "a bit turned", "empty"])
def test_damage_is_told_with_the_file_and_the_remedy_works(tmp_path, name, harm):
    log = filled(tmp_path)
    path = tmp_path / name
    data = bytearray(path.read_bytes())
    if harm == "a bit turned":
        data[len(data) // 3] ^= 4
    path.write_bytes({"cut short": data[: len(data) // 2], "a bit turned": data, "empty": b""}[harm])

    def go_on() -> list[list]:
        begun = log.load(SHARED)
        if begun is None:
            log.save([1, 2], SHARED, 9, 0, drawn(0, 9))
        elif begun.done < 9:
            log.save([1, 2], SHARED, 9, begun.done, drawn(begun.done, 9))
        return [part.tolist() for part in log.join(9)]

    with pytest.raises(DataError, match=f"{re.escape(str(path))} is damaged: remove it and resume"):
        go_on()
    path.unlink()
    assert go_on() == [part.tolist() for part in expected(9)]
