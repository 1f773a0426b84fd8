"""Which vertex attributes explain a network's structure, where, and how sure is that?

The public door of the package. Names are loaded when they are first used, so that importing
``ffbm`` and asking the command line for help stay quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

_WHERE = {
    "Network": "ffbm.types",
    "as_network": "ffbm.data",
    "align_blocks": "ffbm.blocks.align",
    "description_length": "ffbm.blocks.entropy",
    "errors": "ffbm.errors",
    "load_dataset": "ffbm.data",
    "read_network": "ffbm.data",
    "sample_blocks": "ffbm.pipeline.blocks",
}

__all__ = ["Network", "__version__", "as_network", "errors", "load_dataset", "read_network"]

if TYPE_CHECKING:
    from ffbm import errors
    from ffbm.data import as_network, load_dataset, read_network
    from ffbm.types import Network

    __version__: str


def __getattr__(name: str) -> Any:
    if name == "__version__":
        from importlib.metadata import version

        return version("ffbm")
    if name not in _WHERE:
        raise AttributeError(f"module 'ffbm' has no attribute {name!r}")
    module = import_module(_WHERE[name])
    return module if _WHERE[name] == f"ffbm.{name}" else getattr(module, name)


def __dir__() -> list[str]:
    return __all__
