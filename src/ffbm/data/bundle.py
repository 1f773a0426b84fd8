"""A folder or a zip archive that holds a list of edges and a table of vertices, as Netzschleuder gives them out."""

import os
import zipfile
from collections.abc import Sequence
from pathlib import Path, PurePath

from ffbm.data.files import shown
from ffbm.data.remarks import shorten
from ffbm.data.spreadsheet import DAMAGED_ZIP
from ffbm.errors import DataError

EDGES = frozenset({"edge", "edges", "edgelist", "links", "network", "graph"})  # what files of edges are called
NODES = frozenset({"node", "nodes", "vertices", "attributes"})
_ASIDE = frozenset({"gprops", "readme", "meta", "licence", "license"})  # what lies beside them
_MOST_BYTES = 1 << 30  # unpacked


class Member(os.PathLike[str]):
    """A file inside a zip archive, unpacked: a path that messages can show, with its bytes."""

    def __init__(self, archive: str | os.PathLike[str], name: str, data: bytes) -> None:
        self.path, self.data = f"{os.fspath(archive)}/{name}", data

    def __fspath__(self) -> str:
        return self.path


def find_parts(path: str | os.PathLike[str]) -> tuple[str | os.PathLike[str], str | os.PathLike[str] | None]:
    """Return the edges and, if there is one, the table of vertices that a folder or an archive holds.

    Any other path comes back as it is, without a table.

    >>> import tempfile, pathlib
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> for name in ("edges.csv", "nodes.csv", "gprops.csv"):
    ...     (folder / name).touch()
    >>> [PurePath(part).name for part in find_parts(folder)]
    ['edges.csv', 'nodes.csv']
    """
    if isinstance(path, str | os.PathLike) and Path(path).is_dir():
        return _in_folder(Path(path))
    if isinstance(path, str | os.PathLike) and Path(path).is_file() and Path(path).suffix.lower() == ".zip":
        return _in_archive(Path(path), shown(path))
    return path, None


def _in_folder(folder: Path) -> tuple[Path, Path | None]:
    names = sorted(entry.name for entry in folder.iterdir() if entry.is_file() and not entry.name.startswith("."))
    edges, nodes = _choose(names, f"{shown(folder)} is a folder, not a file")
    return folder / edges, None if nodes is None else folder / nodes


def _in_archive(path: Path, where: str) -> tuple[Member, Member | None]:
    try:
        with zipfile.ZipFile(path) as archive:
            sizes = {member.filename: member.file_size for member in archive.infolist() if not member.is_dir()}
            names = [name for name in sizes if not name.startswith("__MACOSX")]
            edges, nodes = _choose(names, f"{where} is a zip archive")
            if sizes[edges] + sizes.get(nodes or "", 0) > _MOST_BYTES:
                raise DataError(f"{where} unpacks to more than a gigabyte: unpack it, and name the file of edges")
            table = None if nodes is None else Member(where, nodes, archive.read(nodes))
            return Member(where, edges, archive.read(edges)), table
    except DAMAGED_ZIP as error:
        raise DataError(f"{where} is a damaged zip archive ({error}): fetch or pack it again") from None


def _choose(names: Sequence[str], requirement: str) -> tuple[str, str | None]:
    """Return the file of edges and that of vertices, by what they are called; a file alone is that of edges."""
    stems = {name: PurePath(name).name.split(".")[0].casefold() for name in names}
    tables = [name for name in names if stems[name] not in _ASIDE]
    edges = [name for name in tables if stems[name] in EDGES]
    edges = edges or [name for name in names if stems[name] == "out"]  # as KONECT calls it
    nodes = [name for name in tables if stems[name] in NODES]
    edges = tables if len(tables) == 1 else edges
    if len(edges) != 1:
        has = f"it has {shorten(names, 5)}" if names else "it is empty"
        raise DataError(f"{requirement}, and must hold one file called edges.csv; {has}: name a file in it")
    return edges[0], nodes[0] if len(nodes) == 1 else None
