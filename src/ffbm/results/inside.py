"""Does a column act inside blocks? Excesses of edges between equal values, against networks simulated and refitted.

Inferred blocks misplace some vertices, which carry both their attribute and their edges: an excess shows where nothing
acts beyond blocks. So the reference is networks in which nothing does, with blocks inferred from them again.
"""

import time
from collections.abc import Iterable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ffbm import kernels
from ffbm.blocks.chain import BlockSettings, BlockSetup, advance, start
from ffbm.blocks.excess import degree_tertiles, excess, ties_of
from ffbm.blocks.likelihoods import DEGREE_CORRECTED, Likelihood, likelihood_of
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.check import check_column, check_int
from ffbm.data.values import ColumnValues, column_values
from ffbm.errors import OptionError, either, keyword
from ffbm.plain import in_words
from ffbm.progress import Listener, Progress, listening
from ffbm.results.new_vertices import aligned_labels
from ffbm.rng import stream
from ffbm.scoring import predict
from ffbm.simulation.replicates import replicate
from ffbm.store.parts import FitParts
from ffbm.types import Array, Graph
from ffbm.workers import open_workers

_LEVEL = 0.05  # of the verdict
_DRAWS = 100  # partitions of the fit that are averaged over, evenly spaced
_BURN, _THIN, _KEPT = 40, 4, 20  # sweeps of a refit, which starts at the blocks that it is to find
_JUMPS = 0.2  # moves of many vertices after each sweep, on average, as in a fit
_AT_ONCE = 4  # refits of a worker between two signs of progress
_LEAST = 1e-12  # probability of a block
VERSIONS = ("", "_matched")  # given degrees; among vertices of like degree


class Null(NamedTuple):
    """A network in which columns act through blocks alone, and how partitions of it are sampled."""

    graph: Graph
    likelihood: Likelihood
    n_blocks: int
    labels: Array  # (T, N) partitions of the fit
    field: Array | None  # (N, B) log probabilities by features, for the blocks that networks are simulated with
    is_field_refitted: bool  # whether partitions of simulated networks know the features too, as in a joint fit
    is_given: bool  # blocks were given: nothing is inferred
    allow_empty: bool


class Inside(NamedTuple):
    """What is known of columns inside blocks."""

    table: pd.DataFrame
    refits: Array  # (R, G, 2) excesses in simulated networks, given degrees and among vertices of like degree


def check_inside(
    fit: FitParts, columns: Any, n_refits: int, seed: int, workers: int | None, progress: Listener | bool | None
) -> Inside:
    """Return for each column whether it acts inside blocks: see ``Fit.check``."""
    names = _check_columns(fit, columns)
    n_refits = check_int("n_refits", n_refits, low=19)
    workers = None if workers is None else check_int("workers", workers, low=1)
    values = [column_values(fit.network.features, name) for name in names]
    codes = [one.codes for one in values]
    null = null_of(fit)
    observed = mean_excess(null, null.graph, null.labels, codes)
    refits = refit_excesses(null, codes, n_refits, seed, workers, progress)
    return Inside(_tabulate(names, values, observed, refits), refits)


def null_of(fit: FitParts) -> Null:
    """Return the fit's network as one in which columns act through blocks alone.

    Its blocks are those of the fit, given the features as well: blocks inferred from edges alone should be less related
    to columns than the blocks that made the network, so that simulated networks would show too small an excess.
    """
    graph, settings = fit.network.graph, fit.blocks.settings
    if fit.hierarchy is not None or "node_types" in settings or graph.weights is not None:
        kind = "a hierarchy" if fit.hierarchy is not None else "types" if graph.weights is None else "weights of edges"
        raise OptionError(
            f"columns inside blocks are checked for fits of plain blocks; this one has {kind}: fit without, or leave"
            " out columns"
        )
    labels = aligned_labels(fit, _DRAWS)
    is_joint, is_given = fit.config.target == "joint", "given" in settings
    field = None if is_given else np.log(np.maximum(predict(fit.weights, fit.network.features), _LEAST))
    if is_joint and field is not None:  # held-out vertices have none
        field[np.setdiff1d(np.arange(graph.n_nodes), fit.train)] = 0.0
    likelihood = likelihood_of(settings.get("degree_corrected", True))
    return Null(
        graph, likelihood, fit.memberships.n_blocks, labels, field,
        is_field_refitted=is_joint, is_given=is_given, allow_empty=is_joint,
    )  # fmt: skip


def mean_excess(null: Null, graph: Graph, labels: Array, codes: list[Array]) -> Array:
    """Return the excess (G, 2) of each column, averaged over partitions: given degrees, and inside degree tertiles."""
    ones = np.ones(graph.n_nodes)
    tails = heads = ones
    if null.likelihood.name == DEGREE_CORRECTED.name:
        tails, heads = (graph.out_degrees, graph.in_degrees) if graph.is_directed else (graph.degrees,) * 2
    ties = [ties_of(graph, one) for one in codes]
    total = np.zeros((len(codes), 2))
    for b in labels:
        finer = degree_tertiles(b, graph.degrees)
        total += [[excess(one, b, tails, heads), excess(one, finer, ones, ones)] for one in ties]
    return total / len(labels)


