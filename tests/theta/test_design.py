"""The design: distinct rows of all vertices, selections of features and vertices, rows that belong to a state."""

import numpy as np
import pytest
import scipy.sparse as sp

from ffbm.errors import DataError, OptionError
from ffbm.kernels.softmax import TILE, energy_and_gradient
from ffbm.theta.design import make_design, train_on
from ffbm.theta.prepare import weight_target
from ffbm.theta.target import energy
from ffbm.types.network import Features


def table(seed=0, n=60):
    """Two numbers of few values and three flags: rows that come again."""
    rng = np.random.default_rng(seed)
    return np.column_stack((rng.integers(-1, 2, (n, 2)) * 1.5, rng.random((n, 3)) < 0.4)).astype(float)


def test_every_vertex_has_its_row_again():
    x = table()
    design = make_design(x)
    np.testing.assert_array_equal(design.x.toarray()[design.group], x)
    assert len(np.unique(design.x.toarray(), axis=0)) == design.x.shape[0] < len(x)
    np.testing.assert_array_equal(design.counts, np.bincount(design.group))
    np.testing.assert_array_equal(design.support, np.count_nonzero(x, axis=0))
    assert design.is_number.tolist() == [True, True, False, False, False]
    assert design.rows.indptr[-1] == len(design.rows.indices) == len(design.rows.values) == design.x.nnz
    assert len(make_design(x[:, 2:]).rows.values) == 0  # flags need none


def test_a_design_is_handed_on_as_it_is():
    design = make_design(table())
    assert make_design(design) is design
    with_one = make_design(design, intercept=True)
    assert with_one.names[-1] == "(intercept)"
    assert make_design(with_one, intercept=True) is with_one
    np.testing.assert_array_equal(with_one.x.toarray()[with_one.group, -1], 1)
    assert with_one.support[-1] == design.n_nodes
    with pytest.raises(OptionError, match="the design has an intercept"):
        make_design(with_one)
    with pytest.raises(DataError, match="rename it"):
        with_one.with_intercept()


@pytest.mark.parametrize("intercept", [False, True])
def test_some_features_alone_are_the_design_of_their_table(intercept):
    x, which = table(), np.array([3, 0])
    taken = make_design(x, intercept).take(which)
    alone = make_design(x[:, which], intercept)
    np.testing.assert_array_equal(taken.x.toarray(), alone.x.toarray())  # in order of appearance
    np.testing.assert_array_equal(taken.group, alone.group)
    np.testing.assert_array_equal(taken.support, alone.support)
    np.testing.assert_array_equal(taken.is_number, alone.is_number)
    assert taken.names == ("3", "0", *["(intercept)"] * intercept)
    assert taken.has_intercept == intercept


def test_a_standardised_flag_is_a_number():
    features = Features(np.eye(2), ("a", "b"), ("a", "b"), np.array([0, 0.5]), np.array([1, 0.5]))
    assert make_design(features).is_number.tolist() == [False, True]


@pytest.mark.parametrize("rows", [None, [7, 3, 12, 40, 41], np.arange(0, 60, 2)])
@pytest.mark.parametrize("numbers", [False, True])
def test_training_vertices_have_their_rows_and_sums(rows, numbers):
    x = table()[:, 0 if numbers else 2 :]
    x = np.column_stack((x, np.arange(60) == 59))  # few training sets have the last
    chosen = np.arange(60) if rows is None else np.asarray(rows)
    training = train_on(make_design(x), rows, 3)
    own = training.rows
    np.testing.assert_array_equal(training.vertices, chosen)
    np.testing.assert_array_equal(np.flatnonzero(own.group >= 0), np.sort(chosen))
    np.testing.assert_array_equal(training.matrix().toarray()[own.group[chosen]], x[chosen][:, own.active])
    assert not x[chosen][:, own.idle].any()
    assert sorted([*own.active, *own.idle]) == list(range(x.shape[1]))
    assert (np.diff(np.count_nonzero(x[chosen][:, own.active], axis=0)) <= 0).all()  # most frequent first
    np.testing.assert_array_equal(own.counts, np.bincount(own.group[chosen]))
    rng = np.random.default_rng(1)
    y, labels = rng.dirichlet(np.ones(3), len(chosen)), rng.integers(0, 3, 60)
    np.testing.assert_allclose(training.sums(y), x[chosen][:, own.active].T @ y, rtol=1e-13)
    hard = x[chosen][:, own.active].T @ np.eye(3)[labels[chosen]]
    np.testing.assert_allclose(training.sums_of_labels(labels), hard, rtol=1e-13, atol=1e-13)
    np.testing.assert_allclose(training.sums(sp.csr_array(np.eye(3)[labels[chosen]])), hard, rtol=1e-13, atol=1e-13)


def test_one_block_or_no_vertex_has_no_rows():
    for training in (train_on(make_design(table()), None, 1), train_on(make_design(table()), [], 3)):
        assert len(training.rows.active) == len(training.rows.counts) == 0
        assert len(training.rows.idle) == 5
        assert (training.rows.group == -1).all()
        n = len(training.vertices)
        assert training.sums(np.ones((n, training.n_blocks))).shape == (0, training.n_blocks)
        assert training.sums_of_labels(np.zeros(60, dtype=int)).shape == (0, training.n_blocks)


def energy_of(target, w):
    """U of weights (B, D) by the kernel, over the features that some training vertex has."""
    at = np.ascontiguousarray(w.T[target.rows.active])
    n_blocks = w.shape[0]
    return energy_and_gradient(target, at, np.empty_like(at), np.empty((TILE, n_blocks)))


def test_rows_may_belong_to_the_state():
    x, rng = table(), np.random.default_rng(3)
    x[:, 0] = rng.normal(size=60)  # every vertex has a row of its own
    labels, w, scale = rng.integers(0, 3, 60), rng.normal(size=(3, 5)), rng.uniform(0.5, 2, 5)
    training = weight_target(x, labels).training
    before = training.target(training.sums_of_labels(labels), scale)
    assert energy_of(before, w) == pytest.approx(energy(w, x, np.eye(3)[labels], scale), rel=1e-12)
    values = training.rows.values.copy()
    row, a = training.rows.group[17], int(np.flatnonzero(training.rows.active == 0)[0])
    entry = training.rows.indptr[row] + list(training.matrix()[[row]].indices).index(a)
    values[entry] = x[17, 0] = 4.25  # a cell that is sampled
    after = training.target(training.sums_of_labels(labels, values), scale, values)
    assert energy_of(after, w) == pytest.approx(energy(w, x, np.eye(3)[labels], scale), rel=1e-12)
    assert abs(energy_of(after, w) - energy_of(before, w)) > 0.1
    assert after.rows.values is values
