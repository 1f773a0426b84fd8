"""``ffbm.fit``: the public face of the whole flow."""

import contextlib
import os
import shlex
import sys
import warnings
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy.typing as npt

from ffbm.config import FitConfig
from ffbm.errors import ConvergenceWarning, OptionError
from ffbm.pipeline.fit import run_fit
from ffbm.progress import Listener
from ffbm.results.fitted import Fit
from ffbm.results.provenance import describe_origin
from ffbm.store.folder import check_new_folder
from ffbm.types import BlockTrace, Network


def fit(
    net: Network,
    n_blocks: int | str = "auto",
    target: str = "cut",
    memberships: str = "averaged",
    sigma: float = 1.0,
    intercept: bool = False,
    sampler: str = "hmc",
    train_fraction: float = 0.7,
    k: float = 1.0,
    n_kept: int | str = 10,
    n_sweeps: int = 1000,
    burn_in: float = 0.2,
    thin: int = 5,
    n_warmup: int = 500,
    n_draws: int = 1000,
    n_chains: int = 4,
    seed: int | None = None,
    workers: int | None = None,
    blocks: BlockTrace | npt.ArrayLike | None = None,
    out: str | os.PathLike[str] | None = None,
    resume: bool = False,
    progress: Listener | bool | None = None,
    *,
    folds: int | None = None,
    moves: str = "default",
) -> Fit:
    """Find which features explain the blocks of a network, which blocks, and how sure that is.

    Blocks b are sampled from p(b | A) and brought to one numbering; their averages are the memberships y-hat. The
    weights of the features are sampled from p(theta | X, y-hat) on a random floor(f N) of the vertices, features are
    ranked by score_j = max_i (|mean_ij| - k sd_ij), the first ``n_kept`` are fitted again, and both fits are scored on
    the vertices left out.

    Parameters
    ----------
    net : Network
        With features.
    n_blocks : int or "auto"
        B.
    target : {"cut", "joint"}
        "cut" is the paper's two chains, p(b | A) and then p(theta | X, y-hat): features say nothing of the blocks.
        "joint" is the model's own posterior p(b, theta | A, X), in which they do, and a block may be empty; labels and
        weights of a draw belong together, ``memberships``, ``blocks`` and ``folds`` are refused, and the kept features
        are fitted with blocks of their own.
    memberships : {"averaged", "drawn"}
        Weights given y-hat, or given every kept partition in turn, which carries the uncertainty of the blocks on to
        the weights.
    sigma, intercept, sampler, n_warmup, n_draws
        Of the weight chains: see ``sample_weights``. With "joint" one chain draws both: ``n_sweeps``, ``burn_in`` and
        ``thin`` say how many draws it keeps, at least ``n_draws`` weight moves are shared out among the sweeps after
        burn-in, and ``n_warmup`` are made before the first.
    train_fraction : float
        f; with 1.0 nothing is held out and the test scores are NaN.
    k, n_kept : float, int or "all"
        The rule of the ranking, and how many features the refit keeps: see ``rank_features``.
    n_sweeps, burn_in, thin, moves
        Of the block chains: see ``sample_blocks``.
    n_chains : int
        C, of blocks and of weights.
    seed : int, optional
        The same seed gives the same fit on any number of workers; None draws one and records it in ``config``.
    workers : int, optional
        Threads; as many as chains or cores, whichever is fewer, if left out.
    blocks : BlockTrace or (N,) labels, optional
        Blocks that are known already, in place of the block stage.
    out : folder, optional
        Save the run there, as ``Fit.save`` does; a new or empty folder.
    resume : bool
    progress : None, bool or callable
    folds : int, optional
        Score by cross-validation: the weights are fitted once more for each fold, without reduction.

    Returns
    -------
    Fit

    Warns
    -----
    ConvergenceWarning
        If the chains have not been shown to agree: ``fit.converged.reason`` says why.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> result = fit(net, n_blocks=3, n_sweeps=4000, seed=1)
    >>> result.memberships.sizes.tolist(), result.ranking.kept[0], bool(result.converged)
    ([44, 41, 20], 'value=liberal', True)
    """
    config = FitConfig(
        n_blocks=n_blocks,
        target=target,
        memberships=memberships,
        sigma=sigma,
        intercept=intercept,
        sampler=sampler,
        train_fraction=train_fraction,
        k=k,
        n_kept=n_kept,
        n_sweeps=n_sweeps,
        burn_in=burn_in,
        thin=thin,
        n_warmup=n_warmup,
        n_draws=n_draws,
        n_chains=n_chains,
        seed=seed,
        workers=workers,
        out=None if out is None else os.fspath(out),
        resume=resume,
        folds=folds,
        moves=moves,
    )
    found = fit_with(net, config, blocks, progress)
    if not found.converged:
        warnings.warn(f"do not rely on this fit: {found.converged}", ConvergenceWarning, stacklevel=2)
    return found


def fit_with(
    net: Network, config: FitConfig, blocks: Any = None, progress: Listener | bool | None = None, command: str = ""
) -> Fit:
    """Fit by settings in one object, save the run if they say where, and leave warnings to the caller."""
    if not isinstance(net, Network):
        raise OptionError(
            f"net must be a Network; got {type(net).__name__}: make one with load_dataset, read_network or as_network"
        )
    with reserved(config.out):
        parts = run_fit(net, config, blocks, progress)
        origin = describe_origin(net, parts.config, command or shlex.join(sys.argv))
        chosen = replace(parts.config, workers=None, out=None, resume=False)  # what the answer depends on
        found = Fit(replace(parts, config=chosen, provenance=origin))
        if config.out is not None:
            found.save(config.out)
    return found


@contextlib.contextmanager
def reserved(path: str | None) -> Iterator[None]:
    """Make the folder of a run before the work begins; if the work fails, take it away again."""
    if path is None:
        yield
        return
    is_new = not Path(path).exists()
    folder = check_new_folder(path)
    try:
        yield
    except BaseException:
        if is_new:
            with contextlib.suppress(OSError):  # not empty: part of a run is there
                folder.rmdir()
        raise
