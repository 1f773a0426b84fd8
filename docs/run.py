"""Run the code of pages and hold what they show to what it prints: ``python docs/run.py [--write] [PAGE ...]``.

The blocks of a page run in order, in one namespace and in one empty folder:

- a ``python`` block is a script; the ``text`` block right after it is what it printed;
- a ``python`` block with ``>>>`` is a session, the value of each expression below it;
- a ``console`` block holds commands after ``$``, the output of each below it.

In what is shown, ``...`` stands for anything, as in doctest. Processors round differently in the last bit, and a chain
of weights then takes another way: decimal numbers may differ by 0.02 and 5 %, effective sample sizes by 20 %, and
nothing else. Blocks of other languages are shown and not run. A convergence warning is one line of the output; any
other warning ends the run.

A page on data that may not be committed names their folder below ``FFBM_SHARED`` in a comment,
``<!-- data: networks/NAME -->``, and its code finds them in ``NAME``. Where they are absent the page is left out.
"""

import argparse
import contextlib
import doctest
import io
import os
import re
import shlex
import subprocess
import sys
import tempfile
import traceback
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from ffbm.errors import ConvergenceWarning

ROOT = Path(__file__).parent.parent
PAGES = ("README.md", *(f"docs/{name}.md" for name in (
    "quickstart", "tutorial-polbooks", "tutorial-own-files", "tutorial-airports", "tutorial-honest", "tutorial-scales",
    "blocks", "permutation", "columns", "regression", "evidence",
)))  # fmt: skip
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_DATA = re.compile(r"^<!-- data: (\S+) -->$", re.MULTILINE)
_NUMBER = re.compile(r"([+-]?\d[\d,]*(?:\.\d+)?)")
_MATCHES = doctest.OutputChecker().check_output


class MissingDataError(Exception):
    """A page needs data that are not here."""


def replay(text: str, is_exact: bool = False) -> str:
    """Return a page with the output that its code gives today; what ``...`` covers stays as it was.

    So does what would be alike on another processor, unless ``is_exact``: then a page is of one run.
    """
    names: dict[str, Any] = {"__name__": "__main__"}
    blocks = list(FENCE.finditer(text))
    parts, at = [], 0
    data = _find_data(text)
    with _empty_folder():
        for folder in data:
            Path(folder.name).symlink_to(folder)
        for block, after in zip(blocks, [*blocks[1:], None], strict=True):
            language, code = block[1], block[2]
            if language == "console":
                parts += [text[at : block.start(2)], _run_commands(code, is_exact)]
                at = block.end(2)
            elif language == "python" and ">>>" in code:
                parts += [text[at : block.start(2)], _run_session(code, names, is_exact)]
                at = block.end(2)
            elif language == "python":
                said = _run_script(code, names, text.count("\n", 0, block.start(2)))
                if after and after[1] == "text" and not text[block.end() : after.start()].strip():
                    parts += [text[at : after.start(2)], _keep(after[2], said, is_exact)]
                    at = after.end(2)
                elif said:
                    parts += [text[at : block.end()], f"\n\n```text\n{said}```"]
                    at = block.end()
    return "".join([*parts, text[at:]])


def _find_data(text: str) -> list[Path]:
    """Return the folders of data that a page names."""
    shared = os.environ.get("FFBM_SHARED", "")
    folders = []
    for name in _DATA.findall(text):
        folder = Path(shared, name).resolve()
        if not shared or not folder.is_dir():
            raise MissingDataError(f"left out, it needs {folder.name}: set FFBM_SHARED to a folder that has {name}")
        folders.append(folder)
    return folders


def _run_script(code: str, names: dict[str, Any], line: int) -> str:
    with _listening() as said:
        exec(compile("\n" * line + code, "<page>", "exec"), names)  # the page's own line numbers in tracebacks
    return said.getvalue()


def _run_session(code: str, names: dict[str, Any], is_exact: bool) -> str:
    parts = []
    for piece in doctest.DocTestParser().parse(code):
        if isinstance(piece, str):
            parts.append(piece)
            continue
        first, *more = piece.source.rstrip("\n").split("\n")
        parts += [f">>> {first}\n", *(f"... {line}".rstrip() + "\n" for line in more)]
        with _listening() as said:
            try:
                exec(compile(piece.source, "<page>", "single"), names)
            except Exception as error:
                last = traceback.format_exception_only(error)[-1]
                print(f"Traceback (most recent call last):\n    ...\n{last}", end="")
        parts.append(_keep(piece.want, said.getvalue(), is_exact))
    return "".join(parts)


