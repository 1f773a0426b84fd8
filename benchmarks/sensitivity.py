"""Sensitivity: how decisions on columns change with the prior, and what two rules say of pure noise.

    python benchmarks/sensitivity.py

Blocks are given. Other priors of omega and of the scales are reached by weighting the draws of one run: the prior of a
draw depends on how many columns are inside and on the size of their weights alone. ``effective`` says how many draws
that leaves. Other deviations of the intercept are runs of their own. Noise: columns drawn at random beside blocks of
120, 110, 90 and 80 vertices; the paper's score, without an intercept, and the inclusion probability. Needs FFBM_SHARED,
and FFBM_DATA for school. Writes results/sensitivity.json and docs/figures/ranking/noise.png.
"""

import os

import numpy as np
from record import say, write
from relevance import network_of
from scipy.special import betaln, gammaln
from sensitivity_figure import draw

import ffbm
from ffbm.kernels.slab import DEGREES
from ffbm.relevance import find_decided, find_sets

NETWORKS = {"polbooks": "political books", "lazega_law": "law firm", "school": "school"}
N_DRAWS, N_NOISE = 500, 12
VALUES = {"a coin": 2, "20 values": 20, "60 values": 60}
FDR = 0.1


def main() -> None:
    if "FFBM_SHARED" not in os.environ:
        print("set FFBM_SHARED to the folder that holds networks/ and reference/; nothing was measured")
        return
    results = {"noise": noise(), "networks": {NETWORKS[name]: decisions(name) for name in NETWORKS}}
    write("sensitivity", ("ffbm", "numpy", "scipy", "numba"), results)
    draw(results["noise"])


def sample(features, labels, **options):
    chosen = {"n_draws": N_DRAWS, "n_warmup": 200, "seed": 1, "workers": 1, "progress": False, **options}
    return ffbm.sample_weights(features, labels, weight_prior="learned", **chosen)


def decisions(name):
    """Return the columns that are decided under each prior, a row each."""
    net, labels = network_of(name)
    trace = sample(net.features, labels)
    n_columns = len(trace.column_names)
    usual = {"omega": (1, n_columns), "degrees": DEGREES, "scale": 1.0}
    variants = {
        "as it is": {},
        "omega ~ Beta(1, 1)": {"omega": (1, 1)},
        "omega ~ Beta(1, G^2)": {"omega": (1, n_columns**2)},
        "s^2 ~ InverseGamma(1/2, 1/2)": {"degrees": 1.0},
        "s half as large": {"scale": 0.5},
        "s twice as large": {"scale": 2.0},
        "fdr = 0.01": {"fdr": 0.01},
        "fdr = 0.2": {"fdr": 0.2},
    }
    rows = [row(text, trace, usual, **changes) for text, changes in variants.items()]
    other = {sd: sample(net.features, labels, intercept_sd=sd) for sd in (0.64, 2.56)}
    rows += [row(f"intercept_sd = {sd}", one, usual) for sd, one in other.items()]
    for one in rows:
        say(f"{name}, {one['prior']}: {', '.join(one['matters']) or 'none'}; {one['undecided']}")
    return rows


def row(text, trace, usual, fdr=FDR, **changes):
    """Return what is decided under a prior that differs from that of the draws."""
    weight = np.exp(log_ratio(trace, usual | changes) - log_ratio(trace, usual))
    weight /= weight.sum()
    drawn = trace.inclusion.reshape(len(weight), -1)
    inclusion = weight @ drawn if changes else trace.selected.probability
    names, decided = trace.column_names, find_decided(inclusion, fdr)
    again = np.random.default_rng(1).choice(len(weight), 4000, p=weight)
    sets = find_sets(drawn[again], inclusion, decided)
    left = [g for g in np.argsort(-inclusion) if g not in decided][:1]
    return {
        "prior": text,
        "matters": [names[g] for g in decided],
        "one_of": [" or ".join(names[g] for g in part) for part in sets],
        "undecided": ", ".join(f"{names[g]} {inclusion[g]:.2f}" for g in left),
        "inclusion": dict(zip(names, inclusion.round(3).tolist(), strict=True)),
        "effective": float(1 / (weight**2).sum()),
    }


def log_ratio(trace, prior):
    """Return the log prior of each draw's inclusion and weights, scales and omega integrated out; up to a constant."""
    selected = trace.selected
    assert selected.thin == 1
    inside = selected.inclusion.reshape(-1, len(selected.column_names))
    n_columns, n_inside = inside.shape[1], inside.sum(axis=1)
    first, second = prior["omega"]
    total = betaln(first + n_inside, second + n_columns - n_inside) - betaln(first, second)
    w = selected.weights.reshape(len(total), trace.n_blocks, -1)
    square = ((w - w.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    nu, scale = prior["degrees"], prior["scale"]
    for g in range(n_columns):
        own = (selected.of_feature == g) & (trace.support > 0)
        k = own.sum() * (trace.n_blocks - 1)
        of_weights = square[:, own].sum(axis=1) / (nu * scale**2)
        density = gammaln((nu + k) / 2) - gammaln(nu / 2) - k / 2 * np.log(nu * np.pi * scale**2)
        total = total + np.where(inside[:, g], density - (nu + k) / 2 * np.log1p(of_weights), 0.0)
    return total


def noise():
    """Return the paper's score and the inclusion of columns of noise, by how many values they have."""
    rng = np.random.default_rng(1)
    labels = np.repeat([0, 1, 2, 3], [120, 110, 90, 80])
    results = {text: {"values": n, "score": [], "inclusion": []} for text, n in VALUES.items()}
    for number in range(N_NOISE):
        flags, columns = [], []
        for text, n in VALUES.items():
            value = rng.integers(0, n, len(labels))
            inside = range(1, 2) if n == 2 else range(n)  # a coin is one flag
            flags += [value == v for v in inside]
            columns += [text] * len(inside)
        names = [f"{d}" for d in range(len(columns))]
        x = np.column_stack(flags).astype(float)
        groups = {text: [name for name, one in zip(names, columns, strict=True) if one == text] for text in VALUES}
        options = {"n_warmup": 100, "seed": number, "n_chains": 2, "workers": 1, "progress": False}
        fixed = ffbm.sample_weights(x, labels, weight_prior="fixed", n_draws=500, **options)
        scores = ffbm.rank_features(fixed).scores
        learned = ffbm.sample_weights(x, labels, column_groups=groups, n_draws=150, **options)
        for text, inclusion in zip(learned.column_names, learned.selected.probability, strict=True):
            results[text]["score"].append(float(scores[[one == text for one in columns]].max()))
            results[text]["inclusion"].append(float(inclusion))
    return counted(results)


def counted(results):
    """Count how often either rule names a column."""
    together = np.array([one["inclusion"] for one in results.values()])  # (columns, data sets)
    decided = [find_decided(inclusion, FDR) for inclusion in together.T]
    for g, (text, one) in enumerate(results.items()):
        n_clear, highest = sum(score > 0 for score in one["score"]), max(one["inclusion"])
        n_decided = sum(g in columns for columns in decided)
        one |= {"named_by_score": n_clear, "named_by_inclusion": n_decided, "largest_inclusion": highest}
        one["data_sets"] = len(decided)
        say(
            f"{text} of noise, {len(decided)} data sets: named by the score in {n_clear}, by inclusion in {n_decided},"
            f" whose largest value is {highest:.2f}"
        )
    return results


if __name__ == "__main__":
    main()
