"""Do intervals of bits cover, and how often is noise called relevant? ``python benchmarks/columns.py [DATA_SETS]``.

Labels are given and features drawn so that every law is known: ``own`` and ``other`` tell blocks apart each by itself,
``copy`` is a noisy copy of ``own`` and shares its bits, ``noise`` tells nothing. What the refits of a data set would
explain of fresh vertices is their mean over folds, summed over the law of (x, b), without sampling. In a second
study columns of 2, 20 and 60 noise values stand beside ``own``.
"""

import sys
import time
from itertools import product
from typing import Any, ClassVar

import numpy as np
import pandas as pd
from record import say, write

import ffbm
from ffbm.config import FitConfig
from ffbm.pipeline import contributions
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.contributions import CLEAR, Fold, column_bits
from ffbm.pipeline.weights import sample_weights
from ffbm.scoring import fold_rows, predict
from ffbm.theta.design import make_design

SIZES = (300, 1000, 3000)
CONFIG = FitConfig(weight_prior="learned")
VALUES = {"own": 3, "copy": 3, "other": 2, "noise": 5}
NOISE = (2, 20, 60)
N_BLOCKS, N_FOLDS = 3, 5


def law(strength: float) -> tuple[np.ndarray, np.ndarray]:
    """Return all rows of values of the four columns, and P(row, block) of each block (rows, B)."""
    rows = np.array(list(product(*map(range, VALUES.values()))))
    own, copy, other, _ = rows.T
    block = np.arange(N_BLOCKS)[np.newaxis]
    p_own = np.where(own[:, np.newaxis] == block, strength, (1 - strength) / 2)
    p_copy = np.where(copy == own, 0.9, 0.05)[:, np.newaxis]
    tells = np.where(block == 0, strength, 1 - strength)
    p_other = np.where(other[:, np.newaxis] == 0, tells, 1 - tells)
    return rows, p_own * p_copy * p_other / VALUES["noise"] / N_BLOCKS


def named(rows: np.ndarray, names: list[str]) -> pd.DataFrame:
    """Return a table of values as text, so that each is a flag."""
    return pd.DataFrame({name: [f"v{value}" for value in column] for name, column in zip(names, rows.T, strict=True)})


class Watched(contributions._Refits):
    """Refits that also say what each would explain of fresh vertices."""

    law: Any = None  # design of all rows, and P(row, block)
    truth: ClassVar[dict[Any, float]]

    def _sample(self, design: Any, task: Any) -> Any:
        trace = super()._sample(design, task)
        whole, joint = self.law
        part = whole.take(np.flatnonzero([name in trace.names for name in whole.names[:-1]]))
        gain = np.log2(predict(trace, part)) - np.log2(self._rates[task.fold])
        self.truth[task] = float((joint * gain).sum())
        return trace


def measure(table: pd.DataFrame, labels: np.ndarray, seed: int) -> Any:
    """Return the bits of the columns of a table, labels given."""
    n = len(labels)
    net = ffbm.as_network([(0, 1), (1, 2)], table)
    design = make_design(net.features, intercept=True)
    weights = sample_weights(
        design, labels, weight_prior="learned", n_sweeps=0, n_draws=100, n_warmup=100, n_chains=1, seed=seed,
        progress=False,
    )  # fmt: skip
    folds = [Fold(rows, np.eye(N_BLOCKS)[labels]) for rows in fold_rows(n, N_FOLDS, np.random.default_rng(seed))]
    return column_bits(net, CONFIG, design, weights, folds, seed, RunContext(1, lambda _: None))


def cover(seed: int, n: int) -> list[dict[str, Any]]:
    """Return for one data set each interval, and what it is to cover."""
    rng = np.random.default_rng(seed)
    strength = rng.uniform(0.45, 0.9)
    rows, joint = law(strength)
    at, labels = np.unravel_index(rng.choice(joint.size, n, p=(joint / joint.sum()).ravel()), joint.shape)
    names = list(VALUES)
    whole = make_design(ffbm.as_network([(0, 1)], named(rows, names)).features, intercept=True)
    Watched.law, Watched.truth = (whole, joint), {}
    bits = measure(named(rows[at], names), labels, seed)
    every = tuple(range(len(names)))

    def expected(columns: tuple[int, ...]) -> float:
        return float(np.mean([Watched.truth[columns, fold] for fold in range(N_FOLDS)]))

    found = []
    for g, name in enumerate(names):
        rest = tuple(h for h in every if h != g)
        for kind, value, error, truth in (
            ("alone", bits.alone[g], bits.alone_se[g], expected((g,))),
            ("unique", bits.unique[g], bits.unique_se[g], expected(every) - expected(rest)),
        ):
            found.append({"n": n, "column": name, "kind": kind, "z": (value - truth) / error, "truth": truth})
    return found


