"""``fit.plot``: the figures of a fit."""

import os
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ffbm.errors import DataError
from ffbm.results.block_features import marks_of
from ffbm.results.hierarchy import tree_of
from ffbm.store.parts import FitParts

if TYPE_CHECKING:
    from ffbm.plots import Figure

FORMATS = (".pdf", ".png")
_SHOWN = 30  # features whose effects are drawn
_SEVERAL: set[str] = set()  # figures that a fit with one block does not have


def _of_several_blocks(draw: Callable[..., "Figure"]) -> Callable[..., "Figure"]:
    """Refuse, in words, to draw what only several blocks have."""

    @wraps(draw)
    def checked(self: "Plots", *arguments: Any, **options: Any) -> "Figure":
        if self._fit.memberships.n_blocks == 1:
            raise DataError(f"this fit has one block, of which the figure {draw.__name__!r} has nothing to show")
        return draw(self, *arguments, **options)

    _SEVERAL.add(draw.__name__)
    return checked


class Plots:
    """The figures of a fit: each method returns a matplotlib Figure, and takes what the function of its name takes.

    Nothing is shown or saved; ``fit.plot.network().savefig("network.pdf")`` does. ``save`` writes all of them.
    """

    NAMES = (
        "columns", "network", "block_graph", "tree", "weights", "effects", "heatmap", "ranking", "bits", "accuracy",
        "calibration", "block_matrix", "traces", "ladder", "check", "modes",
    )  # fmt: skip

    def __init__(self, fit: FitParts) -> None:
        self._fit = fit

    @_of_several_blocks
    def columns(self, **options: Any) -> "Figure":
        """Draw the bits of each column, alone and beyond the others: see ``ffbm.plots.plot_columns``."""
        from ffbm.plots import plot_columns

        return plot_columns(self._fit.column_table, **options)

    @_of_several_blocks
    def effects(self, names: Sequence[str] | None = None, **options: Any) -> "Figure":
        """Draw the largest change in probability of each feature: see ``ffbm.plots.plot_effects``.

        ``names`` are features; the first 30 of the ranking if left out.
        """
        from ffbm.plots import plot_effects

        if names is None:
            names = [self._fit.ranking.names[j] for j in self._fit.ranking.order[:_SHOWN]]
        return plot_effects(self._fit.explanation.effects(names), **options)

    def network(self, **options: Any) -> "Figure":
        """Draw the network with its vertices coloured by block: see ``ffbm.plots.plot_network``."""
        from ffbm.plots import plot_network

        return plot_network(self._fit.network, self._fit.memberships, **options)

    @_of_several_blocks
    def block_graph(self, **options: Any) -> "Figure":
        """Draw blocks as discs and the edges between them as lines, with counts: see ``ffbm.plots.plot_block_graph``.

        It shows what the picture of a network of thousands of vertices does not.
        """
        from ffbm.plots import plot_block_graph

        return plot_block_graph(self._fit.network.graph, self._fit.memberships, **options)

    @_of_several_blocks
    def weights(self, **options: Any) -> "Figure":
        """Draw the weights of the first features in each block: see ``ffbm.plots.plot_weights``."""
        from ffbm.plots import plot_weights

        return plot_weights(self._fit.ranking, **{"marks": marks_of(self._fit)} | options)

    @_of_several_blocks
    def heatmap(self, **options: Any) -> "Figure":
        """Draw the centred weights of features by block as colours: see ``ffbm.plots.plot_heatmap``."""
        from ffbm.plots import plot_heatmap

        return plot_heatmap(self._fit.ranking, **{"marks": marks_of(self._fit)} | options)

    @_of_several_blocks
    def ranking(self, **options: Any) -> "Figure":
        """Draw the scores of the first features and the cutoff: see ``ffbm.plots.plot_ranking``."""
        from ffbm.plots import plot_ranking

        return plot_ranking(self._fit.ranking, **options)

    def tree(self, **options: Any) -> "Figure":
        """Draw the tree of blocks of a fit with ``hierarchy=True``: see ``ffbm.plots.plot_tree``."""
        from ffbm.plots import plot_tree

        return plot_tree(tree_of(self._fit), **options)

    @_of_several_blocks
    def bits(self, **options: Any) -> "Figure":
        """Draw the bits explained in each block: see ``ffbm.plots.plot_bits``."""
        from ffbm.plots import plot_bits

        return plot_bits(self._fit.scores, **options)

    @_of_several_blocks
    def accuracy(self, **options: Any) -> "Figure":
        """Draw the accuracy of each block, training and held out: see ``ffbm.plots.plot_accuracy``."""
        from ffbm.plots import plot_accuracy

        return plot_accuracy(self._fit.scores, **options)

    @_of_several_blocks
    def calibration(self, **options: Any) -> "Figure":
        """Draw observed against predicted blocks of held-out vertices: see ``ffbm.plots.plot_calibration``."""
        from ffbm.plots import plot_calibration
        from ffbm.results.calibration import held_out_predictions

        return plot_calibration(*held_out_predictions(self._fit), **options)

    @_of_several_blocks
    def block_matrix(self, **options: Any) -> "Figure":
        """Draw the edges between blocks: see ``ffbm.plots.plot_block_matrix``."""
        from ffbm.plots import plot_block_matrix

        return plot_block_matrix(self._fit.network.graph, self._fit.memberships, **options)

    def traces(self, **options: Any) -> "Figure":
        """Draw the traces of the description length and of the energy: see ``ffbm.plots.plot_traces``."""
        from ffbm.plots import plot_traces

        shown = {"description length S": self._fit.blocks.entropy, "energy U": self._fit.weights.energy}
        return plot_traces(shown, **options)

    def ladder(self, **options: Any) -> "Figure":
        """Draw how often neighbouring temperatures exchanged, of a tempered fit: see ``ffbm.plots.plot_ladder``."""
        from ffbm.plots import plot_ladder

        settings = self._fit.blocks.settings
        if not _is_tempered(self._fit):
            raise DataError("the block chains of this fit were not tempered: there are no exchanges to draw")
        return plot_ladder(settings["tempering"], settings["swap_rates"], **options)

    def check(self, **options: Any) -> "Figure":
        """Draw the network's statistics among those of its replicates: see ``ffbm.plots.plot_check``."""
        from ffbm.plots import plot_check
        from ffbm.results.checks import check_fit

        result = check_fit(self._fit)
        return plot_check(result.table, result.replicates, **options)

    def modes(self, **options: Any) -> "Figure":
        """Draw the network once for each mode of its partitions: see ``ffbm.plots.plot_modes``."""
        from ffbm.plots import plot_modes

        return plot_modes(self._fit.network, self._fit.memberships, **options)

    def save(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write every figure as PDF and PNG into a new or empty folder, and return the files.

        Left out are calibration and columns if no vertex was held out, of a single block all that compares blocks, the
        ladder of chains without tempering, the tree of a flat fit, and a single mode.
        """
        from ffbm.store.folder import check_new_folder

        where = check_new_folder(folder, "the folder of figures")
        left = self.left_out()
        return [
            path for name in self.NAMES if name not in left for path in save_as_both(getattr(self, name)(), where, name)
        ]

    def left_out(self) -> set[str]:
        """Return the names of the figures that this fit does not have."""
        left = set() if self._fit.scores.n_test else {"calibration", "columns"}
        left |= _SEVERAL if self._fit.memberships.n_blocks == 1 else set()
        left |= set() if _is_tempered(self._fit) else {"ladder"}
        left |= {"tree"} if self._fit.hierarchy is None else set()
        return left | ({"modes"} if self._fit.memberships.n_modes == 1 else set())

    def __repr__(self) -> str:
        return f"<Plots: {', '.join(self.NAMES)}>"


def save_as_both(figure: "Figure", where: Path, name: str) -> list[Path]:
    """Write a figure as PDF and PNG under a name, and return the files."""
    from ffbm.plots import save_figure

    files = [where / f"{name}{ending}" for ending in FORMATS]
    for path in files:
        save_figure(figure, path)
    return files


def _is_tempered(fit: FitParts) -> bool:
    return len(fit.blocks.settings.get("tempering") or ()) > 1
