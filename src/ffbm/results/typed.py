"""``ffbm.fit_types``: blocks that keep types of vertices apart, and what explains the blocks of each type."""

import os
import shlex
import sys
from dataclasses import fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ffbm.blocks.align import align_blocks
from ffbm.config import FitConfig
from ffbm.data.edgeweights import reweigh
from ffbm.diagnostics import Verdict
from ffbm.errors import OptionError, either
from ffbm.explanation import Explanation
from ffbm.pipeline.blocks import sample_blocks
from ffbm.pipeline.by_type import explain_each, explain_trees
from ffbm.pipeline.clock import Schedule
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.hierarchy import sample_hierarchies
from ffbm.plain import count_of, did_you_mean, finite
from ffbm.progress import Listener, listening
from ffbm.results.provenance import describe_origin
from ffbm.results.types_parts import numbers_of, parts_of, table_of_columns, table_of_typed_nodes, table_of_types
from ffbm.results.types_summary import judge, typed_record, typed_summary
from ffbm.rng import resolve_seed
from ffbm.store.folder import reserved
from ffbm.store.parts import TypedParts
from ffbm.types import Array, Network, node_types
from ffbm.workers import Workers

if TYPE_CHECKING:
    import pandas as pd

    from ffbm.results.hierarchy import FitTree
    from ffbm.results.types_plots import TypedPlots

_OF_BLOCKS = ("n_sweeps", "burn_in", "thin", "n_chains", "moves", "degree_corrected", "tempering")
_OF_EDGES = ("edge_weight", "edge_weight_model", "edge_weight_prior")
OPTIONS = (
    *_OF_BLOCKS, *_OF_EDGES, "hierarchy", "max_minutes", "weight_prior", "memberships", "sigma", "intercept",
    "intercept_sd", "sampler", "n_draws", "n_warmup", "train_fraction", "folds", "fdr", "columns",
)  # fmt: skip
_SHARE_OF_BLOCKS = 0.5  # of the minutes
GIVEN = "(given)"  # types that are no column


