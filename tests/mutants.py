"""Kernels with a fault planted in them, compiled from changed source: a test that misses them proves nothing."""

import inspect
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from unittest import mock

from numba import types

from ffbm.kernels import NamedByContent

BLOCKS = [
    "ffbm.kernels.compilation",
    "ffbm.kernels.tables",
    "ffbm.kernels.logq",
    "ffbm.kernels.dispatch",
    "ffbm.kernels.ledger",
    "ffbm.kernels.halfedges",
    "ffbm.kernels.arcs",
    "ffbm.kernels.likelihood",
    "ffbm.kernels.edges",
    "ffbm.kernels.directed_edges",
    "ffbm.kernels.degree_corrected",
    "ffbm.kernels.uncorrected",
    "ffbm.kernels.partition",
    "ffbm.kernels.pairterms",
    "ffbm.kernels.weighted",
    "ffbm.kernels.target",
    "ffbm.kernels.workspace",
    "ffbm.kernels.acceptance",
    "ffbm.kernels.single",
    "ffbm.kernels.mergesplit",
    "ffbm.kernels.relocate",
    "ffbm.kernels.blockchain",
    "ffbm.kernels.ladder",
    "ffbm.kernels.visits",
    "ffbm.kernels.entry_points",
]
SELECTION = [
    "ffbm.kernels.slab",
    "ffbm.kernels.softmax",
    "ffbm.kernels.cholesky",
    "ffbm.kernels.parabola",
    "ffbm.kernels.arrow",
    "ffbm.kernels.columnweight",
    "ffbm.kernels.selection",
]
WEIGHTS = [f"ffbm.kernels.{name}" for name in ("compilation", "weightchain", "hmc", "mala")]


_save = NamedByContent.save


def _save_unless_faulty(self, key, data):
    """Keep compiled code, unless its arguments are of classes of planted kernels: these have the names of true ones."""
    if all(map(is_true, getattr(key[0], "args", key[0]))):
        _save(self, key, data)


NamedByContent.save = _save_unless_faulty


def is_true(kind) -> bool:
    """Tell whether a type of numba is made of the package's own named tuples."""
    if isinstance(kind, types.BaseNamedTuple):
        made = kind.instance_class
        if getattr(sys.modules[made.__module__], made.__name__, None) is not made:
            return False
    return all(map(is_true, kind.types)) if isinstance(kind, types.BaseTuple) else True


def planted(module: str, *changes: tuple[str, str], order: Sequence[str] = BLOCKS) -> dict[str, ModuleType]:
    """Return kernels with changes (right, wrong) in one module's source, all compiled again and not cached.

    They are those of the block chains, or others in an order in which each imports what stands before it.
    """
    made: dict[str, ModuleType] = {}
    for name in order:
        source = _faulty(name, changes if name == module else ())
        made[name] = ModuleType(name)
        with mock.patch.dict(sys.modules, made):
            exec(source, made[name].__dict__)
    return made


def interpreted(*changes: tuple[str, str]) -> dict[str, ModuleType]:
    """Return the kernels of the selection of columns as plain Python, with changes (right, wrong) in their source.

    They are slow, but nothing is compiled, and inner functions can be called.
    """
    sources = {name: inspect.getsource(import_module(name)) for name in SELECTION}
    made: dict[str, ModuleType] = {}
    for name in SELECTION:
        own = [change for change in changes if change[0] in sources[name]]
        source = _changed(name, own).replace("from numba import njit", "njit = lambda **_: lambda function: function")
        made[name] = ModuleType(name)
        with mock.patch.dict(sys.modules, {**made, "ffbm.kernels.compilation": _plain_compiling()}):
            exec(compile(source, f"<interpreted {name}>", "exec"), made[name].__dict__)
    assert all(any(right in source for source in sources.values()) for right, _ in changes)
    return made


def _plain_compiling() -> ModuleType:
    plain = ModuleType("ffbm.kernels.compilation")
    source = inspect.getsource(import_module("ffbm.kernels.compilation"))
    exec(source.replace("from numba import njit", "njit = lambda **_: lambda function: function"), plain.__dict__)
    return plain


def planted_alone(name: str, *changes: tuple[str, str]) -> ModuleType:
    """Return one module with changes (right, wrong) in its source; what it imports is as it was."""
    made = ModuleType(name)
    source = _faulty(name, changes)
    with mock.patch.dict(sys.modules, {name: made}):  # where dataclasses look themselves up
        exec(source, made.__dict__)
    return made


def planted_weights(sampler: str, *changes: tuple[str, str]) -> Callable[..., None]:
    """Return the loop of a weight sampler with changes (right, wrong) in its source or in what it shares."""
    own = f"ffbm.kernels.{sampler}"
    module = own if all(right in inspect.getsource(import_module(own)) for right, _ in changes) else WEIGHTS[1]
    return getattr(planted(module, *changes, order=WEIGHTS)[own], f"run_{sampler}")


def _changed(name, changes):
    source = inspect.getsource(import_module(name))
    for right, wrong in changes:
        assert source.count(right) == 1, f"{right!r} stands {source.count(right)} times in {name}"
        source = source.replace(right, wrong)
    return source


def _faulty(name, changes):
    source = _changed(name, changes).replace('"cache": True', '"cache": False')
    return compile(source, f"<faulty {name}>", "exec")


def put_in_place(monkeypatch, module, right, wrong, user, names):
    """Let ``user`` call functions of a module of plain Python with a fault in it: ``wrong`` for ``right``."""
    source = inspect.getsource(module)
    assert source.count(right) == 1
    faulty = ModuleType(module.__name__)
    monkeypatch.setitem(sys.modules, module.__name__, faulty)
    exec(source.replace(right, wrong), faulty.__dict__)
    for name in names:
        monkeypatch.setattr(user, name, getattr(faulty, name))
