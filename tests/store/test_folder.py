"""The folder of a run: whole files, nothing overwritten, and a sentence when it cannot be read."""

import json
import os

import pytest

from ffbm.errors import DataError, OptionError
from ffbm.store.folder import SCHEMA, check_new_folder, is_run, read_provenance, write_file, write_run


def test_files_are_written_and_nothing_else(tmp_path):
    folder = write_run(tmp_path / "a" / "run", {"traces.nc": "x", "b.txt": lambda p: p.write_text("y")}, {"seed": 1})
    assert sorted(path.name for path in folder.iterdir()) == ["b.txt", "provenance.json", "traces.nc"]
    assert (folder / "b.txt").read_text() == "y"
    assert is_run(folder)
    assert read_provenance(folder) == {"schema": SCHEMA, "seed": 1}


def test_a_write_that_fails_leaves_the_file_as_it_was(tmp_path):
    def fails(path):
        path.write_text("half")
        raise RuntimeError("the disk is full")

    (tmp_path / "a.txt").write_text("before")
    with pytest.raises(RuntimeError):
        write_file(tmp_path / "a.txt", fails)
    assert (tmp_path / "a.txt").read_text() == "before"
    assert len(list(tmp_path.iterdir())) == 1


def test_a_run_that_was_cut_short_is_none(tmp_path):
    def fails(path):
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_run(tmp_path / "run", {"traces.nc": "x", "later.txt": fails}, {})
    assert not is_run(tmp_path / "run")
    with pytest.raises(DataError, match=r"lacks provenance.json or traces.nc: it is no whole run"):
        read_provenance(tmp_path / "run")


def test_a_folder_in_use_is_refused(tmp_path):
    (tmp_path / "nodes.csv").write_text("mine")
    with pytest.raises(OptionError, match=r"new or an empty folder; .* holds 'nodes.csv': choose another"):
        check_new_folder(tmp_path)
    with pytest.raises(OptionError, match="is a file"):
        check_new_folder(tmp_path / "nodes.csv")
    write_run(tmp_path / "run", {"traces.nc": ""}, {})
    with pytest.raises(OptionError, match="holds a run already"):
        check_new_folder(tmp_path / "run")


@pytest.mark.skipif(os.name != "posix" or os.geteuid() == 0, reason="needs a user who cannot write everywhere")
def test_a_folder_that_cannot_be_written_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OptionError, match="that can be written"):
        check_new_folder(tmp_path / "run")


def test_a_newer_schema_is_refused(tmp_path):
    write_run(tmp_path / "run", {"traces.nc": ""}, {"schema": SCHEMA + 1, "ffbm": "9.9"})
    with pytest.raises(DataError, match=rf"ffbm 9.9 in schema {SCHEMA + 1}, .* up to schema {SCHEMA}: update ffbm"):
        read_provenance(tmp_path / "run")


@pytest.mark.parametrize("told", ["", "[]", "{}", '{"schema": "new"}'])
def test_damaged_provenance_is_told(tmp_path, told):
    folder = write_run(tmp_path / "run", {"traces.nc": ""}, {})
    (folder / "provenance.json").write_text(told)
    with pytest.raises(DataError, match="it is damaged"):
        read_provenance(folder)


def test_what_is_no_run_is_told(tmp_path):
    (tmp_path / "file").write_text("")
    for given, said in (
        (tmp_path / "nowhere", "there is no"),
        (tmp_path / "file", "is a file"),
        (tmp_path, "no whole"),
    ):
        with pytest.raises(DataError, match=said):
            read_provenance(given)
    with pytest.raises(DataError, match=r"'polbooks' is a data set: use load_dataset\('polbooks'\)"):
        read_provenance("polbooks", ("polbooks",))


def test_provenance_is_strict_json(tmp_path):
    folder = write_run(tmp_path / "run", {"traces.nc": ""}, {"seed": 2**128 - 1})
    assert json.loads((folder / "provenance.json").read_text())["seed"] == 2**128 - 1
