"""``fit.plot`` of a fit with types of vertices: the whole network, and the figures of each type."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ffbm.errors import OptionError
from ffbm.results.figures import Plots, save_as_both
from ffbm.results.types_parts import names_of, parts_of, styles_of
from ffbm.store.parts import TypedParts

if TYPE_CHECKING:
    from ffbm.plots import Figure

OF_TYPE = ("columns", "weights", "effects", "heatmap", "ranking", "bits", "accuracy", "calibration", "tree")


class TypedPlots:
    """The figures of a fit with types: ``fit.plot.network()``, and of one type ``fit.plot["person"].columns()``.

    Each returns a matplotlib Figure; nothing is shown or saved. In figures of the whole network blocks are called by
    their type and number, in those of a type by their number.
    """

    NAMES = ("network", "block_graph", "block_matrix", "traces")

    def __init__(self, fit: TypedParts) -> None:
        self._fit = fit

    def __getitem__(self, value: str) -> Plots:
        if value not in self._fit.explanations:
            there = ", ".join(map(repr, self._fit.explanations)) or "none"
            raise OptionError(f"figures are of a type that is explained; got {value!r}: there are {there}")
        return Plots(parts_of(self._fit, value))

    def network(self, **options: Any) -> "Figure":
        """Draw the network, colours by block and markers by type: see ``ffbm.plots.plot_network``."""
        from ffbm.plots import plot_network

        return plot_network(self._fit.network, self._fit.memberships, **self._looks() | options)

    def block_graph(self, **options: Any) -> "Figure":
        """Draw blocks as discs and the edges between them as lines: see ``ffbm.plots.plot_block_graph``."""
        from ffbm.plots import plot_block_graph

        return plot_block_graph(self._fit.network.graph, self._fit.memberships, **self._looks() | options)

    def block_matrix(self, **options: Any) -> "Figure":
        """Draw the edges between blocks: see ``ffbm.plots.plot_block_matrix``."""
        from ffbm.plots import plot_block_matrix

        options = {"names": names_of(self._fit), **options}
        return plot_block_matrix(self._fit.network.graph, self._fit.memberships, **options)

    def traces(self, **options: Any) -> "Figure":
        """Draw the traces of the description length and of the energies: see ``ffbm.plots.plot_traces``."""
        from ffbm.plots import plot_traces

        energies = {f"energy U, {value}": one.weights.energy for value, one in self._fit.explanations.items()}
        return plot_traces({"description length S": self._fit.blocks.entropy, **energies}, **options)

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write every figure as PDF and PNG into a new or empty folder, and return the files.

        Those of a type begin with its number and name, ``0-person-columns.pdf``.
        """
        from ffbm.store.folder import check_new_folder

        where = check_new_folder(folder, "the folder of figures")
        files = [path for name in self.NAMES for path in save_as_both(getattr(self, name)(), where, name)]
        for number, value in enumerate(self._fit.types.values):
            if value in self._fit.explanations:
                plots, called = self[value], re.sub(r"[^\w-]+", "_", value)[:40]
                left = plots.left_out()
                for name in OF_TYPE:
                    if name not in left:
                        files += save_as_both(getattr(plots, name)(), where, f"{number}-{called}-{name}")
        return files

    def _looks(self) -> dict[str, Any]:
        return {"names": names_of(self._fit), "styles": styles_of(self._fit)}

    def __repr__(self) -> str:
        types = ", ".join(map(repr, self._fit.explanations))
        return f"<TypedPlots: {', '.join(self.NAMES)}; of {types}: {', '.join(OF_TYPE)}>"
