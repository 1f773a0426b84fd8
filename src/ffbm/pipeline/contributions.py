"""What each column explains: held-out bits of refits with it alone, without it, and with pairs of columns.

Refits are made fold by fold, in the order of their importance. The clock may end them: what is given is then of fewer
folds, columns or pairs, and is said to be; no refit depends on it.
"""

import time
from collections.abc import Callable, Sequence
from itertools import combinations
from math import inf, log
from typing import Any, NamedTuple

import numpy as np

from ffbm.config import FitConfig
from ffbm.pipeline.clock import OUT_OF_TIME, Schedule
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.permutation import Among, quick_p_values
from ffbm.pipeline.refits import Refit
from ffbm.progress import Listener, Progress
from ffbm.rng import stream
from ffbm.scoring import base_rate, fold_rows
from ffbm.scoring.prediction import predict_pieces
from ffbm.scoring.rows import match_design
from ffbm.theta.columns import ColumnGroups, group_columns
from ffbm.theta.design import Design
from ffbm.types import Array, Memberships, Network, Note
from ffbm.types.columns import ColumnBits, SharedBits
from ffbm.types.weights import WeightTrace
from ffbm.workers import Workers, open_workers

MOST_ALONE = 500  # columns whose bits alone are taken
MOST_PAIRS = 15
CLEAR = 2.0  # standard errors
_AMONG = 20  # columns that pairs are made of: those that explain most alone
_AT_ONCE, _QUICK = 32, 1.0  # refits between two looks at the clock, at most; seconds after which they are doubled
_LEAST_ALIKE = 0.01  # the RV coefficient of columns that may share their bits
_TINY = np.finfo(np.float64).tiny


class Fold(NamedTuple):
    """Training vertices, and the memberships of all vertices that are explained; what is left is for testing."""

    rows: Array
    members: Array  # (N, B)

    @property
    def held_out(self) -> Array:
        """The test vertices."""
        return np.setdiff1d(np.arange(len(self.members)), self.rows)


class Task(NamedTuple):
    """One refit: some columns, in increasing order, and the intercept, on one fold."""

    columns: tuple[int, ...]
    fold: int


def column_bits(
    net: Network,
    config: FitConfig,
    design: Design,
    weights: WeightTrace,
    folds: Sequence[Fold],
    seed: int,
    context: RunContext,
    among: Among | None = None,
    end: float = inf,
) -> ColumnBits:
    """Return what each column explains on held-out vertices, alone and beyond the others, and its p values.

    All models that are compared are refits of the same kind, one short chain each with the prior of the fit and an
    intercept: without one a column would be credited with the sizes of blocks.

    Parameters
    ----------
    net : Network
    config : FitConfig
        ``columns`` says how many columns are tested beyond the others, those with the highest inclusion (under the
        fixed prior, that explain most alone).
    design : Design
        All features.
    weights : WeightTrace
        The full fit.
    folds : sequence of Fold
        One is the one split.
    seed : int
    context : RunContext
    among : Among, optional
        The vertices of the network that are explained, if not all (the rows of the design), and the groups of the
        others, which stay as they are in permutations.
    end : float
        When refits are to end, by ``time.monotonic()``: half of the time that is left is for columns alone. A note says
        what was left out.

    Examples
    --------
    >>> import ffbm
    >>> from ffbm.pipeline.weights import sample_weights
    >>> from ffbm.theta.design import make_design
    >>> net = ffbm.load_dataset("polbooks")
    >>> design, labels = make_design(net.features, intercept=True), np.repeat([0, 1], [50, 55])
    >>> weights = sample_weights(design, labels, n_draws=100, n_sweeps=0, seed=1)
    >>> fold = Fold(np.arange(0, 105, 2), np.eye(2)[labels])
    >>> bits = column_bits(net, FitConfig(), design, weights, [fold], 1, RunContext(1))
    >>> bits.names, bits.n_vertices, bits.alone.shape
    (('value',), 52, (1,))
    """
    whole = design if design.has_intercept else design.with_intercept()
    groups = group_columns(whole, config.column_groups)
    n = len(groups.names)
    alone, alone_se, unique, unique_se = np.full((4, n), np.nan)
    record: dict[str, Any] = {"n_vertices": sum(len(fold.held_out) for fold in folds), "n_folds": len(folds)}
    if weights.n_blocks > 1 and record["n_vertices"] > 1:
        refits = _Refits(Refit(config, whole, weights), groups, folds, seed, context)
        all_in, order = tuple(range(n)), _first_to_test(weights, groups)
        singles = [(g,) for g in order[: n if config.columns == "all" else MOST_ALONE]]
        done = refits.run([*singles, all_in], len(folds), 0.5 * (time.monotonic() + end))
        for (g,) in done.of(singles):
            alone[g], alone_se[g] = refits.mean(done, (g,))
        if weights.selected is None:
            order = [int(g) for g in np.argsort(-np.nan_to_num(alone, nan=-np.inf), kind="stable")]
        tested = [
            tuple(h for h in all_in if h != g) for g in order[: n if config.columns == "all" else int(config.columns)]
        ]
        pairs = _pairs(whole, groups, alone, alone_se)
        beyond = refits.run([all_in, *tested, *pairs], done.n_folds, end)
        against_all = beyond.of(tested) if all_in in beyond.sets else []  # of two, each alone is there anyway
        for columns in against_all:
            (g,) = set(all_in) - set(columns)
            unique[g], unique_se[g] = refits.mean(beyond, all_in, minus=(columns,))
        record["shared"] = tuple(
            SharedBits(g, h, *refits.mean(beyond, (g,), (h,), minus=((g, h),))) for g, h in beyond.of(pairs)
        )
        if all_in in beyond.sets:
            record["whole"], record["whole_se"] = refits.mean(done if all_in in done.sets else beyond, all_in)
        record["needed"] = refits.needed(done.n_folds)
        record |= {"n_folds": done.n_folds, "n_vertices": sum(len(fold.held_out) for fold in folds[: done.n_folds])}
        record["notes"] = _left_out(
            ("folds", done.n_folds, len(folds)),
            ("columns alone", len(done.of(singles)), len(singles)),
            ("of these folds beyond the others", beyond.n_folds, done.n_folds),
            ("columns beyond the others", len(against_all), len(tested)),
            ("pairs", len(beyond.of(pairs)), len(pairs)),
        )
    members = _members(design, groups)
    p_values, record["n_permutations"] = quick_p_values(net, members, seed, context, among, config.effort)
    return ColumnBits(groups.names, alone, alone_se, unique, unique_se, *p_values.T, **record)


