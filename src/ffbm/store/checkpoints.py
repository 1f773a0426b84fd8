"""A run under way, on disk: what was asked for, and how far each of its stages has come."""

import contextlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from pathlib import Path
from types import GenericAlias
from typing import Any, TypeVar, cast

import numpy as np
import scipy.sparse as sp

from ffbm.errors import DataError, OptionError
from ffbm.states import from_bytes, to_bytes
from ffbm.store.chainlog import ChainLog, Draws, State
from ffbm.store.folder import (
    CHAINS,
    CHAINS_SCHEMA,
    RECORD,
    check_new_folder,
    forget_drafts,
    how_to_begin_again,
    is_run,
    write_file,
)

_LOCK = "lock"

Table = TypeVar("Table", bound=tuple[Any, ...])


class Checkpoints:
    """The ``chains`` folder of a run: one folder for each stage, and ``run.json``, which says what was asked for."""

    def __init__(self, folder: Path, record: dict[str, Any]) -> None:
        self.folder, self.record = folder, record

    def stage(self, name: str, key: str, state: type[State], draws: type[Draws]) -> ChainLog[State, Draws]:
        """Return the log of a stage; one that was begun with another key is begun again."""
        return ChainLog(self.folder / CHAINS / _slug(name), key, state, draws)

    def remember(self, name: str, key: str, kind: type[Table], compute: Callable[[], Table]) -> Table:
        """Return the table of this type that was saved under this name and key, or compute and save it."""
        path = self.folder / CHAINS / f"{_slug(name)}.npz"
        with contextlib.suppress(FileNotFoundError):
            try:
                saved_key, table = from_bytes(GenericAlias(tuple, (np.ndarray, kind)), path.read_bytes())
            except ValueError as error:
                raise DataError(
                    f"{path} is damaged: remove it and resume the run; what it held is computed again"
                ) from error
            if saved_key.tolist() == key:
                return cast(Table, table)
        table = compute()
        write_file(path, to_bytes((np.array(key), table)))
        return table

    def rewrite(self, record: Mapping[str, Any]) -> None:
        """Write down that something else is asked for now."""
        self.record = dict(record)
        _write_record(self.folder, self.record)

    @property
    def is_blank(self) -> bool:
        """Whether no stage has left anything yet."""
        return all(path.name in (RECORD, _LOCK) for path in (self.folder / CHAINS).iterdir())


@contextlib.contextmanager
def open_checkpoints(path: str | os.PathLike[str], record: Mapping[str, Any], resume: bool) -> Iterator[Checkpoints]:
    """Open the checkpoints of a run for the length of it.

    A new or empty folder begins one, with ``record`` written down. Otherwise, with ``resume``, the checkpoints have the
    record that is there, for the caller to compare. A folder that is made and left without anything
    sampled is taken away again.
    """
    folder = Path(path)
    was_there = folder.exists()
    if resume and (folder / CHAINS / RECORD).is_file():
        record = read_record(folder)
    else:
        if resume and (folder / CHAINS).is_dir() and not list(folder.glob(f"{CHAINS}/*/*")):
            shutil.rmtree(folder / CHAINS)  # ended before it began
        check_new_folder(folder)
        (folder / CHAINS).mkdir()
        _write_record(folder, record)
    checkpoints = Checkpoints(folder, {"schema": CHAINS_SCHEMA, **record})
    with _locked(folder):  # also while it is taken away: it may be another's
        forget_drafts(folder)
        try:
            yield checkpoints
        except BaseException:
            with contextlib.suppress(OSError):
                if checkpoints.is_blank and not is_run(folder):
                    shutil.rmtree(folder / CHAINS)
                    if not was_there:
                        folder.rmdir()
            raise


def _write_record(folder: Path, record: Mapping[str, Any]) -> None:
    write_file(folder / CHAINS / RECORD, json.dumps({"schema": CHAINS_SCHEMA, **record}, indent=2) + "\n")


def read_record(folder: Path) -> dict[str, Any]:
    """Return what was asked for of the run in a folder."""
    path = folder / CHAINS / RECORD
    try:
        record = json.loads(path.read_text(encoding="utf-8"))
        schema = int(record["schema"])
    except FileNotFoundError:
        raise OptionError(f"{folder} holds no run that can be resumed: it has no {CHAINS}/{RECORD}") from None
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{path} must be the JSON that a run writes; it is damaged: begin the run in another folder"
        ) from error
    if schema < CHAINS_SCHEMA:
        raise DataError(how_to_begin_again(folder, record))
    if schema > CHAINS_SCHEMA:
        raise DataError(
            f"{folder} was begun by another version of ffbm, with chains in schema {schema}: finish it there"
        )
    return dict(record)


def digest(*values: Any) -> str:
    """Return a name for plain values and for all arrays in them: equal values, equal names.

    >>> digest(1, np.arange(3)) == digest(1, np.arange(3)) != digest(1, np.arange(4))
    True
    """
    hashed = blake2b(digest_size=16)
    for value in values:
        for part in _flat(value):
            hashed.update(part)
    return hashed.hexdigest()


def _flat(value: Any) -> Iterator[Any]:
    if isinstance(value, np.ndarray) and value.dtype != object:
        yield f"{value.dtype.str}{value.shape}".encode()
        yield np.ascontiguousarray(value).data
    elif isinstance(value, tuple | list):
        yield f"{type(value).__name__}{len(value)}".encode()
        for part in value:
            yield from _flat(part)
    elif is_dataclass(value):
        yield type(value).__name__.encode()
        for field in fields(value):
            yield from _flat(getattr(value, field.name))
    elif callable(value):
        yield f"{value.__module__}.{value.__qualname__}".encode()
    elif sp.issparse(value):
        yield from _flat((value.shape, value.data, value.indices, value.indptr))
    else:
        yield repr(value.tolist() if isinstance(value, np.ndarray) else value).encode()


@contextlib.contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Refuse a run that another process is at; the lock goes when its process does."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        yield
        return
    with (folder / CHAINS / _LOCK).open("w") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise OptionError(
                f"another process is at the run in {folder}: wait for it, or choose another --out"
            ) from None
        except OSError:  # a file system without locks
            pass
        yield


def _slug(name: str) -> str:
    return re.sub("[^a-z0-9]+", "-", name.lower()).strip("-")
