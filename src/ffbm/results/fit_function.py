"""``ffbm.fit``: the public face of the whole flow."""

import inspect
import os
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy.typing as npt

from ffbm.check import check_scale, check_tempering
from ffbm.config import FitConfig
from ffbm.data.inputs import open_for_fit, with_tables_by_name
from ffbm.progress import Listener
from ffbm.results.fit_run import fit_with
from ffbm.results.fitted import Fit
from ffbm.results.typed import TypedFit, fit_types
from ffbm.run_options import RunOptions
from ffbm.types import BlockTrace, Network
from ffbm.types.weights import Sigma
from ffbm.workers import Workers


@with_tables_by_name
def fit(
    net: Any,
    n_blocks: int | str = "auto",
    target: str = "cut",
    memberships: str = "averaged",
    sigma: Sigma = 1.0,
    intercept: bool | None = None,
    sampler: str = "hmc",
    train_fraction: float = 0.7,
    k: float = 1.0,
    n_kept: int | str | None = None,
    n_sweeps: int | str = "auto",
    burn_in: float = 0.2,
    thin: int = 5,
    n_warmup: int = 500,
    n_draws: int | str = "auto",
    n_chains: int = 4,
    seed: int | None = None,
    workers: Workers = None,
    blocks: BlockTrace | npt.ArrayLike | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Listener | bool | None = None,
    *,
    folds: int | str | None = "auto",
    moves: str = "default",
    degree_corrected: bool = True,
    directed: bool | str = "auto",
    max_minutes: float = 10,
    tempering: bool | str | Sequence[float] = "auto",
    weight_prior: str | None = None,
    intercept_sd: float = 1.28,
    fdr: float = 0.1,
    column_groups: Mapping[str, Sequence[str]] | None = None,
    preset: str | None = None,
    hierarchy: bool = False,
    columns: int | str = 12,
    edge_weight: str | bool | None = None,
    edge_weight_model: str | None = None,
    edge_weight_prior: str | Mapping[str, float] | None = None,
    impute: bool | str = False,
    node_type: str | None = None,
    nodes: Any = None,
    **reading: Any,
) -> Fit:
    """Find which features explain the blocks of a network, which blocks, and how sure that is.

    Blocks b are sampled from p(b | A) and brought to one numbering; their averages are the memberships y-hat. For some
    of the sampled partitions it is sampled which columns of the table matter, ``fit.relevance``, and columns are ranked
    by the probability that they do. The weights of all features are sampled from p(theta | X, y-hat), and scored on
    vertices held out. ``preset="paper"`` does as the paper did.

    Parameters
    ----------
    net : Network, file, networkx or igraph graph, sparse matrix, pairs, DataFrame of edges, or registered name
        With features. What is no Network is read by ``read_network`` or ``as_network``.
    n_blocks : int or "auto"
        B, how many blocks there are; "auto" takes the number whose best partition describes the network in the fewest
        nats.
    target : {"cut", "joint"}
        "cut" is the paper's two chains, p(b | A) and then p(theta | X, y-hat): features say nothing of the blocks.
        "joint" is the model's own posterior p(b, theta | A, X), in which they do, and a block may be empty; labels and
        weights of a draw belong together, ``memberships`` and ``blocks`` are refused, and the kept features are
        fitted with blocks of their own. Under the learned prior labels are drawn with the selection of columns and go
        with ``fit.weights.selected``; the full model's weights, with all columns, are drawn given some of the kept
        partitions, which do not learn from them: a cut step.
    memberships : {"averaged", "drawn"}
        Weights given y-hat, or given every kept partition in turn, which carries the uncertainty of the blocks on to
        the weights.
    sigma : float, (D,) array or dict of floats by column
        Under the fixed prior, the standard deviation of a weight: of all, of each feature's, or of each column's,
        ``{"age": 0.5}``; a column that is not named has 1. The kept features keep theirs in the refit. Under the
        learned prior it is refused.
    intercept, sampler, n_warmup, n_draws
        Of the weight chains, which run until they converge with "auto", or the time is over: see ``sample_weights``.
        With "joint" and the fixed prior one chain draws both: ``n_sweeps``, ``burn_in`` and ``thin`` say how many
        draws it keeps, at least ``n_draws`` weight moves (1,000 if "auto") are shared out among the sweeps after
        burn-in, and ``n_warmup`` are made before the first.
    train_fraction : float
        f; with 1.0 nothing is held out and the test scores are NaN.
    k, n_kept : float, int or "all"
        k of the paper's ranking; and how many columns, under the fixed prior features, the refit keeps: the first of
        the ranking. If left out or "all" there is no refit: see ``rank_features``.
    n_sweeps, burn_in, thin : int or "auto", float, int
        Of the block chains: sweeps over all vertices, the first share of them that is not kept, and of the rest one in
        how many is. With "auto" chains run until they are graded converged at two checks in a row, or the time is
        over; with "joint" inclusion must be known to 0.01 too, under the fixed prior the log joint.
    n_chains : int
        C, of blocks and of weights.
    seed : int, optional
        The same seed gives the same fit on any number of workers; None draws one and records it in ``config``.
    workers : int, or address or Client of a dask cluster, optional
        Threads; as many as chains or cores, whichever is fewer, if left out.
    blocks : BlockTrace or (N,) labels, optional
        Blocks that are known already, in place of the block stage.
    out : folder, optional
        Save the run there, as ``Fit.save`` does; a new or empty folder. Chains are written down there as they run.
    resume : bool
        Go on with the run in ``out``, as if it had never stopped, or begin it. Data and settings must be those it was
        begun with; more ``n_sweeps``, ``n_draws`` or ``max_minutes`` lengthen its chains, also of a run that has ended.
    progress : None, bool or callable
        None shows bars in a terminal or notebook, True always, False never; a callable is called at each step.
    folds : int or "auto"
        Into how many parts vertices are dealt; each part is held out once, for the scores and the bits of columns. 1
        is one split by ``train_fraction``. "auto" are 5 up to 5,000 vertices, and one split for more, with "joint", or
        if ``train_fraction`` is given. With "joint" each fold is a run of its own.
    moves : {"default", "single"}
        Of a sweep: vertices one by one, with merges and splits of blocks, or without them.
    degree_corrected : bool
        Whether a block may hold vertices of any degree, as in the paper; False is the plain SBM.
    directed : "auto" or bool
        Whether edges have a direction: "auto" does as the network says, False ignores it; see ``read_network``.
    max_minutes : float
        How long the fit may take, report included, if ``n_sweeps`` or ``n_draws`` is "auto": every stage has a share,
        does less where that is too short, and says so (docs/scale.md). A run that is cut short has its lengths in
        ``fit.blocks.settings`` and ``fit.weights.settings``. Without ``out`` the table of columns is made when it is
        first asked for, and may take as long again.
    tempering : bool, "auto" or inverse temperatures
        Replica exchange of the chains of blocks, of hierarchies, or of the joint chains: see ``sample_blocks``.
    weight_prior : {"learned", "fixed"}
        One that learns a scale for each column and which columns matter, from all vertices and for some of the kept
        partitions, twenty by default: ``fit.relevance``. The split or the folds then serve the scores alone. Or the
        paper's with ``sigma``.
    intercept_sd, column_groups : float, dict of lists of columns
        Under the learned prior: see ``sample_weights``.
    fdr : float
        Under the learned prior: the share of false ones that is allowed, on average, among the columns that matter.
    preset : "paper", optional
        Take the paper's settings for all that is left at its default.
    hierarchy : bool
        Blocks at every scale, of the nested model: depth and all numbers of groups are found. ``fit.tree`` is the tree
        that the draws agree on, with what explains each of its splits; ``fit.memberships`` are those of its leaves.
        With ``target="cut"`` edges may have weights, and with ``node_type`` every type has a tree of its own. With
        "joint" the shape of the tree is that which the edges give; leaves and the columns of all splits are sampled
        together.
    columns : int or "all"
        How many columns ``fit.column_table`` tests beyond the others: those with the highest inclusion, or, under the
        fixed prior, that explain most alone.
    edge_weight : text or False, optional
        The column with the weights of the edges: of a Network the one it was read with, which None takes as well.
        False ignores weights: see ``read_network``.
    edge_weight_model, edge_weight_prior : text, "microcanonical" or dict, optional
        What weights are taken for; None does as the network was read.
    impute : bool or "independent"
        Sample the cells of the table that have no answer along with the weights, given the blocks: ``fit.imputed``.
        True learns how the columns go together; "independent" takes them for independent a priori. Not with
        ``hierarchy``; cells must be missing at random given the block and the other columns, with ``target="joint"``
        given the other columns.
    node_type : column name, optional
        Vertices of different types, such as people and events, never share a block, and each type is explained by
        itself; ``n_blocks`` is then a dict of numbers by type or "auto": see ``fit_types``.
    nodes, reading : file, DataFrame or array; options
        Of what is no Network: the attributes of the vertices, and options of ``read_network`` or ``as_network``, such
        as ``id="name", exclude=["email"]``.

    Returns
    -------
    Fit
        Or, with ``node_type``, a TypedFit.

    Warns
    -----
    ConvergenceWarning
        If the grade is not "converged": ``fit.converged.reason`` says why, ``fit.converged.command`` what would help.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> result = fit(net, n_blocks=3, seed=1)  # or fit("edges.csv", nodes="people.csv"), or fit(nx_graph)
    >>> result.memberships.sizes.tolist(), result.relevance.sentence, bool(result.converged)
    ([44, 41, 20], 'of 1 column 1 matters: value', True)
    """
    arguments = dict(locals())
    if node_type is not None:
        return _fit_types(arguments)  # type: ignore[return-value]  # as the documentation says
    settings = {field.name: arguments[field.name] for field in fields(FitConfig)}
    settings |= {"sigma": check_scale("sigma", sigma), "tempering": check_tempering(tempering)}
    if isinstance(edge_weight_prior, Mapping):
        settings["edge_weight_prior"] = dict(edge_weight_prior)
    config = FitConfig(**settings)
    run = RunOptions(workers, out, resume)  # type: ignore[arg-type]  # checked there
    net = open_for_fit(net, nodes, reading, arguments)
    fitted = fit_with(net, config, run, blocks, progress)
    fitted.converged.warn(n_wrappers=1)
    return fitted


def _fit_types(arguments: dict[str, Any]) -> TypedFit:
    """Fit a network with types of vertices by what was given to ``fit``; options that types do not have are refused."""
    net, nodes, reading = (arguments.pop(name) for name in ("net", "nodes", "reading"))
    is_read = isinstance(net, Network)
    net = open_for_fit(net, nodes, reading, arguments)
    if not is_read:
        del arguments["directed"]
    defaults = {name: parameter.default for name, parameter in inspect.signature(fit).parameters.items()}
    return fit_types(net, **{name: value for name, value in arguments.items() if value is not defaults[name]})