def _left_out(*parts: tuple[str, int, int]) -> tuple[Note, ...]:
    """Say what there was no time for, of triples of what, how many were measured, and how many there are.

    >>> [note.message for note in _left_out(("folds", 5, 5), ("pairs", 2, 9), ("columns", 3, 12))]
    ['bits of columns: time was enough for 2 of 9 pairs, 3 of 12 columns']
    """
    short = [f"{done:,} of {total:,} {name}" for name, done, total in parts if done < total]
    message = f"bits of columns: time was enough for {', '.join(short)}"
    return (Note(OUT_OF_TIME, message, sum(total - done for _, done, total in parts)),) if short else ()


def make_measure(
    net: Network,
    config: FitConfig,
    design: Design,
    weights: WeightTrace,
    members: Memberships,
    train: Array,
    seed: int,
    threads: int | None = None,
    among: Among | None = None,
) -> Callable[..., ColumnBits]:
    """Return a function that measures the bits of columns when it is called, on the folds that scores are taken on."""
    n_nodes = len(members.labels)
    n_folds = 1 if config.target == "joint" else config.n_folds(n_nodes)
    rows = [train] if n_folds == 1 else fold_rows(n_nodes, n_folds, stream(seed, "folds"))
    folds = [Fold(part, members.probs) for part in rows]
    return make_measure_on(net, config, design, weights, folds, seed, threads, among)


def make_measure_on(
    net: Network,
    config: FitConfig,
    design: Design,
    weights: WeightTrace,
    folds: Sequence[Fold],
    seed: int,
    threads: int | None = None,
    among: Among | None = None,
) -> Callable[..., ColumnBits]:
    """Return such a function for these folds, of all vertices or of some.

    It takes a listener for progress, workers, and the schedule of the fit. If left out, nobody hears of progress,
    ``threads`` of this process work, and the time is that of a fit that begins at the call.
    """

    def measure(
        tell: Listener = lambda _: None, workers: Workers = None, schedule: Schedule | None = None
    ) -> ColumnBits:
        context = RunContext(threads if workers is None else workers, tell)
        end = (schedule or Schedule.of(config)).end_of("columns")
        return column_bits(net, config, design, weights, folds, seed, context, among, end)

    return measure


