"""The weight stage: chains of weights, p(theta | X, y), from features and memberships."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import Any

import numpy as np

from ffbm.check import check_bool, check_bool_or, check_choice, check_int, check_real
from ffbm.config import SIGMA_IS_FIXED, choose_prior
from ffbm.diagnostics import diagnose_weights
from ffbm.errors import OptionError
from ffbm.kernels.weightchain import Record
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.imputation import IMPUTED, gather_imputed
from ffbm.pipeline.selection import select
from ffbm.pipeline.weightlength import WEIGHTS, check_draws, run_weights
from ffbm.progress import Listener, listening
from ffbm.rng import resolve_seed, stream
from ffbm.store.checkpoints import Checkpoints, digest
from ffbm.theta.blanks import INDEPENDENT
from ffbm.theta.chain import WeightSetup, set_up, start
from ffbm.theta.design import Training, make_design
from ffbm.theta.imputed import ImputedRecord, ImputedSetup, start_imputed
from ffbm.theta.prepare import weight_target
from ffbm.theta.prior import INTERCEPT_SD, plain_sigma
from ffbm.theta.response import read_members
from ffbm.theta.scales import settle_scales
from ffbm.theta.unknown import Unknown, find_unknown
from ffbm.types.graph import Array
from ffbm.types.network import Note
from ffbm.types.weights import Sigma, WeightTrace
from ffbm.workers import Workers, open_workers

STORED_BYTES = 1 << 30  # how much memory the stored draws of all chains may take


def sample_weights(
    features: Any,
    members: Any,
    rows: Any = None,
    sigma: Sigma = 1.0,
    intercept: bool | None = None,
    sampler: str = "hmc",
    n_draws: int | str = "auto",
    n_warmup: int = 500,
    n_chains: int = 4,
    seed: int | None = 0,
    workers: Workers = None,
    progress: Listener | bool | None = None,
    *,
    max_minutes: float | None = 10,
    weight_prior: str | None = None,
    intercept_sd: float = INTERCEPT_SD,
    column_groups: Mapping[str, Sequence[str]] | None = None,
    n_sweeps: int | None = None,
    annealing: float | None = None,
    impute: bool | str = False,
    stage: str = "weights",
    checkpoints: Checkpoints | None = None,
) -> WeightTrace:
    """Sample the weights of features on blocks from their posterior p(theta | X, y).

    Given the scales of the prior, learned or fixed, the target is proportional to exp(-U(W)), the paper's U::

        U(W) = - sum_i sum_k y_ik ln softmax_k(W x_i) + sum_d |w_d|^2 / (2 sigma_d^2)

    Parameters
    ----------
    features : Features, (N, D) array or sparse matrix, or Design
        X, flags or numbers; a design made of them already is not made again.
    members : Memberships, (N, B) array, or (N,) labels
        y: how surely each vertex is in each block, rows that sum to 1; or the block of each vertex.
    rows : row numbers or (N,) truth values, optional
        The training vertices; all of them if left out.
    sigma : float, (D,) array or dict of floats by column
        Under the fixed prior, the standard deviation of a weight: of all of them, of each feature's, or of each
        column's, ``{"age": 0.5}``; a column that is not named has 1, and "(intercept)" is the intercept's name.
    intercept : bool, optional
        Add a feature "(intercept)" that is 1 everywhere, as the last; if left out, under the learned prior.
    sampler : {"hmc", "mala"}
        Hamiltonian Monte Carlo in the geometry of the mode, or the paper's Langevin algorithm with ten steps to
        a draw.
    n_draws, n_warmup : int or "auto", int
        Draws kept of each chain, after a warm-up that adapts the step size and is dropped. "auto" are 1,000, doubled
        until R-hat and ESS of every weight are good enough or ``max_minutes`` are over, and 100 at least; ``n_draws``
        of the trace is what it came to, and a run of that length has the same draws. Above 2,000 only one in ``thin``
        is stored.
    n_chains : int
        C, each with its own start and random stream.
    seed : int or None
        The same seed gives the same trace on any number of workers; None draws one and records it.
    workers : int, or address or Client of a dask cluster, optional
        Threads; as many as chains or cores, whichever is fewer, if left out.
    progress : None, bool or callable
    max_minutes : float or None
        How long chains with ``n_draws="auto"`` may take; None for as long as it takes. Sweeps over columns that would
        not be precise by then end after a tenth of it.
    weight_prior : {"learned", "fixed"}
        One that learns a scale for each column and whether the column matters, the default: see Notes; or the paper's
        with ``sigma``.
    intercept_sd : float
        Prior standard deviation of the intercepts under the learned prior.
    column_groups : dict of lists of columns, optional
        Under the learned prior: columns of the table that are included or left out together, ``{"school": ["school a",
        "school b"]}``.
    n_sweeps : int, optional
        Under the learned prior: sweeps over the columns that each chain keeps; if left out, as many as ``n_draws``, or
        fewer where the columns are large, and with "auto" until the Monte Carlo error of every inclusion is at most
        0.01 at two checks in a row; with 0 columns are not selected.
    annealing : float, optional
        For "mala": s in the paper's step sizes h_t = s * 250 (1000 + t)^-0.8 / n, which run on through the
        draws, in place of adaptation.
    impute : bool or "independent"
        Sample the cells of ``Features`` that had no answer along with the weights, by a law of the columns that is
        learned, or with columns independent a priori; ``imputed`` of the trace has the law of each.
    stage : str
        What progress calls it.
    checkpoints : Checkpoints, optional
        Where the chains are written down as they run: that of ``fit(out=...)``.

    Returns
    -------
    WeightTrace
        ``weights`` (C, T, B, D), ``energy`` (C, T), ``mean`` and ``sd`` (B, D), ``diagnostics``, ...

    Notes
    -----
    Under the learned prior a column g is left out (its weights are 0) or included with w_rj ~ N(0, s_g^2), s_g^2 ~
    InverseGamma(3/2, 3/2); each is included with probability omega ~ Beta(1, G). There are two posteriors. ``weights``
    is the full model's: all columns included, scales sampled. It is the one to predict with. ``selected`` is the
    selection model's, with ``inclusion`` (C, T, G), ``scales`` (C, T, G) and ``column_names`` (G,): it says which
    columns matter.

    Draws of more than 1 GiB in all are thinned as they are stored; mean and sd are still over every draw, and ``notes``
    says so.

    Examples
    --------
    >>> import numpy as np
    >>> from ffbm.pipeline.weights import sample_weights
    >>> x = np.repeat(np.eye(2), 20, axis=0)            # 40 vertices, each with one of two flags
    >>> labels = np.repeat([0, 1], 20)                  # which tell the blocks apart
    >>> noise = np.resize([1, 0, 0], 40)                # a third flag, which does not
    >>> trace = sample_weights(np.column_stack((x, noise)), labels, n_draws=200, seed=1)
    >>> (trace.selected.probability > 0.5).tolist(), trace.inclusion.shape
    ([True, True, False], (4, 200, 3))
    >>> trace = sample_weights(x, labels, weight_prior="fixed", n_draws=500, seed=1)    # the paper's
    >>> trace.weights.shape, bool(trace.mean[0, 0] > 1 > -1 > trace.mean[0, 1])
    ((4, 500, 2, 2), True)
    """
    weight_prior = choose_prior(weight_prior)
    learns = weight_prior == "learned"
    intercept = learns if intercept is None else check_bool("intercept", intercept)
    prior = read_prior(weight_prior, sigma, intercept_sd, column_groups)
    design = make_design(features, intercept, check_bool_or("impute", impute, INDEPENDENT))
    target = weight_target(design, members, rows, sigma, intercept, **prior)
    check_choice("sampler", sampler, ("hmc", "mala"))
    length, n_warmup = check_draws(n_draws, max_minutes), check_int("n_warmup", n_warmup, low=0)
    n_chains, seed = check_int("n_chains", n_chains, low=1), resolve_seed(seed)
    if annealing is not None:
        if sampler != "mala":
            raise OptionError(f'annealing is for sampler="mala"; got sampler={sampler!r}: leave it out')
        annealing = check_real("annealing", annealing, low=0, above=True)
    n_bytes = 8 * n_chains * length.planned * target.n_blocks * len(target.scale)
    thin = min(max(1, ceil(n_bytes / STORED_BYTES)), length.planned)
    unknown = None
    if design.blanks is not None:  # memberships are the largest thing in memory: they are not copied for nothing
        unknown = find_unknown(target, read_members(members, design.n_nodes))
    completed = target
    if unknown is not None:
        completed = unknown.complete(target, unknown.cells.begin(stream(seed, "weights", "cells")))
    with open_workers(1, 1) as run:  # for its one BLAS thread
        mode = stream(seed, "weights", "mode")
        pilot = stream(seed, "weights", "scales")
        scaled = run(lambda rng: settle_scales(completed, rng), [pilot])[0] if learns else completed
        [setup] = run(lambda rng: set_up(scaled, sampler, n_warmup, rng, thin, annealing), [mode])
    key = digest(target, sampler, n_warmup, annealing, seed, n_chains) if checkpoints else ""
    with listening(progress) as tell:
        context = RunContext(workers, tell, checkpoints)
        begin = partial(_begin, setup, unknown, seed, n_chains)
        model, stepper = (setup, WEIGHTS) if unknown is None else (ImputedSetup(setup, unknown), IMPUTED)
        selects = learns and n_sweeps != 0
        n_sweeps_each = length.half if selects else length
        states, drawn = run_weights(stage, model, begin, n_sweeps_each, STORED_BYTES, context, key, stepper)
        selected = select(setup, length, n_sweeps, n_chains, seed, context, stage, unknown) if selects else None
    thin = int(states[0].thin[0])  # that of its beginning, if the run was lengthened
    chosen = {
        "sampler": sampler,
        "sigma": plain_sigma(sigma, target.scale),
        "intercept": bool(intercept),
        "n_draws": drawn.energy.shape[1],
        "n_warmup": n_warmup,
        "n_chains": n_chains,
        "seed": seed,
        "annealing": annealing,
    } | (prior if learns else {})
    means, squares = [state.mean for state in states], [state.square for state in states]
    imputed = None
    if unknown is not None:
        imputed = gather_imputed(unknown.cells, [state.cells for state in states], drawn.law)
    return replace(gather(target.training, drawn, means, squares, thin, chosen), selected=selected, imputed=imputed)


def read_prior(weight_prior: str, sigma: Any, intercept_sd: Any, column_groups: Any) -> dict[str, Any]:
    """Return the options of the learned prior, checked, as ``weight_target`` takes them and settings record them."""
    if weight_prior == "fixed":
        if column_groups is not None:
            raise OptionError('column_groups are for weight_prior="learned"; got weight_prior="fixed": leave them out')
        return {}
    if not isinstance(sigma, int | float) or sigma != 1:
        raise OptionError(SIGMA_IS_FIXED)
    groups = column_groups
    if isinstance(groups, Mapping) and not any(isinstance(part, str) for part in groups.values()):
        groups = {str(name): list(part) for name, part in groups.items()}
    return {
        "weight_prior": weight_prior,
        "intercept_sd": check_real("intercept_sd", intercept_sd, low=0, above=True),
        "column_groups": groups,
    }


def _begin(setup: WeightSetup, unknown: Unknown | None, seed: int, n_chains: int) -> list[Any]:
    streams = [stream(seed, "weights", chain) for chain in range(n_chains)]
    if unknown is not None:
        return [start_imputed(ImputedSetup(setup, unknown), rng) for rng in streams]
    return [start(setup, rng) for rng in streams]


def gather(
    training: Training,
    drawn: Record | ImputedRecord,
    means: list[Array],
    squares: list[Array],
    thin: int,
    chosen: dict[str, Any],
) -> WeightTrace:
    """Join what the chains left behind; ``squares`` are the sums of squares about each chain's mean."""
    n_chains, n_draws = drawn.energy.shape
    trace = make_trace(training, drawn, np.stack(means), np.sqrt(np.stack(squares) / n_draws), thin, chosen)
    if thin == 1:
        return trace
    message = f"1 in {thin} draws of the weights is stored; means and standard deviations are over all draws"
    return replace(trace, notes=(Note("thinned_draws", message, n_chains * (n_draws - n_draws // thin)),))


def make_trace(
    training: Training, drawn: Any, mean: Array, sd: Array, thin: int, chosen: dict[str, Any]
) -> WeightTrace:
    """Return the trace of the draws of all chains, with the mean and sd (C, B, D) of each."""
    return WeightTrace(
        weights=drawn.weights,
        energy=drawn.energy,
        acceptance_rate=drawn.acceptance,
        step_size=drawn.step_size,
        n_steps=drawn.n_steps,
        diverging=drawn.diverging,
        chain_mean=mean,
        chain_sd=sd,
        names=training.design.names,
        columns=training.design.columns,
        support=training.design.support,
        rows=training.vertices,
        thin=thin,
        settings=chosen,
        diagnose=diagnose_weights,
    )
