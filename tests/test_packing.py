"""Objects as bytes: everything comes back, shared data are not written, nothing foreign comes out."""

import pickle
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

from ffbm.packing import pack, parts_of, unpack
from ffbm.types import Graph


class Pair(NamedTuple):
    left: np.ndarray
    right: np.ndarray


def test_a_generator_goes_on_where_it_was():
    rng = np.random.default_rng(5)
    rng.random(3)
    again = unpack(pack(rng))
    assert rng.random(10).tolist() == again.random(10).tolist()


def test_arrays_come_back_with_their_types_and_writable():
    values = [np.arange(3, dtype=np.uint8), np.zeros((2, 0)), np.array([True]), np.float64(0.1), 7, "x", None]
    again = unpack(pack(values))
    assert [np.asarray(a).dtype for a in values] == [np.asarray(a).dtype for a in again]
    again[0][0] = 9
    assert again[0].tolist() == [9, 1, 2]


def test_shared_data_are_referred_to_and_not_written():
    shared = (Pair(np.arange(10_000), np.ones(10_000)), {"grows": 1})
    own = np.arange(4)
    data = pack((shared[0], shared[0].left, shared[1], own), shared)
    assert len(data) < 1_000
    both, left, table, mine = unpack(data, shared)
    assert both is shared[0]
    assert left is shared[0].left
    assert table is shared[1]
    assert mine.tolist() == [0, 1, 2, 3]


def test_other_shared_data_of_the_same_build_take_their_place():
    first, second = (Pair(np.full(2, x), np.full(3, x)) for x in (1, 2))
    assert unpack(pack(first.right, first), second) is second.right


def test_parts_of_a_dataclass_are_its_fields_and_not_what_it_computed(tmp_path: Path):
    graph = Graph(np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32), np.zeros(2, dtype=np.int32))
    before = [id(part) for part in parts_of(graph)]
    assert graph.degrees.tolist() == [1, 1]
    assert [id(part) for part in parts_of(graph)] == before


@pytest.mark.parametrize("what", [Path("x"), print, pickle.loads, Pair(np.zeros(1), np.zeros(1))])
def test_nothing_but_plain_data_and_types_of_the_package_comes_out(what):
    with pytest.raises(pickle.UnpicklingError, match="no plain data"):
        unpack(pickle.dumps(what))


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("ffbm.pipeline.warming", "subprocess.Popen"),  # through a module that imports it
        ("ffbm.store.folder", "Path"),
        ("ffbm.store.patient", "_Patient"),  # the package's own, but it opens files
        ("ffbm.packing", "unpack"),
    ],
)
def test_nothing_that_modules_of_the_package_have_in_hand_comes_out(module, name):
    reach = b"\x80\x04" + b"".join(b"\x8c" + bytes([len(word)]) + word.encode() for word in (module, name)) + b"\x93."
    with pytest.raises(pickle.UnpicklingError, match="no plain data"):
        unpack(reach)


def test_records_of_the_package_come_out():
    graph = Graph(np.array([0, 1, 2]), np.array([1, 0], dtype=np.int32), np.zeros(2, dtype=np.int32))
    assert isinstance(unpack(pack(graph)), Graph)
