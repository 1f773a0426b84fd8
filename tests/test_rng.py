"""Named random streams."""

import numpy as np
import pytest

from ffbm.errors import OptionError
from ffbm.rng import resolve_seed, stream


def test_names_tell_streams_apart():
    names = [("a",), ("b",), ("a", 0), ("a", 1), ("a", "0", "1"), ("a0", 1)]
    draws = {stream(1, *name).random() for name in names} | {stream(2, "a").random()}
    assert len(draws) == 7


def test_a_stream_is_fixed_for_good():
    assert stream(0, "blocks", 0).integers(0, 10**6, 3).tolist() == [902973, 117329, 253700]


def test_streams_are_not_correlated():
    a, b = stream(5, "x", 0).normal(size=20_000), stream(5, "x", 1).normal(size=20_000)
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.03


def test_seeds():
    assert resolve_seed(7) == 7
    assert resolve_seed(None) != resolve_seed(None)
    with pytest.raises(OptionError, match="seed must be"):
        resolve_seed(-3)
