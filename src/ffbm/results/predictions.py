"""What a fit predicts: blocks of new vertices, and edges."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ffbm.store.parts import FitParts
from ffbm.types import Array

if TYPE_CHECKING:
    import pandas as pd


class Predictions(FitParts):
    """The parts of a fit, with what they predict."""

    def predict(self, features: Any, edges: Sequence[Sequence[Any]] | None = None, *, encoded: bool = False) -> Array:
        """Return the probability of each block for vertices that the fit has not seen, (n, B).

        Parameters
        ----------
        features : DataFrame, list of dicts, Features or (n, D) array
            A table with the columns that the network was read from, encoded as that was (numbers by the fit's own mean
            and standard deviation; what it has not seen is logged); or features that are encoded already. With
            ``impute``, cells that are missing are averaged over.
        edges : for each vertex the ids of its neighbours, optional
            Known vertices that it has edges to. What these say of its block is exact: the change of S, averaged over 50
            partitions of the fit.
        encoded : bool
            The table's columns are the fit's features, by name.

        Examples
        --------
        >>> import ffbm
        >>> fit = ffbm.fit(ffbm.load_dataset("polbooks"), n_blocks=3, folds=1, seed=1)
        >>> int(fit.predict([{"value": "neutral"}]).argmax())
        2
        >>> linked = fit.predict([{"value": "neutral"}], edges=[["8", "12", "24"]])  # three conservative books
        >>> int(linked.argmax()), fit.memberships.labels[[8, 12, 24]].tolist()
        (0, [0, 0, 0])
        """
        from ffbm.results.new_vertices import predict_linked, predict_unseen

        by_features = predict_unseen(self.weights, self.network.features, features, encoded)
        return by_features if edges is None else predict_linked(self, by_features, edges)

    def link_scores(self, pairs: Any) -> Array:
        """Return for each pair of vertices the log odds of an edge between them, up to one constant.

        The score of a pair without an edge is ln p(A + edge) - ln p(A), averaged over the partitions of the fit (100 of
        them, evenly spaced); that of a pair with an edge is taken in the network without that edge, so that scores of
        both kinds can be compared.

        Parameters
        ----------
        pairs : pairs of ids
            Such as ``[("Anna", "Bert"), ("Anna", "Carl")]``, or a table with two columns.

        Examples
        --------
        >>> import ffbm
        >>> fit = ffbm.fit(ffbm.load_dataset("polbooks"), n_blocks=3, folds=1, seed=1)
        >>> inside, between = fit.link_scores([("8", "24"), ("8", "100")])
        >>> bool(inside > between)
        True
        """
        from ffbm.results.links import link_scores

        return link_scores(self, pairs)

    def link_probabilities(self, pairs: Any) -> Array:
        """Return for each pair of vertices the probability of an edge between them.

        The constant that turns ``link_scores`` into log odds is fitted to pairs that are held out one by one. Where
        degrees vary by chance alone, which the model takes for real, the highest probabilities are too high.

        Parameters
        ----------
        pairs : pairs of ids
            As for ``link_scores``.

        Examples
        --------
        >>> import ffbm
        >>> fit = ffbm.fit(ffbm.load_dataset("polbooks"), n_blocks=3, folds=1, seed=1)
        >>> inside, between = fit.link_probabilities([("8", "24"), ("8", "100")])
        >>> bool(0 < between < inside < 1)
        True
        """
        from ffbm.results.links import link_probabilities

        return link_probabilities(self, pairs)

    def missing_links(self, top: int = 100) -> "pd.DataFrame":
        """Return the pairs without an edge that are most likely to have one, the likeliest first.

        One row a pair: ``source``, ``target``, ``probability``, ``score``, ``source_block``, ``target_block``. In a
        network of more than 5,000,000 pairs only those at distance two are considered.

        Parameters
        ----------
        top : int
            How many pairs.

        Examples
        --------
        >>> import ffbm
        >>> fit = ffbm.fit(ffbm.load_dataset("polbooks"), n_blocks=3, folds=1, seed=1)
        >>> likely = fit.missing_links(3)
        >>> likely["probability"].is_monotonic_decreasing, len(likely)
        (True, 3)
        """
        from ffbm.results.links import missing_links

        return missing_links(self, top)

    def expected_links(
        self, features: Any, degree: float | Sequence[float] | None = None, *, encoded: bool = False
    ) -> Array:
        """Return how many edges new vertices are expected to have with each known one, by their features alone.

        Vertex i with features x and degree k has k sum_r softmax_r(W x) e_{r,b_j} k_j / (e_r e_{b_j}) edges with vertex
        j, on average over 50 partitions of the fit; rows sum to k.

        Parameters
        ----------
        features : DataFrame, list of dicts, Features or (n, D) array
            As for ``predict``.
        degree : number, or one for each vertex, optional
            The degree that is expected; the mean degree of the network if left out. In a directed network the edges
            that leave the vertex.
        encoded : bool
            As for ``predict``.

        Returns
        -------
        (n, N) float64
            In the order of ``fit.network.node_ids``.

        Examples
        --------
        >>> import ffbm
        >>> fit = ffbm.fit(ffbm.load_dataset("polbooks"), n_blocks=3, folds=1, seed=1)
        >>> expected = fit.expected_links([{"value": "conservative"}], degree=8)
        >>> expected.shape, round(float(expected.sum()), 6)
        ((1, 105), 8.0)
        """
        from ffbm.results.new_vertices import expected_links, predict_unseen

        by_features = predict_unseen(self.weights, self.network.features, features, encoded)
        return expected_links(self, by_features, degree)
