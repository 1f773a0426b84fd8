"""A fit by settings in one object: its seed, its workers, the folder it is saved in, and what is said before it."""

import logging
import os
import shlex
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from importlib.metadata import version
from typing import Any

from ffbm.config import FitConfig
from ffbm.data.edgeweights import reweigh
from ffbm.errors import OptionError, either, keyword
from ffbm.pipeline.clock import Schedule
from ffbm.pipeline.estimate import estimate_range
from ffbm.pipeline.fit import run_fit
from ffbm.pipeline.footprint import check_footprint
from ffbm.plain import in_words, span_in_words
from ffbm.progress import Listener, listening
from ffbm.results.continuation import describe_run, go_on, saved_settings, with_a_hint_to_resume
from ffbm.results.fitted import Fit
from ffbm.results.provenance import describe_origin
from ffbm.results.run_reader import load_fit
from ffbm.results.run_writer import save_fit
from ffbm.rng import resolve_seed
from ffbm.run_options import RunOptions
from ffbm.store.checkpoints import Checkpoints, open_checkpoints
from ffbm.types import Network, check_network
from ffbm.workers import Workers, connected

_LONG = 60.0  # seconds: longer runs are announced


def fit_with(
    net: Network,
    config: FitConfig,
    run: RunOptions,
    blocks: Any = None,
    progress: Listener | bool | None = None,
    command: str = "",
    schedule: Schedule | None = None,
) -> Fit:
    """Fit by settings in one object, save the run if ``run`` says where, and leave warnings to the caller.

    ``schedule`` says when stages are to end, if the fit is part of something longer.
    """
    check_network(net)
    if config.directed is True and not net.graph.is_directed:
        it = keyword("directed", True)
        raise OptionError(f"{it} needs a network whose edges have a direction; read it with {it} too")
    if config.directed is False:
        net = net.undirected()
    net = reweigh(net, config.edge_weight, config.edge_weight_model, config.edge_weight_prior)
    if run.resume and run.out is None:
        raise OptionError(
            f"{keyword('resume')} goes on with the run in a folder: say which with --out{either(', or out= in Python')}"
        )
    config = replace(config, seed=config.seed if run.resume else resolve_seed(config.seed))
    if config.target == "joint":
        config = replace(config, n_draws=config.countable_draws)
    with connected(run.workers) as pool:
        schedule = schedule or Schedule.of(config)
        go = partial(_fit, net, blocks, progress, command, pool, run.out, schedule)
        if run.out is None:
            return go(config, None)
        wanted = partial(describe_run, net, blocks, version("ffbm"), command)
        with with_a_hint_to_resume(run.out):
            return _fit_in_folder(config, run.out, run.resume, wanted, go, progress, pool, schedule)


def _fit_in_folder(
    config: FitConfig,
    out: str,
    resume: bool,
    wanted: Callable[[FitConfig], dict[str, Any]],
    go: Callable[[FitConfig, Checkpoints], Fit],
    progress: Listener | bool | None,
    workers: Workers,
    schedule: Schedule,
) -> Fit:
    if resume and config.seed is None and not saved_settings(out):
        config = replace(config, seed=resolve_seed(None))  # nothing is there: it begins
    with open_checkpoints(out, wanted(config), resume) as checkpoints:
        if resume:
            config, is_left = go_on(checkpoints, wanted(config), config)
            if not is_left:
                return load_fit(out)
        fitted = measured(go(config, checkpoints), progress, workers, schedule)
        with listening(progress) as tell:  # verdicts and figures take their time
            save_fit(fitted, out, tell, schedule)
        return fitted


def measured(
    fitted: Fit,
    progress: Listener | bool | None = None,
    workers: Workers = None,
    schedule: Schedule | None = None,
) -> Fit:
    """Return a fit whose columns are measured: now, with progress shown, and not when their table is asked for."""
    measure = fitted.explanation.measure
    if measure is None:
        return fitted
    with listening(progress) as tell:
        columns = measure(tell, workers, schedule)
    return Fit.of(fitted, explanation=replace(fitted.explanation, measure=lambda *_: columns))


def _fit(
    net: Network,
    blocks: Any,
    progress: Listener | bool | None,
    command: str,
    workers: Workers,
    out: str | None,
    schedule: Schedule,
    config: FitConfig,
    checkpoints: Checkpoints | None,
) -> Fit:
    check_footprint(net, config, out)
    _announce(net, config, workers, out)
    parts = run_fit(net, config, blocks, progress, workers, checkpoints, schedule)
    origin = describe_origin(net, parts.config, command or shlex.join(sys.argv))
    return Fit.of(parts, provenance=origin)


def _announce(net: Network, config: FitConfig, workers: Workers, out: str | None) -> None:
    """Say before a long run how long it is."""
    cores = workers if isinstance(workers, int) else os.cpu_count() or 1
    low, high = estimate_range(
        net, config.n_blocks, n_sweeps=config.countable_sweeps, n_warmup=config.n_warmup,
        n_draws=config.countable_draws, n_chains=config.n_chains, workers=cores,
    )  # fmt: skip
    if high > _LONG:
        saved = "" if out is not None else "; with --out it could be resumed"
        most = Schedule.of(config).seconds
        span = span_in_words(min(low, most), min(high, most))
        if config.is_open:
            span += f", more until chains have converged; {in_words(most)} at most (--max-minutes)"
        logging.getLogger("ffbm").info("this takes about %s%s", span, saved)
