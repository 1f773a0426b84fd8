"""Missing cells: planted effects with 30 % of the cells missing, by three rules and without any missing.

    python benchmarks/missing.py

A flag, a column of three values and a number that go together explain two blocks. Cells are missing at random given the
block: three times as often in one of them. Writes results/missing.json and docs/figures/missing/effects.png.
"""

from pathlib import Path

import numpy as np
import pandas as pd
from record import say, write

import ffbm
from ffbm.data.encode import encode_features

N_NODES, N_SETS = 600, 16
RULES = {"nothing missing": None, "impute=True": True, 'impute="independent"': "independent", "without impute": False}
EFFECTS = {"flag": 2.0, "party a against c": 1.5, "age, a unit up": 0.8}
MISSING = (0.15, 0.45)  # in block 0 and in block 1
FIGURE = Path(__file__).parent.parent / "docs" / "figures" / "missing" / "effects.png"


def main() -> None:
    found = {rule: np.array([estimate(seed, rule) for seed in range(N_SETS)]) for rule in RULES}
    results = {
        rule: {
            name: {"mean": float(own.mean()), "se": float(own.std(ddof=1) / np.sqrt(N_SETS))}
            for name, own in zip(EFFECTS, draws.T, strict=True)
        }
        for rule, draws in found.items()
    }
    for rule, own in results.items():
        say(f"{rule}: " + "; ".join(f"{name} {one['mean']:.2f} +- {one['se']:.2f}" for name, one in own.items()))
    write("missing", ("ffbm", "numpy", "scipy", "numba"), {"truth": EFFECTS, "n_sets": N_SETS, "rules": results})
    draw(results)


def make(seed):
    """Return a table whose columns go together, the blocks they explain, and which cells are taken away."""
    rng = np.random.default_rng([seed, 27])
    kind = rng.random(N_NODES) < 0.5
    flag = rng.random(N_NODES) < np.where(kind, 0.85, 0.15)
    party = (rng.random((N_NODES, 1)) > np.where(kind[:, np.newaxis], [0.7, 0.9], [0.1, 0.3])).sum(axis=1)
    age = rng.normal(np.where(kind, 1.0, -1.0), 1.0)
    z = 2.0 * flag + np.array([1.5, 0.5, 0.0])[party] + 0.8 * age - 1.9
    labels = (rng.random(N_NODES) < 1 / (1 + np.exp(-z))).astype(int)
    table = pd.DataFrame({"flag": pd.array(flag, dtype="boolean"), "party": np.array(list("abc"))[party], "age": age})
    return table, labels, rng.random((N_NODES, 3)) < np.array(MISSING)[labels][:, np.newaxis]


def estimate(seed, rule):
    """Return the posterior means of the planted effects, in log odds, under a weak prior."""
    table, labels, gone = make(seed)
    impute = RULES[rule]
    if impute is not None:
        table = table.mask(gone)
    features, _ = encode_features(table)
    trace = ffbm.sample_weights(
        features, labels, sigma=3.0, intercept=True, weight_prior="fixed", n_draws=300, n_warmup=150, n_chains=1,
        seed=seed, progress=False, workers=1, impute=bool(impute) and impute,
    )  # fmt: skip
    place = {name: d for d, name in enumerate(trace.names)}
    odds = trace.mean[1] - trace.mean[0]
    sd = features.sd[place["age"]]
    return odds[place["flag"]], odds[place["party=a"]] - odds[place["party=c"]], odds[place["age"]] / sd


def draw(results):
    """Draw what each rule finds, with two standard errors, beside the planted effects."""
    from ffbm.plots.palette import COLOURS, INK
    from ffbm.plots.paper import SMALL, TEXT, new_figure, quiet_axes, save_figure

    figure = new_figure(6.4, 2.1)
    panels = figure.subplots(1, len(EFFECTS), sharey=True)
    for axes, (name, truth) in zip(panels, EFFECTS.items(), strict=True):
        axes.axvline(truth, color=INK, linewidth=0.7, linestyle=(0, (1, 1.5)))
        for row, own in enumerate(results.values()):
            colour = COLOURS[1] if row == len(results) - 1 else COLOURS[0]
            axes.errorbar(
                own[name]["mean"], row, xerr=2 * own[name]["se"], fmt="o", color=colour, markersize=4, linewidth=1
            )
        axes.set_title(name, fontsize=SMALL, color=INK, loc="left")
        axes.set_yticks(range(len(results)), list(results), fontsize=TEXT)
        axes.set_ylim(len(results) - 0.5, -0.5)
        quiet_axes(axes)
    FIGURE.parent.mkdir(parents=True, exist_ok=True)
    save_figure(figure, FIGURE)


if __name__ == "__main__":
    main()
