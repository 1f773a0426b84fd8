"""The figure of links.py: probabilities of edges after the constant, against how often pairs had one."""

import json
from pathlib import Path

from record import RESULTS

from ffbm.plots.palette import COLOURS, FAINT, INK
from ffbm.plots.paper import SMALL, TEXT, new_figure, quiet_axes, save_figure

FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "links" / "calibration.png"
LOWEST = 3e-5  # tenths without any edge are drawn there


def draw(networks):
    """Draw a panel for each network with a point for each tenth of the pairs, and save the figure."""
    figure = new_figure(6.4, 1.9)
    panels = figure.subplots(1, len(networks), sharex=True, sharey=True)
    for axes, (name, row) in zip(panels, networks.items(), strict=True):
        axes.plot([LOWEST, 0.3], [LOWEST, 0.3], color=FAINT, linewidth=0.8)
        seen = [tenth for tenth in row["calibration"] if tenth["seen"] > 0]
        none = [tenth for tenth in row["calibration"] if tenth["seen"] == 0]
        axes.plot([t["foretold"] for t in seen], [t["seen"] for t in seen], "o", color=COLOURS[0], markersize=3.5)
        axes.plot([t["foretold"] for t in none], [LOWEST] * len(none), "v", color=FAINT, markersize=3.5)
        axes.set(xscale="log", yscale="log", xlim=(LOWEST, 0.3), ylim=(0.7 * LOWEST, 0.3))
        axes.set_title(name.replace("_", " "), fontsize=SMALL, color=INK, loc="left")
        axes.set_xlabel("foretold", fontsize=TEXT)
        quiet_axes(axes)
    panels[0].set_ylabel("seen", fontsize=TEXT)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, FIGURE)


if __name__ == "__main__":
    draw(json.loads((RESULTS / "links.json").read_text())["networks"])
