"""Which graph format a file is, by what it holds rather than what it is called."""

import io
import re

import scipy.io
import scipy.sparse

from ffbm.data.gexf import read_gexf
from ffbm.data.gml import is_gml, read_gml
from ffbm.data.graphml import read_graphml
from ffbm.data.markup import root_element
from ffbm.data.neighbours import SUFFIXES as NEIGHBOUR_SUFFIXES
from ffbm.data.neighbours import read_neighbours
from ffbm.data.nodelink import is_json, read_nodelink
from ffbm.data.objects import read_matrix
from ffbm.data.pajek import is_pajek, read_pajek
from ffbm.data.raw import RawGraph
from ffbm.data.ucinet import is_ucinet, read_ucinet
from ffbm.errors import DataError

_XML_SUFFIXES = frozenset({".graphml", ".gexf", ".xml"})
_XML_START = re.compile(rb"(?:\xef\xbb\xbf)?\s*(?:<\?xml\b|<!|<(?:\w+:)?(?:graphml|gexf)\b)", re.IGNORECASE)
_UTF16_XML = (b"\xff\xfe<\x00", b"\xfe\xff\x00<")
_HEAD = 1 << 16
_MOST_VERTICES = 10**8


def read_graph_file(
    data: bytes, where: str, suffix: str, multiplicity: str | None = None, edge_weight: str | None = None
) -> RawGraph | None:
    """Read a graph file; return None if the content is of none of the formats and the suffix agrees."""
    if suffix in _XML_SUFFIXES or _XML_START.match(data[:_HEAD]) or data.startswith(_UTF16_XML):
        if not data.strip():
            raise DataError(f"{where} must hold a graph; it is empty: check that the right file was written")
        _refuse_other_text(data, where)
        root = root_element(data, where)
        if root == "graphml":
            return read_graphml(data, where, multiplicity, edge_weight)
        if root == "gexf":
            return read_gexf(data, where, multiplicity, edge_weight)
        raise DataError(f"{where}: XML must be GraphML or GEXF; its outermost element is <{root[:40]}>: save it as one")
    if data.startswith(b"%%MatrixMarket"):
        return _read_matrix_market(data, where, multiplicity, edge_weight)
    head = data[:_HEAD].decode(errors="replace")
    if suffix == ".gml" or is_gml(head):
        return read_gml(data, where, multiplicity, edge_weight)
    if is_pajek(head):
        return read_pajek(data, where, multiplicity, edge_weight)
    if is_ucinet(head):
        return read_ucinet(data, where, multiplicity, edge_weight)
    if is_json(data):
        return read_nodelink(data, where, multiplicity, edge_weight)
    if suffix in NEIGHBOUR_SUFFIXES and data.strip():
        return read_neighbours(data, where, suffix, multiplicity, edge_weight)
    return None


def _read_matrix_market(data: bytes, where: str, multiplicity: str | None, edge_weight: str | None) -> RawGraph:
    """Read a sparse matrix as an adjacency matrix, its vertices numbered from 1 as in the file."""
    try:
        matrix = scipy.io.mmread(io.BytesIO(data))
    except (ValueError, OverflowError, TypeError) as error:
        raise DataError(f"{where} is a damaged MatrixMarket file ({error}): fetch or write it again") from None
    if max(matrix.shape) >= _MOST_VERTICES:
        raise DataError(
            f"{where} must have fewer than 100 million vertices; it declares {max(matrix.shape):,}: repair it"
        )
    matrix = scipy.sparse.csr_array(matrix)
    ids = [str(number) for number in range(1, matrix.shape[0] + 1)]
    return read_matrix(matrix, ids if matrix.shape[0] == matrix.shape[1] else None, multiplicity, where, edge_weight)


def _refuse_other_text(data: bytes, where: str) -> None:
    """Refuse a file that is only named like XML."""
    begin = data[:_HEAD].decode(errors="replace").lstrip("\ufeff").lstrip()
    if begin.startswith("<") or not (begin[:1].isalnum() or begin[:1] in "#\"'"):
        return  # XML, perhaps broken, or in another encoding
    kind, suffix = ("GML", ".gml") if is_gml(begin) else ("a table", ".csv")
    raise DataError(f"{where} must be XML, as its name says; it looks like {kind}: rename it to {suffix}")
