"""Arrays made of arrays of draws: on disk if theirs are, and the same numbers either way."""

import numpy as np
import pytest

from ffbm.store import memmap
from ffbm.store.memmap import pieces, written_like

DRAWS = np.arange(3 * 70 * 5, dtype=np.int16).reshape(3, 70, 5)


@pytest.fixture
def on_disk(tmp_path, monkeypatch):
    monkeypatch.setattr(memmap, "_PIECE", 333)  # so that pieces end within chains
    np.save(tmp_path / "x.npy", DRAWS)
    return np.load(tmp_path / "x.npy", mmap_mode="r")


def doubled(draws):
    return (2 * draws.reshape(-1, 5)[part] for part in pieces(draws))


def test_in_memory_and_on_disk_are_the_same(on_disk, tmp_path):
    assert len(list(pieces(on_disk))) > 3
    made = written_like(on_disk, "y", doubled(on_disk))
    assert made.dtype == DRAWS.dtype
    assert made.tolist() == (2 * DRAWS).tolist() == written_like(DRAWS, "z", doubled(DRAWS)).tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.npy", "y.npy"]


def test_a_part_of_a_file_is_not_the_file(on_disk, tmp_path):
    part = on_disk[:2]
    assert written_like(part, "x", doubled(part)).tolist() == (2 * DRAWS[:2]).tolist()
    assert np.load(tmp_path / "x.npy").tolist() == DRAWS.tolist()


def test_a_file_in_use_is_not_replaced(on_disk, tmp_path):
    made = written_like(on_disk, "x", doubled(on_disk))
    assert made.tolist() == (2 * DRAWS).tolist()
    assert on_disk.tolist() == DRAWS.tolist()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x-again.npy", "x.npy"]
