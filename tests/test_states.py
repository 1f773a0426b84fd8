"""States as bytes: everything comes back bit for bit, nothing foreign is read, and the package has no pickle."""

import io
import json
import pickle
import re
import zipfile
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pytest

import ffbm
from ffbm.blocks.chain import BlockSettings, BlockSetup, BlockState, advance, start
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.joint import chain as joint
from ffbm.joint import selection as joint_selection
from ffbm.joint.prepare import joint_model
from ffbm.states import from_bytes, to_bytes
from ffbm.theta import chain as theta
from ffbm.theta import drawn
from ffbm.theta.prepare import weight_target
from ffbm.types import Graph


class Inner(NamedTuple):
    small: np.ndarray
    none: np.ndarray


class Outer(NamedTuple):
    inner: Inner
    flags: np.ndarray
    rng: np.random.Generator


class Flat(NamedTuple):
    flags: np.ndarray
    rng: np.random.Generator


class Wider(NamedTuple):
    inner: Inner
    flags: np.ndarray
    more: np.ndarray
    rng: np.random.Generator


def value(seed=5) -> Outer:
    rng = np.random.default_rng(seed)
    rng.random(3)
    rng.integers(2, size=1, dtype=np.uint32)  # half of a 64-bit number is kept for later
    return Outer(Inner(np.arange(3, dtype=np.uint8), np.zeros((2, 0))), np.array([True, False]), rng)


