"""A run as a folder: every file is written under a temporary name and renamed, the proof of wholeness last."""

import contextlib
import json
import os
import re
import secrets
import shlex
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ffbm.errors import DataError, OptionError, either, keyword

SCHEMA = 1  # raised when a run written by this version cannot be read by the one before
PROVENANCE = "provenance.json"  # written last: a folder without it is no whole run
TRACES = "traces.nc"
CHAINS = "chains"  # the folder of a run that its stages write in as they go
CHAINS_SCHEMA = 2  # of what is in it: chains of another schema cannot go on
RECORD = "run.json"  # in it: what was asked for

_DRAFT = re.compile(r"\..+-[0-9a-f]{8}(\.[a-z0-9]+)?")  # what draft_of makes
_TAKES = either("load_fit takes", "RUN must be")

Writer = Callable[[Path], None]


def check_new_folder(path: str | os.PathLike[str], option: str = keyword("out")) -> Path:
    """Make the folder that a run will be saved in, and return it; it must be new or empty, and writable.

    >>> check_new_folder(tempfile.mkdtemp()).is_dir()
    True
    """
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        entry = next(folder.iterdir(), None)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except FileExistsError as error:
        raise OptionError(f"{option} must be a new or an empty folder; {folder} is a file") from error
    except OSError as error:
        raise OptionError(f"{option} must be a folder that can be written; {folder}: {error.strerror}") from error
    if entry is not None:
        if is_unfinished(folder):
            raise OptionError(f"{option} must be a new or an empty folder; {how_to_resume(folder)}, or choose another")
        holds = "a run already" if is_run(folder) else f"{entry.name!r}"
        raise OptionError(f"{option} must be a new or an empty folder; {folder} holds {holds}: choose another")
    return folder


@contextlib.contextmanager
def reserved(path: str | None) -> Iterator[None]:
    """Make a folder before the work that fills it begins; if the work fails, take it away again."""
    if path is None:
        yield
        return
    is_new = not Path(path).exists()
    folder = check_new_folder(path)
    try:
        yield
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):  # not empty: part of the work is there
                folder.rmdir()
        raise


