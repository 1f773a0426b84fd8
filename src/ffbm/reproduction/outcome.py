"""What a reproduction found, and what can be asked of it."""

import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ffbm.reproduction.all_runs import AllRuns
from ffbm.reproduction.figures import plan_figures
from ffbm.reproduction.folder import save_reproduction
from ffbm.reproduction.record import make_record
from ffbm.reproduction.table import markdown, text_table

if TYPE_CHECKING:
    import pandas as pd

    from ffbm.plots import Figure


@dataclass(frozen=True, eq=False)
class Reproduction(AllRuns):
    """The paper's table in three columns, published, published program and exact posterior.

    Parameters
    ----------
    datasets, missing, seed, runs, seconds
        As in ``AllRuns``.
    """

    @cached_property
    def record(self) -> dict[str, Any]:
        """Everything as plain values: what ``results.json`` holds."""
        return make_record(self)

    @property
    def table(self) -> "pd.DataFrame":
        """The table as text, mean ± sd over runs: a row for each data set and figure, a column for each origin."""
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
        return markdown(self.record)

    def figures(self) -> "dict[str, Figure]":
        """Draw the paper's figures from the first run of each data set, by name."""
        return {name: draw() for name, draw in plan_figures(self, self.record).items()}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write ``table.md``, ``table.csv``, ``results.json`` and the figures into a new or empty folder."""
        save_reproduction(self, self.record, path)

    def __repr__(self) -> str:
        met = sum(bound["met"] for bound in self.bounds)
        names = ", ".join(self.datasets)
        return f"<Reproduction: {names}; {self.runs} runs, {met} of {len(self.bounds)} bounds met>"
