"""``ffbm.evidence``: how much more likely the network is with its features than without, in nats."""

import json
import logging
import os
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from ffbm.blocks.likelihoods import likelihood_of
from ffbm.blocks.target import BlockTarget
from ffbm.check import check_bool, check_choice, check_column, check_int, check_real
from ffbm.config import SIGMA_IS_FIXED, WEIGHT_PRIORS
from ffbm.diagnostics import Verdict
from ffbm.diagnostics.verdict import MULTIMODAL
from ffbm.errors import ConvergenceWarning, DataError, OptionError, keyword
from ffbm.pipeline.blocks import check_block_number
from ffbm.pipeline.clock import end_in
from ffbm.pipeline.context import RunContext
from ffbm.pipeline.estimate import estimate_evidence
from ffbm.pipeline.evidence import Integral, Subject, describe, find_evidence, no_evidence
from ffbm.plain import count_of, finite, span_in_words
from ffbm.progress import Listener, listening
from ffbm.rng import resolve_seed
from ffbm.run_options import RunOptions
from ffbm.store.folder import write_file
from ffbm.store.parts import FitParts
from ffbm.theta.columns import ColumnGroups, group_columns
from ffbm.theta.design import make_design
from ffbm.theta.prior import INTERCEPT_SD, plain_sigma, prior_scales
from ffbm.types import Array, Network, check_network
from ffbm.types.weights import Sigma
from ffbm.workers import Workers, connected

if TYPE_CHECKING:
    from ffbm.plots import Figure

_WORDS = ((1.0, "hardly any"), (3.0, "positive"), (5.0, "strong"))  # Kass and Raftery (1995), in nats


@dataclass(frozen=True, eq=False)
class Evidence:
    """What ``evidence`` returns.

    Parameters
    ----------
    nats : float or None
        ln p(A | X) - ln p(A); None if the chains did not converge: ``converged`` says why.
    error : float or None
        Its standard error.
    stepping_stone : float or None
        The same from the ratios of neighbouring t, as a cross-check.
    curve : DataFrame
        One row for each value of t: ``t``, ``slope`` and ``slope_error`` (d/dt ln p), ``nats`` and ``error`` (the
        evidence if the weights of the features are t times as large); with one fixed sigma for all of them also
        ``sigma``, which t times as large a sigma means.
    converged : Verdict
        True for the grade "converged" alone; ``.grade``, ``.reason``, ``.command``.
    n_blocks : int
    columns : tuple of column names
        Those whose weights are in question.
    beside : tuple of column names
        Those that both models have.
    settings : dict
        The prior, the seed and how long chains ran.
    """

    nats: float | None
    error: float | None
    stepping_stone: float | None
    curve: pd.DataFrame
    converged: Verdict
    n_blocks: int
    columns: tuple[str, ...]
    beside: tuple[str, ...]
    settings: dict[str, Any]

    def sentence(self) -> str:
        """Return the answer in a sentence."""
        several = len(self.columns) > 1
        subject, it = (f"the {len(self.columns)} attributes", "them") if several else (f'"{self.columns[0]}"', "it")
        predict = "predict" if several else "predicts"
        model = f"in a model with {'up to ' * (self.n_blocks > 1)}{count_of(self.n_blocks, 'block')}"
        if self.nats is None:
            return f"Whether {subject} {predict} the network, {model}, is not known: {self.converged.reason}."
        if self.nats == 0 and not self.error:
            return f"There is no evidence on {subject}, {model}: {self.converged.reason}."
        digits = 2 if (self.error or 0.0) < 0.2 else 1
        size = f"{abs(self.nats):.{digits}f} nats (standard error {self.error:.{digits}f})"
        beside = f", given {', '.join(self.beside)}" if self.beside else ""
        side, sign = ("more", "for") if self.nats > 0 else ("less", "against")
        message = f"With {subject} the network is {size} {side} likely than without {it}{beside}, {model}"
        return f"{message}: {self._strength()} evidence {sign} {it}."

    def _strength(self) -> str:
        return next((word for limit, word in _WORDS if abs(self.nats or 0.0) < limit), "very strong")

    def to_dict(self) -> dict[str, Any]:
        """Return all of it in plain values, for JSON."""
        judged = self.converged
        return dict(
            finite(
                {
                    "nats": self.nats,
                    "error": self.error,
                    "stepping_stone": self.stepping_stone,
                    "n_blocks": self.n_blocks,
                    "columns": list(self.columns),
                    "beside": list(self.beside),
                    "convergence": {"grade": judged.grade, "reason": judged.reason, "command": judged.command},
                    "settings": self.settings,
                    "curve": self.curve.to_dict("list"),
                    "sentence": self.sentence(),
                }
            )
        )

    def plot(self, **options: Any) -> "Figure":
        """Draw the evidence against t, or against sigma where it is one number: see ``ffbm.plots.plot_evidence``."""
        from ffbm.plots import plot_evidence

        if self.nats is None:
            raise DataError(f"there is no evidence to draw: {self.converged.reason}")
        at = "sigma" if "sigma" in self.curve else "t"
        label = "prior standard deviation sigma of a weight" if at == "sigma" else "share t of the features' weights"
        return plot_evidence(self.curve[at], self.curve["nats"], self.curve["error"], **{"label": label, **options})

    def __str__(self) -> str:
        return self.sentence()

    def __repr__(self) -> str:
        value = "withheld" if self.nats is None else f"{self.nats:.2f} nats, error {self.error:.2f}"
        return f"<Evidence: {value}, {self.converged.grade}>"


