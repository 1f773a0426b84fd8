import pytest

from ffbm.config import FitConfig
from ffbm.errors import OptionError
from ffbm.run_options import RunOptions, split_options


@pytest.mark.parametrize(("name", "value"), [("workers", 0), ("out", ""), ("out", 3), ("resume", "yes")])
def test_a_wrong_value_is_refused_by_name_on_one_line(name, value):
    with pytest.raises(OptionError, match=rf"^{name} must ") as error:
        RunOptions(**{name: value})
    assert "\n" not in str(error.value)


def test_a_path_becomes_text(tmp_path):
    assert RunOptions(out=tmp_path).out == str(tmp_path)


def test_settings_hold_nothing_that_no_answer_depends_on():
    settings, run = split_options({"n_blocks": 3, "out": "run", "resume": True})
    assert (settings, run) == ({"n_blocks": 3}, RunOptions(out="run", resume=True))
    assert not {"workers", "out", "resume"} & FitConfig().to_dict().keys()
    assert FitConfig.from_dict({"n_blocks": 3, "workers": 2}) == FitConfig(n_blocks=3)  # files of version 0.1
