"""What the chains of one stage leave on disk as they run, so that nothing sampled is lost.

In the folder of a stage stand

- ``state-S.npz``: the states of all chains after S steps, as ``ffbm.states`` writes them;
- ``draws-R-S.npz``: the draws kept on the steps from R to S;
- ``joined-S/``: the draws of the first S steps, an array a file, once the stage has ended.

Each is written under another name and renamed into place, draws before the state that follows them. The last state
whose draws are all there is where a run goes on. Names hold all that is to be known, and a zip file its own checksums.
"""

import os
import shutil
import zipfile
from collections.abc import Iterator, Sequence
from math import prod
from pathlib import Path
from types import GenericAlias
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np
from numpy.lib import format as npy

from ffbm.errors import DataError
from ffbm.states import from_bytes, read_array, to_bytes
from ffbm.store.folder import draft_of, write_file
from ffbm.types import Array

State = TypeVar("State", bound=tuple[Any, ...])
Draws = TypeVar("Draws", bound=tuple[Array, ...])

_STATES_KEPT = 2
_KEY = "key.txt"
_PIECE = 1 << 24  # bytes that are copied at once


class Checkpoint(NamedTuple, Generic[State]):
    """Where a stage stands."""

    done: int
    states: list[State]


class ChainLog(Generic[State, Draws]):
    """The folder of one stage, and the named tuples of its states and its draws; these have axes (draw, ...)."""

    def __init__(self, folder: Path, key: str, state: type[State], draws: type[Draws]) -> None:
        self.folder, self._state_kind, self._kind = folder, state, draws
        if self._read_key() != key:  # begun with other settings or after other blocks, or not begun
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            write_file(folder / _KEY, key)

    def load(self) -> Checkpoint[State] | None:
        """Return the last state whose draws are all there; None if the stage has not begun."""
        for done in sorted(self._states(), reverse=True):
            if self._parts(done) is not None:
                path = self._state(done)
                try:
                    states = from_bytes(GenericAlias(list, (self._state_kind,)), path.read_bytes())
                except ValueError as error:
                    raise _damaged(path) from error
                self._forget_after(done)
                return Checkpoint(done, states)
        return None

    def save(self, states: Sequence[State], done: int, since: int, draws: Sequence[Draws]) -> None:
        """Write the draws of all chains on the steps from ``since`` to ``done``, then the states they ended in."""
        if done > since:
            write_file(self._draws(since, done), to_bytes(self._kind(*map(np.stack, zip(*draws, strict=True)))))
        write_file(self._state(done), to_bytes(list(states)))
        for old in sorted(self._states())[:-_STATES_KEPT]:
            self._state(old).unlink(missing_ok=True)

    def join(self, done: int) -> Draws:
        """Put the draws of the first ``done`` steps together and return them, (chain, draw, ...), read when used.

        What they were put together from is then removed.
        """
        whole = self.folder / f"joined-{done}"
        parts = self._parts(done)
        if not parts:
            raise DataError(f"{self.folder} lacks draws of its first {done:,} steps: remove it and resume the run")
        if not whole.is_dir():
            draft = draft_of(whole)
            try:
                draft.mkdir()
                for name in self._fields:
                    _write_joined(draft / f"{name}.npy", [self._open(path, name) for path in parts])
                draft.replace(whole)
            finally:
                shutil.rmtree(draft, ignore_errors=True)
        for path in self.folder.glob("draws-*.npz"):
            path.unlink()
        for path in self.folder.glob("joined-*"):
            if path != whole:
                shutil.rmtree(path)
        for old in self._states():
            if old != done:
                self._state(old).unlink()
        return self._kind(*(np.asarray(self._open(whole, name)) for name in self._fields))

    @property
    def _fields(self) -> tuple[str, ...]:
        return self._kind._fields  # type: ignore[attr-defined]

    def _read_key(self) -> str:
        try:
            return (self.folder / _KEY).read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    def _state(self, done: int) -> Path:
        return self.folder / f"state-{done}.npz"

    def _draws(self, since: int, done: int) -> Path:
        return self.folder / f"draws-{since}-{done}.npz"

    def _states(self) -> list[int]:
        return [int(path.stem.partition("-")[2]) for path in self.folder.glob("state-*.npz")]

    def _forget_after(self, done: int) -> None:
        """Remove what goes beyond the state that the stage goes on from: its steps are made again."""
        for path in self.folder.glob("draws-*.npz"):
            if int(path.stem.split("-")[2]) > done:
                path.unlink()
        for later in self._states():
            if later > done:
                self._state(later).unlink()

    def _parts(self, done: int) -> list[Path] | None:
        """Return the files that hold the draws of the first ``done`` steps, in order; None if one is missing."""
        ends = {int(path.name.partition("-")[2]): path for path in self.folder.glob("joined-*")}
        begins: dict[int, tuple[int, Path]] = {}
        for path in self.folder.glob("draws-*.npz"):
            since, until = map(int, path.stem.split("-")[1:])
            if until <= done and until > begins.get(since, (-1, path))[0]:
                begins[since] = until, path
        at = max((end for end in ends if end <= done), default=0)
        parts = [ends[at]] if at in ends else []
        while at < done:
            if at not in begins:
                return None
            at, path = begins[at]
            parts.append(path)
        return parts

    def _open(self, path: Path, name: str) -> Any:
        """Return one array of a part of the draws."""
        try:
            return np.load(path / f"{name}.npy", mmap_mode="r") if path.is_dir() else _Member(path, name)
        except _DAMAGE as error:
            raise _damaged(path) from error


class _Member:
    """An array in a zip file, read when it is asked for."""

    def __init__(self, path: Path, name: str) -> None:
        self._path, self._name = path, name
        with zipfile.ZipFile(path) as file, file.open(f"{name}.npy") as member:
            version = npy.read_magic(member)
            header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
            self.shape, _, self.dtype = header(member)

    def read(self) -> Array:
        try:
            with zipfile.ZipFile(self._path) as file:
                return np.asarray(read_array(file, self._name))
        except _DAMAGE as error:
            raise _damaged(self._path) from error


_DAMAGE = (ValueError, KeyError, EOFError, zipfile.BadZipFile)


def _damaged(path: Path) -> DataError:
    return DataError(f"{path} is damaged: remove it and resume the run; what it held is sampled again")


def _write_joined(path: Path, parts: Sequence[Any]) -> None:
    """Write arrays (chain, draw, ...) one after the other along the second axis, a piece at a time.

    By writing, not through a map of the file: there a full disk ends the process without a word.
    """
    first = parts[0]
    n_chains, n_draws = first.shape[0], sum(part.shape[1] for part in parts)
    row = first.dtype.itemsize * prod(first.shape[2:])
    shape = (n_chains, n_draws, *first.shape[2:])
    with path.open("wb") as file:
        npy.write_array_header_2_0(
            file, {"descr": npy.dtype_to_descr(first.dtype), "fortran_order": False, "shape": shape}
        )
        begin, at = file.tell(), 0
        for part in parts:
            array = part.read() if isinstance(part, _Member) else part
            for piece in _pieces(array):
                for chain in range(n_chains):
                    file.seek(begin + (chain * n_draws + at + piece.start) * row)
                    file.write(np.ascontiguousarray(array[chain, piece]).data)
            at += array.shape[1]
        file.flush()
        os.fsync(file.fileno())


def _pieces(array: Array) -> Iterator[slice]:
    n_draws = array.shape[1]
    size = max(1, _PIECE // max(1, array.nbytes // max(1, n_draws)))
    for first in range(0, n_draws, size):
        yield slice(first, min(first + size, n_draws))
