import zipfile
from pathlib import Path

import pytest

from ffbm.data.readers import read_network
from ffbm.errors import DataError

EDGES = "source,target\na,b\nb,c\n"
NODES = "id,team\na,red\nb,blue\nc,red\n"


def pack(path: Path, files: dict[str, str]) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return path


def test_a_folder_and_an_archive_are_read_as_their_files_are(tmp_path: Path):
    files = {"edges.csv": EDGES, "nodes.csv": NODES, "gprops.csv": "# name, value\n"}
    folder = tmp_path / "school"
    folder.mkdir()
    for name, text in files.items():
        (folder / name).write_text(text)
    archive = pack(tmp_path / "school.csv.zip", {f"school/{name}": text for name, text in files.items()})
    wanted = read_network(folder / "edges.csv", nodes=folder / "nodes.csv")
    for source in (folder, archive, str(archive)):
        net = read_network(source)
        assert net.node_ids.tolist() == wanted.node_ids.tolist()
        assert net.features.names == wanted.features.names
        assert net.name == "school"
    assert read_network(archive, nodes=folder / "nodes.csv", exclude="team").features.names == ()


def test_a_file_alone_in_an_archive_holds_the_edges(tmp_path: Path):
    assert read_network(pack(tmp_path / "a.zip", {"friends.txt": "a b\nb c\n", "README.md": "x"})).n_edges == 2


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"a.csv": EDGES, "b.csv": NODES}, "one file called edges.csv; it has 'a.csv', 'b.csv': name a file in it"),
        ({}, "it is empty: name a file in it"),
        ({"edges.csv": EDGES, "edges.txt": EDGES}, "it has 'edges.csv', 'edges.txt'"),
    ],
)
def test_what_cannot_be_told_is_refused(tmp_path: Path, files, message):
    with pytest.raises(DataError, match=message):
        read_network(pack(tmp_path / "a.zip", files))


def test_damaged_and_huge_archives_are_refused(tmp_path: Path, monkeypatch):
    path = pack(tmp_path / "a.zip", {"edges.csv": EDGES})
    monkeypatch.setattr("ffbm.data.bundle._MOST_BYTES", 10)
    with pytest.raises(DataError, match="more than a gigabyte: unpack it"):
        read_network(path)
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(DataError, match="damaged zip archive"):
        read_network(path)
