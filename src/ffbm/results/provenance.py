"""Where a fit comes from: versions, seed, data, command, date."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from ffbm.config import FitConfig
from ffbm.types import Network

_PARTS = ("numpy", "scipy", "numba", "pandas")


def describe_origin(net: Network, config: FitConfig, command: str) -> dict[str, Any]:
    """Return what is needed to make a fit again, as plain values."""
    return {
        "ffbm": version("ffbm"),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "packages": {name: version(name) for name in _PARTS},
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "command": command,
        "seed": config.seed,
        "network": describe_sizes(net),
    }


def describe_sizes(net: Network) -> dict[str, Any]:
    """Return what a network is, in a few plain values."""
    return {
        "name": net.name,
        "fingerprint": net.fingerprint,
        "n_nodes": net.n_nodes,
        "n_edges": net.n_edges,
        "directed": net.graph.is_directed,
        "edge_weight": None if net.graph.weights is None else net.graph.weights.to_dict(),
        "n_features": net.n_features,
    }
