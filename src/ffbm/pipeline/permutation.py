"""Tests that assume no blocks: does the partition that an attribute defines describe the network better than chance?"""

from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from ffbm import kernels
from ffbm.blocks.entropy import description_length
from ffbm.blocks.permutation import (
    ScoredGraph,
    Shuffle,
    like_degrees,
    observed_parts,
    permuted_parts,
    score_graph,
    shuffle_inside,
    tie_width,
)
from ffbm.blocks.search import best_of
from ffbm.blocks.target import BlockTarget
from ffbm.check import check_column, check_int
from ffbm.data.remarks import why_no_features
from ffbm.data.values import ColumnValues, column_values
from ffbm.errors import DataError, OptionError, keyword
from ffbm.pipeline.choice import find_candidates
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.given_blocks import take_blocks
from ffbm.progress import Listener, Progress, listening
from ffbm.rng import resolve_seed, stream
from ffbm.types import Array, BlockTrace, Network
from ffbm.workers import Workers, connected, open_workers

_PIECE = 5e7  # edges and vertices counted in one piece of work: some tenths of a second
_AT_ONCE = 32  # pieces between two signs of progress
_STAGE = "permutations"
_VISITS = 2e9  # edges and vertices counted for p values beside a fit: about 15 s of one core
_MOST, _LEAST, _FEWEST = 1000, 99, 19  # permutations; where sizes allow; where time is short as well
_WANTED_Q = 0.05  # what q of one column has to be able to reach
_FOR_EACH = 100  # permutations for each column that is tested, where fewer could not reach it
_CHANCE = 0.01  # the quantile of permutations that metablox calls chance


class Trial(NamedTuple):
    """What is permuted: the values of a column, among all vertices of a stratum or among those of like degree."""

    name: str
    shuffle: Shuffle


class Among(NamedTuple):
    """Vertices that exchange their values, and the groups of all the others."""

    vertices: Array
    labels: Array  # (N,)


class Piece(NamedTuple):
    """Some permutations of one trial."""

    trial: int
    number: int  # of the piece
    size: int  # permutations


