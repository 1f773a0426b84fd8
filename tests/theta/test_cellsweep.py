"""Unknown cells: their law given weights by enumeration, the law of the columns, and chains that carry them."""

import inspect
from itertools import product

import numpy as np
import pandas as pd
import pytest
from scipy.special import log_softmax, logsumexp
from scipy.stats import t as student

from ffbm.data.encode import encode_features
from ffbm.errors import OptionError
from ffbm.states import from_bytes, to_bytes
from ffbm.theta import cellsweep, mixture
from ffbm.theta.cellsweep import CellSampler
from ffbm.theta.chain import set_up
from ffbm.theta.design import make_design
from ffbm.theta.imputed import ImputedSetup, ImputedState, advance_imputed, start_imputed
from ffbm.theta.parts import code_cells, find_parts, missing_of, rows_of_vertices
from ffbm.theta.prepare import weight_target
from ffbm.theta.response import read_members
from ffbm.theta.unknown import find_unknown

from .unknown_laws import log_evidence

TINY = pd.DataFrame(
    {
        "party": ["a", None, "a", "a", "b", "b", "a"],
        "member": pd.array([True, True, None, True, False, False, True], dtype="boolean"),
    }
)
LABELS = np.array([0, 1, 1, 0, 0, 1, 0])
W = np.array([[1.0, -0.7, 0.8], [-0.6, 0.7, -0.5]]).T  # (D, B): of party=a, party=b, member


def features(table=TINY):
    return encode_features(table, include=list(table.columns))[0]


def sampler_of(x, labels, n_classes, weights_of=None, rows=None, seed=1):
    design = make_design(x, False, True)
    object.__setattr__(design.blanks, "n_classes", n_classes)
    target = weight_target(design, labels, rows, 1.0, False)
    unknown = find_unknown(target, read_members(labels, design.n_nodes))
    rng = np.random.default_rng(seed)
    state = unknown.cells.begin(rng)
    sampler = CellSampler(unknown.cells, unknown.y, state, unknown.complete(target, state).kernel, unknown.base)
    order = target.training.rows.active
    return sampler, rng, np.ascontiguousarray((W if weights_of is None else weights_of)[order])


def exact_law(x, labels, w, n_classes, held_out=()):
    """Return P(cells | W, b), classes and the law of the columns integrated out: a sum over all classes of vertices."""
    design = make_design(x, False, True)
    parts = find_parts(design)
    codes, _ = code_cells(parts, rows_of_vertices(design, None), missing_of(design, 0))
    assert not len(parts.number)
    blank = np.argwhere(codes < 0)
    options = [range(parts.start[p], parts.start[p + 1]) for _, p in blank]
    log_p = []
    for values in product(*options):
        full = codes.copy()
        full[blank[:, 0], blank[:, 1]] = values
        row = np.zeros((len(full), len(w)))
        feature = parts.feature[full]
        row[np.nonzero(feature >= 0)[0], feature[feature >= 0]] = 1
        fit = log_softmax(row @ w, axis=1)[np.arange(len(full)), labels]
        fit[list(held_out)] = 0
        log_p.append(fit.sum() + log_evidence(full, parts, n_classes))
    p = np.exp(np.array(log_p) - logsumexp(log_p))
    return blank, list(product(*options)), p


def distance(sampler, rng, w, law, n_sweeps=4000):
    """Return the total variation between visits and a law of all cells together."""
    _, options, p = law
    place = {values: i for i, values in enumerate(options)}
    visits = np.zeros(len(p))
    cells = sampler.cells
    part = np.repeat(np.arange(cells.parts.n_parts), np.diff(cells.bounds))
    order = np.lexsort((part, cells.vertices[cells.row]))  # as argwhere lists them
    for _ in range(n_sweeps):
        sampler.sweep(rng, w, True)
        visits[place[tuple(sampler.state.values[order].tolist())]] += 1
    return 0.5 * np.abs(visits / n_sweeps - p).sum()


@pytest.mark.parametrize("n_classes", [1, 2])
def test_cells_given_weights_follow_the_law_by_enumeration(n_classes):
    x = features()
    sampler, rng, w = sampler_of(x, LABELS, n_classes)
    law = exact_law(x, LABELS, W, n_classes)
    assert distance(sampler, rng, w, law) < 0.025
    n = int(sampler.state.n_draws[0])
    assert n == 4000
    blank, options, p = law
    share = sampler.state.total / n  # party of vertex 1, then member of vertex 2
    by_cell = [sum(q for v, q in zip(options, p, strict=True) if v[0] == value) for value in (0, 1)]
    np.testing.assert_allclose(share[:2], by_cell, atol=0.02)
    assert blank.tolist() == [[1, 0], [2, 1]]


