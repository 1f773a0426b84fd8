"""The words of the command line: keywords become options, and typer's sentences those of the package."""

import pickle
from dataclasses import replace

import pandas as pd
import pytest
import typer.main

from ffbm.cli import app, options_of, run
from ffbm.cli.announcements import SignsOfLife, announcing
from ffbm.cli.options import in_options
from ffbm.cli.simulate import _blocks_in_words
from ffbm.data import as_network
from ffbm.data.remarks import option
from ffbm.errors import OptionError, Wording, either, keyword, named
from ffbm.progress import Progress
from ffbm.types import Note

COMMANDS = typer.main.get_command(app).commands
NUMBERS = [
    (name, known.opts[0], known.metavar)
    for name, command in COMMANDS.items()
    for known in command.params
    if known.metavar in ("N", "X")
]


@pytest.mark.parametrize(
    ("command", "message", "told"),
    [
        ("fit", f"{keyword('n_sweeps')} must be more; got 0", "--sweeps must be more; got 0"),
        ("fit", f"x.csv: {keyword('missing')} must be {either(repr('none'), 'none')}", "x.csv: --missing must be none"),
        ("fit", f"nodes.csv: {keyword('drop', '')} names 'b'", "nodes.csv: --drop names 'b'"),
        ("fit", f"pass {keyword('id', repr('my key'))}", "pass --id 'my key'"),
        ("fit", f"pass {option('id', repr('my key'))}", "pass --id 'my key'"),
        ("fit", f"the flag 'drop=A b' is set; {option('exclude')}", "the flag 'drop=A b' is set; --exclude"),
        ("fit", f"say which with --out{either(', or out= in Python')}", "say which with --out"),
        ("fit", f"fewer than {keyword('thin', 5)}", "fewer than thin=5"),  # fit has no such option
        ("fit", f"{keyword('n_blocks')} must be {named({'a': 2, 'b': 1})}", "--blocks must be a=2,b=1"),
        ("fit", f"{keyword('n_nodes')} must be more", "n_nodes must be more"),
        ("simulate", f"{keyword('n_nodes')} must be more", "--vertices must be more"),
        ("simulate", f"or {keyword('exact', True)} for more", "or --exact for more"),
        ("fit", "runs/n_blocks.csv is odd: n_blocks=3", "runs/n_blocks.csv is odd: n_blocks=3"),  # what is not marked
        ("datasets", f"{keyword('n_blocks')} must be more", "n_blocks must be more"),
    ],
)
def test_keywords_become_options_of_the_command(command, message, told):
    assert in_options(message, options_of(command)) == told
    assert in_options(Wording(message), options_of(command)) == told


def test_an_error_keeps_what_is_marked_wherever_it_goes():
    error = OptionError(f"{keyword('n_blocks')} must be one of {either(repr('a'), 'a')}; got {keyword('exact', True)}")
    assert str(error) == error.args[0] == "n_blocks must be one of 'a'; got exact=True"
    for same in (error, pickle.loads(pickle.dumps(error)), OptionError(error.wording)):
        assert in_options(same.wording, ["--blocks", "--exact"]) == "--blocks must be one of a; got --exact"
    assert in_options(str(error), ["--blocks"]) == str(error)


def test_a_note_keeps_what_is_marked():
    note = Note("dropped", f"see {option('drop')}", 1)
    assert note.message == "see drop= (--drop)"
    for message in (note.message, note.to_dict()["message"], replace(note, count=2).message):
        assert in_options(message, ["--drop"]) == "see --drop"


@pytest.mark.parametrize(("command", "option", "metavar"), NUMBERS)
@pytest.mark.parametrize("joined", [True, False])
def test_what_is_no_number_is_shown(command, option, metavar, joined, capsys):
    given = [f"{option}=abc"] if joined else [option, "abc"]
    needed = {"simulate": ["--out", "x"], "fit": ["polbooks"], "describe": ["polbooks"], "test": ["polbooks"]}
    assert run([command, *needed.get(command, []), *given]) == 2
    what = {"N": "a whole number", "X": "a number"}[metavar]
    assert capsys.readouterr().err == f"ffbm: {option} must be {what}; got 'abc'\n"


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("fit", ["[default: auto]", "[default: averaged]", "cut: blocks from the edges alone"]),
        ("fit", ["[default: source, from or src, else the first]", "k, burn_in, thin, sampler, moves"]),
        ("verify", ["about a minute; with --full half an hour of processor time"]),
        ("report", ["report.html in RUN is written again"]),
    ],
)
def test_help_says_what_happens_by_default(command, words, capsys):
    assert run([command, "--help"]) == 0
    shown = " ".join(capsys.readouterr().out.split())
    for word in words:
        assert word in shown


def test_signs_of_life_are_few(capsys):
    now = 0.0
    tell = SignsOfLife(lambda: now)
    for now in range(0, 201, 2):
        tell(Progress("blocks" if now < 150 else "weights", 5 * now, 1000))
    tell(Progress("scores", 10, 10))  # over as soon as it is heard of
    shown = capsys.readouterr()
    assert shown.out == ""
    assert shown.err.splitlines() == [
        "ffbm: blocks: 50 of 1,000, after 10 seconds",
        "ffbm: blocks: 350 of 1,000, after 70 seconds",
        "ffbm: blocks: 650 of 1,000, after 2 minutes",
        "ffbm: weights: 750 of 1,000, after 2 minutes",
    ]


def test_a_terminal_has_a_bar_and_quiet_has_nothing(monkeypatch):
    with announcing(True) as progress:
        assert progress is False
    with announcing(False) as progress:
        assert isinstance(progress, SignsOfLife)
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    with announcing(False) as progress:
        assert progress is None


@pytest.mark.parametrize(
    "arguments", [["fit", "polbooks"], ["fit", "polbooks", "--target", "both"], ["verify"], ["test", "polbooks"]]
)
def test_a_command_listens_where_there_is_no_terminal(arguments, monkeypatch):
    heard = []

    def stops(*_, progress=None, **__):
        heard.append(progress)
        raise KeyboardInterrupt

    monkeypatch.setattr("ffbm.results.fit_run.fit_with", stops)
    monkeypatch.setattr("ffbm.verification.verify", stops)
    monkeypatch.setattr("ffbm.pipeline.permutation.permutation_test", stops)
    assert run(arguments) == 130
    assert [type(it) for it in heard] == [SignsOfLife]


def test_sizes_of_many_blocks_are_cut_short():
    assert _blocks_in_words([3, 4]) == "blocks of 3, 4 vertices"
    assert _blocks_in_words(list(range(1, 14))) == "13 blocks of 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, ... vertices"
    assert _blocks_in_words([7]) == "one block of 7 vertices"


def test_the_terminal_names_no_function_of_python_but_where_it_helps(capsys):
    assert run(["links", "nosuch"]) != 0
    assert capsys.readouterr().err == "ffbm: RUN must be the folder of a saved run; there is no 'nosuch'\n"
    assert run(["links", "polbooks"]) != 0
    assert capsys.readouterr().err.endswith("'polbooks' is a data set: first ffbm fit polbooks --out run\n")
    assert run(["compare", "a", "b"]) == 2
    assert capsys.readouterr().err == "ffbm: No such command 'compare'; in Python it is ffbm.compare\n"


def test_notes_on_equal_columns_name_the_option_alone():
    table = pd.DataFrame({"dept": [*"aabb"], "floor": [*"xxyy"]})
    (note,) = (note for note in as_network([(0, 1), (2, 3)], table).notes if note.code == "same")
    assert in_options(note.message, options_of("fit")).endswith("groups of vertices; --include keeps both")