def evidence(
    net: Network,
    n_blocks: int,
    columns: str | Iterable[str] | None = None,
    weight_prior: str = "fixed",
    sigma: Sigma = 1.0,
    intercept: bool = True,
    intercept_sd: float = INTERCEPT_SD,
    error: float = 0.1,
    max_minutes: float = 5,
    n_chains: int = 4,
    seed: int | None = 0,
    *,
    column_groups: Mapping[str, Sequence[str]] | None = None,
    degree_corrected: bool = True,
    workers: Workers = None,
    progress: Listener | bool | None = None,
) -> Evidence:
    """Say whether the features predict the network: ln p(A | X) - ln p(A), in nats, without approximation.

    Both are probabilities of the whole network, with labels and weights integrated out, in the model with ``n_blocks``
    blocks of which some may be empty. In p(A) there are no features, only an intercept for each block.

    Parameters
    ----------
    net : Network
        With at least one column.
    n_blocks : int
        B.
    columns : column name or names, optional
        The evidence for these beside all others: ln p(A | X) - ln p(A | X without them). All columns if left out.
    weight_prior : {"fixed", "learned"}
        Weights are N(0, sigma^2) a priori; or as in ``fit``: columns are in or out, and the scales of those inside are
        learned. In p(A | X without some columns) these may be in or out, but say nothing.
    sigma : float, (D,) array or dict of floats by column
        As in ``fit``, of the fixed prior.
    intercept : bool
        Whether blocks have intercepts N(0, intercept_sd^2), in both models. Without them p(A) has labels that are
        uniform and independent.
    intercept_sd : float
    column_groups : dict of lists of columns by name, optional
        As in ``fit``, of the learned prior. ``columns`` then names groups.
    error : float
        Chains run until the standard error is at most so many nats, or 1 % of the evidence.
    max_minutes : float
        How long it may take. Chains that have not converged then are no answer: the value is withheld.
    n_chains : int
        Ladders of chains, at least 2.
    seed : int or None
    degree_corrected : bool
        As in ``sample_blocks``.
    workers, progress
        As in ``sample_blocks``.

    Returns
    -------
    Evidence

    Warns
    -----
    ConvergenceWarning
        If the grade is not "converged".

    Notes
    -----
    Thermodynamic integration: weights of the features are tV, V from its prior, and t goes from 0 to 1::

        d/dt ln p(A | X, t) = E[<V, gradient at tV of sum_i ln softmax_{b_i}>]   over the joint posterior at t

    A ladder of joint chains, one for each t, exchanges states between neighbours. Values of t are spread so that all
    exchange about equally often, and added until two quadrature rules agree within the Monte Carlo error or 1 %.
    Under the learned prior the tails of V grow heavy along the path, from nearly normal at t = 0 to Student t with 3
    degrees of freedom at t = 1, and E has their derivative.

    Examples
    --------
    >>> import ffbm
    >>> evidence = ffbm.evidence(ffbm.load_dataset("polbooks"), 3, error=1, n_chains=2, seed=1)
    >>> 50 < evidence.nats < 54, evidence.converged.is_usable
    (True, True)
    """
    subject = _subject(
        net, n_blocks, columns, weight_prior, sigma, intercept, intercept_sd, column_groups, degree_corrected
    )
    wanted = check_real("error", error, low=0, above=True)
    minutes = check_real("max_minutes", max_minutes, low=0, above=True)
    n_chains, seed = check_int("n_chains", n_chains, low=2), resolve_seed(seed)
    swept = 0
    with listening(progress) as tell, connected(workers) as pool:
        if subject.is_empty:
            none = "there is one block" if subject.n_blocks == 1 else "no vertex has a value of it"
            integral = no_evidence(none)
        else:
            _announce(net, subject, n_chains, minutes, workers)
            integral, swept = find_evidence(subject, wanted, n_chains, seed, end_in(minutes), RunContext(pool, tell))
    is_learned = subject.groups is not None
    chosen_sigma = None if is_learned else plain_sigma(sigma, subject.scale[: len(net.features.names)])
    chosen = {
        "weight_prior": weight_prior,
        "sigma": chosen_sigma,
        "intercept": bool(intercept),
        "intercept_sd": float(intercept_sd),
        "degree_corrected": degree_corrected,
        "n_chains": n_chains,
        "seed": seed,
        "n_sweeps": swept,
        **describe(integral),
    }
    named = group_columns(subject.design, column_groups)
    names = named.names
    asked = {names[g] for g in named.of_feature[subject.moving]}
    result = Evidence(
        **_reportable(integral),
        curve=_curve(integral, None if isinstance(chosen_sigma, list) or len(asked) < len(names) else chosen_sigma),
        converged=replace(integral.verdict, command=_command(integral, n_blocks, minutes)),
        n_blocks=subject.n_blocks,
        columns=tuple(name for name in names if name in asked),
        beside=tuple(name for name in names if name not in asked),
        settings=chosen,
    )
    result.converged.warn("the evidence is withheld:")
    return result