class _Work(NamedTuple):
    """What all refits share, and nobody changes."""

    refit: Refit
    groups: ColumnGroups
    seed: int
    folds: Sequence[Fold]
    rates: list[Array]  # the base rate of each fold
    members: Array  # (N, B) of each vertex where it is held out


def _gain(work: _Work, tasks: Sequence[Task], number: int) -> Array:
    """Return what the columns of task ``number`` explain of each vertex (N,), by the weights of its fold.

    With one fold it is NaN but for the vertices held out; with several, errors need all of them.
    """
    columns, fold = tasks[number]
    design = work.refit.whole.take(np.flatnonzero(np.isin(work.groups.of_feature, columns)))
    rng = stream(work.seed, "columns", fold, *(work.groups.names[g] for g in columns))
    trace = work.refit(design, work.folds[fold].members, work.folds[fold].rows, rng)
    asked = np.arange(len(work.members)) if len(work.folds) > 1 else work.folds[0].held_out
    bits = np.full(len(work.members), np.nan)
    for part, probs in predict_pieces(trace, match_design(trace, design).of(asked)):
        vertices = asked[part]
        gain = np.log(np.maximum(probs, _TINY)) - np.log(work.rates[fold])
        bits[vertices] = (work.members[vertices] * gain).sum(axis=1) / log(2)
    return bits


