"""Posterior predictive checks: statistics of the network against those of replicates drawn from the fit.

A replicate keeps the partition, the edge counts and the degrees of a kept draw and pairs the half-edges at random,
which is P(A | k, e, b) exactly, without MCMC. Edge counts and degrees fit by construction; the statistics below do not.
"""

import time
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components, dijkstra

from ffbm.blocks.spread import spread
from ffbm.check import check_int
from ffbm.progress import Listener, Progress, listening
from ffbm.results.calibration import check_calibration
from ffbm.results.inside import check_inside
from ffbm.results.pairs import check_pairs, pair_summary
from ffbm.rng import resolve_seed, stream
from ffbm.simulation.replicates import replicate
from ffbm.store.parts import FitParts
from ffbm.types import Array, Graph

N_REPLICATES, _LEAST_REPLICATES = 200, 20
_SOURCES = 64  # vertices from which distances are measured


class _Statistic(NamedTuple):
    name: str
    what: str  # as the subject of a sentence
    more: str  # what it means if the network has more
    less: str
    digits: int


STATISTICS = (
    _Statistic("triangles", "triangles", "blocks alone do not make them", "something keeps triangles from closing", 0),
    _Statistic(
        "clustering", "clustering", "neighbours of a vertex are linked more than their blocks say",
        "neighbours of a vertex are linked less than their blocks say", 3,
    ),
    _Statistic(
        "assortativity", "degree assortativity",
        "vertices of high degree are linked among themselves more than blocks and degrees say",
        "vertices of high degree are linked among themselves less than blocks and degrees say", 3,
    ),
    _Statistic(
        "distance", "mean distance between vertices", "the network is wider than its blocks and degrees say",
        "the network is tighter than its blocks and degrees say", 2,
    ),
    _Statistic(
        "parallel", "parallel edges", "the same pairs are linked again and again",
        "the network has fewer repeated edges than a multigraph with these blocks", 0,
    ),
    _Statistic(
        "component", "share of vertices in the largest component",
        "the network holds together more than its blocks say", "the network falls apart more than its blocks say", 3,
    ),
    _Statistic(
        "spread", "spread of edges within pairs of blocks", "edges lie on fewer pairs of vertices than degrees say",
        "edges lie on more pairs of vertices than in a multigraph with these blocks", 3,
    ),
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Check:
    """What ``fit.check()`` returns.

    Parameters
    ----------
    table : DataFrame
        One row a statistic: ``statistic``, ``observed``, ``mean``, ``low`` and ``high`` (the middle 95 % of the
        replicates), ``p`` (two-sided), ``fits``, ``sentence``.
    replicates : (R, S) float64
        The statistics of each replicate.
    columns : DataFrame, optional
        One row per column that was asked for: ``column``, ``read_as``, ``n_values``; ``excess`` of edges between
        vertices of equal value, averaged over partitions, ``mean``, ``low`` and ``high`` of it in simulated and
        refitted networks, ``p``, and ``p_any``, adjusted for the number of columns; the same with ``_matched``,
        among vertices of like degree; ``acts``, ``sentence``.
    refits : (R', G, 2) float64, optional
        The excesses in each refitted network.
    pairs : DataFrame, optional
        One row a pair of columns: ``column``, ``with_column``, ``n_cells`` of their cross table, ``freedom`` (weights
        of cells that the data can tell), ``statistic``, ``p`` (NaN if not tested), ``q`` (Benjamini and Hochberg's),
        ``together``; the clearest cell: ``value``, ``with_value``, ``block``, vertices ``observed`` there and
        ``expected``; ``sentence``. ``attrs`` has ``n_draws`` and ``n_untested``.
    calibration : DataFrame, optional
        One row a bin of the probabilities that features gave held-out vertices: ``low``, ``high``, ``n``,
        ``predicted``, ``observed``, ``error``. ``attrs`` compares the mean difference with chance.
    """

    table: pd.DataFrame
    replicates: Array
    columns: pd.DataFrame | None = None
    refits: Array | None = None
    pairs: pd.DataFrame | None = None
    calibration: pd.DataFrame | None = None

    @property
    def sentences(self) -> tuple[str, ...]:
        """A sentence for each statistic, each column that was asked for, predictions, and pairs that act together."""
        texts = [*self.table["sentence"], *(() if self.columns is None else self.columns["sentence"])]
        if self.calibration is not None:
            texts.append(self.calibration.attrs["sentence"])
        if self.pairs is not None:
            texts += [*self.pairs.loc[self.pairs["together"], "sentence"], pair_summary(self.pairs)]
        return tuple(texts)

    def __str__(self) -> str:
        return "\n".join(self.sentences)

    def __repr__(self) -> str:
        misses = int((~self.table["fits"]).sum())
        return f"<Check: {len(self.replicates)} replicates; {misses} of {len(self.table)} statistics do not fit>"


def affordable_replicates(fit: FitParts, end: float) -> int:
    """Return for how many replicates there is time until ``end``, by the clock: 200 at most; 0 if for too few."""
    begun = time.monotonic()
    if begun >= end:
        return 0
    graph, labels = fit.network.graph, fit.blocks.labels[0, 0].astype(np.int64)
    corrected = bool(fit.blocks.settings.get("degree_corrected", True))
    one = replicate(graph, labels, corrected, np.random.default_rng(0))  # for its time alone
    measure(one, np.arange(min(_SOURCES, graph.n_nodes)), labels, corrected)
    now = time.monotonic()
    n = N_REPLICATES if end == inf else int(min((end - now) / (now - begun + 1e-9), N_REPLICATES))
    return n if n >= _LEAST_REPLICATES else 0


def check_fit(
    fit: FitParts,
    n_replicates: int = N_REPLICATES,
    seed: int | None = 0,
    columns: Any = False,
    n_refits: int = 199,
    workers: int | None = None,
    progress: Listener | bool | None = False,
    pairs: Any = 10,
) -> Check:
    """Compare the network with replicates drawn from the fit: see ``Fit.check``."""
    n_replicates, seed = check_int("n_replicates", n_replicates, low=_LEAST_REPLICATES), resolve_seed(seed)
    inside = None if columns is False else check_inside(fit, columns, n_refits, seed, workers, progress)
    with listening(progress) as tell:
        tell(Progress("pairs of columns", 0, 1))
        together, calibration = check_pairs(fit, pairs, seed), check_calibration(fit, seed)
        tell(Progress("pairs of columns", 1, 1))
    rng = stream(seed, "check")
    graph = fit.network.graph
    sources = np.sort(rng.permutation(graph.n_nodes)[:_SOURCES])
    labels = fit.blocks.labels.reshape(-1, graph.n_nodes)
    which = np.linspace(0, len(labels) - 1, n_replicates).astype(np.int64)
    corrected = bool(fit.blocks.settings.get("degree_corrected", True))
    observed, spreads, rows = measure(graph, sources, labels[0].astype(np.int64), corrected), [], []
    with listening(progress) as tell:
        for done, t in enumerate(which, 1):
            b = labels[t].astype(np.int64)
            rows.append(measure(replicate(graph, b, corrected, rng), sources, b, corrected))
            spreads.append(spread(graph, b, corrected))
            tell(Progress("replicates", done, n_replicates))
    replicates = np.array(rows)
    observed[-1] = np.mean(spreads)  # over the partitions of the replicates
    of_columns, refits = (None, None) if inside is None else inside
    return Check(_tabulate(observed, replicates), replicates, of_columns, refits, together, calibration)


def measure(graph: Graph, sources: Array, b: Array, is_corrected: bool) -> Array:
    """Return the statistics of a network: parallel edges and, given b, their spread; others of its simple projection.

    The simple projection is undirected, without loops and parallel edges.
    """
    n = graph.n_nodes
    pairs = graph.edges[graph.edges[:, 0] != graph.edges[:, 1]]
    n_parallel = len(pairs) - len(np.unique(pairs, axis=0))
    simple = np.unique(np.sort(pairs, axis=1), axis=0)
    ends = np.concatenate((simple, simple[:, ::-1]))
    matrix = sp.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=(n, n))
    degrees = np.bincount(ends[:, 0], minlength=n)
    triangles = float((matrix @ matrix).multiply(matrix).sum()) / 6
    wedges = float((degrees * (degrees - 1)).sum()) / 2
    _, component = connected_components(matrix, directed=False)
    distances = dijkstra(matrix, directed=False, indices=sources, unweighted=True)
    reached = distances[np.isfinite(distances) & (distances > 0)]
    return np.array([
        triangles,
        3 * triangles / wedges if wedges else 0.0,
        _correlation(degrees[ends[:, 0]], degrees[ends[:, 1]]),
        float(reached.mean()) if len(reached) else 0.0,
        n_parallel,
        float(np.bincount(component).max()) / n,
        spread(graph, b, is_corrected),
    ])  # fmt: skip


