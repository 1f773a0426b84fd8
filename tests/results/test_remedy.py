"""The command that would help: what is too short grows, and a run goes on where it can."""

import re
from dataclasses import replace
from importlib.metadata import version
from types import SimpleNamespace

import pytest

from ffbm.diagnostics import Verdict
from ffbm.results import Fit
from ffbm.results.remedy import command_to_go_on

GOOD, BAD, APART = Verdict("converged", ""), Verdict("too short", ""), Verdict("multimodal", "")


def as_if(fit, monkeypatch, command="", blocks=GOOD, weights=GOOD, diverges=False, joint=None, **config):
    """The fit, as if its stages had these verdicts and it had been started by this command."""
    found = SimpleNamespace(
        blocks=SimpleNamespace(converged=blocks),
        weights=SimpleNamespace(converged=weights, diverges=diverges),
        reduced=None,
        joint=None if joint is None else SimpleNamespace(converged=joint),
    )
    origin = {"command": command, "ffbm": version("ffbm")}
    other = Fit.of(fit, config=replace(fit.config, **config), provenance=origin)
    monkeypatch.setattr(Fit, "diagnostics", found)
    return other


def command_of(*args, **kwargs):
    command, _, time = command_to_go_on(as_if(*args, **kwargs)).partition("  # ")
    bound, number = re.fullmatch(r"(about|at most) (\S+) (?:seconds|minutes|hours|days)", time).groups()
    is_open = "max_minutes" in command or "max-minutes" in command or "auto" in command or "tempering" in command
    assert bound == ("at most" if is_open else "about")
    assert float(number.replace(",", "")) > 0
    return command


@pytest.mark.parametrize(
    ("stages", "call"),
    [
        ({"blocks": BAD}, "n_sweeps=12000"),
        ({"weights": BAD}, "n_draws=4000"),
        ({"blocks": BAD, "weights": BAD}, "n_sweeps=12000, n_draws=4000"),
        ({"weights": BAD, "diverges": True}, "n_warmup=2000"),
        ({"blocks": BAD, "n_chains": 1}, "n_chains=4"),
        ({"weights": BAD, "joint": GOOD, "target": "joint"}, "n_sweeps=12000"),
        ({"joint": BAD, "target": "joint"}, "n_sweeps=12000"),
        ({"weights": BAD, "joint": GOOD, "target": "joint", "n_sweeps": "auto"}, "max_minutes=40"),
    ],
)
def test_what_is_too_short_grows(good, monkeypatch, stages, call):
    assert command_of(good, monkeypatch, **stages) == f"ffbm.fit(..., {call})"


@pytest.mark.parametrize(
    ("typed", "again"),
    [
        ("ffbm fit 'my net.csv'", "ffbm fit 'my net.csv' --sweeps 12000"),
        ("ffbm fit x.csv --sweeps 3000 --seed 1", "ffbm fit x.csv --sweeps 12000 --seed 1"),
        ("ffbm fit x.csv --sweeps=3000 --out r", "ffbm fit x.csv --sweeps=12000 --out r --resume"),
        ("ffbm fit x.csv --out=r --resume", "ffbm fit x.csv --out=r --sweeps 12000 --resume"),
        ("python script.py", "ffbm.fit(..., n_sweeps=12000)"),
    ],
)
def test_the_command_as_it_was_typed_goes_on(good, monkeypatch, typed, again):
    assert command_of(good, monkeypatch, typed, blocks=BAD) == again


@pytest.mark.parametrize(
    ("typed", "settings", "again"),
    [
        ("python script.py", {}, 'ffbm.fit(..., n_sweeps="auto")'),
        ("python script.py", {"tempering": False}, 'ffbm.fit(..., n_sweeps="auto", tempering=True)'),
        ("python script.py", {"n_sweeps": "auto"}, "ffbm.fit(..., max_minutes=40)"),
        ("python script.py", {"n_sweeps": "auto", "tempering": False}, "ffbm.fit(..., tempering=True)"),
        ("ffbm fit x.csv --sweeps 3000 --out r", {}, "ffbm fit x.csv --sweeps auto --out r-again"),
        (
            "ffbm fit x.csv --no-tempering --max-minutes 5",
            {"n_sweeps": "auto", "tempering": False, "max_minutes": 5.0},
            "ffbm fit x.csv --max-minutes 5 --tempering",
        ),
    ],
)
def test_chains_that_stay_apart_are_told_to_temper_not_to_do_more_of_the_same(
    good, monkeypatch, typed, settings, again
):
    settings = {"tempering": "auto", **settings}
    monkeypatch.setitem(good.blocks.settings, "tempering", False)
    assert command_of(good, monkeypatch, typed, blocks=APART, **settings) == again


def test_ladders_that_stay_apart_and_networks_too_large_for_them_are_told_to_run_longer(good, monkeypatch):
    large = as_if(good, monkeypatch, blocks=APART, tempering="auto")
    monkeypatch.setattr("ffbm.results.remedy.needs_structure", lambda graph: True)
    assert command_to_go_on(large).startswith("ffbm.fit(..., n_sweeps=12000)  # about")
    monkeypatch.undo()
    tempered = as_if(good, monkeypatch, blocks=APART, tempering=True)
    monkeypatch.setitem(tempered.blocks.settings, "tempering", [1.0, 0.8])
    assert command_of(tempered, monkeypatch, blocks=APART, tempering=True) == "ffbm.fit(..., n_sweeps=12000)"


def test_with_other_settings_or_by_another_version_a_run_begins_again(good, monkeypatch):
    typed = "ffbm fit x.csv --out runs/one/ --chains 1 --resume"
    again = command_of(good, monkeypatch, typed, blocks=BAD, n_chains=1)
    assert again == "ffbm fit x.csv --out runs/one-again --chains 4"
    older = as_if(good, monkeypatch, "ffbm fit x.csv --out r", blocks=BAD)
    older = Fit.of(older, provenance={**older.provenance, "ffbm": "0.1.0"})
    assert command_to_go_on(older).startswith("ffbm fit x.csv --out r-again --sweeps 12000  # ")


def test_a_longer_run_takes_longer(bad):
    short, long = bad.converged.command, Fit.of(bad, config=replace(bad.config, n_sweeps=10**9)).converged.command
    assert short.endswith("seconds")
    assert long.endswith(("hours", "days"))


def test_nothing_helps_what_has_converged(good):
    assert good.converged.command == ""
