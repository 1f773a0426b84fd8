"""Columns that say nearly the same, and numbers that are nearly a sum of others: worth a note, never left out."""

import numpy as np
import scipy.sparse as sp

from ffbm.data.remarks import option, shorten
from ffbm.types import Array, Features, Note

_SAME = 0.96  # the RV coefficient; of two numbers the square of their correlation
_SUM = 0.999  # the share of a number's variance that other numbers have
_MOST_FEATURES = 2000
_SHOWN = 5


def note_collinear(features: Features) -> list[Note]:
    """Return a note on columns of which one tells nearly all of the other, and one on numbers that others add up to.

    >>> import pandas as pd
    >>> from ffbm.data.encode import encode_features
    >>> table = pd.DataFrame({"age": [20, 31, 45, 50.5], "born": [2004, 1993, 1979, 1973.6], "x": [1.5, 9, 2, 3]})
    >>> note_collinear(encode_features(table)[0])[0].message.split(";")[0]
    "1 pair of columns says nearly the same: 'age' and 'born'"
    """
    if not 2 <= len(features.column_names) <= features.n_features <= _MOST_FEATURES:
        return []
    x = features.values
    cross = np.asarray((x.T @ x).todense() if sp.issparse(x) else x.T @ x)
    mean = np.asarray(x.mean(axis=0)).ravel()
    covariance = cross / x.shape[0] - np.outer(mean, mean)
    pairs = _pairs(features, covariance)
    notes = []
    if pairs:
        names = features.column_names
        shown = "; ".join(f"{names[g]!r} and {names[h]!r}" for g, h in pairs[:_SHOWN])
        more = f" and {len(pairs) - _SHOWN:,} more" if len(pairs) > _SHOWN else ""
        subject = "1 pair of columns says" if len(pairs) == 1 else f"{len(pairs):,} pairs of columns say"
        message = (
            f"{subject} nearly the same: {shown}{more}; what they explain is shared, {option('exclude')} leaves one out"
        )
        notes.append(Note("near-identical", message, len(pairs)))
    sums = _sums(features, covariance, {g for pair in pairs for g in pair})
    if sums:
        message = f"nearly determined by the other numbers: {shorten(sums, _SHOWN)}; {option('exclude')} leaves one out"
        notes.append(Note("collinear", f"{len(sums):,} columns of numbers are {message}", len(sums)))
    return notes


def _pairs(features: Features, covariance: Array) -> list[tuple[int, int]]:
    """Return the pairs of columns whose RV coefficient is near 1, the nearest first."""
    index_of = {name: g for g, name in enumerate(features.column_names)}
    column = np.array([index_of[name] for name in features.columns])
    member = sp.csr_array((np.ones(len(column)), (column, np.arange(len(column)))))  # (G, D)
    shared = np.asarray(member @ (member @ covariance**2).T)
    length = np.sqrt(np.maximum(np.diag(shared), np.finfo(float).tiny))
    alike = np.triu(shared / np.outer(length, length), 1)
    pairs = np.argwhere(alike > _SAME)
    return [(int(g), int(h)) for g, h in pairs[np.argsort(-alike[tuple(pairs.T)], kind="stable")]]


def _sums(features: Features, covariance: Array, known: set[int]) -> list[str]:
    """Return the numbers, in no reported pair, that the other numbers determine."""
    names = features.column_names
    known_names = {names[g] for g in known}
    inside = [
        j for j in np.flatnonzero(features.is_number) if features.columns[j] not in known_names and covariance[j, j] > 0
    ]
    if not 3 <= len(inside) < features.values.shape[0]:
        return []
    scale = np.sqrt(np.diag(covariance)[inside])
    correlation = covariance[np.ix_(inside, inside)] / np.outer(scale, scale)
    left = 1 / np.diag(np.linalg.inv(correlation + 1e-9 * np.eye(len(inside))))  # of each variance, without the others
    return [features.columns[j] for j, share in zip(inside, left, strict=True) if share < 1 - _SUM]