def test_cells_of_held_out_vertices_follow_the_columns_alone():
    x = features()
    sampler, rng, w = sampler_of(x, LABELS, 2, rows=[0, 2, 3, 4, 5, 6])
    with_label = exact_law(x, LABELS, W, 2)[2]
    law = exact_law(x, LABELS, W, 2, held_out=[1])
    assert distance(sampler, rng, w, law) < 0.025
    assert 0.5 * np.abs(law[2] - with_label).sum() > 0.05


FAULTS = {
    "prior of cells ignored": (
        "log_weight = log_likelihood + np.log(np.maximum(prior, _LEAST))",
        "log_weight = log_likelihood",
    ),
    "likelihood ignored": ("log_weight = log_likelihood + np.log", "log_weight = np.log"),
    "own value not taken out": ("logits = carried.logits[row] - options[old]", "logits = carried.logits[row]"),
    "cells left out of the logits": ("np.add.at(logits, cells.row, padded[cells.position[state.values]])", "pass"),
    "other cells of the vertex forgotten in the prior": (
        "prior = np.exp(others - others.max(axis=1, keepdims=True)) @ chances",
        "prior = chances[:1]",
    ),
}


SLOW = [pytest.param(fault, marks=pytest.mark.slow) for fault in [*FAULTS][2:]]


@pytest.mark.parametrize("fault", [*[*FAULTS][:2], *SLOW])
def test_faults_in_the_sweep_are_seen(fault):
    right, wrong = FAULTS[fault]
    source = inspect.getsource(cellsweep)
    assert source.count(right) == 1
    space = {"__name__": cellsweep.__name__}
    exec(compile(source.replace(right, wrong), cellsweep.__file__, "exec"), space)
    both = TINY.copy()
    both.loc[1, "member"] = None  # a vertex without any answer
    x, weights = features(both), 1.5 * W
    sampler, rng, w = sampler_of(x, LABELS, 2, weights)
    broken = space["CellSampler"](sampler.cells, sampler.y, sampler.state, sampler.target, sampler.base)
    assert distance(broken, rng, w, exact_law(x, LABELS, weights, 2), 2000) > 0.035


def test_a_number_follows_its_law_by_quadrature():
    table = pd.DataFrame({"age": [0.3, -1.2, None, 0.9, 2.0, -0.4]})
    x, labels, w = features(table), np.array([0, 1, 1, 0, 0, 1]), np.array([[1.0, -1.0]])
    sampler, rng, own = sampler_of(x, labels, 1, w)
    known = x.values[~x.is_missing("age"), 0]
    draws = []
    for _ in range(8000):
        sampler.sweep(rng, own, True)
        draws.append(sampler.state.numbers[0])
    n, k = len(known), mixture.TIGHTNESS
    centre = known.sum() / (n + k)
    rate = mixture.RATE + 0.5 * ((known**2).sum() - (n + k) * centre**2)
    shape = mixture.SHAPE + n / 2
    scale = np.sqrt(rate / shape * (1 + 1 / (n + k)))
    grid = np.linspace(-30, 30, 60001)
    p = student.pdf(grid, 2 * shape, centre, scale) * np.exp(log_softmax(grid[:, None] * w, axis=1)[:, 1])
    p /= p.sum()
    mean, sd = p @ grid, np.sqrt(p @ grid**2 - (p @ grid) ** 2)
    assert abs(np.mean(draws) - mean) < 0.05 * sd
    assert abs(np.std(draws) / sd - 1) < 0.05
    total, square = sampler.state.moments[:, 0] / 8000
    assert total == pytest.approx(np.mean(draws))
    assert square == pytest.approx(np.mean(np.square(draws)))


