"""Objects as bytes and back, without what both sides hold already.

A state of a chain refers to data that never change, such as the graph, which may be larger than all the rest of it.
Packed beside such shared data, only what is not among them is written.
"""

import io
import pickle
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

_PLAIN = {
    "builtins": {"complex", "frozenset", "range", "set", "slice"},
    "collections": {"Counter", "OrderedDict"},
    "numpy": {"dtype", "ndarray"},
    "numpy._core.multiarray": {"_reconstruct", "scalar"},
    "numpy.core.multiarray": {"_reconstruct", "scalar"},
    "numpy._core.numeric": {"_frombuffer"},
    "numpy.core.numeric": {"_frombuffer"},
    "numpy.random._pcg64": {"PCG64"},
    "numpy.random._pickle": {"__bit_generator_ctor", "__generator_ctor"},
    "numpy.random.bit_generator": {"SeedSequence", "__pyx_unpickle_SeedSequence"},
}


def pack(value: Any, shared: Any = None) -> bytes:
    """Return ``value`` as bytes; arrays and tuples of ``shared`` that it refers to are left out.

    >>> graph = np.arange(100_000)
    >>> len(pack((graph, 7), shared=graph)) < 100
    True
    """
    file = io.BytesIO()
    _Pickler(file, {id(part): number for number, part in enumerate(parts_of(shared))}).dump(value)
    return file.getvalue()


def unpack(data: Any, shared: Any = None) -> Any:
    """Return the value that was packed; nothing but plain data and the package's own records can come out.

    >>> graph = np.arange(3)
    >>> unpack(pack((graph, 7), shared=graph), shared=graph)[0] is graph
    True
    """
    return _Unpickler(io.BytesIO(data), list(parts_of(shared))).load()


def parts_of(shared: Any) -> Iterator[Any]:
    """Yield the arrays, tables and tuples that ``shared`` is made of, itself first, in an order of their own.

    Tables, which may grow as they are used, are parts as a whole.
    """
    if isinstance(shared, np.ndarray | dict):
        yield shared
    elif isinstance(shared, tuple | list):
        if shared:  # there is one empty tuple in the world
            yield shared
        for part in shared:
            yield from parts_of(part)
    elif is_dataclass(shared):
        yield shared
        for field in fields(shared):
            yield from parts_of(getattr(shared, field.name))


class _Pickler(pickle.Pickler):
    def __init__(self, file: io.BytesIO, numbers: dict[int, int]) -> None:
        super().__init__(file, protocol=5)
        self._numbers = numbers

    def persistent_id(self, obj: Any) -> int | None:
        return self._numbers.get(id(obj))


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: io.BytesIO, parts: list[Any]) -> None:
        super().__init__(file)
        self._parts = parts

    def persistent_load(self, pid: int) -> Any:
        return self._parts[pid]

    def find_class(self, module: str, name: str) -> Any:
        if name in _PLAIN.get(module, ()):
            return super().find_class(module, name)
        if module.partition(".")[0] == "ffbm":
            found = super().find_class(module, name)
            is_record = isinstance(found, type) and (is_dataclass(found) or hasattr(found, "_fields"))
            if is_record and found.__module__ == module:  # what a module imports is not its own
                return found
        raise pickle.UnpicklingError(f"{module}.{name} is no plain data")
