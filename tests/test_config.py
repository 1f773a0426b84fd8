"""Settings: checked one by one, to and from TOML."""

import json
import tomllib
from dataclasses import fields, replace
from inspect import signature

import numpy as np
import pytest

from ffbm.config import FitConfig, parse_settings, read_settings
from ffbm.errors import OptionError
from ffbm.pipeline.blocks import sample_blocks
from ffbm.pipeline.by_type import explain_types
from ffbm.pipeline.drawn import sample_weights_drawn
from ffbm.pipeline.joint import sample_joint
from ffbm.pipeline.joint_selection import select_jointly
from ffbm.pipeline.weights import sample_weights
from ffbm.results import fit
from ffbm.run_options import RunOptions

OBJECTS = {"net", "nodes", "reading", "blocks", "progress"}  # keywords of fit that are no plain values


def test_the_settings_are_the_keywords_of_fit():
    keywords = {name: p.default for name, p in signature(fit).parameters.items() if name not in OBJECTS}
    assert keywords == {field.name: field.default for field in (*fields(FitConfig), *fields(RunOptions))}


OF_FIXED_LENGTH = {"n_draws", "max_minutes", "intercept", "tempering"}  # joint stages, unless they are told otherwise


@pytest.mark.parametrize(
    ("stage", "more"),
    [
        (sample_blocks, set()),
        (sample_weights, set()),
        (sample_weights_drawn, set()),
        (sample_joint, OF_FIXED_LENGTH),
        (select_jointly, OF_FIXED_LENGTH),
        (explain_types, {"n_draws", "weight_prior", "node_type"}),
    ],
)
def test_a_stage_called_by_itself_has_the_defaults_of_fit(stage, more):
    other = {"seed", "n_blocks", "n_sweeps"} | more
    defaults = {field.name: field.default for field in fields(FitConfig) if field.name not in other}
    shared = {name: p.default for name, p in signature(stage).parameters.items() if name in defaults}
    assert len(shared) > 3
    assert shared == {name: defaults[name] for name in shared}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_blocks", 0),
        ("n_blocks", 2.0),
        ("n_blocks", "many"),
        ("n_blocks", True),
        ("target", "cutting"),
        ("memberships", "mean"),
        ("sigma", 0),
        ("sigma", float("nan")),
        ("sigma", float("inf")),
        ("sigma", "wide"),
        ("sigma", np.ones((2, 2))),
        ("sigma", {1: 1.0}),
        ("intercept", 1),
        ("sampler", "nuts"),
        ("train_fraction", 0),
        ("train_fraction", 1.5),
        ("k", -1),
        ("n_kept", 0),
        ("n_kept", "none"),
        ("n_sweeps", 0),
        ("burn_in", 1.1),
        ("thin", 0),
        ("n_warmup", -1),
        ("n_draws", 0),
        ("n_chains", 0),
        ("seed", -1),
        ("seed", 2**128),
        ("folds", 0),
        ("columns", -1),
        ("moves", "double"),
    ],
)
def test_a_wrong_value_is_told_by_name_on_one_line(name, value):
    with pytest.raises(OptionError, match=rf"^{name} must ") as error:
        FitConfig(**{name: value})
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    "config",
    [
        FitConfig(),
        FitConfig(n_blocks=3, n_kept="all", seed=2**128 - 1, folds=5, intercept=True),
        FitConfig(weight_prior="fixed", sigma=1e-7),
        FitConfig(weight_prior="fixed", sigma=[0.5, 2.0, 1e-7]),
        FitConfig(weight_prior="fixed", sigma={"age": 0.5, 'a "quoted" = \\ column\n': 2.0, "": 1.0}),
        FitConfig(edge_weight='a "quoted"\\path\n\x7f\x01é\U0001f600', k=0, burn_in=0.1 + 0.2),
    ],
)
def test_toml_and_back(config):
    text = config.to_toml()
    assert FitConfig.from_toml(text) == config
    assert tomllib.loads(text) == {name: value for name, value in config.to_dict().items() if value is not None}


def test_numpy_numbers_become_plain_ones():
    config = FitConfig(n_blocks=np.int64(3), sigma=np.float32(0.5), seed=np.uint64(7))
    assert (type(config.n_blocks), type(config.sigma), type(config.seed)) == (int, float, int)


def test_scales_become_plain_numbers():
    by_feature, by_column = FitConfig(sigma=np.array([1, 2], dtype=np.float32)), FitConfig(sigma={"age": np.int64(3)})
    assert by_feature.sigma == FitConfig(sigma=(1, 2)).sigma == [1.0, 2.0]
    assert by_column.sigma == {"age": 3.0}
    assert {type(x) for x in (*by_feature.sigma, *by_column.sigma.values())} == {float}
    assert json.loads(json.dumps(by_column.to_dict())) == by_column.to_dict()
    given = {"age": 1.0}
    made = FitConfig(sigma=given)
    given["age"] = -1.0
    assert made.sigma == {"age": 1.0}


