"""Figures for papers: each function takes the package's own types and returns a matplotlib Figure.

The only subpackage that knows matplotlib. Nothing is shown, saved or kept: no pyplot, no global state. A block has the
same colour and marker in all figures.
"""

from matplotlib.figure import Figure

from ffbm.plots.accuracy import plot_accuracy
from ffbm.plots.bits import plot_bits
from ffbm.plots.blockgraph import plot_block_graph
from ffbm.plots.calibration import plot_calibration
from ffbm.plots.calibration_ranks import plot_ranks
from ffbm.plots.checks import plot_check
from ffbm.plots.columns import plot_columns
from ffbm.plots.comparison import Series, plot_comparison
from ffbm.plots.effects import plot_effects
from ffbm.plots.evidence import plot_evidence
from ffbm.plots.heatmap import plot_block_matrix, plot_heatmap
from ffbm.plots.ladder import plot_ladder
from ffbm.plots.modes import plot_modes
from ffbm.plots.network import plot_network
from ffbm.plots.palette import block_colour, block_marker
from ffbm.plots.paper import COLUMN, save_figure
from ffbm.plots.ranking import plot_ranking
from ffbm.plots.traces import plot_traces
from ffbm.plots.tree import plot_tree
from ffbm.plots.weights import plot_weights

__all__ = [
    "COLUMN",
    "Figure",
    "Series",
    "block_colour",
    "block_marker",
    "plot_accuracy",
    "plot_bits",
    "plot_block_graph",
    "plot_block_matrix",
    "plot_calibration",
    "plot_check",
    "plot_columns",
    "plot_comparison",
    "plot_effects",
    "plot_evidence",
    "plot_heatmap",
    "plot_ladder",
    "plot_modes",
    "plot_network",
    "plot_ranking",
    "plot_ranks",
    "plot_traces",
    "plot_tree",
    "plot_weights",
    "save_figure",
]