def members(data: bytes) -> dict[str, bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def zipped(held: dict[str, bytes]) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, data in held.items():
            archive.writestr(name, data)
    return file.getvalue()


def npy(array, **options) -> bytes:
    file = io.BytesIO()
    np.save(file, array, **options)
    return file.getvalue()


def assert_equal(one, other) -> None:
    """Compare two values bit by bit, generators by their state."""
    assert type(one) is type(other)
    if isinstance(one, tuple | list):
        assert len(one) == len(other)
        for first, second in zip(one, other, strict=True):
            assert_equal(first, second)
    elif isinstance(one, np.random.Generator):
        assert one.bit_generator.state == other.bit_generator.state
    elif isinstance(one, np.ndarray):
        assert (one.dtype, one.shape, one.tobytes()) == (other.dtype, other.shape, other.tobytes())
    else:
        assert one == other


def test_a_state_comes_back_bit_for_bit_and_writable():
    again = from_bytes(Outer, to_bytes(value()))
    assert_equal(again, value())
    again.inner.small[0] = 9
    assert again.inner.small.tolist() == [9, 1, 2]


def test_a_generator_goes_on_where_it_was():
    one = value().rng
    again = from_bytes(np.random.Generator, to_bytes(one))
    assert one.integers(9, size=5, dtype=np.uint32).tolist() == again.integers(9, size=5, dtype=np.uint32).tolist()
    assert one.standard_normal(10).tolist() == again.standard_normal(10).tolist()


def test_lists_tuples_and_numbers_come_back():
    values = [value(1), value(2)]
    assert_equal(from_bytes(list[Outer], to_bytes(values)), values)
    assert from_bytes(list[Outer], to_bytes([])) == []
    pair = (value(), 0.1, 7)
    assert_equal(from_bytes(tuple[Outer, float, int], to_bytes(pair)), pair)


def test_the_bytes_are_named_arrays_and_json_text_without_a_type():
    held = members(to_bytes([value()]))
    assert list(held) == ["0.inner.small.npy", "0.inner.none.npy", "0.flags.npy", "generators.json"]
    assert json.loads(held["generators.json"]) == {"": 1, "0.rng": value().rng.bit_generator.state}
    assert not re.search(rb"Outer|Inner|ffbm|tests", to_bytes([value()]))


GRAPH = Graph.from_edges(*np.random.default_rng(1).integers(0, 20, (2, 60)), 20)
X = (np.random.default_rng(2).random((20, 3)) < 0.5).astype(float)


def chain_of(kind):
    """Return a short chain: what its steps are handed, its state, and the step."""
    rng, labels = np.random.default_rng(3), np.arange(20) % 3
    if kind == "blocks":
        target = BlockTarget(GRAPH)
        setup = BlockSetup(target, block_model(target, 3), BlockSettings(2, 1, jumps=1.0, relocations=0.3))
        return setup, start(setup, labels, rng), advance
    if kind == "weights":
        setup = theta.set_up(weight_target(X, labels), "hmc", 5, rng)
        return setup, theta.start(setup, rng), theta.advance
    if kind == "drawn":
        options = {"sampler": "hmc", "n_warmup": 5, "n_each": 2, "seed": 1}
        plan = drawn.plan_drawn(X, np.tile(labels, (1, 9, 1)), 3, None, 1.0, False, **options)
        return plan, drawn.start_drawn(plan, 0), drawn.advance_drawn
    settings = joint.JointSettings(6, 1, n_warmup=5)
    if kind == "joint, columns":
        setup = joint_selection.column_setup(GRAPH, X, 3, settings, n_warmup=2)
        return setup, joint_selection.start(setup, labels, rng, full=True), joint_selection.advance
    setup = joint.JointSetup(joint_model(GRAPH, X, 3), settings)
    return setup, joint.start(setup, labels, rng), joint.advance


@pytest.mark.parametrize("kind", ["blocks", "weights", "drawn", "joint", "joint, columns"])
def test_every_chain_goes_on_from_its_bytes(kind):
    setup, state, step = chain_of(kind)
    state, _ = step(setup, state, 2)
    data = to_bytes(state)
    _, wanted = step(setup, state, 6)
    again = from_bytes(type(state), data)
    _, draws = step(setup, again, 6)
    assert_equal(draws, wanted)
    assert_equal(from_bytes(type(draws), to_bytes(draws)), wanted)


def test_a_state_has_no_more_than_what_steps_change():
    setup, state, _ = chain_of("blocks")
    held = members(to_bytes(state))
    assert not [name for name in held if "index" in name or "indptr" in name or "cost" in name]
    assert list(BlockState._fields) == ["ledger", "totals", "tally", "best", "rng"]
    assert setup.model.graph.indices is GRAPH.indices


@pytest.mark.parametrize("kind", [Flat, Inner, Wider, list[Outer], tuple[Outer, Outer], np.ndarray, float])
def test_another_type_is_refused(kind):
    with pytest.raises(ValueError, match="these bytes hold"):
        from_bytes(kind, to_bytes(value()))


@pytest.mark.parametrize("name", ["inner.small.npy", "flags.npy", "generators.json"])
def test_what_lacks_something_is_refused(name):
    held = members(to_bytes(value()))
    del held[name]
    with pytest.raises(ValueError, match="these bytes hold no"):
        from_bytes(Outer, zipped(held))


def test_what_holds_more_is_refused():
    with pytest.raises(ValueError, match="hold more than"):
        from_bytes(Outer, zipped(members(to_bytes(value())) | {"extra.npy": npy(np.zeros(1))}))


class Hostile:
    """Touches a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __reduce__(self):
        return (Path.touch, (self.path,))


@pytest.mark.parametrize("how", ["object array", "pickle for an array", "pickle for the text", "pickle for all of it"])
def test_hostile_bytes_are_refused_and_nothing_in_them_runs(tmp_path, how):
    touched = tmp_path / "touched"
    bomb, held = pickle.dumps(Hostile(touched)), members(to_bytes(value()))
    if how == "object array":
        held["flags.npy"] = npy(np.array([Hostile(touched)], dtype=object), allow_pickle=True)
    elif how == "pickle for an array":
        held["flags.npy"] = bomb
    else:
        held["generators.json"] = bomb
    with pytest.raises(ValueError, match=r".+"):
        from_bytes(Outer, bomb if how == "pickle for all of it" else zipped(held))
    assert not touched.exists()


@pytest.mark.parametrize("state", [{}, [], 7, {"bit_generator": "MT19937"}, {"bit_generator": "PCG64", "state": {}}])
def test_a_generator_of_another_kind_is_refused(state):
    held = members(to_bytes(value())) | {"generators.json": json.dumps({"rng": state}).encode()}
    with pytest.raises(ValueError, match=r".+"):
        from_bytes(Outer, zipped(held))


def test_objects_are_not_made_bytes_of():
    with pytest.raises(ValueError, match="allow_pickle=False"):
        to_bytes(Inner(np.array([Path()]), np.zeros(1)))


def test_every_bit_that_is_turned_is_noticed():
    data = to_bytes(value())
    for at in range(0, len(data), 7):
        harmed = bytearray(data)
        harmed[at] ^= 4
        try:
            again = from_bytes(Outer, bytes(harmed))
        except ValueError:
            continue
        assert_equal(again, value())  # a date in the archive, say


def test_the_package_has_no_pickle():
    words = re.compile(r"pickle(?!=False)|marshal|shelve|joblib")
    source = Path(ffbm.__file__).parent
    lines = {path: path.read_text(encoding="utf-8").splitlines() for path in source.rglob("*.py")}
    assert len(lines) > 200
    assert not [
        f"{path.relative_to(source)}: {line.strip()}"
        for path, text in lines.items()
        for line in text
        if words.search(line)
    ]