def permutation_test(
    net: Network,
    columns: str | Iterable[str] | None = None,
    n_permutations: int = 1000,
    within: str | None = None,
    seed: int | None = 0,
    workers: Workers = None,
    *,
    blocks: BlockTrace | Any = "auto",
    progress: Listener | bool | None = None,
) -> pd.DataFrame:
    """Test for each column of the table whether it is related to the edges, without inferring blocks.

    The vertices with the same value of a column are a block, and this partition is scored by its description length
    S under the degree-corrected SBM, against R permutations of the values over vertices. Two parts of S depend on
    who has which value, and they are tested apart: *adjacency*, who is linked with whom given all degrees, and
    *degrees*, how many links vertices with each value have. With c the permutations whose S is at most the observed one
    (ties count)::

        p = (1 + c) / (1 + R)

    These are exact tests of whether a column has to do with the edges in any way: they need no model to be true and no
    large R. However strong a column is, p is at least 1 / (1 + R). Where so many columns are tested that q could not
    fall to 0.05, a column that no permutation reaches has 100 permutations for each column that is tested, and its p is
    by all of them, which is still exact. The two parts share the sums of degrees, however: where a column has to do
    with degrees, ``p_adjacency`` may be low or high for that alone. ``p_adjacency_matched`` permutes among vertices of
    like degree, runs of ten or more in the order of degrees, and asks who with whom beyond that.

    Parameters
    ----------
    net : Network
        With at least one column.
    columns : column name or names, optional
        All columns but that of ``within`` if left out.
    n_permutations : int
        R, for each column; more for those that none of them reaches, among many columns.
    within : column name, optional
        Permute among vertices with the same value of this column alone: does a column matter beyond it? Vertices
        without a value of it are a stratum too.
    seed : int or None
        The same seed gives the same table on any number of workers, and for a column whichever others are tested.
    workers : int, or address or Client of a dask cluster, optional
        Threads; one for each core if left out.
    blocks : "auto", BlockTrace, (N,) labels or None
        The best partition known, for ``gamma``; "auto" searches for it, with None gamma is NaN.
    progress : None, bool or callable
        None shows a bar in a terminal or notebook, True always, False never; a callable is called at each step.

    Returns
    -------
    DataFrame
        One row for each column, in the order of the table:

        - ``column``
        - ``p_adjacency``, ``p_degrees``, ``p_total``: of the two parts and of their sum; NaN where there is nothing to
          permute
        - ``q_adjacency``: Benjamini and Hochberg's adjusted p_adjacency, over the columns
        - ``gamma``: metablox's (S - S_best) / (S_chance - S_best), with S the whole description length under Peixoto's
          prior, S_best the lowest known and S_chance the 1 % quantile of permutations: 0 describes the network as well
          as the best partition, 1 or more no better than chance
        - ``p_adjacency_matched``: p of the adjacency part, permuted among vertices of like degree
        - ``q_degrees``: as q_adjacency
        - ``n_values``, ``n_permuted``: how many values a column has, and how many vertices could exchange theirs
        - ``n_permutations``: how many were made of a column
        - ``read_as``: "flag", "values", "numbers", or "quartiles" and where numbers were cut
        - ``adjacency``, ``degrees``: the parts of S observed, in nats
        - ``adjacency_saved``, ``degrees_saved``: their mean over permutations less what is observed
        - ``description_length``, ``chance``: S and S_chance

        ``attrs`` has ``n_permutations``, ``within``, ``seed`` and ``best_description_length``.

    Notes
    -----
    Numbers with more than 10 different values are cut at their quartiles. A vertex without a value (a missing cell,
    or a value that was dropped or is too rare for a flag) stays where it is in every permutation, in one group with
    others like it, so that who answered is not what is tested. If the network was read with ``missing="flag"``, missing
    is a value like any other.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> table = ffbm.permutation_test(net, seed=1)
    >>> table[["column", "p_adjacency", "gamma"]].round(2)
      column  p_adjacency  gamma
    0  value          0.0   0.28
    """
    names = _check_columns(net, columns, within)
    net = net.without_weights()  # who is linked with whom, however strongly
    check_int("n_permutations", n_permutations, low=1)
    seed = resolve_seed(seed)
    values = [column_values(net.features, name) for name in names]
    strata = np.zeros(net.n_nodes, dtype=np.int64) if within is None else column_values(net.features, within).codes
    matched = like_degrees(net.graph.degrees, strata, stream(seed, "permutation", "ties"))
    trials = [Trial(name, shuffle_inside(one.codes, strata)) for name, one in zip(names, values, strict=True)]
    trials += [
        Trial(f"{name}, matched", shuffle_inside(one.codes, matched)) for name, one in zip(names, values, strict=True)
    ]
    graph = score_graph(net.graph)
    with listening(progress) as tell, connected(workers) as open_to:
        kernels.announce_compiling()
        context = RunContext(open_to, tell)
        best = _best_known(net, blocks, seed, context)
        permuted = _permute(graph, trials, n_permutations, seed, context)
        if len(names) / (1 + n_permutations) > _WANTED_Q:
            permuted = _continue_unreached(graph, trials, permuted, _FOR_EACH * len(names), seed, context)
    rows = [
        _summarise(net, graph, trials[at], values[at], permuted[at], permuted[len(names) + at], n_permutations)
        for at in range(len(names))
    ]
    table = pd.DataFrame(rows)
    best = float(np.minimum(best, table["description_length"].min()))  # NaN, where none is wanted, stays
    return _finish(table, best, {"n_permutations": n_permutations, "within": within, "seed": seed})


def quick_p_values(
    net: Network,
    columns: Sequence[Sequence[str]],
    seed: int,
    context: RunContext,
    among: Among | None = None,
    effort: float = 1.0,
) -> tuple[Array, int]:
    """Return p of the adjacency and of the degrees part (G, 2), and how many permutations were made of each.

    Each of G is a column, or several whose values together are one. There are 1,000 permutations, or fewer where many
    columns of a large network would take long; ``effort`` is the share of the usual work. With one column alone they
    are those of ``permutation_test``. With ``among`` some vertices alone have values, and exchange them; the others
    stay in groups of their own.
    """
    graph = score_graph(net.graph)
    size = len(graph.edges.source) + len(graph.edges.degree)
    least = max(_FEWEST, round(effort * _LEAST))
    n_permutations = int(np.clip(effort * _VISITS / max(1, size * len(columns)), least, _MOST))
    everyone = np.zeros(net.n_nodes, dtype=np.int64)
    trials = [Trial(names[0], _shuffle(_codes(net, names), everyone, among)) for names in columns]
    permuted = _permute(graph, trials, n_permutations, seed, context)
    p_values, limit = np.empty((len(columns), 2)), tie_width(graph)
    for row, trial, parts in zip(p_values, trials, permuted, strict=True):
        observed = observed_parts(graph, trial.shuffle)
        row[:] = [_p_value(observed[part], parts[:, part], limit) for part in range(2)]
    return p_values, n_permutations