def _correlation(x: Array, y: Array) -> float:
    if not len(x) or x.std() == 0:
        return 0.0
    return float(np.corrcoef(x, y)[0, 1])


def _tabulate(observed: Array, replicates: Array) -> pd.DataFrame:
    rows: list[dict[str, Any]] = []
    for k, statistic in enumerate(STATISTICS):
        value, values = float(observed[k]), replicates[:, k]
        low, high = np.quantile(values, (0.025, 0.975))
        above, below = int((values >= value - 1e-12).sum()), int((values <= value + 1e-12).sum())
        p = min(1.0, 2 * (1 + min(above, below)) / (1 + len(values)))
        row = {
            "statistic": statistic.name, "observed": value, "mean": float(values.mean()), "low": float(low),
            "high": float(high), "p": p, "fits": bool(low - 1e-12 <= value <= high + 1e-12),
        }  # fmt: skip
        rows.append(row | {"sentence": _say(statistic, row)})
    table = pd.DataFrame(rows)
    table.attrs["n_replicates"] = len(replicates)
    return table


def _say(statistic: _Statistic, row: dict[str, Any]) -> str:
    def form(value: float) -> str:
        return f"{value:,.{statistic.digits}f}"

    against = f"{form(row['observed'])} against {form(row['mean'])} ({form(row['low'])} to {form(row['high'])})"
    name = statistic.what[0].upper() + statistic.what[1:]
    if row["fits"]:
        return f"{name}: {against} in replicates: as the model says."
    is_more = row["observed"] > row["mean"]
    times = ""
    if statistic.digits == 0 and row["mean"] > 0 and row["observed"] > 0:
        times = f", {row['observed'] / row['mean']:.1f} times as many"
    return f"{name}: {against} in replicates{times}: {statistic.more if is_more else statistic.less}."
