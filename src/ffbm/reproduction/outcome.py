"""What a reproduction found, and what can be asked of it."""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ffbm.reproduction.columns import ColumnRun, RunBlocks
from ffbm.reproduction.paper import Experiment
from ffbm.types import Network

if TYPE_CHECKING:
    import pandas as pd

    from ffbm.plots import Figure


@dataclass(frozen=True, eq=False)
class DatasetRuns:
    """All runs on one data set, in the order of their numbers."""

    paper: Experiment
    network: Network
    blocks: list[RunBlocks]
    published: list[ColumnRun]
    exact: list[ColumnRun]
    limit: list[dict[str, float]]


@dataclass(frozen=True, eq=False)
class Reproduction:
    """The paper's table in three columns, published, published program and exact posterior.

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

    @cached_property
    def record(self) -> dict[str, Any]:
        """Everything as plain values: what ``results.json`` holds."""
        from ffbm.reproduction.record import make_record

        return make_record(self)

    @property
    def table(self) -> "pd.DataFrame":
        """The table as text, mean ± sd over runs: a row for each data set and figure, a column for each origin."""
        from ffbm.reproduction.table import text_table

        return text_table(self.record)

    @property
    def differences(self) -> list[dict[str, Any]]:
        """Why the columns differ: ``dataset``, ``reason``, whether the figures of this run ``confirm`` it, ``text``."""
        return list(self.record["differences"])

    @property
    def bounds(self) -> list[dict[str, Any]]:
        """What the published program and the exact posterior must meet, and whether they do."""
        return [bound for record in self.record["datasets"].values() for bound in record["bounds"]]

    def to_markdown(self) -> str:
        """Return the table and the reasons for its differences as Markdown."""
        from ffbm.reproduction.table import markdown

        return markdown(self.record)

    def figures(self) -> "dict[str, Figure]":
        """Draw the paper's figures from the first run of each data set, by name."""
        from ffbm.reproduction.figures import plan_figures

        return {name: draw() for name, draw in plan_figures(self).items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write ``table.md``, ``table.csv``, ``results.json`` and the figures into a new or empty folder."""
        from ffbm.reproduction.folder import save_reproduction

        save_reproduction(self, path)

    def __repr__(self) -> str:
        met = sum(bound["met"] for bound in self.bounds)
        names = ", ".join(self.datasets)
        return f"<Reproduction: {names}; {self.runs} runs, {met} of {len(self.bounds)} bounds met>"
