"""Checks of arguments: what passes, and the sentence for what does not."""

import numpy as np
import pytest

from ffbm.check import check_choice, check_int, check_int_or, check_real, check_seed
from ffbm.errors import OptionError


def test_what_passes():
    assert check_int("n", np.int32(3), 1, 3) == 3
    assert check_real("x", 2, 0, 2) == 2.0
    assert check_real("x", np.float32(0.5), 0, above=True) == 0.5
    assert check_choice("c", "a", ("a", "b")) == "a"
    assert check_seed(2**128 - 1) == 2**128 - 1
    assert (check_int_or("all", "n", "all", 1), check_int_or("all", "n", np.int64(2), 1)) == ("all", 2)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: check_int("n", True), "n must be a whole number; got True"),
        (lambda: check_int("n", 2.0), "n must be a whole number; got 2.0"),
        (lambda: check_int("n", 5, 1, 3), "n must be a whole number, at least 1, at most 3; got 5"),
        (lambda: check_real("x", "1"), "x must be a number; got '1'"),
        (lambda: check_real("x", float("nan")), "x must be a number; got nan"),
        (lambda: check_real("x", float("inf")), "x must be a number; got inf"),
        (lambda: check_real("x", 0, 0, above=True), "x must be a number, above 0; got 0"),
        (lambda: check_choice("c", "z", ("a", "b")), "c must be one of 'a', 'b'; got 'z'"),
        (lambda: check_choice("c", None, ("a", "b")), "c must be one of 'a', 'b'; got None"),
        (lambda: check_seed(-1), "seed must be a whole number, 0 or more, or None; got -1"),
        (lambda: check_seed(1.5), "seed must be a whole number, 0 or more, or None; got 1.5"),
        (lambda: check_seed(2**128), "seed must be a whole number below 2**128, or None; got 3402"),
        (lambda: check_int_or("all", "n", "none", 1), "n must be a whole number, at least 1, or 'all'; got 'none'"),
        (lambda: check_int_or("all", "n", 0, 1), "n must be a whole number, at least 1, or 'all'; got 0"),
        (lambda: check_int_or("all", "n", True, 1), "n must be a whole number, at least 1, or 'all'; got True"),
    ],
)
def test_what_does_not(call, words):
    with pytest.raises(OptionError) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
