"""The description length S(b) = -ln p(A, k, e, b) of the microcanonical degree-corrected SBM.

The readable truth that the fast kernels are held to.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import gammaln

from ffbm.blocks.logq import log_partitions
from ffbm.check import check_choice, check_int
from ffbm.errors import DataError, OptionError
from ffbm.types import Array, Graph, Network

LN2 = float(np.log(2.0))


@dataclass(frozen=True, slots=True)
class DescriptionLength:
    """The parts of S(b), in nats."""

    adjacency: float
    degrees: float
    edge_counts: float
    partition: float

    @property
    def total(self) -> float:
        """All four parts."""
        return self.without_partition + self.partition

    @property
    def without_partition(self) -> float:
        """The part that the graph adds to the partition: what the block chain records."""
        return self.adjacency + self.degrees + self.edge_counts


def description_length(
    net: Network | Graph, labels: npt.ArrayLike, n_blocks: int | None = None, prior: str = "uniform"
) -> DescriptionLength:
    """Return the description length of a network under a partition into blocks, part by part.

    With e_rs edges between blocks (e_rr twice the edges inside r), e_r = sum_s e_rs, n_r vertices in
    block r, eta_k^r of them of degree k, and B_b non-empty blocks::

        adjacency   = -sum_{r<s} ln e_rs! - sum_r ln e_rr!! - sum_i ln k_i! + sum_r ln e_r!
                      + sum_{i<j} ln A_ij! + sum_i ln A_ii!!
        degrees     = sum_r [ ln n_r! + ln q(e_r, n_r) - sum_k ln eta_k^r! ]
        edge_counts = ln C( B_b (B_b+1)/2 + E - 1, E )
        partition   = N ln B                                                (prior="uniform")
                      ln C(N-1, B_b-1) + ln N! - sum_r ln n_r! + ln N       (prior="full")

    q(m, n) is the number of partitions of m into at most n parts: exact up to m = 2048, beyond that
    to 2e-6 nats.

    Parameters
    ----------
    net : Network or Graph
    labels : (N,) whole numbers from 0
        The block of each vertex; a block may be empty.
    n_blocks : int, optional
        B of the uniform prior; one more than the largest label if left out.
    prior : {"uniform", "full"}
        The FFBM's B^-N, or Peixoto's prior for choosing B.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.as_network([("a", "b"), ("b", "c"), ("c", "a"), ("c", "d")])
    >>> round(ffbm.description_length(net, [0, 0, 0, 1]).total, 4)
    10.1346
    """
    graph = net.graph if isinstance(net, Network) else net
    check_choice("prior", prior, ("uniform", "full"))
    b = check_labels(labels, graph.n_nodes)
    top = int(b.max(initial=-1)) + 1
    n_nominal = max(top, 1) if n_blocks is None else check_int("n_blocks", n_blocks, low=1)
    if top > n_nominal:
        raise OptionError(f"labels must lie in 0..n_blocks-1; got {top - 1} with n_blocks={n_nominal}")
    sizes = np.bincount(b)
    n_used = int(np.count_nonzero(sizes))
    n_pairs = n_used * (n_used + 1) // 2
    return DescriptionLength(
        adjacency=_adjacency(graph, b),
        degrees=_degrees(graph, b, sizes),
        edge_counts=_log_binomial(n_pairs + graph.n_edges - 1, graph.n_edges) if graph.n_edges else 0.0,
        partition=_partition(sizes, n_used, n_nominal, prior),
    )


def check_labels(labels: npt.ArrayLike, n_nodes: int) -> Array:
    """Return labels as an (N,) int64 array of whole numbers from 0."""
    b = np.asarray(labels)
    if b.shape != (n_nodes,):
        raise DataError(f"labels must have one entry per vertex, shape ({n_nodes},); got shape {b.shape}")
    if b.size and (b.dtype.kind not in "iub" or b.min() < 0):
        raise DataError(f"labels must be whole numbers from 0; got {b.dtype} with least value {b.min()}")
    return b.astype(np.int64)


def _adjacency(graph: Graph, b: Array) -> float:
    pairs, counts = block_edges(graph, b)
    inside = pairs[:, 0] == pairs[:, 1]
    ends = np.bincount(b, weights=graph.degrees)
    value = _log_factorials(ends) - _log_factorials(counts) - LN2 * counts[inside].sum()
    value += _log_multiplicities(graph) + _log_factorials(graph.loops) + LN2 * graph.loops.sum()
    return float(value) - _log_factorials(graph.degrees)


def block_edges(graph: Graph, b: Array) -> tuple[Array, Array]:
    """Return the pairs of blocks (r <= s) with edges between them, and how many edges."""
    ends = np.sort(b[graph.edges], axis=1)
    return np.unique(ends, axis=0, return_counts=True) if len(ends) else (ends, np.zeros(0, dtype=np.int64))


def _log_multiplicities(graph: Graph) -> float:
    row = np.repeat(np.arange(graph.n_nodes), np.diff(graph.indptr))
    upper = row < graph.indices
    key = row[upper] * graph.n_nodes + graph.indices[upper]
    return _log_factorials(np.unique(key, return_counts=True)[1])


def _degrees(graph: Graph, b: Array, sizes: Array) -> float:
    ends = np.bincount(b, weights=graph.degrees).astype(np.int64)
    used = sizes > 0
    eta = np.unique(np.column_stack((b, graph.degrees)), axis=0, return_counts=True)[1]
    partitions = log_partitions(ends[used], sizes[used]).sum()
    return _log_factorials(sizes) + float(partitions) - _log_factorials(eta)


def _partition(sizes: Array, n_used: int, n_nominal: int, prior: str) -> float:
    n_nodes = int(sizes.sum())
    if prior == "uniform" or n_nodes == 0:
        return n_nodes * float(np.log(n_nominal))
    sequences = float(gammaln(n_nodes + 1)) - _log_factorials(sizes)
    return _log_binomial(n_nodes - 1, n_used - 1) + sequences + float(np.log(n_nodes))


def _log_factorials(counts: Array) -> float:
    return float(gammaln(np.asarray(counts, dtype=float) + 1).sum())


def _log_binomial(n: int, k: int) -> float:
    return float(gammaln(n + 1) - gammaln(k + 1) - gammaln(n - k + 1))
