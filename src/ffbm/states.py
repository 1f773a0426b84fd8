"""States of chains as bytes and back: an npz archive of named arrays, and JSON text for random generators.

What a value is made of is known from its type, never from the bytes: a named tuple by the hints of its fields, one of
several named tuples, a ``list[T]``, a ``tuple[S, T]``, an array, a generator or a number. Nothing else is read, and no
code in them is run.
"""

import io
import json
import zipfile
import zlib
from types import UnionType
from typing import Any, get_args, get_origin, get_type_hints

import numpy as np
from numpy.lib import format as npy

_TEXT = "generators.json"  # the states of generators and the lengths of lists, by name
_DAMAGE = (KeyError, TypeError, OverflowError, EOFError, NotImplementedError, RuntimeError)
_DAMAGE_OF_ZIP = (zipfile.BadZipFile, zlib.error)


def to_bytes(value: Any) -> bytes:
    """Return a value as bytes; its arrays have names like ``counts.b``, those of a list ``0.ledger.b``.

    >>> zipfile.ZipFile(io.BytesIO(to_bytes([np.arange(3), np.ones(2)]))).namelist()
    ['0.npy', '1.npy', 'generators.json']
    """
    arrays: dict[str, Any] = {}
    texts: dict[str, Any] = {}
    _take_apart(value, "", arrays, texts)
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        for name, array in arrays.items():
            with archive.open(f"{name}.npy", "w", force_zip64=True) as member:
                npy.write_array(member, array, allow_pickle=False)
        archive.writestr(zipfile.ZipInfo(_TEXT), json.dumps(texts))  # dated 1980: bytes do not depend on the clock
    return file.getvalue()


def from_bytes(kind: Any, data: bytes) -> Any:
    """Return the value of a type that was made bytes of; a ValueError if they are damaged or of another type.

    >>> from_bytes(list[np.ndarray], to_bytes([np.arange(3), np.ones(2)]))
    [array([0, 1, 2]), array([1., 1.])]
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            texts = dict(json.loads(archive.read(_TEXT)))
            names = [name.removesuffix(".npy") for name in archive.namelist() if name != _TEXT]
            arrays = {name: read_array(archive, name) for name in names}
        value = _put_together(kind, "", arrays, texts)
    except (*_DAMAGE, *_DAMAGE_OF_ZIP) as error:
        raise ValueError(f"these bytes hold no {kind}: {error!r}") from error
    if arrays or texts:
        raise ValueError(f"these bytes hold more than a {kind}: {', '.join([*arrays, *texts])}")
    return value


def _take_apart(value: Any, name: str, arrays: dict[str, Any], texts: dict[str, Any]) -> None:
    if isinstance(value, np.random.Generator):
        texts[name] = value.bit_generator.state
    elif isinstance(value, tuple | list):
        if isinstance(value, list):
            texts[name] = len(value)
        for part, element in zip(getattr(value, "_fields", range(len(value))), value, strict=True):
            _take_apart(element, _join(name, part), arrays, texts)
    else:
        arrays[name] = np.asarray(value)


def _put_together(kind: Any, name: str, arrays: dict[str, Any], texts: dict[str, Any]) -> Any:
    """Make a value of a type, and take what it is made of out of the arrays and texts."""
    if isinstance(kind, UnionType):  # of named tuples: the one whose fields are all there
        names = arrays.keys() | texts.keys()
        kind = max(
            (candidate for candidate in get_args(kind) if _join(name, candidate._fields[-1]) in names),
            key=lambda candidate: len(candidate._fields),
        )
    outer = get_origin(kind) or kind
    if outer is np.random.Generator:
        generator = np.random.PCG64(0)
        generator.state = texts.pop(name)
        return np.random.Generator(generator)
    if outer is np.ndarray:
        return arrays.pop(name)
    if outer in (int, float):
        return outer(arrays.pop(name)[()])
    if hasattr(outer, "_fields"):
        parts: Any = get_type_hints(outer).items()
    elif outer is list:
        parts = enumerate(get_args(kind) * int(texts.pop(name)))
    else:
        parts = enumerate(get_args(kind))
    elements = [_put_together(hint, _join(name, part), arrays, texts) for part, hint in parts]
    return outer(*elements) if hasattr(outer, "_fields") else outer(elements)


def read_array(archive: zipfile.ZipFile, name: str) -> Any:
    """Return one array of an archive; all of its bytes are read, so that damage is noticed by their checksum."""
    return npy.read_array(io.BytesIO(archive.read(f"{name}.npy")), allow_pickle=False)


def _join(name: str, part: str | int) -> str:
    return f"{name}.{part}" if name else str(part)