class _Done(NamedTuple):
    """Sets of columns that were refitted, and on how many folds: the first ones."""

    sets: frozenset[tuple[int, ...]]
    n_folds: int

    def of(self, sets: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Return those of the sets that were refitted, in their order."""
        return [columns for columns in sets if columns in self.sets]


class _Refits:
    """Refits of sets of columns, each made once."""

    def __init__(
        self, refit: Refit, groups: ColumnGroups, folds: Sequence[Fold], seed: int, context: RunContext
    ) -> None:
        self._context = context
        self._fold_of = np.full(len(folds[0].members), -1)  # the fold in which each vertex is held out
        members = folds[0].members
        if any(fold.members is not members for fold in folds):
            members = members.copy()
        for number, fold in enumerate(folds):
            self._fold_of[fold.held_out] = number
            if fold.members is not folds[0].members:
                members[fold.held_out] = fold.members[fold.held_out]
        everyone = np.arange(len(members))
        rates = [base_rate(fold.members, np.isin(everyone, fold.rows))[0] for fold in folds]
        self._work = _Work(refit, groups, seed, folds, rates, members)
        self._bits: dict[Task, Array] = {}  # of each vertex (N,)

    def needed(self, n_folds: int) -> float:
        """Return the bits that name the block of a vertex held out in the first folds, at the base rate."""
        folds, rates = self._work.folds[:n_folds], self._work.rates[:n_folds]
        parts = [-fold.members[fold.held_out] @ np.log2(rate) for fold, rate in zip(folds, rates, strict=True)]
        return float(np.concatenate(parts).mean())

    def mean(self, done: _Done, *plus: tuple[int, ...], minus: Sequence[tuple[int, ...]] = ()) -> tuple[float, float]:
        """Return the mean over vertices where they were held out of a sum of bits, and its standard error."""
        signed = [(1.0, columns) for columns in plus] + [(-1.0, columns) for columns in minus]
        bits = [sum(sign * self._bits[Task(columns, fold)] for sign, columns in signed) for fold in range(done.n_folds)]
        fold_of = np.where(self._fold_of < done.n_folds, self._fold_of, -1)
        return mean_and_error(np.stack(bits), fold_of, len(self._work.folds))

    def run(self, sets: Sequence[tuple[int, ...]], n_folds: int, end: float) -> _Done:
        """Make the refits of these sets of columns fold by fold until the time is over, and return what was made.

        The first refit of all is made whatever the time. A fold that is not whole counts for nothing, unless it is the
        first: then the sets that it has are those that were refitted.
        """
        sets = list(dict.fromkeys(sets))
        tasks = [Task(columns, fold) for fold in range(n_folds) for columns in sets]
        tasks = [task for task in tasks if task not in self._bits]
        stage, done, at_once = "bits of columns", 0, 1
        with open_workers(self._context.workers, min(len(tasks), _AT_ONCE)) as run:
            while done < len(tasks) and (not self._bits or time.monotonic() < end):
                self._context.tell(Progress(stage, done, len(tasks)))
                part, start = range(done, min(done + at_once * run.width, len(tasks))), time.monotonic()
                for number, bits in zip(part, run(_gain, part, self._work, tasks, kind=np.ndarray), strict=True):
                    self._bits[tasks[number]] = bits
                done = part.stop
                at_once = min(2 * at_once, _AT_ONCE) if time.monotonic() - start < _QUICK else at_once
        self._context.tell(Progress(stage, len(tasks), len(tasks)))
        whole = [all(Task(columns, fold) in self._bits for columns in sets) for fold in range(n_folds)]
        n_whole = max(sum(whole), 1)
        complete = frozenset(columns for columns in sets if Task(columns, n_whole - 1) in self._bits)
        return _Done(complete, n_whole if complete or not sets else n_folds)


def _first_to_test(weights: WeightTrace, groups: ColumnGroups) -> list[int]:
    """Return the columns by decreasing inclusion; under the fixed prior, by their largest centred weight."""
    if weights.selected is not None:
        size = weights.selected.probability
    else:
        of_feature = groups.of_feature[: weights.n_features]
        largest = np.abs(weights.mean - weights.mean.mean(axis=0)).max(axis=0)
        size = np.array([largest[of_feature == g].max() for g in range(len(groups.names))])
    return [int(g) for g in np.argsort(-size, kind="stable")]


def _members(design: Design, groups: ColumnGroups) -> list[list[str]]:
    """Return the columns of the table that each group consists of."""
    pairs = list(zip(design.columns, groups.of_feature, strict=False))
    return [list(dict.fromkeys(column for column, h in pairs if h == g)) for g in range(len(groups.names))]


def _pairs(whole: Design, groups: ColumnGroups, alone: Array, error: Array) -> list[tuple[int, int]]:
    """Return pairs of columns that may explain the same: both clear alone, most alike and most explaining first."""
    clear = [int(g) for g in np.argsort(-np.nan_to_num(alone), kind="stable") if alone[g] > CLEAR * error[g]]
    share = whole.counts / whole.counts.sum()
    parts = {g: whole.x[:, np.flatnonzero(groups.of_feature == g)].toarray() for g in clear[:_AMONG]}
    parts = {g: np.sqrt(share)[:, np.newaxis] * (x - share @ x) for g, x in parts.items()}
    size = {g: float(np.linalg.norm(x.T @ x)) for g, x in parts.items()}
    worth = {}
    for g, h in combinations(sorted(parts), 2):
        alike = float(np.sum((parts[g].T @ parts[h]) ** 2)) / max(size[g] * size[h], _TINY)
        if alike >= _LEAST_ALIKE:
            worth[g, h] = alike * min(alone[g], alone[h])
    return sorted(sorted(worth, key=lambda pair: (-worth[pair], pair))[:MOST_PAIRS])


def mean_and_error(bits: Array, fold_of: Array, n_folds: int) -> tuple[float, float]:
    """Return the mean over vertices of their bits where they were held out, and its standard error.

    ``bits`` (k, N) are by the weights of the first k of K folds, ``fold_of`` (N,) the fold in which a vertex is held
    out, -1 if in none. Vertices are independent, but each also trains the weights that the others are tested with.
    What a vertex adds to bits_i through weights it adds to the other's bits as well: to first order this part of the
    variance, Var(g), counts twice. Weights of two folds differ by the vertices of these folds alone, so Var(g) is
    (K - 1) / 2 times the variance of the difference, taken over vertices that both were trained on. It hardly matters
    for a column that explains much; for one that explains nothing it is everything, and the plain error is too small by
    sqrt(2).

    >>> bits, error = mean_and_error(np.array([[1.0, 2.0, 3.0, 9.0]]), np.array([0, 0, 0, -1]), 1)  # one split
    >>> bits, round(error, 3)
    (2.0, 0.577)
    """
    held_out = np.flatnonzero(fold_of >= 0)
    own_bits = bits[fold_of[held_out], held_out]
    variance = float(own_bits.var(ddof=1))
    if len(bits) > 1:
        spreads = [_spread(bits, fold_of, *pair) for pair in combinations(range(len(bits)), 2)]
        variance += (n_folds - 1) / 2 * float(np.mean(spreads))
    return float(own_bits.mean()), float(np.sqrt(variance / len(held_out)))


def _spread(bits: Array, fold_of: Array, first: int, second: int) -> float:
    """Return the variance over vertices of how far the weights of two folds differ."""
    both = (fold_of != first) & (fold_of != second)
    difference = bits[first] - bits[second]
    return float((difference[both] if both.sum() > 1 else difference).var(ddof=1))
