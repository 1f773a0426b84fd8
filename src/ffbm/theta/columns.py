"""The columns whose scales are learned: their features, how they lie in the design, and which resemble each other."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import ceil
from typing import Any

import numpy as np
import scipy.sparse as sp

from ffbm.check import check_groups
from ffbm.errors import OptionError
from ffbm.kernels.arrow import Columns
from ffbm.kernels.slab import DEGREES, Slab
from ffbm.plain import did_you_mean
from ffbm.theta.design import Design, Training
from ffbm.types.graph import Array

DENSE = 0.1  # from this share of the training vertices on, the intercept moves with a column
LIGHT = 8.0  # a feature on fewer vertices than this share of the blocks hardly bends the posterior
ALIKE = 0.2  # columns whose RV coefficient is at least this may take each other's place
EACH_PARTICLES = 0.5  # for each feature of a column: the noise of its worth grows with them
LEAST_PARTICLES, MOST_PARTICLES = 4, 128
_MOST_PAIRS = 10  # for each column, the most alike


@dataclass(frozen=True, eq=False)
class ColumnGroups:
    """The G columns of a design, in the order of their first features.

    Parameters
    ----------
    names : tuple of G
    of_feature : (D,) int64
        The column of each feature; -1 for the intercept, which is in none.
    degrees : (G,) float64
        Of freedom, of the Student t that the weights of each column have a priori: 3, but along a path.
    """

    names: tuple[str, ...]
    of_feature: Array
    degrees: Array

    def slab(self, training: Training, values: Array | None = None) -> Slab:
        """Return the columns for kernels, with the training rows by feature and by column.

        ``values`` replace those of the rows; k counts the contrasts of features that training vertices have.
        """
        x, feature = _by_feature(self, training, values)
        union = [np.unique(x[:, members].indices) for members in feature]
        return Slab(
            column=self.of_feature,
            degrees=self.degrees,
            freedom=np.array([len(members) for members in feature]) * float(training.n_blocks - 1),
            square=np.zeros(len(self.names)),
            **_entries(x, feature, union),
        )


def _by_feature(
    groups: ColumnGroups, training: Training, values: Array | None = None
) -> tuple[sp.csc_array, list[Array]]:
    """Return the training rows by active feature, and the active features of each column."""
    x = sp.csc_array(training.matrix(values))
    x.sort_indices()
    column = groups.of_feature[training.rows.active]
    return x, [np.flatnonzero(column == g) for g in range(len(groups.names))]


def _join(parts: list[Array], kind: type) -> Array:
    return np.concatenate([*parts, np.zeros(0, kind)]).astype(kind)


def group_columns(design: Design, column_groups: Mapping[str, Sequence[str]] | None = None) -> ColumnGroups:
    """Return the columns of a design; ``column_groups`` joins several of the table's under one name.

    >>> from ffbm.theta.design import make_design
    >>> design = make_design(np.eye(3), intercept=True)
    >>> groups = group_columns(design, {"first two": ["0", "1"]})
    >>> groups.names, groups.of_feature.tolist()
    (('first two', '2'), [0, 0, 1, -1])
    """
    owner = _owners(column_groups, list(dict.fromkeys(design.columns)))
    named = [owner.get(column, column) for column in design.columns]
    learned = named[:-1] if design.has_intercept else named
    names = tuple(dict.fromkeys(learned))
    number = {name: g for g, name in enumerate(names)}
    of_feature = [*(number[name] for name in learned), *[-1] * (len(named) - len(learned))]
    return ColumnGroups(names, np.array(of_feature, dtype=np.int64), np.full(len(names), DEGREES))


def group_by_name(columns: Sequence[str], separator: str) -> dict[str, list[str]]:
    """Return the groups of columns whose names agree up to the last separator, for ``column_groups``.

    >>> group_by_name(["school;id;1", "school;id;2", "gender;77", "age"], ";")
    {'school;id': ['school;id;1', 'school;id;2'], 'gender': ['gender;77']}
    """
    groups: dict[str, list[str]] = {}
    for column in columns:
        name, divider, _ = column.rpartition(separator)
        if divider:
            groups.setdefault(name, []).append(column)
    if not groups:
        raise OptionError(f"the names of columns must hold the separator {separator!r} to be grouped by it; none does")
    return groups


def keep_groups(
    column_groups: Mapping[str, Sequence[str]] | None, columns: Sequence[str]
) -> dict[str, list[str]] | None:
    """Return the groups with the columns that are left, for some of a design's features.

    >>> keep_groups({"school": ["a", "b"], "work": ["c"]}, ("b", "d"))
    {'school': ['b']}
    """
    if column_groups is None:
        return None
    left = {name: [column for column in part if column in columns] for name, part in column_groups.items()}
    return {name: part for name, part in left.items() if part}


def _owners(column_groups: Any, columns: list[str]) -> dict[str, str]:
    """Return the group of each column that is in one."""
    if column_groups is None:
        return {}
    check_groups(column_groups)
    owner: dict[str, str] = {}
    for name, members in column_groups.items():
        for column in members:
            if column not in columns:
                hint = did_you_mean(column, columns) or (
                    "see net.features.column_names; one that equals another is read with group_by= or include="
                )
                raise OptionError(f"column_groups must name columns of the features; got {column!r}: {hint}")
            if column in owner:
                raise OptionError(f"a column can be in one group only; {column!r} is in {owner[column]!r} and {name!r}")
            owner[column] = str(name)
    for name in column_groups:
        if name in columns and name not in owner:
            raise OptionError(f"column_groups names a group {name!r}, and a column outside it has that name: rename it")
    return owner


def lay_out(groups: ColumnGroups, training: Training, intercept_sd: float, values: Array | None = None) -> Columns:
    """Return the training rows by column, for kernels, with values of their own if they are given."""
    x, feature = _by_feature(groups, training, values)
    rows, column = training.rows, groups.of_feature[training.rows.active]
    union, with_intercept, most, particles = [], [], [], []
    n_rows, total = x.shape[0], rows.counts.sum()
    has_intercept = bool((column == -1).any())
    for members in feature:
        part = x[:, members]
        each = np.bincount(part.indices, minlength=n_rows)
        dense = has_intercept and len(members) > 0 and rows.counts[each > 0].sum() >= DENSE * total
        union.append(np.arange(n_rows) if dense else np.flatnonzero(each))
        with_intercept.append(dense)
        at_once = np.bincount(part.indices[part.data != 0], minlength=n_rows)
        most.append(max(int(at_once.max(initial=1)), 1))
        particles.append(int(np.clip(ceil(EACH_PARTICLES * len(members)), LEAST_PARTICLES, MOST_PARTICLES)))
    return Columns(
        **_entries(x, feature, union),
        with_intercept=np.array(with_intercept, dtype=np.bool_),
        most=np.array(most, dtype=np.float64),
        degrees=groups.degrees,
        n_particles=np.array(particles, dtype=np.int64),
        light=LIGHT * (abs(x).sign().T @ rows.counts) < training.n_blocks,
        pair=_pairs(x, feature, rows.counts),
        intercept=int(np.flatnonzero(column == -1)[0]) if has_intercept else -1,
        tightness=float(intercept_sd) ** -2,
        odds=np.full(1, np.nan),
    )


def _entries(x: sp.csc_array, feature: list[Array], union: list[Array]) -> dict[str, Array]:
    """Return the entries of each feature, the features of each column, and the rows that some of these are in."""
    return {
        "start": _bounds(feature),
        "feature": _join(feature, np.int64),
        "row_start": x.indptr.astype(np.int64),
        "row": x.indices.astype(np.int32),
        "value": x.data.astype(np.float64),
        "union_start": _bounds(union),
        "union": _join(union, np.int32),
    }


def _bounds(parts: list[Array]) -> Array:
    return np.cumsum([0, *map(len, parts)]).astype(np.int64)


def _pairs(x: sp.csc_array, feature: list[Array], counts: Array) -> Array:
    """Return the pairs of columns that resemble each other: their RV coefficient, phi squared for two flags."""
    order = _join(feature, np.int64)
    n = counts.sum()
    if len(feature) < 2 or not len(order):
        return np.zeros((0, 2), np.int64)
    column = np.repeat(np.arange(len(feature)), list(map(len, feature)))
    part = x[:, order]
    weighted = sp.csr_array(part.multiply(counts[:, np.newaxis]))
    mean = np.asarray(weighted.sum(axis=0)).ravel() / n
    product = np.asarray((part.T @ weighted).todense()) - n * np.outer(mean, mean)
    joins = sp.csr_array((np.ones(len(column)), (column, np.arange(len(column)))), shape=(len(feature), len(column)))
    square = np.asarray(joins @ (joins @ product**2).T)
    size = np.sqrt(np.diag(square))
    with np.errstate(divide="ignore", invalid="ignore"):
        alike = np.where(np.outer(size, size) > 0, square / np.outer(size, size), 0.0)
    np.fill_diagonal(alike, 0.0)
    nearest = np.argsort(-alike, axis=1, kind="stable")[:, :_MOST_PAIRS]
    chosen = np.zeros(alike.shape, dtype=bool)
    np.put_along_axis(chosen, nearest, True, axis=1)
    chosen &= alike >= ALIKE
    g, h = np.nonzero(np.triu(chosen | chosen.T))
    return np.column_stack((g, h)).astype(np.int64)