def refit_excesses(
    null: Null,
    codes: list[Array],
    n_refits: int,
    seed: int,
    workers: int | None = None,
    progress: Listener | bool | None = False,
) -> Array:
    """Return the excesses (R, G, 2) in networks that are simulated from the fit and refitted."""
    refits: list[Array] = []
    target = BlockTarget(null.graph, null.likelihood)
    model = None if null.field is None else block_model(target, null.n_blocks, null.field)
    with listening(progress) as tell, open_workers(workers, n_refits) as run:
        kernels.announce_compiling()
        tell(Progress("refits", 0, n_refits))
        begun = time.monotonic()
        size = _AT_ONCE * run.width
        for first in range(0, n_refits, size):
            refits += run(partial(_refit, seed, null, model, codes), range(first, min(first + size, n_refits)))
            left = (time.monotonic() - begun) * (n_refits / len(refits) - 1)
            tell(Progress("refits", len(refits), n_refits, f"about {in_words(left)} left" if left >= 1 else ""))
    return np.array(refits)


def _refit(seed: int, null: Null, field_model: Any, codes: list[Array], number: int) -> Array:
    """Simulate a network from a partition of the fit, sample its partitions, and return its excesses (G, 2)."""
    rng = stream(seed, "inside", number)
    b = null.labels[rng.integers(len(null.labels))]
    if field_model is not None and not null.is_field_refitted:  # a joint fit's partitions know the features already
        b = _sample(null, null.graph, field_model, b, _BURN, 1, rng)[-1]
    graph = replicate(null.graph, b, null.likelihood.name == DEGREE_CORRECTED.name, rng)
    if null.is_given:
        return mean_excess(null, graph, b[None], codes)
    field = null.field if null.is_field_refitted else None
    model = block_model(BlockTarget(graph, null.likelihood), null.n_blocks, field)
    return mean_excess(null, graph, _sample(null, graph, model, b, _BURN, _KEPT, rng), codes)


def _sample(null: Null, graph: Graph, model: Any, b: Array, burn: int, n_kept: int, rng: np.random.Generator) -> Array:
    """Return partitions (T, N) of a network, sampled by a chain that begins at b."""
    settings = BlockSettings(burn, _THIN, allow_empty=null.allow_empty, jumps=_JUMPS)
    setup = BlockSetup(BlockTarget(graph, null.likelihood), model, settings)
    _, draws = advance(setup, start(setup, b, rng), burn + n_kept * _THIN)
    return draws.labels.astype(np.int64)


def p_values(observed: Array, refits: Array) -> tuple[Array, Array]:
    """Return p of each column (G,), and p adjusted for all of them: 1 + c of 1 + R networks, the observed one included.

    A network counts if the column's excess is as far from the mean, in standard deviations, as the observed one; for
    the second p if that of any column is. NaN where excesses do not vary.

    >>> p_values(np.array([9.0, 1.0]), np.array([[0.0, 1.0], [1.0, 2.0], [2.0, 0.0]]))
    (array([0.25, 1.  ]), array([0.25, 1.  ]))
    """
    values = np.vstack((observed, refits))
    sd = values.std(axis=0)
    varies = sd > 1e-9
    far = np.abs(values - values.mean(axis=0)) / np.where(varies, sd, 1.0)
    least = far[0] - 1e-9  # ties count
    p = (1 + (far[1:] >= least).sum(axis=0)) / len(values)
    any_p = (1 + (far[1:].max(axis=1, keepdims=True) >= least).sum(axis=0)) / len(values)
    return np.where(varies, p, np.nan), np.where(varies, any_p, np.nan)


def _tabulate(names: list[str], values: list[ColumnValues], observed: Array, refits: Array) -> pd.DataFrame:
    table: dict[str, Any] = {
        "column": names, "read_as": [one.read_as for one in values], "n_values": [one.n_values for one in values],
    }  # fmt: skip
    for k, version in enumerate(VERSIONS):
        low, high = np.quantile(refits[:, :, k], (0.025, 0.975), axis=0)
        p, any_p = p_values(observed[:, k], refits[:, :, k])
        summary = {"excess": observed[:, k], "mean": refits[:, :, k].mean(axis=0), "low": low, "high": high}
        table |= {f"{name}{version}": summary[name] for name in summary} | {f"p{version}": p, f"p_any{version}": any_p}
    rows = pd.DataFrame(table)
    rows["acts"] = rows["p_any"] <= _LEVEL
    rows["sentence"] = [_say(row, len(rows)) for row in rows.to_dict("records")]
    return rows


def _say(row: dict[Any, Any], n_columns: int) -> str:
    name = row["column"]
    if np.isnan(row["p"]):
        return f"{name}: not tested: it does not vary inside blocks."
    against = f"{row['excess']:.1f} against {row['mean']:.1f} ({row['low']:.1f} to {row['high']:.1f}) refitted"
    among = f", {row['p_any']:.2g} among all {n_columns} columns" if n_columns > 1 else ""
    figures = f"excess {against}; p = {row['p']:.2g}{among}; {row['p_matched']:.2g} among vertices of like degree"
    if not row["acts"]:
        return f"{name}: no sign that it acts inside these blocks ({figures})."
    more = "more" if row["excess"] > row["mean"] else "fewer"
    return (
        f"{name}: it acts inside these blocks, or the blocks are too coarse: vertices of equal value have {more} edges"
        f" than blocks and degrees say ({figures})."
    )


def _check_columns(fit: FitParts, columns: Any) -> list[str]:
    known = fit.network.features.column_names
    if columns is True:
        return list(known)
    if not isinstance(columns, Iterable) or not (names := [columns] if isinstance(columns, str) else list(columns)):
        raise OptionError(f"{keyword('columns')} must be True, a column name or a list of them; got {columns!r}")
    for name in names:
        check_column(either("columns=", "--column"), name, known)
    return list(dict.fromkeys(names))
