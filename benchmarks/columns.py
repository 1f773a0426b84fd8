"""Do intervals of bits cover, and how often is noise called relevant? ``python benchmarks/columns.py [PART ...]``.

Labels are given and features drawn so that every law is known: ``own`` and ``other`` tell blocks apart each by itself,
``copy`` is a noisy copy of ``own`` and shares its bits, ``noise`` tells nothing. What the refits of a data set would
explain of fresh vertices is their mean over folds, summed over the law of (x, b), without sampling. In a second
study columns of 2, 20 and 60 noise values stand beside ``own``. ``time`` needs the data of ``FFBM_DATA``.
"""

import time
import warnings
from itertools import product
from typing import Any, ClassVar
from unittest.mock import patch

import numpy as np
import pandas as pd
from record import run_parts, say

import ffbm
from ffbm.config import FitConfig
from ffbm.pipeline import contributions
from ffbm.pipeline import fit as stages
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.contributions import CLEAR, Fold, column_bits
from ffbm.pipeline.weights import sample_weights
from ffbm.scoring import fold_rows, predict
from ffbm.theta.design import make_design

SIZES = (300, 1000, 3000)
CONFIG = FitConfig(weight_prior="learned")
VALUES = {"own": 3, "copy": 3, "other": 2, "noise": 5}
NOISE = (2, 20, 60)
CALLED = ("alone", "unique", "either")
N_BLOCKS, N_FOLDS = 3, 5
STATED = 0.9545
BITS_ALONE = {"MOST_PAIRS": 0, "quick_p_values": lambda _net, columns, *_: (np.full((len(columns), 2), np.nan), 0)}


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
    return column_bits(net, CONFIG, design, weights, folds, seed, RunContext(1))


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

    results = []
    for g, name in enumerate(names):
        rest = tuple(h for h in every if h != g)
        for kind, value, error, truth in (
            ("alone", bits.alone[g], bits.alone_se[g], expected((g,))),
            ("unique", bits.unique[g], bits.unique_se[g], expected(every) - expected(rest)),
        ):
            z = (value - truth) / error
            results.append({"n": n, "column": name, "kind": kind, "z": z, "covers": abs(z) <= CLEAR, "truth": truth})
    return results