def weigh(fit: FitParts, max_minutes: float, run: RunOptions, progress: Listener | bool | None = None) -> Evidence:
    """Return the evidence with the blocks, prior and seed of a fit, saved as evidence.json if the fit has a folder.

    It may take ``max_minutes`` more.
    """
    chosen = fit.config
    prior, of_prior = "fixed", dict[str, Any](sigma=chosen.sigma)
    if isinstance(chosen.sigma, list) and len(chosen.sigma) > len(
        fit.network.features.names
    ):  # the intercept's is last
        of_prior = {"sigma": chosen.sigma[:-1], "intercept_sd": chosen.sigma[-1]}
    if chosen.weight_prior == "learned":
        prior, of_prior = "learned", {"intercept_sd": chosen.intercept_sd, "column_groups": chosen.column_groups}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # the sentence says it
        weighed = evidence(
            fit.network, fit.blocks.n_blocks, weight_prior=prior, n_chains=max(2, chosen.n_chains),
            max_minutes=max_minutes, seed=chosen.seed,
            degree_corrected=chosen.degree_corrected, workers=run.workers, progress=progress,
            **of_prior,
        )  # fmt: skip
    if run.out is not None:
        write_file(Path(run.out) / "evidence.json", json.dumps(weighed.to_dict(), indent=1) + "\n")
    return weighed


