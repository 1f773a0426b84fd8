"""A fit as a run on disk."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ffbm.data.decode import decode_features
from ffbm.results.graphs import to_networkx
from ffbm.results.record import fit_record, strict_json
from ffbm.results.repeating import reading_to_toml
from ffbm.results.reporting import REPORT, report_text
from ffbm.results.summary import summary_text
from ffbm.results.tables import table_of_blocks, table_of_nodes
from ffbm.store.folder import TRACES, Writer, write_run
from ffbm.store.parts import FitParts

if TYPE_CHECKING:
    import pandas as pd

_ILLEGAL = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")  # in XML 1.0


def save_fit(fit: FitParts, path: str | os.PathLike[str]) -> None:
    """Write all files of a run: see docs/runs.md."""
    from ffbm.store.tree import to_tree, write_tree

    tree = to_tree(fit)
    files: dict[str, Writer | str] = {
        TRACES: lambda draft: write_tree(tree, draft),
        "config.toml": fit.config.to_toml() + reading_to_toml(fit.network.reading, path),
        "summary.txt": summary_text(fit, verbose=True) + "\n",
        "summary.json": strict_json(fit_record(fit)),
        "nodes.csv": _csv(table_of_nodes(fit)),
        "blocks.csv": _csv(table_of_blocks(fit)),
        "columns.csv": _csv(fit.column_table),
        "ranking.csv": _csv(fit.ranking.table),
        "network.graphml": lambda draft: _write_graphml(fit, draft),
        REPORT: report_text(fit),
    }
    write_run(path, files, fit.provenance)


def _csv(table: "pd.DataFrame") -> str:
    return str(table.to_csv(index=False, lineterminator="\n"))


def _write_graphml(fit: FitParts, draft: Path) -> None:
    """Write the graph with blocks, memberships and the user's attributes; a flag is written where it is set."""
    import networkx as nx

    graph = to_networkx(fit.network, fit.memberships, features=False)
    _add_attributes(graph, decode_features(fit.network.features))
    graph.graph["name"] = _legal(fit.network.name)
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
    return _ILLEGAL.sub(lambda found: repr(found[0])[1:-1], text)
