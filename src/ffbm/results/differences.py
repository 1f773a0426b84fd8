"""Two fits of one network side by side: how far the blocks moved, how the ranking changed, which features pulled."""

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import scipy.sparse as sp

from ffbm.blocks.agreement import adjusted_mutual_information
from ffbm.blocks.groups import best_match
from ffbm.errors import DataError, OptionError
from ffbm.ranking import rank_features
from ffbm.store.parts import FitParts
from ffbm.types import Array
from ffbm.types.ranking import Ranking

if TYPE_CHECKING:
    import pandas as pd

_SCORES = (
    "description_length_without_partition", "bits_train", "bits_test", "loss_train", "loss_test",
    "predictive_loss_train", "predictive_loss_test",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Differences:
    """How two fits of one network differ, their blocks brought to one numbering: the data of a ``Comparison``."""

    first: FitParts
    second: FitParts
    names: tuple[str, str]
    order: Array = field(repr=False)

    @classmethod
    def between(cls, first: FitParts, second: FitParts) -> Self:
        """Compare two fits of one network: blocks of the second are matched with those that they share most with.

        One of them may be without the direction of the edges, or without their weights.
        """
        pair: tuple[tuple[str, Any], ...] = (("first", first), ("second", second))
        for name, fit in pair:
            if not isinstance(fit, FitParts):
                kind = type(fit).__name__
                raise OptionError(f"compare takes two fits; the {name} is {kind}: give what ffbm.fit returns")
        is_directed = first.network.graph.is_directed, second.network.graph.is_directed
        nets = (first.network, second.network)
        if is_directed[0] != is_directed[1]:
            nets = (nets[0].undirected(), nets[1].undirected())
        weights = first.network.graph.weights, second.network.graph.weights
        is_weighted = weights[0] is not None, weights[1] is not None
        if any(is_weighted):  # one may be without weights, or take them for something else
            nets = (nets[0].without_weights(), nets[1].without_weights())
        if nets[0].fingerprint != nets[1].fingerprint:
            raise DataError("compare takes two fits of the same network; these differ in vertices, edges or features")
        # the order of vertices may differ from one reading to another
        if list(first.network.node_ids) != list(second.network.node_ids):
            raise DataError("compare takes fits with vertices in the same order; read the network once for both")
        targets = first.config.target, second.config.target
        names = targets if targets[0] != targets[1] else ("first", "second")
        if targets[0] == targets[1] and is_directed[0] != is_directed[1]:
            names = ("directed", "undirected") if is_directed[0] else ("undirected", "directed")
        elif targets[0] == targets[1] and is_weighted[0] != is_weighted[1]:
            names = ("weighted", "unweighted") if is_weighted[0] else ("unweighted", "weighted")
        elif targets[0] == targets[1] and weights[0] and weights[1] and weights[0].model != weights[1].model:
            names = weights[0].model, weights[1].model
        one, other = first.memberships.probs, second.memberships.probs
        size = max(one.shape[1], other.shape[1])
        shared = np.zeros((size, size))
        shared[: other.shape[1], : one.shape[1]] = other.T @ one
        return cls(first, second, names, np.asarray(best_match(shared))[: other.shape[1]])

    @cached_property
    def labels(self) -> tuple[Array, Array]:
        """The block of each vertex in either fit (N,), both in the numbering of the first."""
        return self.first.memberships.labels, self.order[self.second.memberships.labels]

    @cached_property
    def agreement(self) -> float:
        """The adjusted mutual information of the two partitions: 1 if they are the same, about 0 by chance."""
        return adjusted_mutual_information(*self.labels)

    @cached_property
    def is_changed(self) -> Array:
        """Which vertices are in another block in the second fit (N,)."""
        one, other = self.labels
        return np.asarray(one != other)

    @property
    def n_changed(self) -> int:
        """The number of vertices that are in another block."""
        return int(self.is_changed.sum())

    @cached_property
    def shift(self) -> float:
        """The mean over vertices of half the sum of |changes of membership|: the mass that moved to other blocks."""
        one, other = self._memberships
        return float(np.abs(one - other).sum(axis=1).mean() / 2)

    @cached_property
    def vertices(self) -> "pd.DataFrame":
        """The vertices that changed block, the surest of their new block first.

        ``id``, ``training`` (in the second fit), ``from`` and ``to`` in the numbering of the first fit, and the
        memberships in ``to`` before and after.
        """
        import pandas as pd

        which = np.flatnonzero(self.is_changed)
        before, after = self._memberships
        to = self.labels[1][which]
        table = pd.DataFrame(
            {
                "id": self.first.network.node_ids[which],
                "training": np.isin(which, self.second.train),
                "from": self.labels[0][which],
                "to": to,
                "membership_before": before[which, to],
                "membership_after": after[which, to],
            }
        )
        return table.sort_values("membership_after", ascending=False, kind="stable", ignore_index=True)

    @cached_property
    def rankings(self) -> tuple[Ranking, Ranking]:
        """The rankings of both fits, by one rule."""
        one, other = self.first, self.second
        if one.ranking.rule == other.ranking.rule:
            return one.ranking, other.ranking
        return _by_score(one), _by_score(other)

    @cached_property
    def features(self) -> "pd.DataFrame":
        """One row per feature: scores and ranks in either fit, and how much it pulled; by the rank in the second.

        Where one fit ranks by inclusion and the other cannot, both are ranked by the paper's score.

        ``pull`` is how much of the change of the memberships the feature speaks for, in nats, summed over the vertices
        that trained the second fit, with W its mean centred weights::

            pull_d = sum_i sum_r (p2_ir - p1_ir) x_id W_rd

        Positive: vertices moved where the feature says they belong.
        """
        import pandas as pd

        one, other = (ranking.table.set_index("feature") for ranking in self.rankings)
        return pd.DataFrame(
            {
                "feature": other.index,
                "column": other["column"].to_numpy(),
                "rank_before": one["rank"].reindex(other.index).to_numpy(),
                "rank_after": other["rank"].to_numpy(),
                "score_before": one["score"].reindex(other.index).to_numpy(),
                "score_after": other["score"].to_numpy(),
                "pull": self.pulls[[self.second.ranking.names.index(name) for name in other.index]],
            }
        )

    @cached_property
    def pulls(self) -> Array:
        """The pull of each feature in nats (D,): see ``features``."""
        fit, rows = self.second, self.second.train
        one, other = self._memberships
        size = one.shape[1]
        w = np.zeros((size, fit.ranking.n_features))
        w[self.order] = fit.ranking.mean - fit.ranking.mean.mean(axis=0)
        x = sp.csr_array(fit.network.features.values)[rows]
        return np.asarray(((x.T @ (other - one)[rows]) * w.T).sum(axis=1))

    @cached_property
    def fewer(self) -> tuple[float, float]:
        """P(B_b < B) in either fit: the share of draws that leave a block empty."""
        return _fewer(self.first), _fewer(self.second)

    @property
    def _memberships(self) -> tuple[Array, Array]:
        """Both memberships (N, B), in the numbering of the first."""
        one, other = self.first.memberships.probs, self.second.memberships.probs
        size = max(one.shape[1], other.shape[1], int(self.order.max(initial=-1)) + 1)
        before, after = np.zeros((2, len(one), size))
        before[:, : one.shape[1]] = one
        after[:, self.order] = other
        return before, after

    def to_dict(self) -> dict[str, Any]:
        """Return what is short of it in plain values."""
        trained = np.isin(np.arange(len(self.is_changed)), self.second.train)
        pair = dict(zip(self.names, (self.first, self.second), strict=True))
        return {
            "fits": list(self.names),
            "adjusted_mutual_information": self.agreement,
            "n_nodes": len(self.is_changed),
            "n_changed": self.n_changed,
            "n_changed_training": int((self.is_changed & trained).sum()),
            "membership_moved": self.shift,
            "blocks": self.order.tolist(),
            "fewer_blocks": dict(zip(self.names, self.fewer, strict=True)),
            "kept_before": list(self.rankings[0].kept),
            "kept_after": list(self.rankings[1].kept),
            "features": self.features.to_dict("records"),
            "scores": {name: {key: getattr(fit.scores, key) for key in _SCORES} for name, fit in pair.items()},
            "converged": {name: bool(fit.converged) for name, fit in pair.items()},
            "grades": {name: fit.converged.grade for name, fit in pair.items()},
            "vertices": self.vertices.to_dict("records"),
        }


def _by_score(fit: FitParts) -> Ranking:
    return rank_features(fit.weights, fit.ranking.k, fit.ranking.n_kept, rule="paper")


def _fewer(fit: FitParts) -> float:
    labels, n_blocks = fit.blocks.labels, fit.blocks.n_blocks
    used = sum((labels == r).any(axis=2).astype(np.int64) for r in range(n_blocks))
    return float((used < n_blocks).mean())
