"""The facts about a network that ``ffbm describe`` shows."""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ffbm.types import Features, Graph, Network


def describe_network(network: "Network") -> dict[str, Any]:
    """Return the sizes of a network, how its columns were read, its features and its notes."""
    from ffbm.results.provenance import describe_sizes

    graph, features = network.graph, network.features
    is_number = features.is_number.tolist()
    return {
        **describe_sizes(network),
        "n_isolates": int((graph.degrees == 0).sum()),
        "n_components": len(graph.component_sizes),
        "largest_component": int(graph.component_sizes[0]) if network.n_nodes else 0,
        "n_loops": int(graph.loops.sum()),
        "n_parallel": _count_parallel(graph),
        "mean_degree": (1 if graph.is_directed else 2) * network.n_edges / network.n_nodes if network.n_nodes else None,
        "columns": _describe_columns(features, is_number),
        "features": [
            {
                "name": features.names[j],
                "column": features.columns[j],
                "kind": "number" if is_number[j] else "flag",
                "support": None if is_number[j] else int(features.support[j]),
                "mean": float(features.mean[j]) if is_number[j] else None,
                "sd": float(features.sd[j]) if is_number[j] else None,
            }
            for j in range(features.n_features)
        ],
        "notes": [note.to_dict() for note in network.notes],
    }


def estimate_fit(network: "Network", n_blocks: int | None = None) -> dict[str, Any] | None:
    """Return about how long a default fit takes if its chains converge at once, None without features to fit.

    Where the number of blocks is still to be found, ``n_blocks`` is a guess of many and ``seconds_low`` is for few.
    """
    import os

    from ffbm.check import check_int
    from ffbm.config import FitConfig
    from ffbm.pipeline.estimate import estimate_range, guess_blocks

    if n_blocks is not None:
        check_int("n_blocks", n_blocks, low=1)
    if network.n_features == 0 or network.n_nodes == 0:
        return None
    workers = min(4, os.cpu_count() or 1)
    low, high = estimate_range(network, "auto" if n_blocks is None else n_blocks, workers=workers)
    many = guess_blocks(network.n_nodes) if n_blocks is None else n_blocks
    return {
        "n_blocks": many,
        "workers": workers,
        "seconds_low": low,
        "seconds": high,
        "max_minutes": FitConfig.max_minutes,
    }


def _describe_columns(features: "Features", is_number: list[bool]) -> list[dict[str, Any]]:
    """Say for each column how it was read, what it became and how many vertices have any of its flags."""
    import numpy as np
    import scipy.sparse as sp

    members: dict[str, list[int]] = {}
    for j, column in enumerate(features.columns):
        members.setdefault(column, []).append(j)
    index_of = {column: index for index, column in enumerate(members)}
    column_of = np.array([index_of[column] for column in features.columns], dtype=np.int64)
    cells = sp.coo_array(features.values)
    pairs = np.unique(cells.row.astype(np.int64) * max(len(index_of), 1) + column_of[cells.col])
    support = np.bincount(pairs % max(len(index_of), 1), minlength=len(index_of))
    described = []
    for column, inside in members.items():
        has_numbers = any(is_number[j] for j in inside)
        has_values = all(features.names[j].startswith(f"{column}=") for j in inside)
        described.append(
            {
                "name": column,
                "read_as": "numbers" if has_numbers else "values" if has_values else "flags",
                "n_features": len(inside),
                "support": None if has_numbers else int(support[index_of[column]]),
                "or_values": features.other[column].n_features if column in features.other else None,
            }
        )
    return described


def _count_parallel(graph: "Graph") -> int:
    """Count the edges that repeat an earlier one."""
    import numpy as np

    ends = graph.edges[:, 0] * graph.n_nodes + graph.edges[:, 1]
    return len(ends) - len(np.unique(ends))
