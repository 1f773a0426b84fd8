"""Which vertex attributes explain a network's structure, where, and how sure is that?

The public door of the package. Names are loaded when they are first used, so that importing
``ffbm`` and asking the command line for help stay quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

_WHERE = {
    "BlockTrace": "ffbm.types",
    "Fit": "ffbm.results",
    "Memberships": "ffbm.types",
    "Network": "ffbm.types",
    "Ranking": "ffbm.types",
    "Simulation": "ffbm.simulation",
    "Verification": "ffbm.verification",
    "WeightTrace": "ffbm.types",
    "align_blocks": "ffbm.blocks.align",
    "as_network": "ffbm.data",
    "compare": "ffbm.results",
    "description_length": "ffbm.blocks.entropy",
    "errors": "ffbm.errors",
    "explain_types": "ffbm.pipeline.by_type",
    "fit": "ffbm.results",
    "fit_types": "ffbm.results",
    "judge_columns": "ffbm.relevance",
    "load_dataset": "ffbm.data",
    "load_fit": "ffbm.results",
    "permutation_test": "ffbm.pipeline.permutation",
    "rank_features": "ffbm.ranking",
    "read_network": "ffbm.data",
    "reproduce": "ffbm.reproduction",
    "sample_blocks": "ffbm.pipeline.blocks",
    "sample_weights": "ffbm.pipeline.weights",
    "simulate": "ffbm.simulation",
    "verify": "ffbm.verification",
}

__all__ = ["__version__", *_WHERE]  # pyright: ignore[reportUnsupportedDunderAll]

if TYPE_CHECKING:
    from ffbm import errors as errors
    from ffbm.blocks.align import align_blocks as align_blocks
    from ffbm.blocks.entropy import description_length as description_length
    from ffbm.data import as_network as as_network
    from ffbm.data import load_dataset as load_dataset
    from ffbm.data import read_network as read_network
    from ffbm.pipeline.blocks import sample_blocks as sample_blocks
    from ffbm.pipeline.by_type import explain_types as explain_types
    from ffbm.pipeline.permutation import permutation_test as permutation_test
    from ffbm.pipeline.weights import sample_weights as sample_weights
    from ffbm.ranking import rank_features as rank_features
    from ffbm.relevance import judge_columns as judge_columns
    from ffbm.reproduction import reproduce as reproduce
    from ffbm.results import Fit as Fit
    from ffbm.results import compare as compare
    from ffbm.results import fit as fit
    from ffbm.results import fit_types as fit_types
    from ffbm.results import load_fit as load_fit
    from ffbm.simulation import Simulation as Simulation
    from ffbm.simulation import simulate as simulate
    from ffbm.types import BlockTrace as BlockTrace
    from ffbm.types import Memberships as Memberships
    from ffbm.types import Network as Network
    from ffbm.types import Ranking as Ranking
    from ffbm.types import WeightTrace as WeightTrace
    from ffbm.verification import Verification as Verification
    from ffbm.verification import verify as verify

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