def _subject(
    net: Any,
    n_blocks: Any,
    columns: Any,
    weight_prior: Any,
    sigma: Any,
    intercept: Any,
    intercept_sd: Any,
    column_groups: Any,
    degree_corrected: Any,
) -> Subject:
    """Check what is asked for, and put it together."""
    check_network(net)
    left_out = [note.message for note in net.notes if " left out: " in note.message]
    if not net.features.column_names:
        cure = "; ".join(left_out) or "give a table of vertex attributes, nodes=FILE"
        raise DataError(f"the network must have a column; it has none: {cure}")
    if isinstance(n_blocks, str):
        raise OptionError(f"n_blocks must be a number, that of a fit for instance; got {n_blocks!r}")
    check_block_number(net.graph, n_blocks, allow_empty=True)
    is_learned = check_choice("weight_prior", weight_prior, WEIGHT_PRIORS) == "learned"
    if column_groups is not None and not is_learned:
        raise OptionError('column_groups are for weight_prior="learned"; got "fixed": leave them out')
    if is_learned and not (isinstance(sigma, float | int) and sigma == 1):
        raise OptionError(SIGMA_IS_FIXED)
    intercept_sd = check_real("intercept_sd", intercept_sd, low=0, above=True)
    design = make_design(net.features, check_bool("intercept", intercept))
    groups = group_columns(design, column_groups)
    scale = np.append(prior_scales(sigma, net.features.columns), [intercept_sd] * intercept)
    partitions = BlockTarget(net.graph, likelihood_of(check_bool("degree_corrected", degree_corrected)))
    moving = _moving(groups, columns, left_out)
    return Subject(partitions, design, n_blocks, scale, moving, groups if is_learned else None)


def _moving(groups: ColumnGroups, columns: Any, left_out: list[str]) -> Array:
    """Return which features (D,) are in question; ``left_out`` are notes on columns that were not read."""
    known = list(groups.names)
    wanted = known if columns is None else [columns] if isinstance(columns, str) else columns
    if not isinstance(wanted, Iterable) or not (names := list(wanted)):
        raise OptionError(f"{keyword('columns', '')} must be a column name or a list of them; got {columns!r}")
    for name in names:
        if reason := next((note for note in left_out if f"column {name!r} left out" in note), ""):
            raise OptionError(f"{keyword('columns', '')} must name columns of the network; got {name!r}: {reason}")
        check_column(keyword("columns", ""), name, known)
    return np.array([g >= 0 and known[g] in names for g in groups.of_feature])


def _announce(net: Network, subject: Subject, n_chains: int, minutes: float, workers: Workers) -> None:
    """Say how long it takes, before it starts."""
    cores = workers if isinstance(workers, int) else os.cpu_count() or 1
    span = estimate_evidence(net, subject.n_blocks, n_chains, cores, learned=subject.groups is not None)
    low, high = (min(seconds, 60 * minutes) for seconds in span)
    logging.getLogger("ffbm").info("the evidence takes about %s", span_in_words(low, high))


def _reportable(integral: Integral) -> dict[str, float | None]:
    """Return the figures that may be reported."""
    if not integral.verdict.is_usable:
        return {"nats": None, "error": None, "stepping_stone": None}
    return {"nats": float(integral.nats[-1]), "error": float(integral.error[-1]), "stepping_stone": integral.stones}


def _curve(integral: Integral, sigma: float | None) -> pd.DataFrame:
    table = pd.DataFrame({"t": integral.t, "slope": integral.slope, "slope_error": integral.slope_error})
    if sigma is not None:
        table.insert(1, "sigma", sigma * integral.t)
    hidden = not integral.verdict.is_usable
    return table.assign(nats=np.nan if hidden else integral.nats, error=np.nan if hidden else integral.error)


def _command(integral: Integral, n_blocks: int, minutes: float) -> str:
    if integral.verdict.grade == MULTIMODAL:
        return "ffbm.fit(net), and the number of blocks that it finds"
    return "" if integral.verdict else f"ffbm.evidence(net, {n_blocks}, ..., max_minutes={4 * minutes:g})"
