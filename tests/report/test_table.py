"""Tables of a page."""

from ffbm.report import table as module
from ffbm.report.table import Table


def test_each_cell_is_written_once(monkeypatch):
    written = []
    original = module.write_cell
    monkeypatch.setattr(module, "write_cell", lambda value, digits: written.append(value) or original(value, digits))
    table = Table("Scores", ("feature", "score", "n"), [("a", 0.5, 1), ("b", 0.25, 2)])
    assert table.numeric == [False, True, True]
    assert [cell.text for cell in table.cells[1]] == ["b", "0.25", "2"]
    assert written == ["a", 0.5, 1, "b", 0.25, 2]
