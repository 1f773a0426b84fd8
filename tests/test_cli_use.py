"""What using the command line is like: completion, examples, colours, mistakes."""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
import typer.main

from ffbm.cli import app, run
from ffbm.cli.completion import REGISTERED
from ffbm.data.registry import DATASETS

COMMANDS = typer.main.get_command(app).commands
FFBM = [sys.executable, "-m", "ffbm"]
SHORT = ["--blocks", "2", "--sweeps", "30", "--draws", "20", "--warmup", "20", "--keep", "2", "--chains", "2"]
SHORT += ["--weight-prior", "fixed"]
COLOUR = re.compile(r"\x1b\[[0-9;]*(3[0-7]|9[0-7]|38;|48;)[0-9;]*m")


def complete(words: str, shell: str = "bash", cwd: Path | None = None, **environment: str) -> list[str]:
    variables = {"_FFBM_COMPLETE": f"complete_{shell}", "COMP_WORDS": words, "COMP_CWORD": str(words.count(" "))}
    variables |= {"_TYPER_COMPLETE_ARGS": words, "_TYPER_COMPLETE_FISH_ACTION": "get-args"}
    done = subprocess.run(
        [*FFBM], env=os.environ | variables | environment, capture_output=True, text=True, cwd=cwd, check=True
    )
    return done.stdout.split()


def test_the_shell_completes_commands_options_and_values():
    assert {"fit", "describe", "report"} <= set(complete("ffbm "))
    assert complete("ffbm fit --res") == ["--resume"]
    assert complete("ffbm fit polbooks --target j") == ["joint"]


@pytest.mark.parametrize("shell", ["bash", "fish"])
def test_the_shell_completes_registered_names_and_files(tmp_path, shell):
    (tmp_path / "polls").mkdir()
    (tmp_path / "polls" / "edges.csv").touch()
    assert complete("ffbm fit pol", shell, tmp_path) == ["polbooks", "polls/"]
    assert complete("ffbm describe polls/e", shell, tmp_path) == ["polls/edges.csv"]


def test_zsh_completes_registered_names():
    assert "polbooks" in " ".join(complete("ffbm fit polb", "zsh"))


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_shell_is_told_what_to_source(shell):
    done = subprocess.run(FFBM, env=os.environ | {"_FFBM_COMPLETE": f"source_{shell}"}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert f"complete_{shell}" in done.stdout


def test_completion_imports_nothing_heavy(tmp_path):
    (tmp_path / "sitecustomize.py").write_text(
        "import atexit, sys\nheavy = 'numba', 'numpy', 'pandas'\n"
        "atexit.register(lambda: sys.stderr.write(' '.join(name for name in heavy if name in sys.modules)))\n"
    )
    variables = {"_FFBM_COMPLETE": "complete_bash", "COMP_WORDS": "ffbm fit pol", "COMP_CWORD": "2"}
    done = subprocess.run(
        FFBM, env=os.environ | variables | {"PYTHONPATH": str(tmp_path)}, capture_output=True, text=True, check=True
    )
    assert "polbooks" in done.stdout
    assert done.stderr == ""


def test_the_names_offered_are_those_registered():
    assert tuple(DATASETS) == REGISTERED


@pytest.mark.parametrize("name", COMMANDS)
def test_every_help_ends_with_an_example_that_the_command_takes(name, capsys):
    assert run([name, "--help"]) == 0
    shown = re.search(r"^  Example: (ffbm .*)$", capsys.readouterr().out, re.MULTILINE)  # on one line, to be copied
    assert shown is not None
    program, command, *arguments = shlex.split(shown[1])
    assert (program, command) == ("ffbm", name)
    assert COMMANDS[name].make_context(name, arguments).params  # refuses what it does not know
    assert [line for line in COMMANDS[name].help.splitlines() if line.strip()][-1].strip().startswith("Example: ")


def test_nothing_steers_a_terminal_that_is_not_there():
    done = subprocess.run([*FFBM, "fit", "polbooks", *SHORT, "--seed", "1"], capture_output=True, text=True, check=True)
    assert "\x1b" not in done.stdout + done.stderr


@pytest.mark.parametrize(("variables", "coloured"), [({}, True), ({"NO_COLOR": "1"}, False)])
def test_colours_of_a_terminal_are_off_with_no_color(variables, coloured):
    pty = pytest.importorskip("pty")
    above, below = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "CI", "FORCE_COLOR")}
    process = subprocess.Popen(
        [*FFBM, "fit", "polbooks", *SHORT, "--seed", "1"], stdout=subprocess.DEVNULL, stderr=below,
        env=environment | {"TERM": "xterm-256color"} | variables,
    )  # fmt: skip
    os.close(below)
    shown = b""
    while True:
        try:
            part = os.read(above, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(above)
    assert process.wait() == 0
    assert "weights" in shown.decode()
    assert bool(COLOUR.search(shown.decode())) is coloured


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--resume"], "say which with --out"),
        (["--out", "file"], "--out must be a new or an empty folder; file is a file"),
        (["--out", "file", "--resume"], "--out must be a new or an empty folder; file is a file"),
        (["--out", "file/below"], "file/below: Not a directory"),
        (["--out", "full", "--resume"], "full holds 'thesis.txt'"),
        (["--out", "full/", "--target", "both", "--resume"], "full holds 'thesis.txt'"),
        (["--out", ""], "ffbm: --out must"),
        (["--cluster", "here"], "must be like tcp://host:8786"),
        (["--cluster", "tcp://x:1", "--workers", "2"], "give one of them"),
        (["--workers", "0"], "ffbm: --workers must be a whole number, at least 1"),
        (["--out", "new", "--resume", "--config", "none.toml"], "none.toml"),
        (["--out", "broken", "--resume"], "it is damaged"),
        (["--out", "broken"], "has not ended: go on with"),
    ],
)
def test_a_mistake_is_one_line_and_changes_nothing(tmp_path, monkeypatch, capsys, arguments, message):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").touch()
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "thesis.txt").write_text("years of work")
    (tmp_path / "broken" / "chains").mkdir(parents=True)
    (tmp_path / "broken" / "chains" / "run.json").write_text("{")
    before = sorted(tmp_path.rglob("*"))
    assert run(["fit", "polbooks", *SHORT, *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1, err
    assert message in err
    assert sorted(tmp_path.rglob("*")) == before
