"""Priors on partitions: -ln P(b), to be read, and as the tables by which kernels score it."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import gammaln

from ffbm.blocks.edges import factorial_table, log_binomial, log_factorials
from ffbm.kernels.partition import Prior, TypedPrior
from ffbm.types import Array


class PartitionPrior(NamedTuple):
    """A prior on partitions into B blocks, some of which may be empty."""

    name: str
    nats: Callable[[Array, int], float]  # -ln P(b), given the sizes of the blocks and B
    tables: Callable[[int, int], Prior]  # the same for kernels, given N and B; a constant may be left out


def _uniform(sizes: Array, n_blocks: int) -> float:
    return float(sizes.sum() * np.log(n_blocks))


def _uniform_tables(n_nodes: int, n_blocks: int) -> Prior:
    return _prior(np.zeros(n_nodes + 2), np.zeros(n_blocks + 1))


def _full(sizes: Array, _n_blocks: int) -> float:
    """Return ln C(N-1, B_b-1) + ln N! - sum_r ln n_r! + ln N: the number of blocks, their sizes, then the labels."""
    n_nodes, n_used = int(sizes.sum()), int(np.count_nonzero(sizes))
    if n_nodes == 0:
        return 0.0
    chosen = float(log_binomial(n_nodes - 1, n_used - 1)) + float(np.log(n_nodes))
    return chosen + float(gammaln(n_nodes + 1)) - log_factorials(sizes)


def _full_tables(n_nodes: int, n_blocks: int) -> Prior:
    n_used = np.clip(np.arange(n_blocks + 1.0), 1, n_nodes)
    used_cost = log_binomial(n_nodes - 1, n_used - 1) + gammaln(n_nodes + 1) + np.log(n_nodes)
    return _prior(-factorial_table(n_nodes + 1), used_cost)


def _unlabelled(sizes: Array, n_blocks: int) -> float:
    """Return Peixoto's -ln P(b) plus ln of the number of ways to label the blocks, B! / (B - B_b)!."""
    n_used = int(np.count_nonzero(sizes))
    return _full(sizes, n_blocks) + float(gammaln(n_blocks + 1) - gammaln(n_blocks - n_used + 1))


def _unlabelled_tables(n_nodes: int, n_blocks: int) -> Prior:
    full = _full_tables(n_nodes, n_blocks)
    labellings = gammaln(n_blocks + 1) - gammaln(n_blocks - np.arange(n_blocks + 1.0) + 1)
    return full._replace(used_cost=full.used_cost + labellings)


def _prior(size_cost: Array, used_cost: Array) -> Prior:
    return Prior(size_cost, np.diff(size_cost), used_cost)


UNIFORM = PartitionPrior("uniform", _uniform, _uniform_tables)  # the FFBM's; in the tables N ln B is left out
FULL = PartitionPrior("full", _full, _full_tables)  # Peixoto's, for choosing B
UNLABELLED = PartitionPrior(
    "unlabelled", _unlabelled, _unlabelled_tables
)  # Peixoto's, on partitions whose blocks have no labels
PRIORS = {prior.name: prior for prior in (UNIFORM, FULL)}  # that a user can name


def partition_nats(prior: PartitionPrior, types: Array | None, labels: Array, n_blocks: int | Sequence[int]) -> float:
    """Return -ln P(b); of vertices of several types a sum over them, each with its own vertices and its own B."""
    if types is None or isinstance(n_blocks, int):
        return prior.nats(np.bincount(labels), int(np.sum(n_blocks)))
    return sum(prior.nats(np.bincount(labels[types == t]), int(n)) for t, n in enumerate(n_blocks))


def prior_tables(prior: PartitionPrior, types: Array | None, n_nodes: int, block_types: Array) -> Prior | TypedPrior:
    """Return the tables by which kernels score -ln P(b), with blocks of these types (B,)."""
    if types is None:
        return prior.tables(n_nodes, len(block_types))
    sizes = prior.tables(n_nodes, 1)
    used_cost = np.zeros((int(types.max(initial=0)) + 1, len(block_types) + 1))
    for t, costs in enumerate(used_cost):
        n_own, n_blocks = int((types == t).sum()), int((block_types == t).sum())
        costs[: n_blocks + 1] = prior.tables(n_own, n_blocks).used_cost
    return TypedPrior(sizes.size_cost, sizes.size_step, used_cost, block_types)


def tabulated_nats(prior: Prior | TypedPrior, sizes: Array) -> Array:
    """Return what partitions with blocks of these sizes (T, B) cost by the tables, (T,)."""
    if isinstance(prior, Prior):
        used = prior.used_cost[np.count_nonzero(sizes, axis=1)]
    else:
        by_type = (
            costs[np.count_nonzero(sizes[:, prior.kind == t], axis=1)] for t, costs in enumerate(prior.used_cost)
        )
        used = sum(by_type, np.zeros(len(sizes)))
    return np.asarray(prior.size_cost[sizes].sum(axis=1) + used)