def noise(seed: int, n: int) -> list[dict[str, Any]]:
    """Return for one data set which noise columns are clear of 0, alone and beyond the others."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(N_BLOCKS, n, p=(0.5, 0.3, 0.2))
    own = np.where(rng.random(n) < 0.7, labels, rng.integers(0, 3, n))
    table = named(np.column_stack([own, *(rng.integers(0, k, n) for k in NOISE)]), ["own", *map(str, NOISE)])
    bits = measure(table, labels, seed)
    alone, unique = bits.alone > CLEAR * bits.alone_se, bits.unique > CLEAR * bits.unique_se
    table = {"column": bits.names, "alone": alone, "unique": unique, "either": alone | unique, "bits": bits.alone}
    return pd.DataFrame(table).to_dict("records")


def coverage_study(n_sets: int) -> dict[str, Any]:
    """Return how often intervals of two standard errors cover, of all and by size and column."""
    tables = []
    with patch.multiple(contributions, _Refits=Watched, **BITS_ALONE):
        for i in range(n_sets):
            tables.append(pd.DataFrame(cover(1000 + i, SIZES[i % len(SIZES)])).assign(number=i))
            if i % 30 == 29:
                print(f"{i + 1} data sets", covered(pd.concat(tables)), flush=True)
    intervals = pd.concat(tables)
    say(f"{n_sets} data sets of {', '.join(map(str, SIZES))} vertices; intervals of two standard errors, {STATED:.2%}")
    rates = covered(intervals)
    for row in rates:
        say(f"  bits {row['kind']}: {row['covered']:.3f} +- {row['error']:.3f} of {row['n']} cover")
    parts = [
        {"n_nodes": int(n), "column": column, "kind": kind, "n": len(part), "bits": float(part["truth"].mean()),
         "covered": float(part["covers"].mean()), "mean_z": float(part["z"].mean()), "sd_z": float(part["z"].std())}
        for (n, column, kind), part in intervals.groupby(["n", "column", "kind"])
    ]  # fmt: skip
    for row in parts:
        say(
            f"  N = {row['n_nodes']:5d}  {row['column']:6s} {row['kind']:6s} {row['bits']:6.3f} bits:"
            f" covered {row['covered']:.3f} of {row['n']}, z {row['mean_z']:.2f} +- {row['sd_z']:.2f}"
        )
    return {"n_data_sets": n_sets, "stated": STATED, "rates": rates, "parts": parts}


def covered(intervals: pd.DataFrame) -> list[dict[str, Any]]:
    """Return the share of intervals that cover, with its standard error over data sets: those of one go together."""
    rows = []
    for kind, part in intervals.groupby("kind"):
        shares = part.groupby("number")["covers"].mean()
        rate, error = float(shares.mean()), float(shares.std() / np.sqrt(len(shares)))
        rows.append({"kind": kind, "n": len(part), "covered": rate, "error": error, "off": (rate - STATED) / error})
    return rows


def noise_study(n_sets: int) -> dict[str, Any]:
    """Return how often columns of noise are called relevant."""
    tables = []
    with patch.multiple(contributions, **BITS_ALONE):
        for i in range(n_sets):
            tables.append(pd.DataFrame(noise(5000 + i, SIZES[i % 2])))
            if i % 10 == 9:
                so_far = pd.concat(tables).groupby("column")[list(CALLED)].sum()
                print(f"{i + 1} data sets with noise: {so_far.to_dict()}", flush=True)
    results = pd.concat(tables)
    say(f"{n_sets} data sets of {SIZES[0]} and {SIZES[1]} vertices with noise: clear of 0")
    rows = [
        {"column": column, "n": len(part), **{name: float(part[name].mean()) for name in CALLED},
         "bits": float(part["bits"].mean())}
        for column, part in results.groupby("column", sort=False)
    ]  # fmt: skip
    for row in rows:
        rates = ", ".join(f"{name} {row[name]:.3f}" for name in CALLED)
        say(f"  {row['column']:>4s}: {rates} of {row['n']}; {row['bits']:.3f} bits alone on average")
    return {"n_data_sets": n_sets, "rows": rows}


def time_study() -> dict[str, Any]:
    """Return the processor seconds of what follows the block stage, kernels compiled.

    The clock of a fit runs at half of the processor time, that of two cores which nobody else uses.
    """
    rows = []
    for name, n_blocks in (
        ("polbooks", 5),
        ("polbooks", 5),
        ("school", 10),
        ("facebook", 10),
    ):  # the first compiles
        net = ffbm.load_dataset(name)
        blocks = ffbm.sample_blocks(net, n_blocks=n_blocks, n_sweeps=1000, seed=1, progress=False)
        started = time.process_time()
        with (
            patch.object(stages, "_find_blocks", lambda *_, blocks=blocks: blocks),
            patch("time.monotonic", lambda: time.process_time() / 2),
        ):
            fit = ffbm.fit(net, n_blocks=n_blocks, seed=1, workers=2, progress=False)
            sampled = time.process_time()
            table = fit.column_table
        selected, seconds = fit.weights.selected, (sampled - started, time.process_time() - sampled)
        rows.append(
            {"network": name, "features": net.n_features, "columns": len(table), "blocks": n_blocks,
             "draws": fit.weights.n_draws, "sweeps": selected.n_draws, "error": float(selected.error.max()),
             "weights_seconds": seconds[0], "columns_seconds": seconds[1], "on_two_cores": sum(seconds) / 2}
        )  # fmt: skip
        say(f"  {name}: weights {seconds[0]:.1f} s, columns {seconds[1]:.1f} s of processor time; {selected!r}")
    return {"rows": rows[1:]}


PARTS = {"coverage": lambda: coverage_study(300), "noise": lambda: noise_study(150), "time": time_study}

if __name__ == "__main__":
    warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)
    run_parts("columns", __doc__.splitlines()[0], ("ffbm", "numpy", "numba"), PARTS, {"n_folds": N_FOLDS})
