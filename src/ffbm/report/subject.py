"""What a report is about: the parts of a fit, sentences about them, and what was computed for the page."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ffbm.diagnostics import Verdict
from ffbm.report.scene import Scene
from ffbm.report.table import Table
from ffbm.scoring import PredictedBlocks
from ffbm.store.parts import FitParts
from ffbm.types import Array
from ffbm.types.relevance import SetApart

if TYPE_CHECKING:
    import pandas as pd


@dataclass(frozen=True, eq=False)
class Contrast:
    """The cut posterior against the joint one: sentences, and tables to read them by."""

    sentences: tuple[str, ...]
    tables: tuple[Table, ...]


@dataclass(frozen=True, eq=False)
class Subject:
    """Everything that a page tells.

    Parameters
    ----------
    parts : FitParts
    verdicts : mapping from stages to Verdict
        Of each stage's chains.
    convergence : Table
        R-hat and ESS of each stage.
    warnings : texts
        What the reader must know before anything else: no convergence, several modes.
    answer : texts
        The answer, a paragraph each.
    effects : DataFrame
        ``fit.effects`` of the features shown.
    predicted : PredictedBlocks
        What features say of each vertex.
    blocks : DataFrame
        One row per block.
    apart : for each block a tuple of SetApart
        What sets it apart, the clearest first.
    marks : (B, D) bool, optional
        Which features set which block apart; if left out, those whose 95 % interval leaves out 0.
    name_of_sure : str
        What ``SetApart.sure`` holds.
    sentence : str
        The answer for a results section.
    remarks : texts
        What the table of columns does not say: pairs that share their bits, columns that were not tested.
    checks : DataFrame, optional
        The table of ``fit.check()``, if the network is small enough for replicates and there was time for them.
    unchecked : str
        What of it was left out, why, and what makes it.
    inside : DataFrame, optional
        The columns of ``fit.check(columns=True)``.
    pairs : DataFrame, optional
        The pairs of columns of ``fit.check()``.
    calibration : DataFrame, optional
        Observed against predicted blocks of held-out vertices, of ``fit.check()``.
    summary_of_pairs : str
        How many pairs were tested, and how many act together.
    imputed : DataFrame, optional
        With ``impute``: one row per column with cells that had no answer.
    contrast : Contrast, optional
    own_degrees : (N,) int64, optional
        The degrees of the vertices, where they are part of a larger network.
    """

    parts: FitParts
    verdicts: Mapping[str, Verdict]
    convergence: Table
    warnings: tuple[str, ...]
    answer: tuple[str, ...]
    effects: "pd.DataFrame"
    predicted: PredictedBlocks
    blocks: "pd.DataFrame"
    apart: tuple[tuple[SetApart, ...], ...] = ()
    marks: Array | None = None
    name_of_sure: str = ""
    sentence: str = ""
    remarks: tuple[str, ...] = ()
    checks: "pd.DataFrame | None" = None
    unchecked: str = ""
    inside: "pd.DataFrame | None" = None
    pairs: "pd.DataFrame | None" = None
    calibration: "pd.DataFrame | None" = None
    summary_of_pairs: str = ""
    imputed: "pd.DataFrame | None" = None
    contrast: Contrast | None = None
    own_degrees: Array | None = None

    @property
    def has_bits(self) -> bool:
        """Whether there are bits of columns to draw."""
        return bool(np.isfinite(self.parts.column_table["bits_alone"]).any())

    @property
    def degrees(self) -> Array:
        """The degree of each vertex, in the whole network."""
        return self.parts.network.graph.degrees if self.own_degrees is None else self.own_degrees

    @property
    def scene(self) -> Scene:
        """What the pictures of the network are made from."""
        return Scene(self.parts.network, self.parts.memberships, self.parts.ranking.order, self.parts.train)

    @property
    def title(self) -> str:
        """The name of the network, or a word for it."""
        return self.scene.title
