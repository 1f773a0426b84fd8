"""Whatever a user has, a network, a graph object, a file or a registered name, as a Network."""

import inspect
import os
from typing import Any

from ffbm.data.readers import as_network, read_network
from ffbm.data.registry import DATASETS, load_dataset
from ffbm.errors import OptionError
from ffbm.plain import did_you_mean
from ffbm.types import Network


def open_network(source: Any, nodes: Any = None, **options: Any) -> Network:
    """Return the network that a source holds.

    Parameters
    ----------
    source : Network, file, name of a registered data set, or graph object
    nodes : file, DataFrame or array, optional
        The attributes of the vertices.
    options
        Those of ``read_network`` for a file and of ``as_network`` for an object; those that are None are left out.

    Examples
    --------
    >>> open_network("polbooks")
    <Network polbooks: 105 vertices, 441 edges, 3 features; 1 note on reading>
    >>> open_network([("ann", "bob"), ("bob", "cem")]).n_nodes
    3
    """
    given = {name: value for name, value in options.items() if value is not None}
    if isinstance(source, Network):
        _refuse(["nodes"] * (nodes is not None) + list(given), "a Network is read already")
        return source
    if isinstance(source, str) and source in DATASETS:
        _refuse(["nodes"] * (nodes is not None) + list(given), f"{source} is read as registered")
        return load_dataset(source)
    is_file = isinstance(source, str | os.PathLike)
    known = inspect.signature(read_network if is_file else as_network).parameters
    for name in given:
        if name not in known:
            guess = did_you_mean(name, known) or f"see ffbm.{'read' if is_file else 'as'}_network"
            raise OptionError(f"{name}= is no option of reading {'a file' if is_file else 'a graph'}: {guess}")
    return read_network(source, nodes, **given) if is_file else as_network(source, nodes, **given)


def _refuse(names: list[str], reason: str) -> None:
    if names:
        raise OptionError(f"{reason}; leave out {', '.join(f'{name}=' for name in names)}")
