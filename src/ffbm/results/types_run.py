"""A fit with types of vertices as a run on disk, and back."""

import os

import numpy as np
import xarray as xr

from ffbm.pipeline.by_type import features_of_type
from ffbm.results.record import strict_json
from ffbm.results.report import REPORT
from ffbm.results.run_writer import graphml_of, to_csv
from ffbm.results.settings_file import reading_to_toml
from ffbm.results.types_parts import names_of, table_of_columns, table_of_ranking, table_of_typed_nodes, table_of_types
from ffbm.results.types_report import types_report_text
from ffbm.results.types_summary import typed_record, typed_summary
from ffbm.store.folder import TRACES, Writer, write_run
from ffbm.store.parts import TypedParts
from ffbm.store.typed import typed_from_tree, typed_to_tree
from ffbm.types import Features, Network, NodeTypes


def save_typed(fit: TypedParts, path: str | os.PathLike[str]) -> None:
    """Write all files of a run: those of an ordinary fit, with types in tables."""
    from ffbm.store.tree import write_tree

    tree, names = typed_to_tree(fit), names_of(fit)
    files: dict[str, Writer | str] = {
        TRACES: lambda draft: write_tree(tree, draft),
        "config.toml": fit.config.to_toml() + reading_to_toml(fit.network.reading, path),
        "summary.txt": typed_summary(fit, verbose=True) + "\n",
        "summary.json": strict_json(typed_record(fit)),
        "nodes.csv": to_csv(table_of_typed_nodes(fit)),
        "blocks.csv": to_csv(table_of_types(fit)),
        "columns.csv": to_csv(table_of_columns(fit)),
        "ranking.csv": to_csv(table_of_ranking(fit)),
        **graphml_of(fit.network, fit.memberships, names),
        REPORT: types_report_text(fit),
    }
    write_run(path, files, fit.provenance)


def load_typed(tree: xr.DataTree) -> TypedParts:
    """Return the parts that a tree holds; the features of a type are those of the network, as they were encoded."""
    return typed_from_tree(tree, _features)


def _features(net: Network, types: NodeTypes, number: int) -> Features:
    return features_of_type(net.features, np.flatnonzero(types.of_vertex == number), types.column)
