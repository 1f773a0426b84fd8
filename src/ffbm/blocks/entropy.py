"""The description length S(b) = -ln p(A, b) of a network under a partition or a hierarchy, part by part."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ffbm.blocks.edge_weights import weight_nats
from ffbm.blocks.levels import LevelLength, check_levels, check_typed_levels, level_lengths
from ffbm.blocks.likelihoods import Likelihood, likelihood_of
from ffbm.blocks.priors import PRIORS, partition_nats
from ffbm.check import check_bool, check_choice, check_int
from ffbm.errors import DataError, OptionError
from ffbm.types import Array, Graph, Network, NodeTypes, node_types


@dataclass(frozen=True, slots=True)
class DescriptionLength:
    """The parts of S(b), in nats; of a hierarchy also ``levels``, whose parts are summed here."""

    adjacency: float
    degrees: float
    edge_counts: float
    partition: float
    levels: tuple[LevelLength, ...] = ()
    weights: float = 0.0  # of the edges, where they have some

    @property
    def total(self) -> float:
        """S, the sum of all parts."""
        return self.without_partition + self.partition

    @property
    def without_partition(self) -> float:
        """The part that the graph adds to the partition: what the block chain records."""
        return self.adjacency + self.degrees + self.edge_counts + self.weights


def description_length(
    net: Network | Graph,
    labels: npt.ArrayLike | Sequence[npt.ArrayLike],
    n_blocks: int | Mapping[str, int] | None = None,
    prior: str = "uniform",
    degree_corrected: bool = True,
    node_type: Any = None,
) -> DescriptionLength:
    """Return the description length of a network under a partition into blocks, or a hierarchy of them, part by part.

    With e_rs edges between blocks (e_rr twice the edges inside r), e_r = sum_s e_rs, n_r vertices in
    block r, eta_k^r of them of degree k, and B_b non-empty blocks::

        adjacency   = -sum_{r<s} ln e_rs! - sum_r ln e_rr!! - sum_i ln k_i! + sum_r ln e_r!
                      + sum_{i<j} ln A_ij! + sum_i ln A_ii!!
        degrees     = sum_r [ ln n_r! + ln q(e_r, n_r) - sum_k ln eta_k^r! ]
        edge_counts = ln C( B_b (B_b+1)/2 + E - 1, E )
        partition   = N ln B                                                (prior="uniform")
                      ln C(N-1, B_b-1) + ln N! - sum_r ln n_r! + ln N       (prior="full")

    q(m, n) is the number of partitions of m into at most n parts: exact up to m = 2048, beyond that
    to 2e-6 nats. Without degree correction every half-edge of a block is at any of its vertices alike::

        adjacency   = -sum_{r<s} ln e_rs! - sum_r ln e_rr!! + sum_r e_r ln n_r + sum_{i<j} ln A_ij! + sum_i ln A_ii!!
        degrees     = 0

    In a directed network e_rs counts the edges from r to s, with e+_r and e-_r its sums over rows and columns, and
    out- and in-degrees k+ and k- have a histogram each::

        adjacency   = -sum_rs ln e_rs! - sum_i (ln k+_i! + ln k-_i!) + sum_r (ln e+_r! + ln e-_r!) + sum_ij ln A_ij!
        degrees     = sum_r [ 2 ln n_r! + ln q(e+_r, n_r) + ln q(e-_r, n_r) - sum_k (ln eta+^r_k! + ln eta-^r_k!) ]
        edge_counts = ln C( B_b^2 + E - 1, E )

    A hierarchy is a list: the block of each vertex, the group of each block, and so on. Its edge counts are explained
    level by level, where n_r is the number of groups of level l-1 in group r of level l, and the partition of every
    level is charged by Peixoto's prior::

        edge_counts = sum over l >= 1 of sum_{r<s} ln C(n_r n_s + e_rs - 1, e_rs)
                      + sum_r ln C(n_r (n_r+1)/2 + e_rr/2 - 1, e_rr/2)

    Vertices of different types, such as people and events, never share a block: with ``node_type`` the partition is a
    sum over types, each with its own N and B, and edge_counts counts all blocks as before. Groups of a hierarchy have
    one type too: on top there is one group for each, and a level that puts them all together adds nothing.

    Weights of edges add a term for each pair of blocks that has edges, by the law that the network was read with: see
    the page on weighted edges. Of a hierarchy the sums of counts and of exponential weights are explained level by
    level, as edge counts are.

    If several groups are left on top, their edge counts are charged as above, all alike. One group on top of them adds
    ln B to the partition.

    Parameters
    ----------
    net : Network or Graph
    labels : (N,) whole numbers from 0, or a list of such
        The block of each vertex; a block may be empty. Of a hierarchy the labels of each level, none left out.
    n_blocks : int, optional
        B of the uniform prior; one more than the largest label if left out. Not for a hierarchy. With types a mapping
        from type to B; the blocks in use of each type if left out.
    prior : {"uniform", "full"}
        The FFBM's B^-N, or Peixoto's prior for choosing B. A hierarchy always has Peixoto's.
    degree_corrected : bool
        Whether degrees are described apart from the blocks, so that a block may hold vertices of any degree.
    node_type : column name or (N,) types, optional
        The type of each vertex.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.as_network([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> round(ffbm.description_length(net, [0, 0, 0, 1]).total, 4)
    10.1346
    >>> nested = ffbm.description_length(net, [[0, 0, 0, 1], [0, 0]])
    >>> [level.n_groups for level in nested.levels], round(nested.total, 4)
    ([2, 1], 11.9264)
    >>> net = ffbm.as_network([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")], directed=True)
    >>> round(ffbm.description_length(net, [0, 0, 0, 1]).total, 4)
    12.3964
    >>> net = ffbm.as_network([("ann", "ball"), ("bob", "ball"), ("bob", "fair")])
    >>> typed = ffbm.description_length(net, [0, 1, 0, 1], prior="full", node_type=["who", "what", "who", "what"])
    >>> round(typed.partition, 4), round(ffbm.description_length(net, [0, 1, 0, 1], prior="full").partition, 4)
    (1.3863, 4.2767)
    """
    graph = net.graph if isinstance(net, Network) else net
    check_choice("prior", prior, tuple(PRIORS))
    likelihood = likelihood_of(check_bool("degree_corrected", degree_corrected))
    if isinstance(labels, list | tuple) and labels and np.ndim(labels[0]) > 0:
        return _nested_length(graph, labels, n_blocks, likelihood, node_types(net, node_type))
    b = check_labels(np.asarray(labels), graph.n_nodes)
    types = node_types(net, node_type)
    n_nominal = _nominal_blocks(b, n_blocks) if types is None else _nominal_of_types(b, n_blocks, types)
    sizes = np.bincount(b)
    adjacency, degrees = likelihood.parts(graph, b)
    return DescriptionLength(
        adjacency=adjacency,
        degrees=degrees,
        edge_counts=float(likelihood.edge_cost(graph, np.count_nonzero(sizes))),
        partition=partition_nats(PRIORS[prior], None if types is None else types.of_vertex, b, n_nominal),
        weights=weight_nats(graph, b),
    )


def _nominal_blocks(b: Array, n_blocks: Any) -> int:
    top = int(b.max(initial=-1)) + 1
    n_nominal = max(top, 1) if n_blocks is None else check_int("n_blocks", n_blocks, low=1)
    if top > n_nominal:
        raise OptionError(f"labels must lie in 0..n_blocks-1; got {top - 1} with n_blocks={n_nominal}")
    return n_nominal


def _nominal_of_types(b: Array, n_blocks: Any, types: NodeTypes) -> list[int]:
    """Return B of each type."""
    block_types = types.check_blocks(b)
    used = np.bincount(block_types[block_types >= 0], minlength=len(types.values)).tolist()
    if n_blocks is None:
        return used
    numbers = types.numbers(n_blocks, allow_empty=True)
    for value, most, has in zip(types.values, numbers, used, strict=True):
        if has > most:
            raise OptionError(f"n_blocks of type {value!r} must be at least the {has} that are in use; got {most}")
    return numbers


def _nested_length(
    graph: Graph, levels: Sequence[npt.ArrayLike], n_blocks: Any, likelihood: Likelihood, types: NodeTypes | None
) -> DescriptionLength:
    if n_blocks is not None:
        raise OptionError(f"n_blocks is for one partition; got n_blocks={n_blocks} with a hierarchy: leave it out")
    checked = check_levels([np.asarray(labels) for labels in levels], graph.n_nodes)
    adjacency, degrees = likelihood.parts(graph, checked[0])
    if types is not None:
        checked = check_typed_levels(checked, types)
    lengths = level_lengths(graph, checked, None if types is None else types.of_vertex)
    edges, partition, weights = (
        sum(getattr(one, part) for one in lengths) for part in ("edge_counts", "partition", "weights")
    )
    return DescriptionLength(adjacency, degrees, edges, partition, lengths, weights)


def check_labels(labels: npt.ArrayLike, n_nodes: int) -> Array:
    """Return labels as an (N,) int64 array of whole numbers from 0."""
    b = np.asarray(labels)
    if b.shape != (n_nodes,):
        raise DataError(f"labels must have one entry per vertex, shape ({n_nodes},); got shape {b.shape}")
    if b.size and (b.dtype.kind not in "iub" or b.min() < 0):
        raise DataError(f"labels must be whole numbers from 0; got {b.dtype} with least value {b.min()}")
    return b.astype(np.int64)
