"""The gallery: every script has its place on the page and its picture, and still draws it."""

import io
import re

import numpy as np
import pytest

from .loading import DOCS, load

pytestmark = [pytest.mark.auto_length, pytest.mark.users_defaults]

making = load(DOCS / "gallery" / "make.py")


@pytest.fixture(autouse=True)
def _data_that_ship(monkeypatch):
    monkeypatch.delenv("FFBM_DATA", raising=False)


def pixels(data):
    from matplotlib.image import imread

    return imread(io.BytesIO(data), format="png")[..., :3]


def test_every_script_stands_on_the_page_with_its_picture():
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    pictures = re.findall(r"\]\(gallery/(\w+)\.png\)", page)
    assert sorted(pictures) == sorted(making.SCRIPTS)
    assert re.findall(r'--8<-- "gallery/(\w+)\.py"', page) == pictures
    assert {path.stem for path in (DOCS / "gallery").glob("*.png")} == set(making.SCRIPTS)


@pytest.mark.filterwarnings("default::ffbm.errors.ConvergenceWarning")  # modes are where chains do not agree
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.slow if name != "ranking" else ()) for name in making.SCRIPTS]
)
def test_a_picture_is_what_its_script_draws(name):
    committed = (DOCS / "gallery" / f"{name}.png").read_bytes()
    assert len(committed) <= making.MOST
    drawn, shown = pixels(making.picture(making.draw(name))), pixels(committed)
    assert drawn.shape == shown.shape, "run python docs/gallery/make.py"
    # fonts are drawn alike everywhere; dots of weights move a little with the rounding of the processor
    assert np.abs(drawn - shown).mean() < 0.004, "run python docs/gallery/make.py"
