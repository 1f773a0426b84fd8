"""Kernels with a fault planted in them, compiled from changed source: a test that misses them proves nothing."""

import inspect
import sys
from importlib import import_module
from types import ModuleType
from unittest import mock

ORDER = [
    "ffbm.kernels.compiling",
    "ffbm.kernels.partitions",
    "ffbm.kernels.partition",
    "ffbm.kernels.single",
    "ffbm.kernels.mergesplit",
    "ffbm.kernels.blockchain",
]


def planted(module: str, right: str, wrong: str) -> dict[str, ModuleType]:
    """Return the block kernels with ``right`` replaced by ``wrong`` in one module, all compiled anew and not cached."""
    made: dict[str, ModuleType] = {}
    for name in ORDER:
        source = inspect.getsource(import_module(name)).replace('"cache": True', '"cache": False')
        if name == module:
            assert source.count(right) == 1, f"{right!r} stands {source.count(right)} times in {name}"
            source = source.replace(right, wrong)
        made[name] = ModuleType(name)
        with mock.patch.dict(sys.modules, made):
            exec(compile(source, f"<faulty {name}>", "exec"), made[name].__dict__)
    return made
