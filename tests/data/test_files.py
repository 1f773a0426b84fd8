import gzip

import pytest

from ffbm.data.files import check_text, read_bytes, shown
from ffbm.errors import DataError


@pytest.mark.parametrize("name", ["edges.csv", "edges.csv.gz", "edges"])
def test_gzip_is_known_by_its_bytes_not_by_its_name(tmp_path, name):
    (tmp_path / name).write_bytes(gzip.compress(b"a,") + gzip.compress(b"b\n"))
    assert read_bytes(tmp_path / name) == b"a,b\n"


def test_plain_text_called_gz(tmp_path):
    (tmp_path / "edges.csv.gz").write_bytes(b"a,b\n")
    assert read_bytes(str(tmp_path / "edges.csv.gz")) == b"a,b\n"


def test_byte_order_mark_is_taken_off():
    assert check_text("\ufeffé".encode(), "x") == "é".encode()


@pytest.mark.parametrize("path", ["", "no\nsuch", "a\0b", "x" * 5000])
def test_odd_paths_are_refused_on_one_line(path):
    with pytest.raises(DataError) as caught:
        read_bytes(path)
    assert "\n" not in str(caught.value)


def test_paths_are_shown_as_written():
    assert shown("data/edges.csv") == "data/edges.csv"
    assert shown("a\nb") == "'a\\nb'"
