"""``ffbm.fit_types``: blocks that keep types of vertices apart, and what explains the blocks of each type."""

from dataclasses import dataclass
from functools import cached_property
from math import log
from typing import Any

import numpy as np

from ffbm.blocks.align import align_blocks
from ffbm.diagnostics import Verdict
from ffbm.errors import OptionError
from ffbm.explanation import Explanation
from ffbm.pipeline.blocks import sample_blocks
from ffbm.pipeline.by_type import explain_types
from ffbm.plain import count_of, did_you_mean, finite, visible
from ffbm.progress import Listener
from ffbm.rng import resolve_seed
from ffbm.types import Array, BlockTrace, Memberships, Network, NodeTypes, node_types
from ffbm.typeset import number, tabulate, wrap
from ffbm.workers import Workers

_OF_BLOCKS = ("n_sweeps", "burn_in", "thin", "n_chains", "moves", "degree_corrected", "tempering", "max_minutes")
_OF_WEIGHTS = (
    "weight_prior", "memberships", "sigma", "intercept", "n_draws", "n_warmup", "n_chains", "folds", "fdr",
)  # fmt: skip
OPTIONS = tuple(dict.fromkeys((*_OF_BLOCKS, *_OF_WEIGHTS)))
_ROWS = 10  # columns, or features, listed for a type


@dataclass(frozen=True, eq=False)
class TypedFit:
    """What ``fit_types`` returns.

    Parameters
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
    """

    network: Network
    types: NodeTypes
    blocks: BlockTrace
    memberships: Memberships
    explanations: dict[str, Explanation]

    def __getitem__(self, value: str) -> Explanation:
        if value not in self.explanations:
            there = ", ".join(map(repr, self.explanations)) or "none: no type has two blocks and a column that varies"
            raise OptionError(f"a type that is explained must be named; got {value!r}: there are {there}")
        return self.explanations[value]

    @cached_property
    def converged(self) -> Verdict:
        """Whether the chains of blocks and of the weights of every type agree: a grade and its reason."""
        judged: Verdict = self.blocks.converged.named("blocks")
        for value, explanation in self.explanations.items():
            judged = judged & explanation.converged.named(f"weights, {value}")
        return judged

    def numbers(self, value: str) -> Array:
        """Return the blocks of a type, as ``memberships`` number them."""
        own = self.types.of_vertex == self.types.values.index(value)
        return np.flatnonzero(self.memberships.probs[own].sum(axis=0) > 0)

    def summary(self) -> str:
        """Return the answer in plain text: network, blocks of each type, and which columns explain them."""
        net, n_nodes = self.network, self.network.n_nodes
        per_type = zip(self.types.sizes.tolist(), map(self.numbers, self.types.values), strict=True)
        partition = sum(size * log(len(own)) for size, own in per_type) / (n_nodes + net.n_edges)
        length = self.blocks.entropy_per_entity
        head = [
            f"{visible(net.name) or 'the network'}: {count_of(n_nodes, 'vertex', 'vertices')},"
            f" {net.graph.edges_in_words}, {count_of(len(self.types.values), 'type')}",
            f"description length {length:.4f} nats per vertex and edge ({length + partition:.4f} with the partition)",
            f"seed {self.blocks.settings['seed']}",
        ]
        parts = ["\n".join(head), *map(self._tell, self.types.values), wrap(f"chains: {self.converged}", rest="  ")]
        return "\n\n".join(parts)

    def _tell(self, value: str) -> str:
        """Tell the blocks of one type and what explains them."""
        size = int(self.types.sizes[self.types.values.index(value)])
        blocks = ", ".join(f"{r} ({self.memberships.sizes[r]:,})" for r in self.numbers(value).tolist())
        head = f"{visible(value)}: {count_of(size, 'vertex', 'vertices')} in blocks {blocks}"
        explanation = self.explanations.get(value)
        if explanation is None:
            why = "there is one block" if len(self.numbers(value)) == 1 else "no column varies among these vertices"
            return f"{wrap(head, rest='  ')}\n  nothing to explain: {why}"
        scores = explanation.scores
        bits = f"features explain {number(scores.bits_test, 2)} +- {number(scores.bits_se_test, 2)} bits per vertex"
        return "\n".join([wrap(head, rest="  "), f"  {bits}, held out", tabulate(_rows(explanation), right=[1])])

    def to_dict(self) -> dict[str, Any]:
        """Return numbers, lists and text alone, ready for strict JSON."""
        told = {}
        for value, size in zip(self.types.values, self.types.sizes.tolist(), strict=True):
            own, explanation = self.numbers(value), self.explanations.get(value)
            told[value] = {
                "n_nodes": size,
                "blocks": own.tolist(),
                "block_sizes": self.memberships.sizes[own].tolist(),
                "scores": None if explanation is None else explanation.scores.to_dict(),
                "columns": [] if explanation is None else _columns(explanation),
            }
        judged = self.converged
        return {
            "n_nodes": self.network.n_nodes,
            "n_edges": self.network.n_edges,
            "node_type": self.types.column,
            "seed": self.blocks.settings["seed"],
            "convergence": {"grade": judged.grade, "reason": judged.reason},
            "types": told,
        }

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
    progress : None, bool or callable
    **options
        Of the block chains: ``n_sweeps``, ``burn_in``, ``thin``, ``n_chains``, ``moves``, ``degree_corrected``,
        ``tempering``, ``max_minutes``; of the weights: ``weight_prior``, ``memberships``, ``sigma``, ``intercept``,
        ``n_draws``, ``n_warmup``, ``folds``, ``fdr``. As for ``fit``.

    Returns
    -------
    TypedFit
        ``blocks``, ``memberships``, ``explanations`` by type, ``converged``, ``summary()``, ``to_dict()``.

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
    >>> found = ffbm.fit_types(net, "kind", {"person": 2, "event": 2}, **options)
    >>> found, found["person"].ranking.names
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
    seed = resolve_seed(seed)
    shared: dict[str, Any] = {"node_type": node_type, "seed": seed, "workers": workers, "progress": progress}
    own = {name: value for name, value in options.items() if name in _OF_BLOCKS}
    blocks = sample_blocks(net, n_blocks, **shared, **own)
    own = {name: value for name, value in options.items() if name in _OF_WEIGHTS}
    found = TypedFit(net, types, blocks, align_blocks(blocks), explain_types(net, blocks, **shared, **own))
    found.converged.warn()
    return found


def _columns(explanation: Explanation) -> list[dict[str, Any]]:
    """Return what is known of each column of a type."""
    table = explanation.column_table[["column", "kind", "n_features", "inclusion", "decision"]]
    return [{str(name): finite(value) for name, value in row.items()} for row in table.to_dict("records")]


def _rows(explanation: Explanation) -> list[list[str]]:
    """Return the rows of the table of a type: its columns by inclusion, or under the fixed prior its features."""
    if explanation.relevance is None:
        ranking = explanation.ranking
        listed = [(ranking.names[j], float(ranking.scores[j])) for j in ranking.order[:_ROWS]]
        return [["feature", "score"], *([name, number(score, 2)] for name, score in listed)]
    table = explanation.column_table.sort_values("inclusion", ascending=False, kind="stable").head(_ROWS)
    rows = zip(table["column"], table["inclusion"], table["decision"], strict=True)
    return [["column", "inclusion", ""], *([name, number(chance, 2), str(said)] for name, chance, said in rows)]
