"""Planted kernels leave no trace in the kernel cache."""

from collections import namedtuple

import numpy as np
from numba import typeof

from ffbm.kernels.workspace import Counters

from .mutants import is_true


def test_what_is_compiled_for_planted_kernels_is_not_kept():
    """The file of compiled code is named by the text of its arguments, which is that of true kernels."""
    planted = namedtuple("Counters", Counters._fields)
    planted.__module__ = Counters.__module__
    arrays = np.zeros(3), np.zeros(2), np.zeros(1)
    assert repr(typeof(planted(*arrays))) == repr(typeof(Counters(*arrays)))
    assert is_true(typeof(Counters(*arrays)))
    assert not is_true(typeof(planted(*arrays)))
    assert not is_true(typeof((1, (planted(*arrays), 2))))
    assert is_true(typeof((1, 2.0)))
