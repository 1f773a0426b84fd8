"""What sets each block apart, as a table with bars."""

from types import SimpleNamespace

from ffbm.report.block_features import apart_table, lay_out
from ffbm.types.relevance import SetApart


def value(column, feature, weight, is_number=False):
    return SetApart(column, feature, weight, "99.0%", is_number)


def subject(*blocks):
    return SimpleNamespace(apart=blocks, name_of_sure="sign sure by")


def test_blocks_are_rows_and_columns_are_columns():
    found = lay_out(
        subject((value("dorm", "dorm=A", 1.0), value("age", "age", -2.0, True)), (value("dorm", "dorm=B", -4.0),), ())
    )
    assert found.columns == ("dorm", "age")  # the one with the larger weights first
    assert [[[bar.value for bar in cell] for cell in row] for row in found.cells] == [
        [["A"], ["lower"]], [["B"], []], [[], []],
    ]  # fmt: skip
    bar = found.cells[1][0][0]
    assert (bar.length, bar.is_more, bar.weight) == (100, False, "−4.0")
    assert found.cells[0][0][0].length == 25
    assert found.left_out == ""


def test_many_columns_stand_in_one():
    flags = [value(f"flag {k}", f"flag {k}", 1.0) for k in range(8)]
    number = value("age", "age", 3.0, True)
    found = lay_out(subject((number, *flags[:4]), tuple(flags[4:])))
    assert found.columns == ("set apart by",)
    assert [[bar.value for bar in row[0]] for row in found.cells] == [
        ["higher age", "flag 0", "flag 1"], ["flag 4", "flag 5", "flag 6"],
    ]  # fmt: skip
    assert found.left_out == "Not shown: 3 weaker values; all are in blocks.csv of the run."


def test_one_value_that_is_left_out_is_one():
    flags = [value(f"flag {k}", f"flag {k}", 1.0) for k in range(8)]
    assert lay_out(subject(tuple(flags[:4]), tuple(flags[4:7]))).left_out.startswith("Not shown: 1 weaker value; all")


def test_blocks_beyond_the_table_are_counted():
    found = lay_out(subject(*([(value("a", "a", 1.0),)] * 43)))
    assert len(found.cells) == 40
    assert "3 smaller blocks" in found.left_out


def test_the_table_has_all_of_it():
    table = apart_table(subject((value("dorm", "dorm=A", 1.0),), (value("age", "age", -2.0, True),)))
    assert table.head[-1] == "sign sure by"
    assert [tuple(row) for row in table.rows] == [(0, "dorm", "dorm=A", 1.0, "99.0%"), (1, "age", "age", -2.0, "99.0%")]


def test_a_flag_s_way_is_told():
    assert [value("x", "x", weight).value for weight in (1.0, -1.0)] == ["more", "fewer"]
