"""Evidence in nats beside bits, inclusion and permutation p: what each says of the columns of a network.

    python benchmarks/evidence.py [--minutes 5] [--seed 1] [PART ...]

A part is the evidence for all columns of a network, ``NAME@B:fixed`` or ``NAME@B:learned``; that for one column of the
law firm beside the others, under the fixed prior, ``column:NAME``; or ``fit``, what the other figures say of its
columns. Every part is written to results/evidence.json when it ends: the measurement can be made in pieces, which may
run side by side. Needs FFBM_SHARED for the law firm, and FFBM_DATA for school.

The clock is that of the processor: one thread has as many seconds as two cores have in so many minutes, so that a
machine that is busy with other work measures what a quiet one would.
"""

import argparse
import json
import os
import time
import warnings
from datetime import UTC, datetime
from pathlib import Path

from record import RESULTS, say, write

import ffbm
import ffbm.pipeline.clock
from ffbm.plain import finite

NETWORKS = ("polbooks@3", "school@18", "school@10", "lazega_law@4")
COMPARED, COMPARED_BLOCKS = "lazega_law", 4
CORES = 2
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
    ffbm.evidence(ffbm.load_dataset("polbooks"), 2, max_minutes=1e-6, progress=False)  # kernels are compiled
    for part in chosen.parts or all_parts():
        measured = measure(part, chosen.seed, chosen.minutes)
        path = RESULTS / "evidence.json"
        known = json.loads(path.read_text()) if path.exists() else {}  # another part may have ended meanwhile
        results = {name: known.get(name, {}) for name in ("networks", "columns")}
        for table, row, figures in measured:
            results[table][row] = results[table].get(row, {}) | figures
        write("evidence", ("ffbm", "numpy", "scipy", "numba"), results)


def all_parts():
    columns = network_of(COMPARED).features.column_names
    networks = [f"{name}:{prior}" for name in NETWORKS for prior in ("fixed", "learned")]
    return [*networks, *(f"column:{name}" for name in columns), "fit"]


def measure(part, seed, minutes):
    """Return rows of tables: (table, name of the row, what is known of it)."""
    if part == "fit":
        return [("columns", column, told) for column, told in other_figures(seed).items()]
    first, _, second = part.partition(":")
    if first == "column":
        found = weigh(network_of(COMPARED), COMPARED_BLOCKS, second, "fixed", seed, minutes, error=0.2)
        return [("columns", second, {"evidence": found})]
    name, _, n_blocks = first.partition("@")
    net = network_of(name)
    found = weigh(net, int(n_blocks), None, second, seed, minutes)
    return [("networks", first, {"network": name, "n_nodes": net.n_nodes, "n_blocks": int(n_blocks), second: found})]


def network_of(name):
    if name != COMPARED:
        return ffbm.load_dataset(name)
    folder = Path(os.environ["FFBM_SHARED"]) / "networks" / name
    return ffbm.read_network(folder / "edges.csv", nodes=folder / "nodes.csv")


def weigh(net, n_blocks, columns, prior, seed, minutes, **options):
    """Return the evidence for some columns, and what it took."""
    begun = time.process_time()
    found = ffbm.evidence(
        net, n_blocks, columns, prior, max_minutes=minutes, seed=seed, workers=1, progress=False, **options
    )
    seconds = time.process_time() - begun
    say(f"{net!r} {columns or 'all'} {n_blocks} blocks, {prior}: {found!r} {seconds:.1f} s\n  {found.converged}")
    told = {"nats": found.nats, "error": found.error, "stepping_stone": found.stepping_stone}
    told |= {"grade": found.converged.grade, "reason": found.converged.reason, "seconds": seconds}
    return finite(told | {name: found.settings[name] for name in ("n_values", "n_steps")} | {"date": today()})


def today():
    return datetime.now(UTC).date().isoformat()


def other_figures(seed):
    """Return what a fit of the law firm says of each column."""
    fit = ffbm.fit(
        network_of(COMPARED), n_blocks=COMPARED_BLOCKS, weight_prior="learned", n_kept=None, max_minutes=2, seed=seed,
        progress=False,
    )  # fmt: skip
    say(f"fit: {fit.converged}")
    told = {}
    for column, row in fit.column_table.set_index("column").iterrows():
        told[column] = finite({figure: float(row[figure]) for figure in FIGURES}) | {"fit_date": today()}
        say(f"  {column:20} " + ", ".join(f"{figure} {row[figure]:.3f}" for figure in FIGURES))
    return told


if __name__ == "__main__":
    main()