def noise(seed: int, n: int) -> list[dict[str, Any]]:
    """Return for one data set which noise columns are clear of 0, alone and beyond the others."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(N_BLOCKS, n, p=(0.5, 0.3, 0.2))
    own = np.where(rng.random(n) < 0.7, labels, rng.integers(0, 3, n))
    table = named(np.column_stack([own, *(rng.integers(0, k, n) for k in NOISE)]), ["own", *map(str, NOISE)])
    bits = measure(table, labels, seed)
    clear = bits.alone > CLEAR * bits.alone_se, bits.unique > CLEAR * bits.unique_se
    return [
        {"n": n, "column": name, "alone": bool(clear[0][g]), "unique": bool(clear[1][g]), "bits": float(bits.alone[g])}
        for g, name in enumerate(bits.names)
    ]


def study(n_sets: int, n_noise: int) -> dict[str, Any]:
    """Run both studies, the sizes in turn."""
    contributions._Refits, contributions.MOST_PAIRS = Watched, 0  # type: ignore[misc]
    begun = time.process_time()
    intervals = pd.DataFrame([row for i in range(n_sets) for row in cover(1000 + i, SIZES[i % len(SIZES)])])
    contributions._Refits = Watched.__mro__[1]  # type: ignore[misc]
    false = pd.DataFrame([row for i in range(n_noise) for row in noise(5000 + i, SIZES[i % 2])])
    return {
        "n_data_sets": n_sets,
        "stated": 0.9545,
        "coverage": [
            {"n": int(n), "column": column, "kind": kind, "n_sets": len(part), "mean_bits": part["truth"].mean(),
             "covered": float((part["z"].abs() <= CLEAR).mean()), "sd_of_z": float(part["z"].std()),
             "mean_z": float(part["z"].mean())}
            for (n, column, kind), part in intervals.groupby(["n", "column", "kind"])
        ],
        "covered_in_all": {
            kind: {"rate": float((part["z"].abs() <= CLEAR).mean()), "n": len(part)}
            for kind, part in intervals.groupby("kind")
        },
        "n_noise_sets": n_noise,
        "noise": [
            {"column": column, "n_sets": len(part), "alone": float(part["alone"].mean()),
             "unique": float(part["unique"].mean()), "either": float((part["alone"] | part["unique"]).mean()),
             "mean_bits_alone": float(part["bits"].mean())}
            for column, part in false.groupby("column")
        ],
        "processor_seconds": time.process_time() - begun,
    }  # fmt: skip


if __name__ == "__main__":
    n_sets = int(sys.argv[1]) if len(sys.argv) > 1 else 300
    found = study(n_sets, 2 * n_sets // 3)
    say(f"{n_sets} data sets of {', '.join(map(str, SIZES))} vertices; intervals of two standard errors, 95.4 %")
    for kind, told in found["covered_in_all"].items():
        say(f"  bits {kind}: {told['rate']:.3f} of {told['n']} cover")
    for told in found["coverage"]:
        say(
            f"  N = {told['n']:5d}  {told['column']:6s} {told['kind']:6s} {told['mean_bits']:6.3f} bits:"
            f" covered {told['covered']:.3f} of {told['n_sets']}, z {told['mean_z']:.2f} +- {told['sd_of_z']:.2f}"
        )
    for told in found["noise"]:
        say(
            f"  {told['column']:>4s}: clear of 0 alone {told['alone']:.3f}, beyond {told['unique']:.3f}, either"
            f" {told['either']:.3f} of {told['n_sets']}; mean bits alone {told['mean_bits_alone']:.3f}"
        )
    write("columns", ("ffbm", "numpy", "numba"), found)
