"""Tiny networks with unknown cells, exactly: labels, columns inside and cells enumerated, weights by points."""

from itertools import product

import numpy as np
import pandas as pd
from scipy.special import betaln, gammaln, log_softmax, logsumexp
from scipy.stats import norm, qmc

from ffbm.blocks.entropy import description_length
from ffbm.data.encode import encode_features
from ffbm.theta import mixture
from ffbm.theta.design import make_design
from ffbm.theta.parts import code_cells, find_parts, missing_of, rows_of_vertices
from ffbm.verification.joint_selection import prior_points

TABLE = pd.DataFrame(
    {
        "party": ["a", None, "a", None, "b", "b"],
        "member": pd.array([True, True, None, True, False, False], dtype="boolean"),
    }
)
LABELS = np.array([0, 0, 0, 0, 1, 1])
SPARSE = pd.DataFrame(
    {
        "party": ["a", "a", None, None, None, "b", "b", None, None, None],
        "member": pd.array([True, True, None, False, True, False, None, False, True, False], dtype="boolean"),
    }
)  # more is missing
SPARSE_LABELS = np.repeat([0, 1], 5)
SIGMA = 2.0


def features(table=TABLE):
    return encode_features(table, include=list(table.columns))[0]


def design_of(n_classes, intercept=True, table=TABLE):
    design = make_design(features(table), intercept, True)
    object.__setattr__(design.blanks, "n_classes", n_classes)
    return design


class Law:
    """P(b, inside, cells) as p (I, S, C): labels (S, N), sets of columns (I, G), cells (C, u) as the table has them."""

    def __init__(
        self,
        n_classes,
        graph=None,
        labels=None,
        learned=True,
        groups=((0,), (1,)),
        n_points=11,
        keeps=False,
        table=TABLE,
    ):
        design = design_of(n_classes, False, table)
        parts = find_parts(design)
        codes, _ = code_cells(parts, rows_of_vertices(design, None), missing_of(design, 0))
        self.blank = np.argwhere(codes < 0)
        self.cells = np.array(list(product(*(range(parts.start[p], parts.start[p + 1]) for _, p in self.blank))))
        n, names = len(codes), list(dict.fromkeys(design.columns))
        self.states = np.array(list(product(range(2), repeat=n))) if labels is None else np.array([labels])
        s = np.zeros(len(self.states))
        if graph is not None:
            s = np.array([description_length(graph, b).without_partition for b in self.states])
        owner = {names[c]: g for g, members in enumerate(groups) for c in members}
        column = np.array([owner[name] for name in design.columns])
        n_columns = len(groups)
        every = product((False, True), repeat=n_columns) if learned else [(True,) * n_columns]
        self.sets = np.array(list(every))
        log_p = np.empty((len(self.sets), len(self.states), len(self.cells)))
        self.points, self.fits = {}, {}  # if it keeps them: weights, and how well they fit labels and cells
        for at, inside in enumerate(self.sets):
            w, log_prior = self._points(column, inside, n_points, learned)
            for c, values in enumerate(self.cells):
                full = codes.copy()
                full[tuple(self.blank.T)] = values
                feature = parts.feature[full]
                x = np.zeros((n, len(column)))
                x[np.nonzero(feature >= 0)[0], feature[feature >= 0]] = 1
                x = np.column_stack((x, np.ones(n))) if learned else x
                each = log_softmax(np.einsum("pbd,nd->pnb", w, x), axis=2)
                fit = sum(each[:, i, self.states[:, i]] for i in range(n))
                if keeps:
                    self.points[at], self.fits[at, c] = w, fit[:, 0]
                log_p[at, :, c] = logsumexp(fit, axis=0) - np.log(len(w)) - s + log_prior
                log_p[at, :, c] += log_evidence(full, parts, n_classes)
        self.p = np.exp(log_p - logsumexp(log_p))

    def _points(self, column, inside, n_points, learned):
        if learned:
            k, n = int(inside.sum()), len(inside)
            points = prior_points(column, inside, 2, n_points)
            return points, betaln(1 + k, 2 * n - k) - betaln(1, n)
        v = SIGMA * norm.ppf(qmc.Sobol(len(column), seed=1).random_base2(n_points))
        return np.stack((v, -v), axis=1) / np.sqrt(2), 0.0

    @property
    def inclusion(self):
        return self.sets.T @ self.p.sum(axis=(1, 2))

    @property
    def of_cells(self):
        return self.p.sum(axis=(0, 1))

    def first_values(self, of_cells):
        """Return for each cell the probability of the first of its values, of a law of all cells together."""
        return of_cells @ (self.cells == self.cells[0])

    @property
    def together(self):
        same = self.states[:, :, None] == self.states[:, None]
        return np.einsum("s,sij->ij", self.p.sum(axis=(0, 2)), same.astype(float))


def log_evidence(codes, parts, n_classes):
    """Return ln P(cells), classes of vertices summed out and the law of the columns integrated out."""
    n_values, terms = np.diff(parts.start), []
    for classes in product(range(n_classes), repeat=len(codes)):
        counts = np.bincount(classes, minlength=n_classes)
        term = gammaln(mixture.SHARES) - gammaln(mixture.SHARES + len(codes))
        term += (gammaln(mixture.SHARES / n_classes + counts) - gammaln(mixture.SHARES / n_classes)).sum()
        for k, p in product(range(n_classes), range(len(n_values))):
            own = codes[np.array(classes) == k, p] - parts.start[p]
            seen, a = np.bincount(own, minlength=n_values[p]), mixture.VALUES / n_values[p]
            term += (
                gammaln(mixture.VALUES) - gammaln(mixture.VALUES + len(own)) + (gammaln(a + seen) - gammaln(a)).sum()
            )
        terms.append(term)
    return logsumexp(terms)


class Visits:
    """What chains visit: columns inside, cells, and which vertices share a block."""

    def __init__(self, law, cells):
        self.place = {tuple(values): c for c, values in enumerate(law.cells.tolist())}
        part = np.repeat(np.arange(cells.parts.n_parts), np.diff(cells.bounds))
        self.order = np.lexsort((part, cells.vertices[cells.row]))
        self.inside, self.cells, self.together, self.n = np.zeros(law.sets.shape[1]), np.zeros(len(law.cells)), 0.0, 0

    def count(self, values, inside=None, labels=None):
        self.cells[self.place[tuple(values[self.order].tolist())]] += 1
        self.inside += 0 if inside is None else inside
        self.together = self.together + (0 if labels is None else labels[:, None] == labels)
        self.n += 1