def test_rows_and_response_follow_the_cells():
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {
            "party": rng.choice(["a", "b", "c"], 30),
            "age": rng.normal(size=30),
            "member": pd.array(rng.random(30) < 0.5, dtype="boolean"),
        }
    ).mask(rng.random((30, 3)) < 0.3)
    x, labels = features(table), rng.integers(0, 3, 30)
    design = make_design(x, True, True)
    target = weight_target(design, labels, np.arange(25), intercept=True, weight_prior="learned")
    unknown = find_unknown(target, read_members(labels, 30))
    state = unknown.cells.begin(rng)
    full = unknown.complete(target, state)
    sampler = CellSampler(unknown.cells, unknown.y, state, full.kernel, unknown.base)
    sampler.sweep(rng, rng.normal(size=target.sums.shape), True)
    whole = np.column_stack((np.zeros((30, x.n_features)), np.ones(30)))
    codes, numbers = unknown.cells.complete(state)
    parts = unknown.cells.parts
    for p in range(parts.n_parts):
        feature = parts.feature[codes[:, p]]
        whole[np.flatnonzero(feature >= 0), feature[feature >= 0]] = 1
    whole[:, parts.number] = numbers
    kernel, training = sampler.target, target.training
    rows = training.matrix(kernel.rows.values).toarray()[training.rows.group[:25]]
    np.testing.assert_allclose(rows, whole[:25][:, training.rows.active])
    np.testing.assert_allclose(kernel.sums, whole[:25][:, training.rows.active].T @ np.eye(3)[labels[:25]], atol=1e-12)
    by_feature = [full.slab.value[full.slab.row_start[a] : full.slab.row_start[a + 1]] for a in range(len(rows[0]))]
    assert sum(part.sum() for part in by_feature) == pytest.approx(kernel.rows.values.sum())
    known = ~x.missing.toarray()
    seen = np.asarray(x.values.toarray() if hasattr(x.values, "toarray") else x.values)
    place = {name: g for g, name in enumerate(x.column_names)}
    for d, column in enumerate(x.columns):
        own = known[:, place[column]]
        np.testing.assert_allclose(whole[own, d], seen[own, d])


def test_parts_of_a_table():
    several = make_design(np.array([[1, 1, 0.5], [0, 1, 1.5]]))
    object.__setattr__(several, "columns", ("club", "club", "age"))
    parts = find_parts(several)
    assert parts.feature.tolist() == [-1, 0, -1, 1]  # a vertex has two flags of the column: each is a part
    rare, _ = encode_features(pd.DataFrame({"party": ["a", "b", "z", None, "a", "b"]}), min_support=2)
    assert find_parts(make_design(rare, True, True)).feature.tolist() == [0, 1, -1]
    marked, _ = encode_features(pd.DataFrame({"party": ["a", "b", None, "a"]}), missing="flag")
    with pytest.raises(OptionError, match="has flags where it is missing"):
        find_parts(make_design(marked, False, True))


def test_some_columns_of_a_design_keep_their_unknown_cells():
    design = make_design(features(), True, True)
    assert np.flatnonzero(design.blanks.has_any).tolist() == [1, 2]
    taken = design.take(np.array([2]))
    assert np.flatnonzero(taken.blanks.has_any).tolist() == [2]
    assert taken.x[taken.group].toarray()[:, 0].tolist() == [1, 1, 0, 1, 0, 0, 1]
    assert taken.group[2] not in np.delete(taken.group, 2)  # a row of its own
    whole = pd.DataFrame({"party": ["a", "b", None, "a"], "team": ["u", "v", "v", "u"]})
    assert make_design(features(whole), False, True).take(np.array([2, 3])).blanks is None
    plain = make_design(features(whole[["team"]]), False, True)
    assert plain.blanks is None


def test_a_chain_in_pieces_gives_the_same_bits():
    rng = np.random.default_rng(5)
    table = pd.DataFrame({"party": rng.choice(["a", "b"], 24), "age": rng.normal(size=24)})
    x, labels = features(table.mask(rng.random((24, 2)) < 0.3)), rng.integers(0, 2, 24)

    def begun():
        design = make_design(x, True, True)
        target = weight_target(design, labels, None, intercept=True, weight_prior="learned")
        unknown = find_unknown(target, read_members(labels, 24))
        full = unknown.complete(target, unknown.cells.begin(np.random.default_rng(1)))
        model = ImputedSetup(set_up(full, "hmc", 10, np.random.default_rng(2)), unknown)
        return model, start_imputed(model, np.random.default_rng(3))

    model, state = begun()
    whole, drawn = advance_imputed(model, state, 60)
    model, state = begun()
    pieces = []
    for n in (7, 1, 40, 12):
        state = from_bytes(ImputedState, to_bytes(state))
        state, piece = advance_imputed(model, state, n)
        pieces.append(piece)
    for one, parts in zip(drawn, zip(*pieces, strict=True), strict=True):
        np.testing.assert_array_equal(one, np.concatenate(parts))
    assert to_bytes(whole) == to_bytes(state)
    assert drawn.law.shape[0] == 2  # of 50 draws, one in 25