def is_unfinished(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder holds a run that was begun and has not ended."""
    return (Path(path) / CHAINS / RECORD).is_file() and not is_run(path)


def how_to_resume(folder: Path) -> str:
    """Say that a run has not ended, and what ends it."""
    record: dict[str, Any] = {}
    with contextlib.suppress(OSError, ValueError, TypeError):
        record = dict(json.loads((folder / CHAINS / RECORD).read_text(encoding="utf-8")))
    if record.get("schema", CHAINS_SCHEMA) < CHAINS_SCHEMA:
        return how_to_begin_again(folder, record)
    command = str(record.get("command", ""))
    if not command:
        how = _in_python(os.fspath(folder), ", resume=True", " --resume")
    else:
        how = _in_its_folder(record, command if command.endswith(" --resume") else f"{command} --resume")
    return f"{folder} holds a run that has not ended: go on with {how}"


def how_to_begin_again(folder: Path, record: Mapping[str, Any]) -> str:
    """Say that the chains of an earlier version cannot go on, and what begins the run again."""
    words = shlex.split(str(record.get("command", "")))
    if not words:
        how = _in_python(f"{folder}-again")
    else:
        at = words.index("--out") + 1 if "--out" in words[:-1] else None
        out = (str(folder) if at is None else words[at]).rstrip("/") + "-again"
        words = [*words, "--out", out] if at is None else [*words[:at], out, *words[at + 1 :]]
        how = _in_its_folder(record, shlex.join(word for word in words if word != "--resume"))
    ended = "; it can be loaded, but not lengthened" if is_run(folder) else ""
    return (
        f"{folder} was begun by ffbm {record.get('ffbm', 'of an earlier version')}, whose chains this version cannot go"
        f" on with{ended}: start it again with {how}"
    )


def _in_python(out: str, resume: str = "", typed: str = "") -> str:
    return either(f"fit(..., out={out!r}{resume})", f"ffbm fit SOURCE --out {shlex.quote(out)}{typed}")


def _in_its_folder(record: Mapping[str, Any], command: str) -> str:
    """Return a command as it is typed from here, if names of files in it are relative to where it was typed."""
    where = str(record.get("where", ""))
    if where and not (os.path.isdir(where) and os.path.samefile(where, os.curdir)):  # noqa: PTH112, PTH121
        return f"cd {shlex.quote(where)} && {command}"
    return command


def how_to_repeat(path: str | os.PathLike[str]) -> str:
    """Say what to do if a file of a run that has ended is damaged: copy it again, or make the run again."""
    folder = Path(path)
    with contextlib.suppress(OSError, ValueError):
        if "[reading]" in (folder / "config.toml").read_text(encoding="utf-8"):
            command = shlex.join(["ffbm", "fit", "--config", str(folder / "config.toml"), "--out", f"{folder}-again"])
            return f"copy it again, or make the run again with {command}"
    return "copy it again, or make the run again"


def is_run(path: str | os.PathLike[str]) -> bool:
    """Return whether a folder holds a whole run."""
    return (Path(path) / PROVENANCE).is_file() and (Path(path) / TRACES).is_file()


def write_run(path: str | os.PathLike[str], files: Mapping[str, Writer | str], provenance: Mapping[str, Any]) -> Path:
    """Write the files of a run into its folder, each by its writer or as text, and provenance last.

    The folder is new or empty, or one in which the chains of this run were written down.
    """
    folder = Path(path) if is_unfinished(path) else check_new_folder(path, "the folder of a run")
    text = json.dumps({"schema": SCHEMA, **provenance}, indent=2) + "\n"
    for name, content in {**files, PROVENANCE: text}.items():
        write_file(folder / name, content)
    return folder


def write_file(path: Path, content: Writer | str | bytes) -> None:
    """Write a file under a temporary name and rename it, so that a file of its own name is always whole."""
    draft = draft_of(path)
    try:
        if isinstance(content, str):
            draft.write_text(content, encoding="utf-8", newline="\n")
        elif isinstance(content, bytes):
            with draft.open("wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
        else:
            content(draft)
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def draft_of(path: Path) -> Path:
    """Return a name beside a path, for what will be renamed to it once it is whole."""
    return path.with_name(f".{path.stem}-{secrets.token_hex(4)}{path.suffix}")


def forget_drafts(folder: Path) -> None:
    """Remove what a process that was killed left half written in a folder and below."""
    for path in [path for path in folder.rglob(".*") if _DRAFT.fullmatch(path.name)]:
        if path.is_dir():
            shutil.rmtree(path, ignore_errors=True)
        else:
            path.unlink(missing_ok=True)


def read_provenance(path: str | os.PathLike[str], datasets: tuple[str, ...] = ()) -> dict[str, Any]:
    """Return the provenance of a run, or say why the path is no run that can be read.

    ``datasets`` are names that a user may have meant for a data set.
    """
    folder = Path(path)
    if is_unfinished(folder):
        raise DataError(f"{_TAKES} the folder of a run that has ended; {how_to_resume(folder)}")
    if not is_run(folder):
        raise DataError(_no_run(folder, os.fspath(path), datasets))
    try:
        record = json.loads((folder / PROVENANCE).read_text(encoding="utf-8"))
        schema = int(record["schema"])
    except (ValueError, KeyError, TypeError) as error:
        raise DataError(
            f"{folder / PROVENANCE} must be the JSON that a saved run holds; it is damaged: {how_to_repeat(folder)}"
        ) from error
    if schema > SCHEMA:
        raise DataError(
            f"{folder} was written by ffbm {record.get('ffbm', 'of another version')} in schema {schema}, and this ffbm"
            f" reads up to schema {SCHEMA}: update ffbm"
        )
    return dict(record)


def _no_run(folder: Path, path: str, datasets: tuple[str, ...]) -> str:
    if path in datasets:
        return (
            f"{_TAKES} the folder of a saved run; {path!r} is a data set:"
            f" {either(f'use load_dataset({path!r})', f'first ffbm fit {path} --out run')}"
        )
    if not folder.exists():
        return f"{_TAKES} the folder of a saved run; there is no {path!r}"
    if not folder.is_dir():
        other = either(", or read_network for data")
        return f"{_TAKES} the folder of a saved run; {path!r} is a file: give its folder{other}"
    return f"{_TAKES} the folder of a saved run; {path!r} lacks {PROVENANCE} or {TRACES}: it is no whole run"
