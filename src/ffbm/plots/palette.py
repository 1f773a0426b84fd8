"""Colours and markers of blocks, the same in all figures.

The ten colours were chosen so that every pair stays apart for eyes without red or green cones as well: at least 20
units of CIELAB in all three views (a test simulates them). From block 10 on they come again with another marker.
"""

import numpy as np

COLOURS = (
    "#0072b2",  # blue
    "#d55e00",  # vermilion
    "#e3c000",  # gold
    "#a56eff",  # violet
    "#33bbee",  # sky
    "#7f3b08",  # brown
    "#fa4d56",  # coral
    "#002d9c",  # navy
    "#aa4466",  # wine
    "#bbbbbb",  # grey
)
MARKERS = ("o", "s", "^", "D", "v", "P", "X", "*")
INK, FAINT = "#222222", "#8a8a8a"  # text and lines; the less important ones


def block_colour(block: int) -> str:
    """Return the colour of a block.

    >>> block_colour(0), block_colour(10) == block_colour(0)
    ('#0072b2', True)
    """
    return COLOURS[block % len(COLOURS)]


def block_marker(block: int) -> str:
    """Return the marker of a block: colour and marker together tell 80 blocks apart.

    >>> block_marker(3), block_marker(13)
    ('o', 's')
    """
    return MARKERS[block // len(COLOURS) % len(MARKERS)]


def ink_on(colour: str) -> str:
    """Return black or white, whichever is easier to read on a colour.

    >>> ink_on("#f7f7f7"), ink_on("#053061")
    ('#000000', '#ffffff')
    """
    parts = np.array([int(colour[k : k + 2], 16) for k in (1, 3, 5)]) / 255
    light = np.where(parts <= 0.03928, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4) @ [0.2126, 0.7152, 0.0722]
    return "#000000" if (light + 0.05) ** 2 > 0.05 * 1.05 else "#ffffff"  # contrasts as WCAG defines them
