"""A file for HDF5, which ends the process when it cannot write what it holds: this one takes it, and tells later."""

import contextlib
import io
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any


@contextlib.contextmanager
def writing(path: Path) -> Iterator[io.FileIO]:
    """Open a file for HDF5 to write; if the system could not take all of it, say so once HDF5 has let go of it.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "x"
    >>> with writing(path) as file:
    ...     _ = file.write(b"abc")
    >>> path.read_bytes()
    b'abc'
    """
    file = _HDF5File(path, "w+b")
    try:
        yield file
        if file.failure is None and not file.closed:
            file.flush()
            os.fsync(file.fileno())
    except Exception:
        if file.failure is None:
            raise
    finally:
        file.close()
    if file.failure is not None:
        raise file.failure


class _HDF5File(io.FileIO):
    failure: OSError | None = None
    _put = io.FileIO.write

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        done = 0
        while done < len(view) and self.failure is None:
            try:
                done += self._put(view[done:]) or 0
            except OSError as error:
                self.failure = error
        return len(view)

    def truncate(self, size: int | None = None) -> int:
        try:
            return super().truncate(size)
        except OSError as error:
            self.failure = error
            return size or 0

    def readinto(self, buffer: Any) -> int:
        view = memoryview(buffer).cast("B")
        n_read = super().readinto(view) or 0
        if self.failure is not None:  # what could not be written
            view[n_read:] = bytes(len(view) - n_read)
            return len(view)
        return n_read
