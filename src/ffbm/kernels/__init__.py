"""Numba kernels: arrays in, arrays out; no defaults, no classes but named tuples, no input or output.

A cached kernel goes stale when a kernel it calls in another file changes, because numba looks at
one file only. So the compiled code of each state of this folder lies in a cache folder of its own,
named by the hash of all kernel files.
"""

import atexit
import hashlib
import logging
import shutil
import tempfile
from importlib import import_module
from pathlib import Path

import numba
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


def _pass_by() -> Path:
    """Make a folder for this process alone: where nothing can be kept, kernels are compiled each time."""
    folder = tempfile.mkdtemp(prefix="ffbm-kernels-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Path(folder)


_WANTED = _cache_folder()
_IS_KEPT = _is_writable(_WANTED)
CACHE_FOLDER = _WANTED if _IS_KEPT else _pass_by()


def is_cold() -> bool:
    """Tell whether nothing is compiled yet, so that the first call takes some seconds longer."""
    # A list, not any(): what Ctrl-C raises while a generator is thrown away half read is lost.
    return not numba.config.DISABLE_JIT and not list(CACHE_FOLDER.rglob("*.nbi"))


def announce_compiling() -> None:
    """Say before the first call that kernels are compiled, and whether that is done once."""
    if is_cold():
        often = "a minute or two, once per installation" if _IS_KEPT else f"every time: {_WANTED} cannot be written"
        logging.getLogger("ffbm").info("compiling kernels: %s", often)


_before = numba.config.CACHE_DIR
numba.config.CACHE_DIR = str(CACHE_FOLDER)
try:
    for _module in _MODULES:
        import_module(f"ffbm.kernels.{_module}")
finally:
    numba.config.CACHE_DIR = _before
