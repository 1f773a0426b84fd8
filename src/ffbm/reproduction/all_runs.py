"""What a reproduction has run: for each data set its blocks, and the weights by each column of the table."""

from dataclasses import dataclass

from ffbm.reproduction.columns import ColumnRun, RunBlocks
from ffbm.reproduction.paper import Experiment
from ffbm.types import Network


@dataclass(frozen=True, eq=False)
class DatasetRuns:
    """All runs on one data set, in the order of their numbers."""

    paper: Experiment
    network: Network
    blocks: list[RunBlocks]
    published: list[ColumnRun]  # by the published program
    exact: list[ColumnRun]  # by samplers of the posterior
    limit: list[dict[str, float]]  # losses of the law that the program tends to as its steps shrink


@dataclass(frozen=True, eq=False)
class AllRuns:
    """The runs on all data sets.

    Parameters
    ----------
    datasets : mapping from names to DatasetRuns
    missing : mapping from names to text
        Data sets that could not be had, and how to get them.
    seed, runs : int
    seconds : mapping from stages to float
        Wall time.
    """

    datasets: dict[str, DatasetRuns]
    missing: dict[str, str]
    seed: int
    runs: int
    seconds: dict[str, float]
