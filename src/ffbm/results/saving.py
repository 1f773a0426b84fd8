"""A fit as a run on disk, and back."""

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ffbm.data.registry import DATASETS
from ffbm.errors import DataError
from ffbm.results.fitted import Fit
from ffbm.results.graphs import to_networkx
from ffbm.results.record import fit_record, strict_json
from ffbm.results.reporting import REPORT, report_text
from ffbm.results.tables import table_of_blocks, table_of_nodes
from ffbm.store.folder import TRACES, Writer, read_provenance, write_run

if TYPE_CHECKING:
    import pandas as pd

_ILLEGAL = re.compile("[^\\t\\n\\r\\x20-\\ud7ff\\ue000-\\ufffd\\U00010000-\\U0010ffff]")  # in XML 1.0


def save_fit(fit: Fit, path: str | os.PathLike[str]) -> None:
    """Write all files of a run: see docs/runs.md."""
    from ffbm.store.tree import write_tree

    tree = fit.to_datatree()
    files: dict[str, Writer | str] = {
        TRACES: lambda draft: write_tree(tree, draft),
        "config.toml": fit.config.to_toml(),
        "summary.txt": fit.summary() + "\n",
        "summary.json": strict_json(fit_record(fit)),
        "nodes.csv": _csv(table_of_nodes(fit.parts)),
        "blocks.csv": _csv(table_of_blocks(fit.parts)),
        "ranking.csv": _csv(fit.ranking.table),
        "network.graphml": lambda draft: _write_graphml(fit, draft),
        REPORT: report_text(fit),
    }
    write_run(path, files, fit.provenance)


def load_fit(path: str | os.PathLike[str]) -> Fit:
    """Read a fit that ``Fit.save`` or ``ffbm.fit(..., out=...)`` wrote; it equals that one in every array.

    Parameters
    ----------
    path : folder

    Examples
    --------
    >>> import ffbm, pathlib, tempfile
    >>> from ffbm.results import fit
    >>> net = ffbm.load_dataset("polbooks")
    >>> run = pathlib.Path(tempfile.mkdtemp()) / "run"
    >>> made = fit(net, n_blocks=3, n_sweeps=4000, seed=1, out=run)
    >>> bool((load_fit(run).weights.weights == made.weights.weights).all())
    True
    """
    read_provenance(path, tuple(DATASETS))
    from ffbm.store.tree import from_tree, read_tree

    file = Path(path) / TRACES
    try:
        return Fit(from_tree(read_tree(file)))
    except (OSError, KeyError, ValueError) as error:
        raise DataError(f"{file} must be the netCDF file that a saved run holds; it is damaged") from error


def _csv(table: "pd.DataFrame") -> str:
    return str(table.to_csv(index=False, lineterminator="\n"))


def _write_graphml(fit: Fit, draft: Path) -> None:
    """Write the graph with blocks and memberships, but without features: they are in the user's own table."""
    import networkx as nx

    graph = to_networkx(fit.network, fit.memberships, features=False)
    graph.graph["name"] = _legal(fit.network.name)
    odd = {name: _legal(name) for name in graph if _ILLEGAL.search(name)}
    nx.write_graphml_xml(nx.relabel_nodes(graph, odd) if odd else graph, draft)


def _legal(text: str) -> str:
    """Write characters that XML cannot hold by their codes."""
    return _ILLEGAL.sub(lambda found: repr(found[0])[1:-1], text)
