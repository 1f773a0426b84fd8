"""R-hat, bulk and tail ESS of weights as many as the paper's: ffbm against arviz-stats, one thread each.

Prints a table and writes results/diagnostics.json. ffbm's time includes the mean ESS, which comes with it.
"""

import json
import platform
import statistics
import sys
import time
import warnings
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import numpy as np
from arviz_stats.base import array_stats
from threadpoolctl import threadpool_limits

from ffbm.diagnostics import summarise

RESULTS = Path(__file__).parent / "results" / "diagnostics.json"
CHAINS, DRAWS = 4, 1000
# the shapes of polbooks', school's and facebook's weights, and how much a draw keeps of the one before
CASES = [("polbooks", 3, 3), ("school", 10, 13), ("facebook", 10, 480)]
MIXING = {"independent": 0.0, "slow": 0.9}


def autoregression(n_blocks, n_features, keep):
    draws = np.random.default_rng(1).normal(size=(CHAINS, DRAWS, n_blocks, n_features))
    for t in range(1, DRAWS):
        draws[:, t] += keep * draws[:, t - 1]
    return draws


def peer(draws):
    y = np.moveaxis(draws, (0, 1), (-2, -1))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return (
            array_stats.rhat(y, method="rank"),
            array_stats.ess(y, method="bulk"),
            array_stats.ess(y, method="tail", prob=(0.05, 0.95)),
        )


def ours(draws):
    results = summarise(draws)
    return results.rhat, results.ess_bulk, results.ess_tail


def median_time(function, draws, repeats):
    # processor seconds: with one thread each they are the clock's on an idle machine, and a busy one disturbs them less
    seconds, result = [], None
    for _ in range(repeats):
        started = time.process_time()
        result = function(draws)
        seconds.append(time.process_time() - started)
    return statistics.median(seconds), result


def main():
    summarise(autoregression(2, 2, 0.0))  # compiled before the clock starts
    rows = []
    heads = ("weights", "mixing", "number", "ffbm s", "arviz-stats s", "ratio", "difference")
    print(" ".join(f"{head:>{width}}" for head, width in zip(heads, (10, 12, 7, 9, 14, 7, 11), strict=True)))
    for name, n_blocks, n_features in CASES:
        for mixing, keep in MIXING.items():
            draws = autoregression(n_blocks, n_features, keep)
            seconds, results = median_time(ours, draws, repeats=5)
            peer_seconds, expected = median_time(peer, draws, repeats=1 if n_features > 100 else 3)
            apart = max(float(np.max(np.abs(a - b) / b)) for a, b in zip(results, expected, strict=True))
            rows.append(
                {
                    "weights": name,
                    "mixing": mixing,
                    "quantities": n_blocks * n_features,
                    "chains": CHAINS,
                    "draws": DRAWS,
                    "ffbm_seconds": seconds,
                    "arviz_stats_seconds": peer_seconds,
                    "ratio": peer_seconds / seconds,
                    "largest_relative_difference": apart,
                }
            )
            print(
                f"{name:>10} {mixing:>12} {n_blocks * n_features:>7,} {seconds:>9.4f} {peer_seconds:>14.3f}"
                f" {peer_seconds / seconds:>7.1f} {apart:>11.1e}"
            )
    report = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "versions": {name: version(name) for name in ("ffbm", "arviz-stats", "numba", "numpy", "scipy")},
        "threads": 1,
        "clock": "processor seconds, median of 5 runs of ffbm and of 3 (facebook: 1) of arviz-stats",
        "rows": rows,
    }
    RESULTS.parent.mkdir(exist_ok=True)
    RESULTS.write_text(json.dumps(report, indent=1) + "\n")
    print(f"written to {RESULTS.relative_to(Path(__file__).parent.parent)}", file=sys.stderr)


if __name__ == "__main__":
    with threadpool_limits(limits=1):
        main()
