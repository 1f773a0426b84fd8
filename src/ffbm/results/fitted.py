"""A fit: everything that was sampled and found, and what can be asked of it."""

import os
from collections.abc import Sequence
from dataclasses import fields, replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any

from ffbm.diagnostics import FitDiagnostics, Verdict
from ffbm.explanation import Explanation
from ffbm.results.predictions import Predictions
from ffbm.store.parts import FitParts

if TYPE_CHECKING:
    import pandas as pd
    import xarray as xr

    from ffbm.progress import Listener
    from ffbm.results.checks import Check
    from ffbm.results.figures import Plots
    from ffbm.results.hierarchy import FitTree


class Fit(Predictions):
    """What ``ffbm.fit`` returns: the answer, and all that it rests on.

    Attributes
    ----------
    network : Network
        What was fitted: graph, features, ids.
    config : FitConfig
        What was chosen, with the seed that was used.
    train : (n,) int64
        The training vertices.
    blocks : BlockTrace
        The draws of the block chains, ``labels`` (C, T, N), and their description lengths.
    memberships : Memberships
        y-hat: ``probs`` (N, B), ``labels`` (N,); ``modes`` if the partitions show several pictures.
    explanation : Explanation
        What all features say of the memberships; ``weights``, ``ranking`` and ``scores`` are its parts.
    weights : WeightTrace
        ``weights`` (C, T, B, D) of all features.
    ranking : Ranking
        The features in order of their scores, and which are ``kept``.
    scores : Scores
        Bits explained, losses and accuracies on training and held-out vertices, of the fit on all features.
    block_table : DataFrame
        The blocks; ``to_frame()`` are the vertices.
    column_table : DataFrame
        What each column of the table explains, alone and beyond the others, and whether that could be chance.
    reduced : Explanation or None
        The refit on the kept features, ``.weights`` and ``.scores``; None unless ``n_kept`` < D.
    diagnostics : FitDiagnostics
        R-hat, ESS and grades of every stage; ``columns``: whether chains that differ give the same answer.
    converged : Verdict
        Whether the chains of all stages agree: a truth value, a ``grade`` ("converged", "usable", "multimodal" or
        "too short"), a ``reason`` and the ``command`` that would help.
    provenance : dict
        Versions, seed, fingerprint of the data, date, command.
    imputed : DataFrame
        With ``impute=True``: the law of each cell that had no answer.
    tree : FitTree
        With ``hierarchy=True``: the tree of blocks; ``tree.split(node)`` is what explains a split.
    """

    @classmethod
    def of(cls, parts: FitParts, **changes: Any) -> "Fit":
        """Return the fit that consists of these parts, some of them changed."""
        return cls(**{one.name: getattr(parts, one.name) for one in fields(parts)} | changes)

    @cached_property
    def diagnostics(self) -> FitDiagnostics:
        """R-hat, ESS and grades of every stage; ``columns``: whether the chains give the same answer."""
        from ffbm.pipeline.columns import compare_chains

        return replace(super().diagnostics, compare=partial(compare_chains, self))

    @property
    def converged(self) -> Verdict:
        """Whether the chains of all stages agree: a grade, its reason, and the command that would help.

        It is true for the grade "converged" alone.
        """
        from ffbm.results.remedy import command_to_go_on

        judged = self.diagnostics.converged
        return judged if judged else replace(judged, command=command_to_go_on(self))

    @property
    def column_table(self) -> "pd.DataFrame":
        """What each column of the user's table explains, one row per column, by what it adds; made at first use.

        ``column``, ``kind``, ``n_features``, ``inclusion`` and ``decision`` (NaN and None under the fixed prior);
        ``bits_alone`` (held-out bits per vertex over the base rate, of this column and the intercept) and
        ``bits_unique`` (what all columns lose without it; NaN where it was not tested), with standard errors
        over vertices ``bits_alone_se`` and ``bits_unique_se``; ``p_value`` and ``p_value_degrees`` of the permutation
        test; ``verdict``; ``sets_apart``, which values set which blocks apart; ``shares_with``, the columns that
        explain much of the same; with ``hierarchy=True`` also ``splits``, where in the tree it acts. A fit graded
        multimodal has no average over modes: ``inclusion_mode_0``, ``decision_mode_0``, ... stand in place of
        ``inclusion`` and ``decision``, and ``sets_apart`` is empty.

        >>> import ffbm
        >>> net = ffbm.load_dataset("polbooks")
        >>> fit = ffbm.fit(net, n_blocks=3, n_sweeps=4000, seed=1)
        >>> fit.column_table[["column", "kind", "verdict"]]
          column    kind                                  verdict
        0  value  values  explains much that no other column does
        """
        from ffbm.results.by_mode import columns_of

        return columns_of(self)

    def sentence(self) -> str:
        """Return the answer in two sentences for a results section: bits with intervals, and what they rest on."""
        from ffbm.results.sentence import sentence_of

        return sentence_of(self)

    def summary(self, verbose: bool = False) -> str:
        """Return the answer on a screen of plain text.

        Parameters
        ----------
        verbose : bool
            Also description lengths, losses, more features and blocks, and what each number means.
        """
        from ffbm.results.summary import summary_text

        return summary_text(self, verbose)

    def mode(self, number: int, progress: "Listener | bool | None" = None) -> Explanation:
        """Return what features say of one mode of the partitions: ``.mode``, ``.weights``, ``.ranking``, ``.scores``.

        The weights are sampled again, given that mode's memberships, with the settings and the training vertices of
        the fit and random streams of their own; asked again, they are the same. With one mode it is the fit itself;
        with ``target="joint"`` and the fixed prior they are those of the mode's draws, and nothing is sampled. With
        "joint" and the learned prior they are given the mode's partitions, and no vertex is held out.

        Parameters
        ----------
        number : int
            From 0, the mode with the most draws: see ``fit.memberships.modes``.
        progress : None, bool or callable
            As in ``ffbm.fit``.
        """
        from ffbm.pipeline.modes import explain_mode

        return explain_mode(self, number, progress)

    @cached_property
    def tree(self) -> "FitTree":
        """The tree of blocks of a fit with ``hierarchy=True``: print it, or ask it for ``split(node)``."""
        from ffbm.results.hierarchy import FitTree, tree_of

        return FitTree.of(tree_of(self), self)

    def level(self, level: int) -> Explanation:
        """Return what features say of the groups of one level of the tree, as if there were no others.

        Parameters
        ----------
        level : int
            0 are the blocks; the groups above follow. Block r of the explanation is the group number r by size.
        """
        return self.tree.explain_level(level)

    def check(
        self,
        n_replicates: int = 200,
        seed: int | None = 0,
        columns: bool | str | Sequence[str] = False,
        n_refits: int = 199,
        workers: int | None = None,
        progress: "Listener | bool | None" = None,
        pairs: int | Sequence[tuple[str, str]] = 10,
    ) -> "Check":
        """Compare the network with replicates drawn from the fit: what do blocks and degrees not explain?

        A replicate has the partition, the edge counts and, with degree correction, the degrees of a kept draw; its
        half-edges are paired at random. ``check.table`` has a row for each statistic, ``check.sentences`` says it in
        words, ``fit.plot.check()`` draws it. With ``columns`` also: does a column act inside blocks? Do vertices of
        equal value have more edges, or fewer, than blocks and degrees say? The reference is networks simulated from the
        fit whose blocks are inferred again, in ``check.columns``; that takes a while.

        Two more are of the features. ``check.calibration``: are held-out vertices in a block as often as their
        features say? ``check.pairs``: which pairs of columns act together, so that what one says of a block depends on
        the other? The model adds up what columns say, and misses that.

        Parameters
        ----------
        n_replicates : int
            At least 20.
        seed : int or None
        columns : bool, column name or names
            True for all columns.
        n_refits : int
            How many networks are simulated and refitted for ``columns``, at least 19: p is at least 1 / (n_refits + 1).
        workers : int, optional
            Threads for the refits; one for each core if left out.
        progress : None, bool or callable
            As in ``ffbm.fit``.
        pairs : int, or pairs of column names
            How many pairs of columns are tested, those that matter most first; 0 for none.

        Examples
        --------
        >>> import ffbm
        >>> fit = ffbm.fit(ffbm.load_dataset("polbooks"), n_blocks=3, seed=1)
        >>> check = fit.check(columns=True, n_refits=19)
        >>> check.columns["column"].tolist(), check.refits.shape
        (['value'], (19, 1, 2))
        >>> check.pairs is None, int(check.calibration["n"].sum())  # one column has no pair
        (True, 315)
        """
        from ffbm.results.checks import check_fit

        return check_fit(self, n_replicates, seed, columns, n_refits, workers, progress, pairs)

    def effects(self, names: Sequence[str] | None = None) -> "pd.DataFrame":
        """Return how much the probability of each block changes with each feature, averaged over the vertices.

        One row for each feature and block: ``feature``, ``column``, ``block``, ``effect`` with its 95 % interval
        ``low`` to ``high``, ``support``, ``kind``. A flag is set against not set, a value against the others of its
        column, a number one standard deviation up.

        Parameters
        ----------
        names : feature names, optional
            All features if left out.
        """
        return self.explanation.effects(names)

    @property
    def block_table(self) -> "pd.DataFrame":
        """One row per block: how many vertices, edges inside, how sure its vertices are, how well features tell it.

        ``block``, ``vertices``, ``training``, ``expected_vertices`` (the sum of memberships), ``membership`` (their
        mean over its vertices), ``degree_sum``, ``edges_inside``, ``accuracy_train`` and ``accuracy_test``; ``given``,
        its name, if blocks were given.
        """
        from ffbm.results.tables import table_of_blocks

        return table_of_blocks(self)

    def to_frame(self) -> "pd.DataFrame":
        """Return one row per vertex: its block, the probability of each block, its degree and its attributes.

        ``id``, ``block``, ``training``, ``degree``, ``membership_0``, ``membership_1``, ..., then the columns of the
        user's table that became features, as they were read.
        """
        from ffbm.results.tables import table_of_vertices

        return table_of_vertices(self)

    @property
    def imputed(self) -> "pd.DataFrame":
        """The law of each cell that had no answer, of a fit with ``impute=True``: which value, how likely.

        ``vertex``, ``column``, ``value`` and ``probability``, a row for each value that the cell may have; for a number
        one row with ``mean`` and ``sd``. Given the vertex's block, its other cells and what all vertices tell of the
        columns; True and False are those of a flag, "(none)" is none of the values that have a flag.

        Examples
        --------
        >>> import ffbm, numpy as np, pandas as pd
        >>> team = np.array(["red", "blue"] * 20, dtype=object)
        >>> team[0] = None
        >>> edges = [(i, j) for i in range(40) for j in range(i) if (i - j) % 2 == 0]
        >>> net = ffbm.as_network(edges, pd.DataFrame({"team": team}))
        >>> fit = ffbm.fit(net, blocks=np.arange(40) % 2, impute=True, n_draws=4000, seed=1)
        >>> fit.imputed[["vertex", "column", "value"]].values.tolist()
        [['0', 'team', 'blue'], ['0', 'team', 'red']]
        >>> bool(fit.imputed["probability"][1] > 0.9)
        True
        """
        from ffbm.results.imputed import imputed_table

        return imputed_table(self)

    def to_datatree(self) -> "xr.DataTree":
        """Return everything as an xarray DataTree, which ArviZ reads: see docs/runs.md for its groups."""
        from ffbm.results.inference import to_datatree

        return to_datatree(self)

    def to_inference_data(self) -> Any:
        """Return what the installed ArviZ takes: ``InferenceData`` before its version 1, the DataTree since.

        ``posterior`` has ``weights`` and ``centred``, the weights less their mean over blocks: what the data can tell.
        """
        from ffbm.results.inference import to_inference_data

        return to_inference_data(self)

    def to_networkx(self) -> Any:
        """Return the network as a networkx graph; vertices have their block, memberships and features."""
        from ffbm.results.graphs import to_networkx

        return to_networkx(self.network, self.memberships)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Save the fit as a run: a new or empty folder, which ``ffbm.load_fit`` reads."""
        from ffbm.results.run_writer import save_fit

        save_fit(self, path)

    def report(self, path: str | os.PathLike[str], against: "Fit | None" = None, check: "Check | None" = None) -> None:
        """Write the answer as one HTML file that needs no network: words, figures to touch, tables, provenance.

        Parameters
        ----------
        path : file
            Ends in .html; what is there is replaced.
        against : Fit, optional
            Another fit of the same network, such as the joint posterior's: a section tells how the two differ.
        check : Check, optional
            That of ``fit.check(columns=True)``, so that the page also tells which columns act inside blocks. Left out,
            replicates are drawn for networks of up to 20,000 edges, and columns are not tested.
        """
        from ffbm.results.report import save_report

        save_report(self, path, against, check)

    @property
    def plot(self) -> "Plots":
        """Figures for papers, such as ``fit.plot.network()``: each returns a matplotlib Figure."""
        from ffbm.results.figures import Plots

        return Plots(self)

    def __repr__(self) -> str:
        sizes = ", ".join(map(str, self.memberships.sizes[:12])) + (", ..." if self.memberships.n_blocks > 12 else "")
        name = self.network.name or f"{self.network.n_nodes:,} vertices"
        judged = self.diagnostics.converged
        verdict = judged.grade if judged.is_usable else f"NOT converged: {judged.grade}"
        first = f"first features {', '.join(self.ranking.kept[:3])}"
        finding = first if self.relevance is None else self.relevance.sentence
        return f"<Fit of {name}: blocks of {sizes}; {finding}; {verdict}>"

    def _repr_html_(self) -> str:
        from ffbm.results.html import fit_html

        return fit_html(self)
