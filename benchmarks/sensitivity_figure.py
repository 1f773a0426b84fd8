"""The figure of sensitivity.py: columns of pure noise by the paper's score and by inclusion."""

import json
from pathlib import Path

import numpy as np
from record import RESULTS

from ffbm.plots.palette import COLOURS, FAINT, INK
from ffbm.plots.paper import SMALL, TEXT, new_figure, quiet_axes, save_figure

FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "ranking" / "noise.png"


def draw(noise):
    """Draw a point for each column and data set, and save the figure."""
    figure = new_figure(6.4, 2.3)
    panels = figure.subplots(1, 2, sharey=True)
    rng = np.random.default_rng(1)
    for axes, key, line, title in (
        (panels[0], "score", 0.0, "the paper's score: above 0 a column is named"),
        (panels[1], "inclusion", 0.9, "inclusion: from 0.9 on a column alone is named"),
    ):
        axes.axvline(line, color=INK, linewidth=0.7, linestyle=(0, (1, 1.5)))
        for row, one in enumerate(noise.values()):
            x = np.array(one[key])
            y = row + rng.uniform(-0.18, 0.18, len(x))
            is_named = x > line
            axes.plot(
                x[~is_named], y[~is_named], "o", color=FAINT, markersize=3, markeredgecolor=INK, markeredgewidth=0.4
            )
            axes.plot(x[is_named], y[is_named], "o", color=COLOURS[1], markersize=3)
        axes.set_title(title, fontsize=SMALL, color=INK, loc="left")
        axes.set_yticks(range(len(noise)), list(noise), fontsize=TEXT)
        axes.set_ylim(len(noise) - 0.5, -0.5)
        quiet_axes(axes)
    panels[1].set_xlim(-0.02, 1.02)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, FIGURE)


if __name__ == "__main__":
    draw(json.loads((RESULTS / "sensitivity.json").read_text())["noise"])
