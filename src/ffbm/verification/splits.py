"""A check of the selection of columns at the splits of a tree: inclusion and omega known by enumeration.

With blocks given the splits are coupled by omega alone. Inclusion sums over all sets of columns of all splits, omega
being integrated out; the weights and scales of each set are integrated over points that fill their prior evenly.
"""

from itertools import product
from typing import NamedTuple

import numpy as np
from scipy.special import betaln, log_softmax

from ffbm.config import FitConfig
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.splits import select_at_splits
from ffbm.types import Array, Features
from ffbm.types.tree import Tree, TreeNode
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.joint_selection import prior_points

ALLOWED = 0.01  # of an inclusion probability, in full runs
_CHAINS = 8


class Split(NamedTuple):
    """A split: how many vertices of each child have the values (0, 0), (1, 0), (0, 1) and (1, 1) of two flags."""

    counts: tuple[tuple[int, int, int, int], ...]


ROOT = Split(((3, 8, 2, 3), (3, 0, 9, 1)))
BELOW = Split(((1, 3, 1, 1), (1, 3, 0, 1), (1, 2, 1, 1)))  # of the first child of the root, whose counts they add up to
_FLAGS = np.array([(0, 0), (1, 0), (0, 1), (1, 1)], dtype=float)


def exact_inclusion(splits: tuple[Split, ...] = (ROOT, BELOW), n_points: int = 16) -> Array:
    """Return the inclusion probability of each column at each split (C, G).

    >>> exact_inclusion(n_points=10).shape
    (2, 2)
    """
    sets = [np.array(one, dtype=bool) for one in product((False, True), repeat=2)]
    evidence = np.array([[_evidence(split, inside, n_points) for inside in sets] for split in splits])
    n_columns, n_splits, total, inclusion = 2, len(splits), 0.0, np.zeros((len(splits), 2))
    for chosen in product(range(len(sets)), repeat=n_splits):
        inside = np.array([sets[at] for at in chosen])
        k = int(inside.sum())
        log_prior = betaln(1 + k, n_columns * (1 + n_splits) - k) - betaln(1, n_columns)
        mass = np.exp(log_prior) * np.prod(evidence[np.arange(n_splits), chosen])
        total += mass
        inclusion += mass * inside
    return inclusion / total


def _evidence(split: Split, inside: Array, n_points: int) -> float:
    w = prior_points((0, 1), inside, len(split.counts), n_points)
    x = np.column_stack((_FLAGS, np.ones(4)))
    log_p = log_softmax(np.einsum("pkd,nd->pnk", w, x), axis=2)
    return float(np.exp(np.einsum("kn,pnk->p", np.array(split.counts), log_p)).mean())


def tree_and_features() -> tuple[Tree, Features]:
    """Return the tree of the two splits, with four blocks, and the flags of its vertices."""
    counts = np.array([*BELOW.counts, ROOT.counts[1]])  # of each block
    labels = np.repeat(np.arange(4), counts.sum(axis=1))
    x = np.concatenate([np.repeat(_FLAGS, of_block, axis=0) for of_block in counts])
    below = [TreeNode(3 + block, 0, 1, block=block) for block in range(3)]
    nodes = (TreeNode(0, 2, None, (1, 2)), TreeNode(1, 1, 0, (3, 4, 5)), TreeNode(2, 0, 0, block=3), *below)
    names = ("first", "second")
    return Tree(nodes, labels, 0.0), Features(x, names, names, np.zeros(2), np.ones(2))


def sampled_inclusion(n_sweeps: int, seed: int) -> Array:
    """Return the same as a fit finds it."""
    tree, features = tree_and_features()
    config = FitConfig(
        hierarchy=True, n_sweeps=1, n_draws=n_sweeps, n_chains=_CHAINS, seed=seed, weight_prior="learned"
    )
    selected = select_at_splits(features, tree, config, RunContext(1))
    return np.array([trace.probability for trace in selected.values()])


def follow_the_law(effort: Effort) -> Finding:
    """Compare the inclusion probabilities of two columns at two splits with those by enumeration."""
    exact = exact_inclusion(n_points=18 if effort.full else 16)
    sampled = sampled_inclusion(8000 if effort.full else 1000, effort.seed + 3)
    worst = float(np.abs(exact - sampled).max())
    details = {"exact": exact.tolist(), "sampled": sampled.tolist()}
    return Finding(worst, ALLOWED if effort.full else 2 * ALLOWED, details=details)


CHECKS = (
    Check(
        "p(columns at splits|X,tree)",
        "largest difference of inclusion at two splits from enumeration",
        "an omega of each split for itself, or one that counts other trials; vertices or children of another split",
        follow_the_law,
    ),
)
