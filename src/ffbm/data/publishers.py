"""The publishers' own files: bytes in, a table of edges and a table of vertices out.

The bytes come from the network. Nothing is unpacked to disk, no entity is expanded, an archive with
a member that points outside itself is refused whole, and sizes are bounded.
"""

import gzip
import io
import tarfile
from pathlib import PurePosixPath
from typing import NamedTuple

import pandas as pd

from ffbm.data.gexf import read_gexf
from ffbm.errors import DataError
from ffbm.types import Note

_MAX_BYTES = 256 * 2**20  # unpacked; the largest of the publishers' files has a few megabytes


class Tables(NamedTuple):
    """A network as text: edges (source, target), vertices (id first, then attributes), what was left out."""

    edges: pd.DataFrame
    nodes: pd.DataFrame
    notes: tuple[Note, ...] = ()


def parse_school(content: bytes) -> Tables:
    """Read SocioPatterns' gzipped GEXF: class and gender of each person, an edge for each pair that met."""
    raw = read_gexf(_unzip(content), "the file")
    assert raw.vertices is not None
    nodes = raw.vertices.table[["classname", "gender"]]
    edges = pd.DataFrame({"source": raw.ids[raw.source], "target": raw.ids[raw.target]})
    return Tables(edges, _sort_by_id(nodes.assign(id=raw.ids)[["id", "classname", "gender"]]))


def parse_facebook(content: bytes) -> Tables:
    """Read ego network 1912 out of SNAP's archive: the vertices that have an edge, with their 0/1 columns."""
    names = "1912.edges", "1912.feat", "1912.featnames"
    files = read_members(content, [f"facebook/{name}" for name in names])
    ends, feat = (
        pd.read_csv(io.StringIO(text), sep=r"\s+", header=None, dtype=str, keep_default_na=False) for text in files[:2]
    )
    titles = [line.split(" ", 1)[1] for line in files[2].splitlines()]
    feat.columns = pd.Index(["id", *titles])
    # Each edge stands once each way.
    ordered = ends.astype(int)
    smaller, larger = ordered.min(axis=1).astype(str), ordered.max(axis=1).astype(str)
    edges = pd.DataFrame({"source": smaller, "target": larger}).drop_duplicates(ignore_index=True)
    linked = feat["id"].isin(pd.concat([edges["source"], edges["target"]]))
    n_twice, n_alone = len(ends) - len(edges), int((~linked).sum())
    notes = (
        Note("reciprocal", f"{n_twice:,} edges stand once each way and were read once", n_twice),
        Note("unlinked", f"{n_alone} vertices with features and no edge were left out", n_alone),
    )
    return Tables(edges, _sort_by_id(feat[linked]), notes)


def _sort_by_id(nodes: pd.DataFrame) -> pd.DataFrame:
    return nodes.sort_values("id", key=lambda ids: ids.astype(int), ignore_index=True)


def _unzip(content: bytes) -> bytes:
    with gzip.GzipFile(fileobj=io.BytesIO(content)) as file:
        text = file.read(_MAX_BYTES + 1)
    if len(text) > _MAX_BYTES:
        raise DataError(f"the file unpacks to more than {_MAX_BYTES:,} bytes")
    return text


def read_members(content: bytes, names: list[str]) -> list[str]:
    """Read the named files of a tar.gz in memory; refuse it if any member is unsafe."""
    with tarfile.open(fileobj=io.BytesIO(_unzip(content)), mode="r:") as archive:
        members = {}
        for member in archive:
            path = PurePosixPath(member.name)
            plain = (member.isreg() or member.isdir()) and not member.issparse()
            if path.is_absolute() or ".." in path.parts or not plain or member.size > _MAX_BYTES:
                raise DataError(f"the archive has an unsafe member {member.name!r} (outside path, link or size)")
            members[str(path)] = member
        texts = []
        for name in names:
            file = archive.extractfile(members[name]) if name in members else None
            if file is None:
                raise DataError(f"the archive must have a file {name!r}; it has not")
            texts.append(file.read().decode())
    return texts
