"""Columns of dates: which texts are dates, and what they become."""

import datetime as dt

import numpy as np
import pandas as pd
import pytest

from ffbm.data.columns import parse_column
from ffbm.data.dates import read_dates
from ffbm.data.encode import encode_features
from ffbm.data.encode_like import encode_like
from ffbm.errors import DataError


@pytest.mark.parametrize(
    "texts",
    [
        ["2006-08-01", "2007-01-31"],
        ["2006-8-1", "2007-1-31"],
        ["2006/08/01", "2007/01/31"],
        ["2006.08.01", "2007.01.31"],
        ["2006-08-01 00:00:00", "2007-01-31T00:00:00.000Z"],
        ["2006-08-01 12:00 AM", "2007-01-31 0:00"],
        ["01.08.2006", "31.1.2007"],
        ["1/8/2006", "31/1/2007"],
        ["1-8-2006", "31-1-2007"],
        ["8/1/2006", "1/31/2007"],
        ["8/1/06", "1/31/07"],
        ["August 1, 2006", "January 31, 2007"],
        ["Aug. 1st 2006", "Jan 31 2007"],
        ["Tuesday, August 1, 2006", "Wed January 31, 2007"],
        ["1 August 2006", "31. jan 2007"],
        ["1-Aug-2006", "31-JAN-2007"],
    ],
)
def test_forms(texts):
    years = read_dates(texts).years
    np.testing.assert_allclose(years, [2006 + 212 / 365, 2007 + 30 / 365], rtol=1e-12)


@pytest.mark.parametrize(
    ("texts", "years"),
    [
        (["2006-08", "2007-01"], [2006 + 212 / 365, 2007]),
        (["Aug 2006", "January 2007"], [2006 + 212 / 365, 2007]),
        (["2004-12-31 12:00", "2004-12-31 6:00 pm"], [2004 + 365.5 / 366, 2004 + 365.75 / 366]),
        (["1/2/70", "1/2/68"], [1970 + 31 / 365, 2068 + 31 / 366]),
    ],
)
def test_months_times_and_short_years(texts, years):
    np.testing.assert_allclose(read_dates(texts).years, years, rtol=1e-12)


@pytest.mark.parametrize(
    "texts",
    [
        ["soon"],
        ["2006-08-01", "soon"],
        ["2006-13-01"],
        ["2006-00-10"],
        ["0000-01-01"],
        ["2006-08-32"],
        ["2006-08-01", "1.8.2006"],
        ["1.2.30"],
        ["13/13/2006"],
        ["2006-08/01"],
        ["Foo 1, 2006"],
        ["2006-08-01 25:00"],
        ["2004-2005"],
        ["10-12"],
        ["192.168.0.1"],
        ["٢٠٠٦-٠٨-٠١"],
        [],
    ],
)
def test_no_dates(texts):
    assert read_dates(texts) is None


def test_what_was_decided_is_told():
    assert read_dates(["1/2/2006", "3/4/2006"]).range.endswith("the day first (it might be the month)")
    assert read_dates(["1/2/2006", "13/4/2006"]).range.endswith("the day first")
    assert read_dates(["1/2/2006", "3/14/2006"]).range.endswith("the month first")
    late = read_dates(["November 31, 2005", "February 29, 2007", "May 31, 2005"])
    assert late.range.endswith("'November 31, 2005', 'February 29, 2007' taken for the last day of the month")
    assert [moment.day for moment in late.moments] == [30, 28, 31]


@pytest.mark.parametrize(
    "cells",
    [
        ["2004-01-02", "", "2003-07-02", "NA"],
        [dt.date(2004, 1, 2), None, dt.date(2003, 7, 2), None],
        pd.to_datetime(["2004-01-02", None, "2003-07-02", None]),
        pd.to_datetime(["2004-01-02", None, "2003-07-02", None]).tz_localize("UTC"),
    ],
)
def test_a_column_of_dates_is_a_number(cells):
    column, remarks = parse_column("c", pd.Series(cells))
    assert column.kind == "number"
    np.testing.assert_allclose(column.numbers, [2004 + 1 / 366, np.nan, 2003 + 182 / 365, np.nan])
    assert column.missing.tolist() == [False, True, False, True]
    assert [remark.code for remark in remarks] == ["dates"]
    assert column.other is None


