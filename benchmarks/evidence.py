"""Evidence in nats beside bits, inclusion and permutation p: what each says of the columns of a network; and of noise.

    python benchmarks/evidence.py [--minutes 5] [--seed 1] [PART ...]

A part is the evidence for all columns of a network, ``NAME@B:fixed`` or ``NAME@B:learned``; that for one column of the
law firm beside the others, under the fixed prior, ``column:NAME``; ``fit``, what the other figures say of its columns;
``noise:fixed`` or ``noise:learned``, columns that have nothing to do with 100 simulated networks, and ``noise:exact``,
the same for 100 tiny networks by enumeration. Every part is written to results/evidence.json when it ends, 100 networks
as far as 15 minutes go: the measurement can be made in pieces, which may run side by side. Needs FFBM_SHARED for the
law firm, and FFBM_DATA for school.

The clock is that of the processor: one thread has as many seconds as two cores have in so many minutes, so that a
machine that is busy with other work measures what a quiet one would.
"""

import argparse
import json
import os
import time
import warnings
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd
from record import RESULTS, study, write

import ffbm
import ffbm.pipeline.clock
from ffbm.plain import finite
from ffbm.theta.prior import INTERCEPT_SD
from ffbm.verification.evidence import exact_evidence

NETWORKS = ("polbooks@3", "school@18", "school@10", "lazega_law@4")
COMPARED, COMPARED_BLOCKS = "lazega_law", 4
CORES = 2
N_NOISE = 100  # networks
FIGURES = ("inclusion", "bits_alone", "bits_unique", "p_value")


class ProcessorClock:
    """A clock that goes by the work done, for one thread that does the work of all cores."""

    @staticmethod
    def monotonic():
        return time.process_time() / CORES


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("parts", nargs="*", metavar="PART")
    options.add_argument("--minutes", type=float, default=5)
    options.add_argument("--seed", type=int, default=1)
    chosen = options.parse_args()
    warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)
    ffbm.pipeline.clock.time = ProcessorClock
    compile_kernels()
    for part in chosen.parts or all_parts():
        measured = measure(part, chosen.seed, chosen.minutes)
        path = RESULTS / "evidence.json"
        known = json.loads(path.read_text()) if path.exists() else {}  # another part may have ended meanwhile
        results = {name: known.get(name, {}) for name in ("networks", "columns", "noise")}
        for table, row, figures in measured:
            results[table][row] = results[table].get(row, {}) | figures
        write("evidence", ("ffbm", "numpy", "scipy", "numba"), results, list(in_lines(results)))


def in_lines(results):
    """Say all that has been measured, by this call and others, for the text beside the record."""
    for name, row in results["networks"].items():
        yield from (in_words(f"{name}, {prior}", row[prior]) for prior in ("fixed", "learned") if prior in row)
    for name, row in results["columns"].items():
        if "evidence" in row:
            yield in_words(f"{COMPARED}@{COMPARED_BLOCKS}, fixed, {name} beside the others", row["evidence"])
        yield f"  a fit: {', '.join(f'{figure} {row[figure]:.3f}' for figure in FIGURES if figure in row)}"
    for name, row in results["noise"].items():
        yield f"noise, {name}: mean {row['mean']:.3f} (standard error {row['error']:.3f}) of {row['n_known']} networks"


def in_words(what, results):
    value = "withheld" if results["nats"] is None else f"{results['nats']:.2f} nats, error {results['error']:.2f}"
    return f"{what}: {value}, {results['seconds']:.0f} s, {results['date']}\n  {results['grade']}: {results['reason']}"


def compile_kernels():
    """Make a few steps under either prior, so that no part has the time of compiling in it."""
    for prior in ("fixed", "learned"):
        ffbm.evidence(ffbm.load_dataset("polbooks"), 2, None, prior, max_minutes=0.01, progress=False)


def all_parts():
    columns = network_of(COMPARED).features.column_names
    networks = [f"{name}:{prior}" for name in NETWORKS for prior in ("fixed", "learned")]
    return [
        *networks,
        *(f"column:{name}" for name in columns),
        "fit",
        *(f"noise:{how}" for how in ("exact", "fixed", "learned")),
    ]


