"""Ranks of the truth among draws of the joint and of the cut posterior: simulated networks of three sizes.

Writes results/calibration.json and docs/figures/joint/calibration.svg. With a number: so many networks of each size
for the joint posterior, a fifth for the cut. With "draw": the figure alone, from the JSON that is there.
"""

import json
import sys
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import record
from scipy.stats import binom

from ffbm.verification.calibration import SIZES
from ffbm.verification.findings import Effort
from ffbm.verification.joint_calibration import QUANTITIES, WRONG_UNDER_CUT, calibrate_target
from ffbm.workers import open_workers

FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "joint" / "calibration.svg"
SHOWN = ("S", *WRONG_UNDER_CUT, "blocks in use")
COLOURS = {"joint": "#33638d", "cut": "#d1495b"}


def draw(results, sizes):
    """One column a quantity, one row a target: the histograms of the largest size."""
    where = f"N={sizes[-1].n_nodes} B={sizes[-1].n_blocks}"
    figure, axes = plt.subplots(2, len(SHOWN), figsize=(11, 3.6), sharex=True, layout="constrained")
    for row, (target, colour) in zip(axes, COLOURS.items(), strict=True):
        for axis, name in zip(row, SHOWN, strict=True):
            [entry] = [e for e in results[target] if e["quantity"] == name and e["size"] == where]
            counts = np.array(entry["counts"])
            n, bins = counts.sum(), len(counts)
            low, high = binom.ppf([0.005, 0.995], n, 1 / bins) / n * bins
            axis.axhspan(low, high, color="0.88", zorder=0)
            axis.bar((np.arange(bins) + 0.5) / bins, counts / n * bins, 1 / bins, color=colour)
            axis.set_yticks([])
            axis.set_xticks([0, 1])
            if target == "joint":
                axis.set_title(name, fontsize=9)
        row[0].set_ylabel(target)
    text = "rank of the truth among 99 draws, as a share; grey: where uniform ranks are 99 times in 100"
    figure.supxlabel(text, fontsize=9)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    plt.rcParams["svg.hashsalt"] = "ffbm"
    figure.savefig(FIGURE, metadata={"Date": None})


def main():
    if sys.argv[1:] == ["draw"]:
        draw(json.loads((record.RESULTS / "calibration.json").read_text())["ranks"], SIZES)
        return
    n_networks = int(sys.argv[1]) if len(sys.argv) > 1 else 500
    results = {}
    with open_workers(None, n_networks) as each:
        for target, count in (("joint", n_networks), ("cut", max(n_networks // 5, 1))):
            results[target] = calibrate_target(target, SIZES, Effort(True, 0, each), count).details["ranks"]
            for entry in results[target]:
                record.say(f"{target:>6} {entry['size']:>10} {entry['quantity']:<36} p = {entry['p']:.2g}")
    smallest = {target: min(entry["p"] for entry in entries) for target, entries in results.items()}
    told = {"n_networks": {"joint": n_networks, "cut": max(n_networks // 5, 1)}, "n_draws": 99, "smallest_p": smallest}
    told["wrong"] = {
        name: min(entry["p"] for entry in results["cut"] if entry["quantity"] == name) for name in QUANTITIES
    }
    record.write("calibration", ("ffbm", "numba", "numpy", "scipy"), {**told, "ranks": results})
    draw(results, SIZES)


if __name__ == "__main__":
    main()
