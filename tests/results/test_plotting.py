"""``fit.plot``: every figure of a fit, and all of them as files."""

import pytest

from ffbm.errors import OptionError
from ffbm.plots import Figure
from ffbm.results.plotting import Plots


@pytest.mark.parametrize("name", Plots.NAMES)
def test_every_figure_is_a_figure(good, name):
    figure = getattr(good.plot, name)(title="A title") if name != "traces" else good.plot.traces(width=4.0)
    assert isinstance(figure, Figure)
    assert figure.axes


def test_all_figures_as_files(good, tmp_path):
    files = good.plot.save(tmp_path / "figures")
    assert sorted(files) == sorted((tmp_path / "figures").iterdir())
    names = {path.stem for path in files}
    assert names == set(Plots.NAMES) - {"modes"}
    for path in files:
        start = path.read_bytes()[:4]
        assert start == (b"%PDF" if path.suffix == ".pdf" else b"\x89PNG")
    with pytest.raises(OptionError, match="new or an empty folder"):
        good.plot.save(tmp_path / "figures")