class TypedFit(TypedParts):
    """What ``fit_types`` returns: the blocks of every type, what explains them, and all that it rests on.

    A block is called by its type and its number there, by decreasing size: ``person 0``. The explanation of a type
    has its numbers; ``memberships`` number the blocks of all types together.

    Attributes
    ----------
    network : Network
    types : NodeTypes
        ``values`` and ``of_vertex`` (N,).
    blocks : BlockTrace
        Draws of partitions in which no block has two types.
    memberships : Memberships
        y-hat over the blocks of all types, numbered by decreasing size.
    explanations : dict of Explanation
        What features say of the blocks of a type, by type: see ``explain_types``. ``fit["person"]`` is one of them.
    config : FitConfig
        What was chosen, with the seed that was used.
    provenance : dict
        Versions, seed, fingerprint of the data, date, command.
    trees : dict of Tree
        With ``hierarchy=True``: the tree of the blocks of each type; ``fit.tree("person")`` explains its splits.
    """

    @classmethod
    def of(cls, parts: TypedParts, **changes: Any) -> "TypedFit":
        """Return the fit that consists of these parts, some of them changed."""
        return cls(**{one.name: getattr(parts, one.name) for one in fields(parts)} | changes)

    def __getitem__(self, value: str) -> Explanation:
        if value not in self.explanations:
            there = ", ".join(map(repr, self.explanations)) or "none: no type has two blocks and a column that varies"
            raise OptionError(f"a type that is explained must be named; got {value!r}: there are {there}")
        return self.explanations[value]

    def tree(self, value: str) -> "FitTree":
        """Return the tree of the blocks of a type, of a fit with ``hierarchy=True``: print it, or ask for ``split``."""
        from ffbm.results.hierarchy import FitTree

        if not self.trees:
            asked = either("hierarchy=True (--hierarchy)", "--hierarchy")
            raise OptionError(f"the blocks of this fit are flat and have no tree: see {asked}")
        self[value]  # refuses a type that is not explained
        return FitTree.of(self.trees[value], parts_of(self, value))

    @cached_property
    def converged(self) -> Verdict:
        """Whether the chains of blocks and of the weights of every type agree: a grade and its reason."""
        return judge(self)

    @cached_property
    def column_table(self) -> "pd.DataFrame":
        """What each column explains of the blocks of each type: ``type``, then what ``Fit.column_table`` has."""
        return table_of_columns(self)

    @property
    def block_table(self) -> "pd.DataFrame":
        """One row per block: its name, type, vertices, edges, how sure its vertices are, how well it is predicted."""
        return table_of_types(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per vertex: its type, its block, the share of draws in it, its degree and its attributes."""
        return table_of_typed_nodes(self, attributes=True)

    def numbers(self, value: str) -> Array:
        """Return the blocks of a type, as ``memberships`` number them."""
        return numbers_of(self, value)

    def summary(self, verbose: bool = False) -> str:
        """Return the answer in plain text: for each type its blocks, and which columns explain them.

        Parameters
        ----------
        verbose : bool
            More columns and blocks, description lengths, and what the numbers mean.
        """
        return typed_summary(self, verbose)

    def to_dict(self) -> dict[str, Any]:
        """Return numbers, lists and text alone, ready for strict JSON."""
        record: dict[str, Any] = finite(typed_record(self))
        return record

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the fit as a run: a new or empty folder, which ``ffbm.load_fit`` reads."""
        from ffbm.results.types_run import save_typed

        save_typed(self, path)

    def report(self, path: str | os.PathLike[str]) -> None:
        """Write the answer as one HTML file that needs no network: a section for each type, then the whole network.

        Parameters
        ----------
        path : file
            Ends in .html; what is there is replaced.
        """
        from ffbm.results.report import write_report
        from ffbm.results.types_report import types_report_text

        write_report(path, lambda: types_report_text(self))

    @property
    def plot(self) -> "TypedPlots":
        """Figures for papers: ``fit.plot.network()``, and of one type ``fit.plot["person"].columns()``."""
        from ffbm.results.types_plots import TypedPlots

        return TypedPlots(self)

    def __repr__(self) -> str:
        types = ", ".join(f"{len(self.numbers(value))} of {value}" for value in self.types.values)
        return f"<TypedFit: {count_of(self.network.n_nodes, 'vertex', 'vertices')} in blocks, {types}>"


def fit_types(
    net: Network,
    node_type: Any,
    n_blocks: Any = "auto",
    *,
    seed: int | None = None,
    workers: Workers = None,
    out: str | os.PathLike[str] | None = None,
    progress: Listener | bool | None = None,
    **options: Any,
) -> TypedFit:
    """Find blocks that keep types of vertices apart, and which features explain the blocks of each type.

    ``sample_blocks``, ``align_blocks`` and ``explain_types`` in one call.

    Parameters
    ----------
    net : Network
    node_type : column name or (N,) types
        Vertices of different types, such as people and events, never share a block.
    n_blocks : dict of int by type, or "auto"
        How many blocks each type has; "auto" finds the numbers.
    seed : int, optional
        The same seed gives the same fit on any number of workers; None draws one and records it.
    workers : int, or address or Client of a dask cluster, optional
    out : folder, optional
        Save the run there, as ``TypedFit.save`` does; a new or empty folder.
    progress : None, bool or callable
    **options
        Of the block chains: ``n_sweeps``, ``burn_in``, ``thin``, ``n_chains``, ``moves``, ``degree_corrected``,
        ``tempering``, ``max_minutes``, ``hierarchy`` (blocks at every scale, a tree for each type); of the edges:
        ``edge_weight``, ``edge_weight_model``, ``edge_weight_prior``; of the weights: ``weight_prior``,
        ``memberships``, ``sigma``, ``intercept``, ``intercept_sd``, ``sampler``, ``n_draws``, ``n_warmup``,
        ``train_fraction``, ``folds``, ``fdr``, ``columns``. With the defaults of ``fit``.

    Returns
    -------
    TypedFit
        ``blocks``, ``memberships``, ``explanations`` by type, ``column_table``, ``block_table``, ``converged``,
        ``summary()``, ``report()``, ``save()``, ``plot``.

    Warns
    -----
    ConvergenceWarning
        If the grade is not "converged".

    Examples
    --------
    >>> import ffbm, pandas as pd
    >>> pairs = [(f"p{i}", f"e{j}") for i in range(12) for j in range(8) if (i < 6) == (j < 4)]
    >>> who = pd.DataFrame({"kind": "person", "team": ["red"] * 6 + ["blue"] * 6}, index=[f"p{i}" for i in range(12)])
    >>> what = pd.DataFrame({"kind": "event"}, index=[f"e{j}" for j in range(8)])
    >>> net = ffbm.as_network(pairs, pd.concat([who, what]))
    >>> options = {"n_sweeps": 1000, "n_draws": 2000, "weight_prior": "fixed", "seed": 1}
    >>> fit = ffbm.fit_types(net, "kind", {"person": 2, "event": 2}, **options)
    >>> fit, fit["person"].ranking.names
    (<TypedFit: 20 vertices in blocks, 2 of event, 2 of person>, ('team=blue', 'team=red'))
    """
    for name in options:
        if name not in OPTIONS:
            hint = did_you_mean(name, OPTIONS) or "see the options in its documentation"
            raise OptionError(f"fit_types has no option {name!r}; {hint}")
    types = node_types(net, node_type)
    if types is None:
        raise OptionError("fit_types needs node_type, a column or a type for each vertex; got None: see fit")
    if n_blocks == "free":
        raise OptionError('n_blocks must be a number for each type or "auto"; got "free": see sample_blocks')
    folder = None if out is None else os.fspath(out)
    config = FitConfig(
        **options, n_blocks=n_blocks, node_type=node_type if isinstance(node_type, str) else GIVEN,
        seed=resolve_seed(seed),
    )  # fmt: skip
    net = reweigh(net, config.edge_weight, config.edge_weight_model, config.edge_weight_prior)
    schedule = Schedule.of(config)
    with reserved(folder):
        fitted = _fit(net, node_type, n_blocks, config, workers, progress, schedule)
        if folder is not None:
            fitted = measured_types(fitted, progress, schedule)
            fitted.save(folder)
    fitted.converged.warn()
    return fitted


def _fit(
    net: Network,
    node_type: Any,
    n_blocks: Any,
    config: FitConfig,
    workers: Workers,
    progress: Listener | bool | None,
    schedule: Schedule,
) -> TypedFit:
    types = node_types(net, node_type)
    if types is None:
        raise AssertionError("node_type was checked")
    minutes, trees = _SHARE_OF_BLOCKS * config.max_minutes, {}
    with listening(progress) as tell:
        context = RunContext(workers, tell)
        if config.hierarchy:
            sampled = sample_hierarchies(net.graph, config, minutes, context, types)
            blocks = sampled.blocks
        else:
            blocks = sample_blocks(
                net, n_blocks, node_type=node_type, seed=config.seed, workers=workers, progress=tell,
                max_minutes=minutes, **config.pick(*_OF_BLOCKS),
            )  # fmt: skip
        members = align_blocks(blocks)
        explanations = explain_each(net, types, blocks, members, config, context, schedule)
        if config.hierarchy:
            grown = {value: sampled.tree(members.labels, t) for t, value in enumerate(types.values)}
            trees = explain_trees(grown, explanations, config, context, schedule)
    origin = describe_origin(net, config, shlex.join(sys.argv))
    return TypedFit(net, types, blocks, members, explanations, config, origin, trees)


def measured_types(
    fit: TypedFit, progress: Listener | bool | None = None, schedule: Schedule | None = None
) -> TypedFit:
    """Return a fit whose columns are measured: now, with progress shown, and not when their table is asked for."""
    record = {}
    with listening(progress) as tell:
        for value, one in fit.explanations.items():
            columns = None if one.measure is None else one.measure(tell, None, schedule)
            record[value] = one if columns is None else replace(one, measure=lambda *_, known=columns: known)
    return TypedFit.of(fit, explanations=record)
