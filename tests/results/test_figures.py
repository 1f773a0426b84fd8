"""``fit.plot``: every figure of a fit, and all of them as files."""

import pytest

import ffbm
from ffbm.errors import DataError, OptionError
from ffbm.plots import Figure
from ffbm.results.figures import Plots


@pytest.mark.parametrize("name", [name for name in Plots.NAMES if name not in ("ladder", "tree")])
def test_every_figure_is_a_figure(good, name):
    figure = getattr(good.plot, name)(title="A title") if name != "traces" else good.plot.traces(width=4.0)
    assert isinstance(figure, Figure)
    assert figure.axes


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_the_ladder_is_that_of_a_tempered_fit(good, tmp_path):
    with pytest.raises(DataError, match="were not tempered"):
        good.plot.ladder()
    tempered = ffbm.fit(good.network, 2, n_sweeps=200, n_draws=50, tempering=[1, 0.9, 0.8], seed=1, progress=False)
    assert tempered.plot.ladder(title="Exchanges").axes
    tempered.report(tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "fig-ladder" in page
    assert "round trips by ladder" in page


def test_all_figures_as_files(good, tmp_path):
    files = good.plot.save(tmp_path / "figures")
    assert sorted(files) == sorted((tmp_path / "figures").iterdir())
    names = {path.stem for path in files}
    assert names == set(Plots.NAMES) - {"modes", "ladder", "tree"}
    for path in files:
        start = path.read_bytes()[:4]
        assert start == (b"%PDF" if path.suffix == ".pdf" else b"\x89PNG")
    with pytest.raises(OptionError, match="new or an empty folder"):
        good.plot.save(tmp_path / "figures")
