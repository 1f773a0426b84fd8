"""What the chains of a joint target share: the graph and its tables, and the features of the training vertices."""

from typing import Any, NamedTuple

import numpy as np

from ffbm.blocks.target import BlockTarget, block_model
from ffbm.kernels.metric import Metric
from ffbm.kernels.target import Model
from ffbm.theta.design import Training, make_design, train_on
from ffbm.theta.mode import curvature_metric
from ffbm.theta.prior import prior_scales
from ffbm.theta.unknown import Unknown, lay_out_unknown
from ffbm.types import Array, Graph


class JointModel(NamedTuple):
    """p(b, theta | A, X), prepared for chains."""

    partitions: BlockTarget
    blocks: Model  # without a field: each chain has its own
    training: Training  # the design; the response are the labels of a chain
    scale: Array  # (D,) the prior that chains start with
    metric_at_zero: Metric  # the curvature at W = 0, the same for all blocks
    unknown: Unknown | None = None  # the cells that are sampled, without labels; None if there are none

    @property
    def graph(self) -> Graph:
        """A."""
        return self.partitions.graph

    @property
    def n_blocks(self) -> int:
        """B."""
        return self.training.n_blocks


def joint_model(
    graph: Graph | BlockTarget,
    features: Any,
    n_blocks: int,
    rows: Any = None,
    sigma: Any = 1.0,
    intercept: bool = False,
) -> JointModel:
    """Prepare the joint target of a graph and the features of its vertices.

    With S the description length, over the training vertices alone::

        ln p(b, theta | A, X) = -S(b) + sum_i ln softmax_{b_i}(W x_i) - sum_d |w_d|^2 / (2 sigma_d^2) + const

    If cells of the design are unknown, they and the law of the columns are sampled along: see ``theta/mixture.py``.

    Parameters
    ----------
    graph : Graph or BlockTarget
        With its likelihood given blocks, if that is not the degree-corrected one.
    features : Features, (N, D) array or sparse matrix, or Design
    n_blocks : int
        B; a block may be empty.
    rows, sigma, intercept
        The training vertices, and the prior of the weights: see ``sample_weights``.

    Examples
    --------
    >>> graph = Graph.from_edges([0, 1, 2], [1, 2, 3], 4)
    >>> model = joint_model(graph, [[1, 0], [1, 0], [0, 1], [0, 1]], 2, rows=[0, 1, 2])
    >>> model.training.rows.group.tolist()
    [0, 0, 1, -1]
    """
    design = make_design(features, intercept)
    partitions = graph if isinstance(graph, BlockTarget) else BlockTarget(graph)
    design.check_vertices(partitions.graph.n_nodes)
    training, scale = train_on(design, rows, n_blocks), prior_scales(sigma, design.columns)
    nothing = np.zeros((len(training.rows.active), n_blocks))
    metric_at_zero = curvature_metric(training.target(nothing, scale), nothing)
    unknown = lay_out_unknown(training)
    return JointModel(partitions, block_model(partitions, n_blocks), training, scale, metric_at_zero, unknown)
