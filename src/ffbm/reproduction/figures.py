"""The paper's figures, from the first run of each data set, and its table as a figure."""

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from ffbm.plots import Series, plot_accuracy, plot_comparison, plot_network, plot_traces, plot_weights
from ffbm.reproduction.all_runs import AllRuns, DatasetRuns
from ffbm.reproduction.paper import COLUMNS, EXACT, PROGRAM, TITLES

if TYPE_CHECKING:
    from ffbm.plots import Figure

    Draw = Callable[[], Figure]

LOSSES = {"L0": "loss_train", "L1": "loss_test", "L0'": "reduced_loss_train", "L1'": "reduced_loss_test"}


def plan_figures(runs_of_all: AllRuns, record: Mapping[str, Any]) -> "dict[str, Draw]":
    """Return how to draw each figure: for each data set the network, and weights, accuracies and traces; all losses."""
    drawn: dict[str, Draw] = {}
    for name, runs in runs_of_all.datasets.items():
        drawn |= {f"{name}_{figure}": draw for figure, draw in _plan(runs).items()}
    return drawn | {"losses": partial(draw_losses, record)}


def draw_losses(record: Mapping[str, Any]) -> "Figure":
    """Draw the losses of all columns of the table."""
    panels: dict[str, dict[str, Series]] = {}
    labels = {}
    for entry in record["datasets"].values():
        columns, title = entry["columns"], entry["title"]
        labels[title] = [symbol for symbol, name in LOSSES.items() if name in columns[EXACT]]
        panels[title] = {}
        for column in COLUMNS:
            figures = [columns[column].get(LOSSES[symbol], {}) for symbol in labels[title]]
            panels[title][TITLES[column]] = Series([f.get("mean") for f in figures], [f.get("sd") for f in figures])
    return plot_comparison(panels, labels, ylabel="loss, nats")


def _plan(runs: DatasetRuns) -> "dict[str, Draw]":
    blocks, title = runs.blocks[0], runs.paper.title
    figures: dict[str, Draw] = {"network": partial(plot_network, runs.network, blocks.members)}
    columns = {PROGRAM: runs.published[0], EXACT: runs.exact[0]}
    for column, run in columns.items():
        heading = f"{title}, {TITLES[column]}"
        figures[f"weights_{column}"] = partial(plot_weights, run.ranking, title=heading)
        figures[f"accuracy_{column}"] = partial(plot_accuracy, run.scores, title=heading)
    traces = {"S of the block chain, nats": blocks.entropy}
    traces |= {f"U of the weights, {TITLES[column]}, nats": run.energy for column, run in columns.items()}
    figures["traces"] = partial(plot_traces, traces)
    return figures
