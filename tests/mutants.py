"""Kernels with a fault planted in them, compiled from changed source: a test that misses them proves nothing."""

import inspect
import sys
from importlib import import_module
from types import ModuleType
from unittest import mock

ORDER = [
    "ffbm.kernels.compiling",
    "ffbm.kernels.partitions",
    "ffbm.kernels.tables",
    "ffbm.kernels.partition",
    "ffbm.kernels.single",
    "ffbm.kernels.mergesplit",
    "ffbm.kernels.blockchain",
    "ffbm.kernels.visits",
    "ffbm.kernels.doors",
]


def planted(module: str, *changes: tuple[str, str]) -> dict[str, ModuleType]:
    """Return the block kernels with changes (right, wrong) in one module's source, all compiled anew and not cached."""
    made: dict[str, ModuleType] = {}
    for name in ORDER:
        source = _faulty(name, changes if name == module else ())
        made[name] = ModuleType(name)
        with mock.patch.dict(sys.modules, made):
            exec(source, made[name].__dict__)
    return made


def planted_alone(name: str, *changes: tuple[str, str]) -> ModuleType:
    """Return one module with changes (right, wrong) in its source; what it imports is as it was."""
    made = ModuleType(name)
    source = _faulty(name, changes)
    with mock.patch.dict(sys.modules, {name: made}):  # where dataclasses look themselves up
        exec(source, made.__dict__)
    return made


def planted_weights(*changes: tuple[str, str]) -> ModuleType:
    """Return the kernels of the weight chains with changes (right, wrong) in their source, not cached."""
    return planted_alone("ffbm.kernels.weightchain", *changes)


def _faulty(name, changes):
    source = inspect.getsource(import_module(name))
    for right, wrong in changes:
        assert source.count(right) == 1, f"{right!r} stands {source.count(right)} times in {name}"
        source = source.replace(right, wrong)
    for caching in ('"cache": True', "cache=True"):
        source = source.replace(caching, caching.replace("True", "False"))
    return compile(source, f"<faulty {name}>", "exec")
