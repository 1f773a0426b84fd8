"""What the chains of a joint target share: the graph and its tables, and the features of the training vertices."""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp

from ffbm.blocks.likelihoods import DEGREE_CORRECTED, Likelihood
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.kernels.carrying import Telling
from ffbm.kernels.metric import Metric
from ffbm.kernels.target import Model
from ffbm.scoring.rows import merge_rows
from ffbm.theta.mode import curvature_metric
from ffbm.theta.prepare import WeightTarget, read_features, weight_target
from ffbm.types import Array, Graph
from ffbm.types.weights import INTERCEPT


class JointModel(NamedTuple):
    """p(b, theta | A, X), prepared for chains."""

    partitions: BlockTarget
    blocks: Model  # without a field: each chain has its own
    target: WeightTarget  # for any labels: only the sums X'y of its likelihood change
    telling: Telling
    even: Metric  # the curvature at W = 0, the same for all blocks

    @property
    def graph(self) -> Graph:
        """A."""
        return self.partitions.graph

    @property
    def n_blocks(self) -> int:
        """B."""
        return self.target.n_blocks


def joint_model(
    graph: Graph,
    features: Any,
    n_blocks: int,
    rows: Any = None,
    sigma: float = 1.0,
    intercept: bool = False,
    likelihood: Likelihood = DEGREE_CORRECTED,
) -> JointModel:
    """Prepare the joint target of a graph and the features of its vertices.

    With S the description length, over the training vertices alone::

        ln p(b, theta | A, X) = -S(b) + sum_i ln softmax_{b_i}(W x_i) - |W|^2 / (2 sigma^2) + const

    Parameters
    ----------
    graph : Graph
    features : Features, or (N, D) array or sparse matrix
    n_blocks : int
        B; a block may be empty.
    rows, sigma, intercept
        The training vertices, and what is said of the weights: see ``sample_weights``.
    likelihood : Likelihood
        Of the graph given the blocks.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 3], 4)
    >>> model = joint_model(graph, [[1, 0], [1, 0], [0, 1], [0, 1]], 2, rows=[0, 1, 2])
    >>> model.telling.group.tolist()
    [0, 0, 1, -1]
    """
    anywhere = np.full((graph.n_nodes, n_blocks), 1 / n_blocks)
    target = weight_target(features, anywhere, rows, sigma, intercept)
    x = read_features(features)[0]
    if INTERCEPT in target.names[-1:]:
        x = sp.hstack((x, np.ones((x.shape[0], 1))), format="csr")
    active = target.layout.active
    found = merge_rows(sp.csr_array(sp.csr_array(x)[target.rows][:, active]))
    group = np.full(graph.n_nodes, -1, dtype=np.int32)
    n_rows = 0
    if len(active):
        group[target.rows] = found.group
        n_rows = len(found.counts)
    merged = target.likelihood._replace(
        indptr=found.rows.indptr[: n_rows + 1],
        indices=found.rows.indices,
        values=found.rows.values,
        counts=found.counts[:n_rows].astype(np.float64),
    )
    target = replace(target, likelihood=merged)
    telling = Telling(group, target.layout.sigma[active])
    even = curvature_metric(merged, np.zeros_like(merged.sums))
    partitions = BlockTarget(graph, likelihood)
    return JointModel(partitions, block_model(partitions, n_blocks), target, telling, even)


def sums_of(model: JointModel, labels: Array) -> Array:
    """Return X'y (A, B) over the training vertices for labels (N,)."""
    likelihood, group = model.target.likelihood, model.telling.group
    n_active, n_blocks = likelihood.sums.shape
    if n_active == 0:
        return np.zeros((0, n_blocks))
    told = np.flatnonzero(group >= 0)
    data = likelihood.values if len(likelihood.values) else np.ones(len(likelihood.indices))
    x = sp.csr_array((data, likelihood.indices, likelihood.indptr), shape=(len(likelihood.counts), n_active))
    y = np.zeros((x.shape[0], n_blocks))
    np.add.at(y, (group[told], labels[told]), 1.0)
    return np.ascontiguousarray(x.T @ y)