def test_scales_in_a_file(tmp_path):
    for text, sigma in (
        ("sigma = [0.5, 2]", [0.5, 2.0]),
        ("sigma = {age = 0.5}", {"age": 0.5}),
        ("[sigma]\nage = 2", {"age": 2.0}),
    ):
        (tmp_path / "fit.toml").write_text(text)
        assert FitConfig(**read_settings(tmp_path / "fit.toml")).sigma == sigma


@pytest.mark.parametrize(
    ("sigma", "text"),
    [
        ([1, -2], "sigma[1] must be a number, above 0; got -2"),
        ({"age": 0}, "sigma['age'] must be a number, above 0; got 0"),
        ({"age": True}, "sigma['age'] must be a number, above 0; got True"),
    ],
)
def test_a_wrong_scale_is_told_by_its_name(sigma, text):
    with pytest.raises(OptionError) as error:
        FitConfig(sigma=sigma)
    assert str(error.value) == text


def test_a_checked_setting_cannot_be_changed_unchecked():
    with pytest.raises(OptionError, match="n_chains"):
        replace(FitConfig(), n_chains=0)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("n_block = 3", "unknown setting 'n_block'; did you mean 'n_blocks'?"),
        ("shade = 'red'", "unknown setting 'shade'; there are n_blocks, "),
        ("n_blocks 3", "must be TOML"),
        ("n_blocks = 3\nn_blocks = 4", "must be TOML"),
    ],
)
def test_a_wrong_file_is_told_on_one_line(text, said):
    with pytest.raises(OptionError) as error:
        parse_settings(text, "fit.toml")
    assert str(error.value).startswith("fit.toml ")
    assert said in str(error.value)
    assert "\n" not in str(error.value)


def test_reading_a_file(tmp_path):
    (tmp_path / "fit.toml").write_text("# mine\nn_blocks = 4\nsigma = 2\n")
    assert FitConfig(**read_settings(tmp_path / "fit.toml")) == FitConfig(n_blocks=4, sigma=2.0)
    with pytest.raises(OptionError, match="cannot read the settings"):
        read_settings(tmp_path / "nowhere.toml")
    (tmp_path / "latin.toml").write_bytes(b"out = '\xe9'")
    with pytest.raises(OptionError, match=r"must be a TOML file in UTF-8; byte 7"):
        read_settings(tmp_path / "latin.toml")


@pytest.mark.parametrize(("name", "value", "word"), [("n_blocks", "many", "auto"), ("n_kept", "none", "all")])
def test_the_one_word_allowed_is_told(name, value, word):
    with pytest.raises(OptionError, match=f"^{name} must be a whole number, at least 1, or '{word}'; got '{value}'$"):
        FitConfig(**{name: value})


@pytest.mark.users_defaults
def test_the_prior_is_learned():
    config = FitConfig()
    assert (config.weight_prior, config.intercept, config.n_kept) == ("learned", True, "all")
    joint = FitConfig(target="joint")
    assert (joint.weight_prior, joint.intercept, joint.n_kept) == ("learned", True, "all")
    fixed = FitConfig(weight_prior="fixed")
    assert (fixed.weight_prior, fixed.intercept, fixed.n_kept) == ("fixed", False, "all")


@pytest.mark.users_defaults
def test_the_preset_is_all_of_the_paper():
    config = FitConfig(preset="paper")
    assert (config.weight_prior, config.sigma, config.intercept) == ("fixed", 1.0, False)
    assert (config.n_sweeps, config.tempering, config.n_folds(100), config.n_kept) == (1000, False, 1, 10)
    assert replace(config, seed=1) == FitConfig(preset="paper", seed=1)
    assert FitConfig(preset="paper", n_kept="all").n_kept == "all"


@pytest.mark.users_defaults
@pytest.mark.parametrize("sigma", [2.0, [1.0, 2.0], {"age": 2.0}])
def test_sigma_asks_for_its_prior(sigma):
    with pytest.raises(OptionError, match=r'^sigma is of weight_prior="fixed": give that too, or leave sigma out$'):
        FitConfig(sigma=sigma)
    assert FitConfig(sigma=sigma, preset="paper").sigma == sigma


def test_a_folder_must_be_a_path():
    with pytest.raises(OptionError, match=r"^out must be the path of a folder; got 3$"):
        fit(None, out=3)
