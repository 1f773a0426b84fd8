"""Block colours stay apart, also for eyes that lack a kind of cone."""

from itertools import combinations

import numpy as np
import pytest

from ffbm.plots import block_colour, block_marker
from ffbm.plots.palette import COLOURS

# Machado, Oliveira and Fernandes (2009), severity 1, on linear RGB
EYES = {
    "all cones": np.eye(3),
    "no red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "no green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}
XYZ = [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]


def lab(colour, eye):
    rgb = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    seen = np.clip(np.array(EYES[eye]) @ linear, 0, 1)
    x, y, z = np.cbrt(np.array(XYZ) @ seen / [0.95047, 1.0, 1.08883])
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


@pytest.mark.parametrize("eye", EYES)
def test_any_two_colours_are_apart(eye):
    places = [lab(colour, eye) for colour in COLOURS]
    assert min(np.linalg.norm(a - b) for a, b in combinations(places, 2)) > 20


def test_colour_and_marker_tell_many_blocks_apart():
    assert len({(block_colour(r), block_marker(r)) for r in range(80)}) == 80
