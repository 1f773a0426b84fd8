"""The figure of search.py: by how much S is above the best known, against processor time, both programs."""

import json
from pathlib import Path

import numpy as np
from matplotlib.ticker import LogLocator
from record import RESULTS

from ffbm.plots.palette import COLOURS, INK
from ffbm.plots.paper import SMALL, TEXT, new_figure, quiet_axes, save_figure

FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "benchmarks" / "search.png"
OURS, THEIRS = COLOURS[:2]
_LINEAR = 1.0  # nats: below, the axis of S is linear


def falling(points):
    """Seconds and the lowest S so far."""
    seconds, lengths = zip(*points, strict=True)
    return np.asarray(seconds), np.minimum.accumulate(lengths)


def panel(axes, name, measured, before):
    curves = [falling(search["curve"]) for search in measured["searches"]]
    ends = [search["seconds"] for search in measured["searches"]]
    groups = [group for group in measured["graph_tool_runs"] if group]
    runs = [falling([(sum(t for t, *_ in group[: i + 1]), s) for i, (_, s, _) in enumerate(group)]) for group in groups]
    best = min([*(float(lengths[-1]) for _, lengths in [*curves, *runs]), *(s for _, s in before)])
    last = max(*ends, *(float(seconds[-1]) for seconds, _ in runs)) if runs else max(ends)
    for (seconds, lengths), colour in [*((it, THEIRS) for it in runs), *((it, OURS) for it in curves)]:
        above = np.maximum(lengths - best, 0)
        axes.plot(
            [*seconds, last], [*above, above[-1]], color=colour, linewidth=0.8, alpha=0.75, drawstyle="steps-post"
        )
        axes.plot(seconds, above, ".", color=colour, markersize=2.5)
    for seconds, entropy in before:
        axes.plot(seconds, entropy - best, "x", color=INK, markersize=4, markeredgewidth=0.9)
    axes.set_xscale("log", subs=[])
    axes.xaxis.set_major_locator(LogLocator(subs=(1, 3)))
    axes.xaxis.set_major_formatter("{x:g}")
    axes.set_yscale("symlog", linthresh=_LINEAR)
    axes.set_ylim(-0.15, 1.6 * axes.get_ylim()[1])
    axes.set_title(f"{name}, best {best:,.1f}", fontsize=SMALL, pad=2, loc="left", color=INK)
    quiet_axes(axes, grid="y")


def draw(results):
    """Draw all networks of a record and save the figure."""
    networks, before = results["networks"], results["before"]
    figure = new_figure(6.8, 1.75 * -(-len(networks) // 3) + 0.35)
    panels = figure.subplots(-(-len(networks) // 3), 3, squeeze=False).ravel()
    names = [row["graph"] for row in results["rows"]]
    for axes, name in zip(panels, names, strict=False):
        panel(axes, name, networks[name], before["networks"].get(name, []))
    for axes in panels[len(names) :]:
        axes.remove()
    panels[0].plot([], [], color=OURS, label="ffbm")
    panels[0].plot([], [], color=THEIRS, label="graph-tool, run after run")
    panels[0].plot([], [], "x", color=INK, markersize=4, label=f"ffbm {before['version']}, whole search")
    figure.legend(loc="outside upper center", ncols=3, fontsize=SMALL, frameon=False, labelcolor=INK)
    figure.supxlabel("processor seconds", fontsize=TEXT, color=INK)
    figure.supylabel("S above the best known, nats", fontsize=TEXT, color=INK)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, FIGURE)


if __name__ == "__main__":
    draw(json.loads((RESULTS / "search.json").read_text()))
