"""Excel files; most tests need openpyxl."""

import datetime as dt
import io
import sys
import zipfile

import pytest

from ffbm.data import read_network
from ffbm.data.spreadsheet import is_spreadsheet, sheet_to_text
from ffbm.errors import DataError

EDGES = [["source", "target"], ["ann", "bob"], ["bob", 7], [7, "ann"]]
PEOPLE = [
    ["ID", "age", "joined", "ok", None],
    ["ann", 20.5, dt.date(2006, 8, 1), True],
    [],
    ["bob", 30, dt.datetime(2007, 8, 1, 12, 30), False],
    [7.0, 25.5, dt.date(2009, 1, 2)],
]


def book(*sheets):
    openpyxl = pytest.importorskip("openpyxl")
    made = openpyxl.Workbook()
    made.remove(made.active)
    for number, rows in enumerate(sheets):
        sheet = made.create_sheet(f"part {number}")
        for row in rows:
            sheet.append(row)
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def archive(**members):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as packed:
        for name, text in members.items():
            packed.writestr(name, text)
    return file.getvalue()


def test_sheets_are_read(tmp_path):
    (tmp_path / "edges.xlsx").write_bytes(book([], EDGES, [["other"]]))
    (tmp_path / "people.xlsx").write_bytes(book(PEOPLE))
    net = read_network(tmp_path / "edges.xlsx", nodes=tmp_path / "people.xlsx")
    assert net.node_ids.tolist() == ["ann", "bob", "7"]
    assert net.n_edges == 3
    assert net.features.column_names == ("age", "joined", "ok")
    told = [note.message for note in net.notes if note.code == "sheet"]
    assert told[0].endswith(
        "edges.xlsx: the sheet 'part 1' read, 1 other not: save a sheet as CSV, or call it edges or nodes, to read it"
    )
    assert told[1].endswith("people.xlsx: the sheet 'part 0' read")


def test_cells_as_text():
    text, _ = sheet_to_text(book(PEOPLE), "people.xlsx")
    assert (
        text.decode()
        == "ID,age,joined,ok\nann,20.5,2006-08-01,True\n\nbob,30,2007-08-01 12:30:00,False\n7,25.5,2009-01-02,\n"
    )


def test_a_sheet_without_openpyxl(monkeypatch):
    monkeypatch.setitem(sys.modules, "openpyxl", None)
    data = archive(**{"xl/workbook.xml": ""})
    assert is_spreadsheet(data)
    with pytest.raises(DataError, match=r"needs the package openpyxl: pip install 'ffbm\[excel\]' reads it"):
        sheet_to_text(data, "people.xlsx")


@pytest.mark.parametrize(
    ("data", "says"),
    [
        (lambda: archive(**{"xl/workbook.xml": "<!DOCTYPE x>"}), "has a DOCTYPE in 'xl/workbook.xml'"),
        (lambda: archive(**{"xl/workbook.xml": "none"}), "is a damaged spreadsheet"),
        (lambda: book(PEOPLE)[:900] + b"xl/workbook.xml", "is a damaged spreadsheet"),
        (lambda: book([]), "its sheets are empty"),
    ],
)
def test_refused(tmp_path, data, says):
    pytest.importorskip("openpyxl")
    path = tmp_path / "edges.xlsx"
    path.write_bytes(data())
    with pytest.raises(DataError, match=says) as caught:
        read_network(path)
    assert "\n" not in str(caught.value)


def test_an_archive_that_unpacks_to_too_much(monkeypatch):
    pytest.importorskip("openpyxl")
    monkeypatch.setattr("ffbm.data.spreadsheet._MOST_BYTES", 100)
    with pytest.raises(DataError, match="unpacks to more than a gigabyte"):
        sheet_to_text(book(PEOPLE), "people.xlsx")