def measure(part, seed, minutes):
    """Return rows of tables: (table, name of the row, what is known of it)."""
    if part == "fit":
        return [("columns", column, entries) for column, entries in other_figures(seed).items()]
    first, _, second = part.partition(":")
    if (first, second) == ("noise", "exact"):
        return [
            ("noise", f"exact, {prior}", exact_noise(sigma)) for prior, sigma in (("fixed", 1.0), ("learned", None))
        ]
    if first == "noise":
        return [("noise", second, noise_study(second))]
    if first == "column":
        results = weigh(network_of(COMPARED), COMPARED_BLOCKS, second, "fixed", seed, minutes, error=0.2)
        return [("columns", second, {"evidence": results})]
    name, _, n_blocks = first.partition("@")
    net = network_of(name)
    results = weigh(net, int(n_blocks), None, second, seed, minutes)
    return [("networks", first, {"network": name, "n_nodes": net.n_nodes, "n_blocks": int(n_blocks), second: results})]


def noise_study(prior):
    """Return the evidence, on average, of columns that have nothing to do with networks of two or three blocks."""
    known, kept = study("evidence", f"noise.{prior}", N_NOISE, partial(weigh_noise, prior))
    return kept | average([one["nats"] for one in known if one["nats"] is not None])


def average(nats):
    nats = np.array(nats)
    return {
        "n_known": len(nats), "mean": nats.mean(), "error": nats.std(ddof=1) / np.sqrt(len(nats)),
        "n_negative": int((nats < 0).sum()), "largest": nats.max(), "date": today(),
    }  # fmt: skip


def exact_noise(sigma):
    """Return the same of a number beside networks of eight vertices, all labels enumerated; None: learned."""
    nats = []
    for number in range(N_NOISE):
        graph = ffbm.simulate(8, 2, 20, features=1, seed=number).network.graph
        x = np.random.default_rng([number, 8]).standard_normal((8, 1))
        nats.append(exact_evidence(graph, x, sigma, INTERCEPT_SD))
    return average(nats)


def weigh_noise(prior, number):
    """Return the evidence of a number and of three values, drawn apart from the network."""
    n_nodes, n_blocks = (20, 30, 40)[number % 3], 2 + number // 3 % 2
    graph = ffbm.simulate(n_nodes, n_blocks, 3 * n_nodes, features=1, seed=number).network.graph
    rng = np.random.default_rng([number, n_nodes])
    table = pd.DataFrame({"a number": rng.standard_normal(n_nodes), "values": rng.choice(list("abc"), n_nodes)})
    net = ffbm.as_network(graph.edges, table)
    results = ffbm.evidence(
        net, n_blocks, weight_prior=prior, error=0.3, n_chains=2, seed=number, workers=1, progress=False
    )
    return finite({"nats": results.nats, "error": results.error, "grade": results.converged.grade})


def network_of(name):
    if name != COMPARED:
        return ffbm.load_dataset(name)
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / name
    return ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv")


def weigh(net, n_blocks, columns, prior, seed, minutes, **options):
    """Return the evidence for some columns, and what it took."""
    started = time.process_time()
    results = ffbm.evidence(
        net, n_blocks, columns, prior, max_minutes=minutes, seed=seed, workers=1, progress=False, **options
    )
    seconds = time.process_time() - started
    print(
        f"{net!r} {columns or 'all'} {n_blocks} blocks, {prior}: {results!r} {seconds:.1f} s\n  {results.converged}",
        flush=True,
    )
    entries = {"nats": results.nats, "error": results.error, "stepping_stone": results.stepping_stone}
    entries |= {"grade": results.converged.grade, "reason": results.converged.reason, "seconds": seconds}
    return finite(entries | {name: results.settings[name] for name in ("n_values", "n_steps")} | {"date": today()})


def today():
    return datetime.now(UTC).date().isoformat()


def other_figures(seed):
    """Return what a fit of the law firm says of each column."""
    fit = ffbm.fit(
        network_of(COMPARED), n_blocks=COMPARED_BLOCKS, weight_prior="learned", n_kept=None, max_minutes=2, seed=seed,
        progress=False,
    )  # fmt: skip
    print(f"fit: {fit.converged}")
    entries = {}
    for column, row in fit.column_table.set_index("column").iterrows():
        entries[column] = finite({figure: float(row[figure]) for figure in FIGURES}) | {"fit_date": today()}
        print(f"  {column:20} " + ", ".join(f"{figure} {row[figure]:.3f}" for figure in FIGURES))
    return entries


if __name__ == "__main__":
    main()
