"""Lists of neighbours: networkx's adjacency lists (a vertex, then those it is linked to) and LGL's.

They are known by their suffix alone: a row of neighbours looks like a row of a table.
"""

from collections.abc import Iterator

from ffbm.data.collector import Collector
from ffbm.data.files import check_text
from ffbm.data.raw import RawGraph
from ffbm.errors import DataError

SUFFIXES = frozenset({".adjlist", ".lgl"})


def read_neighbours(
    data: bytes, where: str, suffix: str, multiplicity: str | None = None, edge_weight: str | None = None
) -> RawGraph:
    r"""Read an adjacency list or an LGL file.

    >>> raw = read_neighbours(b"# G\nann bob cem\nbob cem\ncem\n", "g.adjlist", ".adjlist")
    >>> raw.ids.tolist(), len(raw.source)
    (['ann', 'bob', 'cem'], 3)
    >>> read_neighbours(b"# ann\nbob 2.5\ncem 1\n# bob\ncem 3\n", "g.lgl", ".lgl", edge_weight="weight").ids.tolist()
    ['ann', 'bob', 'cem']
    """
    collector = Collector(where, multiplicity, edge_weight)
    lines = check_text(data, where).decode().splitlines()
    for source, targets in _lgl(lines, where) if suffix == ".lgl" else _adjacency(lines):
        collector.meet_node(source)
        for target, weight in targets:
            collector.meet_node(target)
            collector.add_edge(source, target)
            if weight is not None:
                collector.set_edge("weight", weight)
    return collector.finish()


def _adjacency(lines: list[str]) -> Iterator[tuple[str, list[tuple[str, None]]]]:
    for line in lines:
        words = line.partition("#")[0].split()
        if words:
            yield words[0], [(word, None) for word in words[1:]]


def _lgl(lines: list[str], where: str) -> Iterator[tuple[str, list[tuple[str, str | None]]]]:
    source: str | None = None
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if line.startswith("#"):
            source = line[1:].strip()
            if not source:
                raise DataError(f"{where}: a vertex must have a name; line {number} has none: repair it")
            yield source, []
        elif words:
            if source is None:
                raise DataError(f"{where}: an LGL file must begin with '# name'; line {number} does not: repair it")
            yield source, [(words[0], words[1] if len(words) > 1 else None)]