def _shuffle(codes: Array, strata: Array, among: Among | None) -> Shuffle:
    """Return the labels of a column's values, and which vertices may exchange theirs.

    >>> _shuffle(np.array([0, 1, 1, 0]), np.zeros(4), Among(np.array([0, 1]), np.array([0, 0, 1, 2]))).labels.tolist()
    [0, 1, 4, 5]
    """
    if among is None:
        return shuffle_inside(codes, strata)
    is_other = np.ones(len(codes), dtype=bool)
    is_other[among.vertices] = False
    shuffle = shuffle_inside(np.where(is_other, -1, codes), strata)
    labels = np.where(is_other, shuffle.labels.max() + 1 + among.labels, shuffle.labels)
    return shuffle._replace(labels=labels.astype(np.int32))


def _codes(net: Network, names: Sequence[str]) -> Array:
    """Return which value each vertex has of some columns together, -1 where it has none of any."""
    codes = np.column_stack([column_values(net.features, name).codes for name in names])
    if codes.shape[1] == 1:
        return codes[:, 0]
    has_value = (codes >= 0).any(axis=1)
    together = np.full(len(codes), -1)
    together[has_value] = np.unique(codes[has_value], axis=0, return_inverse=True)[1].ravel()
    return together


def _check_columns(net: Any, columns: Any, within: Any) -> list[str]:
    if not isinstance(net, Network):
        raise DataError(f"net must be a Network, as read_network and as_network return; got {type(net).__name__}")
    column_names = net.features.column_names
    if not column_names or not net.n_nodes:
        raise DataError(f"a test is of columns, which become features, and {why_no_features(net)}")
    asked = [columns] if isinstance(columns, str) else columns
    if asked is None:
        asked = [name for name in column_names if name != within]
    if not isinstance(asked, Iterable):
        raise OptionError(f"{keyword('columns')} must be a column name or a list of them; got {columns!r}")
    names = list(dict.fromkeys(asked))
    for option, name in (*(("columns", name) for name in names), *([("within", within)] if within is not None else [])):
        check_column(keyword(option, ""), name, column_names)
    if within in names:
        both = f"{keyword('within', '')} and {keyword('columns', '')}"
        raise OptionError(f"{both} both name {within!r}, which cannot vary among its equals: drop one")
    if not names:
        raise OptionError(
            f"{keyword('columns', '')} must name at least one column other than that of"
            f" {keyword('within', '')}; got none"
        )
    return names


def _permute(
    graph: ScoredGraph, trials: list[Trial], n_permutations: int, seed: int, context: RunContext
) -> list[Array]:
    """Return the parts of S of every permutation of every trial, (R, 2) each; (0, 2) with nothing to permute."""
    most = max(1, int(_PIECE / (len(graph.edges.source) + len(graph.edges.degree))))
    pieces = [
        Piece(at, number, min(most, n_permutations - first))
        for at, trial in enumerate(trials)
        if len(trial.shuffle.order)
        for number, first in enumerate(range(0, n_permutations, most))
    ]
    scored: list[list[Array]] = [[np.empty((0, 2))] for _ in trials]
    done, total = 0, sum(piece.size for piece in pieces)
    context.tell(Progress(_STAGE, done, total))
    with open_workers(context.workers, min(len(pieces), _AT_ONCE)) as run:
        for first in range(0, len(pieces), _AT_ONCE):
            batch = pieces[first : first + _AT_ONCE]
            results = run(partial(_score_piece, seed), batch, graph, trials, kind=np.ndarray)
            for piece, nats in zip(batch, results, strict=True):
                scored[piece.trial].append(nats)
                done += piece.size
            context.tell(Progress(_STAGE, done, total))
    return [np.concatenate(parts) for parts in scored]


def _continue_unreached(
    graph: ScoredGraph, trials: list[Trial], permuted: list[Array], most: int, seed: int, context: RunContext
) -> list[Array]:
    """Return the parts with ``most`` permutations of the trials that were never reached in a part or in their sum."""
    limit = tie_width(graph)
    unreached = [
        at
        for at, (trial, parts) in enumerate(zip(trials, permuted, strict=True))
        if len(parts) and (_with_total(observed_parts(graph, trial.shuffle))
                           < _with_total(parts).min(axis=0) - limit).any()
    ]  # fmt: skip
    n_made = len(max(permuted, key=len))
    further = [trials[at]._replace(name=f"{trials[at].name}, more") for at in unreached]
    more = dict(zip(unreached, _permute(graph, further, most - n_made, seed, context), strict=True))
    return [np.concatenate((parts, more[at])) if at in more else parts for at, parts in enumerate(permuted)]


