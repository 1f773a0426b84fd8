"""What a grade rests on besides the draws is stored with them."""

import numpy as np
import pytest

from ffbm.blocks.align import align_blocks
from ffbm.diagnostics import Verdict, block_diagnostics
from ffbm.store.cells import from_json, to_json
from ffbm.store.traces import blocks_from_datasets, blocks_to_datasets
from ffbm.types import BlockTrace

C, T, N = 2, 600, 6


@pytest.fixture
def trace():
    rng = np.random.default_rng(1)
    across = rng.random((C, T, N)) < 0.05
    labels = (across ^ (np.arange(N) % 2 == 0)).astype(np.uint8)
    s, rate, settings = rng.normal(size=(C, T)), np.full((C, T), 0.3), {"seed": 5}
    previous = Verdict("too short", "R-hat of S is 1.2")
    found = block_diagnostics(labels, s, rate, 5, previous=previous, round_trips=[4, 30])
    return BlockTrace(labels, s, rate, labels[0, 0].astype(np.int64), float(s.min()), 2, 9, settings, found)


def written(trace):
    return blocks_to_datasets(trace, align_blocks(trace), np.array([str(i) for i in range(N)]))


def test_the_grade_comes_back(trace):
    again = blocks_from_datasets(*written(trace))
    assert again.converged == trace.converged
    assert again.converged.grade == "usable"
    assert "at half the length R-hat of S is 1.2, a ladder made 4 round trips" in again.converged.reason
    assert again.diagnostics.previous == trace.diagnostics.previous
    np.testing.assert_array_equal(again.diagnostics.round_trips, [4, 30])


def test_runs_of_earlier_versions_have_no_checks(trace):
    labels, statistics = written(trace)
    del statistics.attrs["checks"]
    again = blocks_from_datasets(labels, statistics)
    assert again.diagnostics.previous is again.diagnostics.round_trips is None
    assert again.converged


def test_a_trace_of_fixed_length_has_none(trace):
    labels, statistics = written(trace)
    assert from_json(statistics.attrs["checks"])["round_trips"] == [4, 30]
    statistics.attrs["checks"] = to_json({"previous": None, "round_trips": None})
    assert blocks_from_datasets(labels, statistics).converged
