"""The command line: the only subpackage that prints.

Every command is a file of its own and imports what it needs when it runs, so that ``ffbm --help``
answers at once. How a run ends is decided here, once: 0 done; 1 a check failed; 2 the input, the
arguments, disk, network or permissions, reported in one line; 70 a bug; 130 interrupted.
"""

import functools
import os
import sys
import traceback
from collections.abc import Callable, Sequence
from importlib.metadata import metadata
from typing import Annotated, Any, NoReturn

import typer

from ffbm.cli.check import check
from ffbm.cli.datasets import datasets
from ffbm.cli.describe import describe
from ffbm.cli.fit import fit
from ffbm.cli.links import links
from ffbm.cli.options import in_options
from ffbm.cli.report import report
from ffbm.cli.reproduce import reproduce
from ffbm.cli.screen import one_line, print_error, print_text
from ffbm.cli.simulate import simulate
from ffbm.cli.test import test
from ffbm.cli.usage import tell_usage
from ffbm.cli.verify import verify
from ffbm.errors import FFBMError

DONE, REFUSED, BUG, INTERRUPTED = 0, 2, 70, 130

# Whatever typer says of wrong arguments; typer has brought its own copy of click along since 0.26, so the
# class is taken from what it exports.
_UsageProblem: Any = typer.BadParameter.__mro__[2]

app = typer.Typer(name="ffbm", rich_markup_mode=None, pretty_exceptions_enable=False)


class _StoppedError(Exception):
    """Ctrl-C, with what a command says of it: typer would pass on the one and lose the other."""


def _passing_on_the_word(command: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(command)
    def run_command(*arguments: Any, **options: Any) -> Any:
        try:
            return command(*arguments, **options)
        except KeyboardInterrupt as stop:
            raise _StoppedError(str(stop)) from None
        except FFBMError as error:
            raise type(error)(in_options(error.wording, options_of(command.__name__))) from error

    return run_command


_COMMANDS = (fit, test, describe, report, check, links, reproduce, datasets, simulate, verify)
for _command in _COMMANDS:
    app.command()(_passing_on_the_word(_command))


def options_of(name: str) -> list[str]:
    """Return the options of a command, as they are typed."""
    command: Any = typer.main.get_command(app).commands[name]  # type: ignore[attr-defined]
    return [option for known in command.params for option in known.opts if option.startswith("--")]


def _show_version(wanted: bool) -> None:
    if wanted:
        from ffbm import __version__

        print_text(f"ffbm {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    _version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and exit."),
    ] = False,
) -> None:
    """Find which vertex attributes explain a network's structure, where, and how sure that is."""
    if context.invoked_subcommand is None:
        print_text(context.get_help())


def main(arguments: Sequence[str] | None = None) -> NoReturn:
    """Run the command line and leave the interpreter with its exit code."""
    sys.exit(run(arguments))


def run(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # a name that the terminal cannot show must not end the run
            stream.reconfigure(errors="backslashreplace")
    try:
        code = app(args=arguments, prog_name="ffbm", standalone_mode=False)
        sys.stdout.flush()
        if code == INTERRUPTED:
            print_error("interrupted")
        return code if isinstance(code, int) else DONE
    except _UsageProblem as problem:
        typed = sys.argv[1:] if arguments is None else arguments
        print_error(tell_usage(problem, typed, [command.__name__ for command in _COMMANDS]))
        return REFUSED
    except FFBMError as error:
        print_error(str(error))
        return REFUSED
    except (KeyboardInterrupt, _StoppedError) as stop:
        return _interrupted(str(stop))
    except typer.Abort as abort:  # how typer passes on Ctrl-C, and an end of file that no one expected
        return _report_bug() if isinstance(abort.__cause__, EOFError) else _interrupted()
    except BrokenPipeError:
        return _stop_writing()
    except SystemExit as stop:  # how typer ends on a broken pipe, and completion of the shell's line
        if isinstance(stop.__context__, BrokenPipeError):
            return _stop_writing()
        raise
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print_error(f"{where}{error.strerror or one_line(str(error))}")
        return REFUSED
    except Exception:
        return _report_bug()


def _interrupted(how_to_go_on: str = "") -> int:
    print_error(f"interrupted; {how_to_go_on}" if how_to_go_on else "interrupted")
    return INTERRUPTED


def _stop_writing() -> int:
    """End quietly: the reader, such as head, has seen enough."""
    sink = os.open(os.devnull, os.O_WRONLY)
    os.dup2(sink, sys.__stdout__.fileno() if sys.__stdout__ else 1)  # Python tries again as it ends
    return DONE


def _report_bug() -> int:
    traceback.print_exc()
    print_error(f"this is a bug: please report it with the lines above{_find_tracker()}")
    return BUG


def _find_tracker() -> str:
    urls = [line.partition(", ")[::2] for line in metadata("ffbm").get_all("Project-URL") or ()]
    addresses = [url for label, url in urls if label.casefold() in ("issues", "tracker", "bug tracker")]
    return f" at {addresses[0]}" if addresses else " to the project's issue tracker"