def test_durations_are_days():
    column, _ = parse_column("c", pd.Series(pd.to_timedelta(["1 days", "36 hours", None])))
    np.testing.assert_array_equal(column.numbers, [1, 1.5, np.nan])


@pytest.mark.parametrize(
    ("days", "values"),
    [
        (["2004-01-02", "2004-01-09", "2004-01-16"], ("2004-01-02", "2004-01-09", "2004-01-16")),
        ([f"2004-{m:02}-{d:02}" for m in (1, 2, 3) for d in range(1, 25)], ("2004-01", "2004-02", "2004-03")),
        ([f"{y}-{m:02}-01" for y in (2004, 2005, 2006, 2007, 2008, 2009) for m in range(1, 13)], None),
    ],
)
def test_few_days_months_or_years_may_be_values(days, values):
    column, remarks = parse_column("c", pd.Series(days * 5))
    if values is None:
        values = tuple(map(str, range(2004, 2010)))
    assert column.kind == "number"
    assert column.other.values == values
    assert [remark.code for remark in remarks] == ["dates", "looks-coded"]


def test_dates_can_be_values_if_asked():
    features, _ = encode_features(pd.DataFrame({"day": ["2004-01-02", "2004-01-03"] * 3}), categorical="day")
    assert features.names == ("day=2004-01-02", "day=2004-01-03")


def test_new_vertices_have_their_dates_read_as_the_old_ones():
    table = pd.DataFrame({"day": [f"{y}-{m:02}-01" for y in (2004, 2005, 2006) for m in range(1, 13)] * 2})
    earlier, _ = encode_features(table)
    later, _ = encode_like(earlier, pd.DataFrame({"day": ["2005-07-02"]}))
    assert later.values[0, 0] * earlier.sd[0] + earlier.mean[0] == pytest.approx(2005 + 182 / 365)
    later, notes = encode_like(earlier.other["day"], pd.DataFrame({"day": ["July 2, 2005", "2009-01-01"]}))
    assert later.values.toarray().tolist() == [[0, 1, 0], [0, 0, 0]]
    assert [note.code for note in notes] == ["unknown-value"]


def test_a_few_words_among_dates_are_named():
    cells = [f"2006-08-{day:02d}" for day in range(1, 21)] + ["someday", "-"]
    _, notes = encode_features(pd.DataFrame({"joined": cells}))
    assert notes[0].code == "mixed"
    assert "has dates in 20 of 21 cells, and 'someday': read as text" in notes[0].message
    assert notes[0].message.endswith("the text to read dates, as in joined=someday")
    with pytest.raises(DataError, match="must hold numbers or dates; it holds 'someday': repair them"):
        encode_features(pd.DataFrame({"joined": cells}), numeric="joined")
    features, _ = encode_features(pd.DataFrame({"joined": cells}), drop={"joined": "someday"})
    assert features.names == ("joined",)
    assert features.missing.nnz == 2


def test_dates_mixed_with_text_are_text():
    column, _ = parse_column("c", pd.Series(["2004-01-02", "soon", "soon"]))
    assert column.kind == "values"
    with pytest.raises(
        DataError, match="numeric= names 'c', which must hold numbers or dates; it holds '2004-01-02', 'soon'"
    ):
        encode_features(pd.DataFrame({"c": ["2004-01-02", "soon", "soon"]}), numeric="c")


def test_the_range_of_days_has_no_midnights():
    assert read_dates(["2006-08-01 00:00:00", "2007-01-31 00:00:00"]).range == "'2006-08-01' to '2007-01-31'"