def _run_commands(code: str, is_exact: bool) -> str:
    parts = []
    for piece in re.split(r"^(?=\$ )", code, flags=re.MULTILINE):
        if piece:
            command, _, shown = piece.partition("\n")
            parts += [f"{command}\n", _keep(shown, _run_command(command[2:]), is_exact)]
    return "".join(parts)


def _run_command(command: str) -> str:
    """Return the standard output of a command, and its error if it fails; ffbm itself runs in this process."""
    words = shlex.split(command, comments=True)
    if words[0] != "ffbm":
        return subprocess.run(command, shell=True, capture_output=True, text=True, check=True).stdout
    from ffbm.cli import run

    errors = io.StringIO()
    with _listening() as said, contextlib.redirect_stderr(errors), mock.patch.object(sys, "argv", words):
        code = run(words[1:])
    return said.getvalue() + (errors.getvalue() if code else "")


def _keep(shown: str, said: str, is_exact: bool) -> str:
    """Return what is shown if it covers what was said or, unless ``is_exact``, is alike; else what was said."""
    covers = _MATCHES(shown, said, doctest.ELLIPSIS | doctest.DONT_ACCEPT_BLANKLINE)
    return shown if covers or (not is_exact and _are_alike(shown, said)) else said


def _are_alike(shown: str, said: str) -> bool:
    """Tell whether two texts have the same words, whole numbers and, nearly, decimal numbers and sample sizes.

    Rows of a table may stand in another order: of noise columns it is chance which adds more.
    """
    return _are_alike_in_order(shown, said) or _are_alike_in_order(*map(_by_words, (shown, said)))


def _by_words(text: str) -> str:
    return "\n".join(sorted(text.split("\n"), key=lambda line: _NUMBER.sub("", line).split()))


def _are_alike_in_order(shown: str, said: str) -> bool:
    first, second = (_NUMBER.split(" ".join(text.split())) for text in (shown, said))
    return len(first) == len(second) and all(
        _are_near(a, b, before.endswith("ESS at least ")) if at % 2 else a.split() == b.split()
        for at, (before, a, b) in enumerate(zip(["", *first], first, second, strict=False))
    )


def _are_near(shown: str, said: str, is_sample_size: bool) -> bool:
    x, y = (float(text.replace(",", "")) for text in (shown, said))
    if is_sample_size:
        return abs(x - y) <= 0.2 * x
    return x == y or ("." in shown and "." in said and abs(x - y) <= 0.03 + 0.1 * abs(x))


@contextlib.contextmanager
def _listening() -> Iterator[io.StringIO]:
    with contextlib.redirect_stdout(io.StringIO()) as said, warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("always", ConvergenceWarning)
        warnings.showwarning = lambda message, category, *_: print(f"{category.__name__}: {message}")
        yield said


@contextlib.contextmanager
def _empty_folder() -> Iterator[None]:
    """Work in an empty folder, on a screen of 80 columns, with the data that ship alone."""
    changed = {name: value for name, value in os.environ.items() if name != "FFBM_DATA"} | {"COLUMNS": "80"}
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.chdir(folder),
        mock.patch.dict(os.environ, changed, clear=True),
    ):
        yield


def main() -> int:
    """Compare pages with what their code prints, or write it into them."""
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--write", action="store_true", help="put what the code prints into the pages")
    options.add_argument("pages", nargs="*", type=Path, default=[ROOT / page for page in PAGES])
    chosen = options.parse_args()
    n_changed = 0
    for page in chosen.pages:
        text = page.read_text(encoding="utf-8")
        try:
            found = replay(text, is_exact=chosen.write)
        except MissingDataError as reason:
            sys.stdout.write(f"{page.name}: {reason}\n")
            continue
        n_changed += found != text
        sys.stdout.write(f"{page.name}: {'as its code prints' if found == text else 'differs'}\n")
        if chosen.write:
            page.write_text(found, encoding="utf-8", newline="\n")
    return int(n_changed > 0 and not chosen.write)


if __name__ == "__main__":
    sys.exit(main())
