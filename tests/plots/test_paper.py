"""Names that fit, figures that are the same bytes twice."""

import pytest

from ffbm.errors import OptionError
from ffbm.plots import plot_traces, save_figure
from ffbm.plots.paper import new_figure, short_names


@pytest.mark.parametrize(
    ("names", "short"),
    [
        (["a", "b"], ["a", "b"]),
        (["x" * 40], ["x" * 12 + "…" + "x" * 11]),
        (["gender;anonymized feature 77", "education;anonymized feature 5"], ["gender…77", "education…5"]),
        (
            ["question number 1=yes, always", "question number 2=yes, always"],
            ["question number 1…", "question number 2…"],
        ),
        (["same" * 10, "same" * 10 + "!"], None),
        ([f"{'a' * 20}{i}{'b' * 20}" for i in range(3)], None),
    ],
)
def test_short_names_stay_different(names, short):
    found = short_names(names)
    assert len(set(found)) == len(names)
    assert all(len(name) <= 24 for name in found)
    if short is not None:
        assert found == short


@pytest.mark.parametrize("kind", ["png", "pdf"])
def test_a_figure_is_the_same_bytes_twice(kind, tmp_path):
    for name in "ab":
        save_figure(plot_traces({"U": [[1.0, 2.0, 3.0]]}), tmp_path / f"{name}.{kind}")
    assert (tmp_path / f"a.{kind}").read_bytes() == (tmp_path / f"b.{kind}").read_bytes()


def test_a_notebook_shows_a_figure_as_it_is():
    assert plot_traces({"U": [[1.0, 2.0, 3.0]]})._repr_png_().startswith(b"\x89PNG")


def test_a_figure_too_narrow_is_refused():
    with pytest.raises(OptionError, match=r"width must be a number, at least 2\.0"):
        new_figure(1.0, 1.0)


def test_a_dollar_sign_in_a_title_is_one():
    title = new_figure(3.0, 2.0, "5 $ and 6 $")._suptitle
    assert (title.get_text(), title.get_parse_math()) == ("5 $ and 6 $", False)
    assert new_figure(3.0, 2.0)._suptitle is None