def _with_total(parts: Array) -> Array:
    """Return two parts of S and their sum, along the last axis."""
    return np.concatenate((parts, parts.sum(axis=-1, keepdims=True)), axis=-1)


def _score_piece(seed: int, graph: ScoredGraph, trials: list[Trial], piece: Piece) -> Array:
    trial = trials[piece.trial]
    return permuted_parts(graph, trial.shuffle, piece.size, stream(seed, "permutation", trial.name, piece.number))


def _best_known(net: Network, blocks: Any, seed: int, context: RunContext) -> float:
    """Return the lowest S under Peixoto's prior that is known without the columns, NaN if none is wanted."""
    if blocks is None:
        return np.nan
    if isinstance(blocks, str) and blocks == "auto":
        candidates = find_candidates(BlockTarget(net.graph.without_weights()), seed, context)
        labels = candidates[best_of(candidates)].labels
    else:
        labels = take_blocks(net, blocks, "auto").best_labels
    return description_length(net, labels, prior="full").total


def _summarise(
    net: Network,
    graph: ScoredGraph,
    trial: Trial,
    values: ColumnValues,
    permuted: Array,
    matched: Array,
    first: int,
) -> dict[str, Any]:
    observed, limit = observed_parts(graph, trial.shuffle), tie_width(graph)
    expected, low = np.full(2, np.nan), np.nan
    if len(permuted):
        expected, low = permuted.mean(axis=0), np.quantile(permuted.sum(axis=1), _CHANCE)
    whole = description_length(net, trial.shuffle.labels, prior="full").total
    return {
        "column": trial.name,
        "p_adjacency": _p_value(observed[0], permuted[:, 0], limit, first),
        "p_degrees": _p_value(observed[1], permuted[:, 1], limit, first),
        "p_total": _p_value(observed.sum(), permuted.sum(axis=1), limit, first),
        "q_adjacency": np.nan,
        "gamma": np.nan,
        "p_adjacency_matched": _p_value(observed[0], matched[:, 0], limit, first),
        "q_degrees": np.nan,
        "n_values": values.n_values,
        "n_permuted": len(trial.shuffle.order),
        "n_permutations": len(permuted),
        "read_as": values.read_as,
        "adjacency": observed[0],
        "degrees": observed[1],
        "adjacency_saved": expected[0] - observed[0],
        "degrees_saved": expected[1] - observed[1],
        "description_length": whole,
        "chance": whole - observed.sum() + low,
    }


def _p_value(observed: float, permuted: Array, limit: float, first: int | None = None) -> float:
    """Return (1 + c) / (1 + R), c the permutations that are as low or lower, NaN without permutations.

    The ``first`` ones say it alone if any of them is as low. So a p that is at most some level by all is by the first
    ones too, whose p is exact: looking twice makes nothing likelier.

    >>> _p_value(2.0, np.array([1.0, 2.0, 3.0, 4.0]), limit=1e-9)
    0.6
    >>> some = np.array([3.0, 4.0, 1.0, 3.0, 4.0])
    >>> _p_value(2.0, some, 1e-9, first=2), _p_value(2.0, some, 1e-9, first=3)
    (0.3333333333333333, 0.5)
    """
    if not len(permuted):
        return np.nan
    if (permuted[:first] <= observed + limit).any():
        permuted = permuted[:first]
    return (1 + int((permuted <= observed + limit).sum())) / (1 + len(permuted))


def _finish(table: pd.DataFrame, best: float, settings: dict[str, Any]) -> pd.DataFrame:
    """Fill in what looks at all columns together."""
    from scipy.stats import false_discovery_control

    tested = table["p_adjacency"].notna()
    for part in ("adjacency", "degrees"):
        if tested.any():
            table.loc[tested, f"q_{part}"] = false_discovery_control(table.loc[tested, f"p_{part}"])
    gain = table["chance"] - best
    table["gamma"] = ((table["description_length"] - best) / gain).where(gain > 0)
    table.attrs.update(settings, best_description_length=best)
    return table
