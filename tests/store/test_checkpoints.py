"""What a run remembers between its stages: a table under a name and a key, as named arrays."""

import re
from typing import NamedTuple

import numpy as np
import pytest

from ffbm.errors import DataError
from ffbm.store.checkpoints import open_checkpoints


class Table(NamedTuple):
    numbers: np.ndarray
    labels: np.ndarray


class Other(NamedTuple):
    numbers: np.ndarray


def table() -> Table:
    return Table(np.arange(3), np.eye(3, dtype=np.uint8))


@pytest.fixture
def checkpoints(tmp_path):
    with open_checkpoints(tmp_path / "run", {"config": {}}, resume=False) as opened:
        yield opened


def never():
    raise AssertionError("it is known already")


def test_a_table_is_found_once(checkpoints):
    assert checkpoints.remember("Some numbers", "key", Table, table).numbers.tolist() == [0, 1, 2]
    again = checkpoints.remember("Some numbers", "key", Table, never)
    assert isinstance(again, Table)
    assert [part.dtype for part in again] == [part.dtype for part in table()]
    assert again.labels.tolist() == table().labels.tolist()
    with np.load(checkpoints.folder / "chains" / "some-numbers.npz") as held:
        assert sorted(held.files) == ["0", "1.labels", "1.numbers", "generators.json"]


def test_another_key_finds_it_again(checkpoints):
    checkpoints.remember("x", "key", Table, table)
    other = checkpoints.remember("x", "other", Table, lambda: table()._replace(numbers=np.arange(7)))
    assert len(other.numbers) == 7
    assert len(checkpoints.remember("x", "other", Table, never).numbers) == 7


@pytest.mark.parametrize("harm", ["cut short", "a bit turned", "empty", "of another type"])
def test_damage_is_told_with_the_file_and_the_remedy_works(checkpoints, harm):
    checkpoints.remember("x", "key", Table, table)
    path = checkpoints.folder / "chains" / "x.npz"
    data = bytearray(path.read_bytes())
    if harm == "a bit turned":
        data[data.index(b"NUMPY") + 60] ^= 4
    path.write_bytes({"cut short": data[: len(data) // 2], "empty": b""}.get(harm, data))
    kind = Other if harm == "of another type" else Table
    with pytest.raises(DataError, match=f"{re.escape(str(path))} is damaged: remove it and resume"):
        checkpoints.remember("x", "key", kind, never)
    path.unlink()
    assert checkpoints.remember("x", "key", Table, table).numbers.tolist() == [0, 1, 2]
