"""Numba kernels: arrays in, arrays out; no defaults, no classes but named tuples, no input or output.

A cached kernel goes stale when a kernel it calls in another file changes, because numba looks at
one file only. So the compiled code of each state of this folder lies in a cache folder of its own,
named by the hash of all kernel files.

numba numbers the files that hold compiled code. Of two processes that compile one kernel for
different types at the same time both may take the same number, and then load the code of the other,
which crashes (numba issue 4807). So these files are named by what they hold.
"""

import atexit
import hashlib
import logging
import shutil
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import IndexDataCacheFile
from numba.core.dispatcher import Dispatcher
from platformdirs import user_cache_path

_HERE = Path(__file__).parent
_MODULES = sorted(path.stem for path in _HERE.glob("*.py") if path.stem != "__init__")


def _cache_folder() -> Path:
    digest = hashlib.blake2b(digest_size=8)
    for module in _MODULES:
        digest.update((_HERE / f"{module}.py").read_bytes())
    return user_cache_path("ffbm", appauthor=False) / "kernels" / digest.hexdigest()


def _is_writable(folder: Path) -> bool:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return True
    except OSError:
        return False


def _temporary_folder() -> Path:
    """Make a cache folder for this process alone, where the user's cannot be written: each one compiles its kernels."""
    folder = tempfile.mkdtemp(prefix="ffbm-kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


_WANTED = _cache_folder()
_IS_KEPT = _is_writable(_WANTED)
CACHE_FOLDER = _WANTED if _IS_KEPT else _temporary_folder()


def is_cold() -> bool:
    """Tell whether nothing is compiled yet, so that the first call takes some seconds longer."""
    if numba.config.DISABLE_JIT or _compiled:
        return False
    # A list, not any(): what Ctrl-C raises while a generator is thrown away half read is lost.
    _compiled.extend(list(CACHE_FOLDER.rglob("*.nbi"))[:1])
    return not _compiled


def announce_compiling() -> None:
    """Say before the first call that kernels are compiled, and whether that is done once."""
    if is_cold():
        often = "a minute or two, once per installation" if _IS_KEPT else f"every time: {_WANTED} cannot be written"
        _announce(f"compiling kernels: {often}")


def _announce(message: str) -> None:
    _announced.append(message)
    logging.getLogger("ffbm").info(message)


_announced: list[str] = []  # in this process
_compiled: list[Path] = []  # one file of the cache, once there is one: there are hundreds, and chains ask often


class NamedByContent(IndexDataCacheFile):  # type: ignore[misc]  # numba has no types
    """The cache of one kernel, in which no file ever holds what it did not hold before."""

    def load(self, key: Any) -> Any:
        """Return compiled code, None if there is none: then it is compiled, which takes time for a new kind of fit."""
        code = super().load(key)
        if code is None and not _announced:
            _announce("compiling kernels that no run has used yet: up to a minute or two")
        return code

    def save(self, key: Any, data: Any) -> None:
        """Write compiled code, then the index that leads to it: what the index says is true at every moment."""
        digest = hashlib.blake2b(repr((key, self._source_stamp)).encode(), digest_size=8)
        name = self._data_name(int.from_bytes(digest.digest(), "big"))
        self._save_data(name, data)
        self._save_index({**self._load_index(), key: name})


def _name_by_content(kernel: Any) -> None:
    file = getattr(kernel._cache, "_cache_file", None)
    if isinstance(file, IndexDataCacheFile):  # not with JIT off, and not where numba has changed
        file.__class__ = NamedByContent


_before = numba.config.CACHE_DIR
numba.config.CACHE_DIR = str(CACHE_FOLDER)
try:
    for _module in _MODULES:
        for _kernel in vars(import_module(f"ffbm.kernels.{_module}")).values():
            if isinstance(_kernel, Dispatcher):
                _name_by_content(_kernel)
finally:
    numba.config.CACHE_DIR = _before
