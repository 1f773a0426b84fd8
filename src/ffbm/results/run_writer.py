"""A fit as a run on disk."""

import logging
import os
import re
from collections.abc import Callable, Sequence
from math import inf
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ffbm.data.decode import decode_features
from ffbm.pipeline.clock import Schedule
from ffbm.progress import Listener, Progress
from ffbm.results.graphs import to_networkx
from ffbm.results.imputed import imputed_table
from ffbm.results.record import fit_record, strict_json
from ffbm.results.report import REPORT, report_text
from ffbm.results.sentences import columns_if_open
from ffbm.results.settings_file import reading_to_toml
from ffbm.results.summary import summary_text
from ffbm.results.tables import table_of_blocks, table_of_nodes
from ffbm.store.folder import TRACES, Writer, write_run
from ffbm.store.parts import FitParts
from ffbm.types import Memberships, Network

if TYPE_CHECKING:
    import pandas as pd

_ROWS = 1 << 16  # of nodes.csv written at a time
_MOST_EDGES = 2_000_000  # of network.graphml
_ILLEGAL = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")  # in XML 1.0


def save_fit(
    fit: FitParts,
    path: str | os.PathLike[str],
    tell: Listener = lambda _: None,
    schedule: Schedule | None = None,
) -> None:
    """Write all files of a run: see docs/runs.md. ``tell`` hears how far it is.

    With a schedule the report's replicates have what is left of the time of a fit.
    """
    from ffbm.store.tree import to_tree, write_tree

    tell(Progress("comparison of chains", 0, 1))
    columns_if_open(fit)  # kept for the files that say it
    tell(Progress("comparison of chains", 1, 1))
    tree = to_tree(fit)
    texts: dict[str, Callable[[], str]] = {
        "config.toml": lambda: fit.config.to_toml() + reading_to_toml(fit.network.reading, path),
        "summary.txt": lambda: summary_text(fit, verbose=True) + "\n",
        "summary.json": lambda: strict_json(fit_record(fit)),
        "blocks.csv": lambda: to_csv(table_of_blocks(fit)),
        "columns.csv": lambda: to_csv(fit.column_table),
        "ranking.csv": lambda: to_csv(fit.ranking.table),
        REPORT: lambda: report_text(fit, tell=tell, end=inf if schedule is None else schedule.end_of("check")),
    }
    if fit.config.impute:
        texts["imputed.csv"] = lambda: to_csv(imputed_table(fit))
    files: dict[str, Writer | str] = {
        TRACES: lambda draft: write_tree(tree, draft),
        "nodes.csv": lambda draft: write_nodes(fit, draft),
        **graphml_of(fit.network, fit.memberships),
    }
    for done, (name, text) in enumerate(texts.items()):
        tell(Progress("report and files", done, len(texts) + 1, name))
        files[name] = text()
    tell(Progress("report and files", len(texts), len(texts) + 1, "writing"))
    write_run(path, files, fit.provenance)
    tell(Progress("report and files", len(texts) + 1, len(texts) + 1))


def to_csv(table: "pd.DataFrame") -> str:
    """Write a table with commas, without numbers of rows."""
    return str(table.to_csv(index=False, lineterminator="\n"))


def write_nodes(fit: FitParts, draft: Path) -> None:
    """Write ``nodes.csv`` some rows at a time: its text is longer than the memberships, the largest thing in memory."""
    with draft.open("w", encoding="utf-8", newline="") as file:
        for first in range(0, max(fit.network.n_nodes, 1), _ROWS):
            table = table_of_nodes(fit, slice(first, first + _ROWS))
            table.to_csv(file, index=False, header=not first, lineterminator="\n")


def graphml_of(net: Network, members: Memberships, names: Sequence[str] | None = None) -> dict[str, Writer | str]:
    """Return what writes ``network.graphml``; nothing if the network is so large that no program draws it.

    An edge takes about a kilobyte of memory on the way.
    """
    if net.n_edges > _MOST_EDGES:
        logging.getLogger("ffbm").info(
            "network.graphml is left out: there are more than %s edges; fit.to_networkx() makes the graph",
            f"{_MOST_EDGES:,}",
        )
        return {}
    return {"network.graphml": lambda draft: write_graphml(net, members, draft, names)}


def write_graphml(net: Network, members: Memberships, draft: Path, names: Sequence[str] | None = None) -> None:
    """Write the graph with blocks, memberships and the user's attributes; a flag is written where it is set.

    Blocks have their numbers, or the names given.
    """
    import networkx as nx

    graph = to_networkx(net, members, features=False, names=None if names is None else [_legal(name) for name in names])
    _add_attributes(graph, decode_features(net.features))
    graph.graph["name"] = _legal(net.name)
    odd = {name: _legal(name) for name in graph if _ILLEGAL.search(name)}
    nx.write_graphml_xml(nx.relabel_nodes(graph, odd) if odd else graph, draft)


def _add_attributes(graph: Any, table: "pd.DataFrame") -> None:
    """Give vertices their attributes: no cell that is missing, and no flag that is not set but by default."""
    nodes, unset = list(graph.nodes.values()), {}
    for name, cells in table.items():
        called = _legal(str(name))
        called = f"{called} (attribute)" if called in nodes[0] else called
        is_plain_flag = cells.dtype == bool
        if is_plain_flag:
            unset[called] = "false"
        for node, value, is_missing in zip(nodes, cells.tolist(), cells.isna(), strict=True):
            if not is_missing and not (is_plain_flag and not value):
                node[called] = _legal(value) if isinstance(value, str) else value
    graph.graph["node_default"] = unset


def _legal(text: str) -> str:
    """Write characters that XML cannot hold by their codes."""
    return _ILLEGAL.sub(lambda match: repr(match[0])[1:-1], text)
