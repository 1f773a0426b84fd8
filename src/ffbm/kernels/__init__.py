"""Numba kernels: arrays in, arrays out; no defaults, no classes but named tuples, no input or output.

A cached kernel goes stale when a kernel it calls in another file changes, because numba looks at
one file only. So the compiled code of each state of this folder lies in a cache folder of its own,
named by the hash of all kernel files.
"""

import hashlib
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
    folder = user_cache_path("ffbm", appauthor=False) / "kernels" / digest.hexdigest()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:  # a read-only home: compile anew each time rather than fail
        return Path(tempfile.mkdtemp(prefix="ffbm-kernels-"))


CACHE_FOLDER = _cache_folder()


def is_cold() -> bool:
    """Tell whether nothing is compiled yet, so that the first call takes some seconds longer."""
    return not numba.config.DISABLE_JIT and not any(CACHE_FOLDER.rglob("*.nbi"))


_before = numba.config.CACHE_DIR
numba.config.CACHE_DIR = str(CACHE_FOLDER)
try:
    for _module in _MODULES:
        import_module(f"ffbm.kernels.{_module}")
finally:
    numba.config.CACHE_DIR = _before
