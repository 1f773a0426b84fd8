"""What a fit consists of, as plain parts: what is sampled, what is said of it, and where it comes from."""

from dataclasses import dataclass, field
from typing import Any

from ffbm.config import FitConfig
from ffbm.types import Array, BlockTrace, Memberships, Network
from ffbm.types.ranking import Ranking
from ffbm.types.scores import Scores
from ffbm.types.variance import VarianceSplit
from ffbm.types.weights import WeightTrace


@dataclass(frozen=True, eq=False)
class Reduced:
    """The refit on the kept features alone: ``weights`` (C, T, B, D') and ``scores``."""

    weights: WeightTrace
    scores: Scores

    def __repr__(self) -> str:
        return f"<Reduced to {', '.join(self.weights.names)}: {self.scores!r}>"


@dataclass(frozen=True, eq=False)
class FitParts:
    """The parts of a fit.

    Parameters
    ----------
    network : Network
    config : FitConfig
        What was chosen, with the seed that was used.
    train : (n,) int64
        The training vertices, in increasing order.
    blocks : BlockTrace
    memberships : Memberships
    weights : WeightTrace
        On all features.
    ranking : Ranking
    scores : Scores
    reduced : Reduced, optional
        On the kept features, if these are fewer.
    variance : VarianceSplit, optional
        With ``memberships="drawn"``: how the variance of each weight splits into within and between partitions.
    provenance : dict
        Versions, seed, fingerprint of the data, date, command.
    """

    network: Network
    config: FitConfig
    train: Array
    blocks: BlockTrace
    memberships: Memberships
    weights: WeightTrace
    ranking: Ranking
    scores: Scores
    reduced: Reduced | None = None
    variance: VarianceSplit | None = None
    provenance: dict[str, Any] = field(default_factory=dict)
