"""Arrays made of draws that lie on disk: they are written to disk too, so that neither has to fit into memory."""

import mmap
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.lib import format as npy

from ffbm.store.folder import write_file
from ffbm.types import Array

_PIECE = 1 << 22  # bytes worked on at once


def written_like(draws: Array, name: str, parts: Iterable[Array]) -> Array:
    """Join ``parts``, (some draws, ...) each and in order, to an array of the shape and type of ``draws`` (C, T, ...).

    It is in memory if ``draws`` are; if they lie in a file, it is a file of this name beside theirs, mapped.

    >>> draws = np.arange(8).reshape(2, 2, 2)
    >>> written_like(draws, "more", (draws.reshape(4, 2)[part] + 1 for part in pieces(draws))).tolist()
    [[[1, 2], [3, 4]], [[5, 6], [7, 8]]]
    """
    file = _file_of(draws)
    if file is None:
        joined = np.empty(draws.shape, draws.dtype)
        flat, row = joined.reshape(-1, *draws.shape[2:]), 0
        for part in parts:
            flat[row : row + len(part)] = part
            row += len(part)
        return joined
    path = file.with_name(f"{name}.npy" if file.stem != name else f"{name}-again.npy")  # draws are read from the other
    write_file(path, lambda draft: _write(draft, draws, parts))
    return np.asarray(np.load(path, mmap_mode="r"))


def pieces(draws: Array) -> Iterator[slice]:
    """Yield slices of a few megabytes each of draws (C, T, ...) as rows (C T, ...), one chain after the other."""
    n_draws = draws.shape[0] * draws.shape[1]
    size = max(1, _PIECE // max(1, draws.nbytes // max(1, n_draws)))
    for first in range(0, n_draws, size):
        yield slice(first, min(first + size, n_draws))


def _file_of(draws: Any) -> Path | None:
    """Return the file that holds these draws and no others; None if they are in memory, or a part of a file."""
    file = draws if isinstance(draws, np.memmap) else draws.base
    if not isinstance(file, np.memmap) or file.shape != draws.shape or not file.filename:
        return None
    owner: Any = file.base  # another array if this one is a part of it
    return Path(file.filename) if isinstance(owner, mmap.mmap) else None


def _write(draft: Path, draws: Array, parts: Iterable[Array]) -> None:
    with draft.open("wb") as file:  # not through a map of the file: there a full disk ends the process
        head = {"descr": npy.dtype_to_descr(draws.dtype), "fortran_order": False, "shape": draws.shape}
        npy.write_array_header_2_0(file, head)
        for part in parts:
            file.write(np.ascontiguousarray(part, dtype=draws.dtype).data)
        file.flush()
        os.fsync(file.fileno())
