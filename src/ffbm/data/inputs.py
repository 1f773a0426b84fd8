"""Whatever a user has, a network, a graph object, a file or a registered name, as a Network."""

import functools
import inspect
import os
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

import numpy as np
import pandas as pd

from ffbm.data.readers import as_network, read_network
from ffbm.data.registry import DATASETS, load_dataset
from ffbm.errors import OptionError, keyword
from ffbm.plain import did_you_mean
from ffbm.types import Network

_SHARED = ("directed", "edge_weight", "edge_weight_model", "edge_weight_prior")  # options of reading and of a fit
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


def open_network(source: Any, nodes: Any = None, **options: Any) -> Network:
    """Return the network that a source holds.

    Parameters
    ----------
    source : Network, file, name of a registered data set, or graph object
    nodes : file, DataFrame or array, optional
        The attributes of the vertices; also called ``features``, as ``as_network`` has it.
    options
        Those of ``read_network`` for a file and of ``as_network`` for an object; those that are None are left out.

    Examples
    --------
    >>> open_network("polbooks")
    <Network polbooks: 105 vertices, 441 edges, 3 features; 1 note on reading>
    >>> open_network([("ann", "bob"), ("bob", "cem")]).n_nodes
    3
    """
    chosen = {name: value for name, value in options.items() if value is not None}
    if "features" in chosen:
        if nodes is not None:
            raise OptionError(f"{keyword('nodes', '')} and {keyword('features', '')} both give the table: choose one")
        nodes = chosen.pop("features")
    if isinstance(source, Network):
        _refuse(["nodes"] * (nodes is not None) + list(chosen), "a Network is read already")
        return source
    if isinstance(source, str) and source in DATASETS:
        _refuse(["nodes"] * (nodes is not None) + list(chosen), f"{source} is read as registered")
        return load_dataset(source)
    is_file = isinstance(source, str | os.PathLike)
    known = inspect.signature(read_network if is_file else as_network).parameters
    for name in chosen:
        if name not in known:
            guess = did_you_mean(name, known) or f"see ffbm.{'read' if is_file else 'as'}_network"
            raise OptionError(f"{name}= is no option of reading {'a file' if is_file else 'a graph'}: {guess}")
    return read_network(source, nodes, **chosen) if is_file else as_network(source, nodes, **chosen)


def open_for_fit(source: Any, nodes: Any, reading: Mapping[str, Any], settings: Mapping[str, Any]) -> Network:
    """Return the network that a source holds, read by its own options and by those that a fit shares with reading.

    >>> import pandas as pd
    >>> edges = pd.DataFrame({"source": ["ann", "bob"], "target": ["bob", "cem"], "hours": [1.5, 2.0]})
    >>> open_for_fit(edges, None, {}, {"edge_weight": "hours"}).graph.weights.column
    'hours'
    """
    if isinstance(source, Network):
        return open_network(source, nodes, **reading)
    shared = {name: settings[name] for name in _SHARED if settings.get(name, "auto") not in (None, "auto")}
    if shared.get("edge_weight") is False:
        del shared["edge_weight"]
    return open_network(source, nodes, **reading, **shared)


def with_tables_by_name(function: Callable[Arguments, Result]) -> Callable[Arguments, Result]:
    """Make a function whose second argument is a number of blocks refuse a table there, and say how to give it."""

    @functools.wraps(function)
    def checked(*arguments: Arguments.args, **named: Arguments.kwargs) -> Result:
        second: Any = arguments[1] if len(arguments) > 1 else None
        is_table = isinstance(second, pd.DataFrame | pd.Series | np.ndarray | os.PathLike)
        if is_table or (isinstance(second, str) and "n_blocks" in named):
            came = f"a {type(second).__name__}" if is_table else repr(second)
            raise OptionError(
                f"the second argument must be the number of blocks; got {came}: give the table of the vertices by name,"
                f" {function.__name__}(edges, nodes=table)"
            )
        return function(*arguments, **named)

    return checked


def _refuse(names: list[str], reason: str) -> None:
    if names:
        raise OptionError(f"{reason}; leave out {', '.join(f'{name}=' for name in names)}")
