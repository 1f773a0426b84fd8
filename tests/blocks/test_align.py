"""Alignment: one numbering for all draws, whatever numbers the chains used."""

from dataclasses import replace

import numpy as np
import pytest

from ffbm.blocks import align
from ffbm.blocks.align import align_blocks
from ffbm.errors import DataError

from .pictures import noisy, relabel, trace_of


@pytest.mark.parametrize("noise", [0.0, 0.1, 0.3])
def test_random_numberings_are_undone(noise):
    rng = np.random.default_rng(1)
    truth = np.repeat(np.arange(4), [30, 20, 12, 6])
    clean = noisy(rng, truth, 4, (3, 25), noise)
    members = align_blocks(trace_of(relabel(rng, clean, 4), 4))
    expected = np.stack([(clean == r).mean(axis=(0, 1)) for r in range(4)], axis=1)
    assert np.allclose(members.probs, expected)
    assert np.array_equal(members.labels, truth)
    assert members.sizes.tolist() == [30, 20, 12, 6]
    assert members.agreement == pytest.approx(expected.max(axis=1).mean())


def test_numbering_of_the_input_does_not_matter():
    rng = np.random.default_rng(2)
    labels = noisy(rng, np.repeat(np.arange(3), [9, 7, 5]), 3, (2, 30), 0.2)
    first = align_blocks(trace_of(labels, 3))
    second = align_blocks(trace_of(relabel(rng, labels, 3), 3))
    assert np.allclose(first.probs, second.probs)


def test_order_maps_each_draw_to_the_common_numbering():
    rng = np.random.default_rng(3)
    labels = relabel(rng, noisy(rng, np.repeat(np.arange(3), [9, 7, 5]), 3, (2, 10), 0.1), 3)
    members = align_blocks(trace_of(labels, 3))
    aligned = np.take_along_axis(members.order, labels.astype(np.int64), axis=2)
    counted = np.stack([(aligned == r).mean(axis=(0, 1)) for r in range(3)], axis=1)
    assert np.allclose(counted, members.probs)
    assert np.allclose(members.probs.sum(axis=1), 1)


def test_empty_blocks_come_last():
    members = align_blocks(trace_of([[[2, 2, 0, 2], [1, 1, 3, 1]]], 4))
    assert members.sizes.tolist() == [3, 1, 0, 0]
    assert members.agreement == 1.0


def test_no_draws():
    empty = replace(trace_of([[[0, 1]]], 2), labels=np.zeros((1, 0, 2), dtype=np.uint8))
    with pytest.raises(DataError, match="at least one draw"):
        align_blocks(empty)


def test_memberships_of_many_vertices_are_held_in_single_precision(monkeypatch):
    rng = np.random.default_rng(2)
    truth = np.repeat(np.arange(3), [30, 20, 12])
    trace = trace_of(relabel(rng, noisy(rng, truth, 3, (2, 7), 0.2), 3), 3)
    whole = align_blocks(trace)
    monkeypatch.setattr(align, "MANY_CELLS", 100)
    members = align_blocks(trace)
    assert (whole.probs.dtype, members.probs.dtype) == (np.float64, np.float32)
    np.testing.assert_array_equal(members.probs, whole.probs.astype(np.float32))
    np.testing.assert_array_equal(members.order, whole.order)
    assert members.agreement == pytest.approx(whole.agreement, abs=1e-7)
