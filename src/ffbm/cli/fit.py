"""``ffbm fit``: from a network to the answer."""

import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from ffbm.check import check_choice
from ffbm.cli import options
from ffbm.cli.announcements import Quiet, Verbose, announcing
from ffbm.cli.both_targets import BOTH, fit_both, tell_both
from ffbm.cli.by_type import fit_by_type, tell_by_type
from ffbm.cli.completion import one_of, sources
from ffbm.cli.screen import print_json, print_text, wrap
from ffbm.cli.settings import begun_with, blocks_asked, number_or, settle, source_of
from ffbm.config import MEANT_BY_NONE, TARGETS, FitConfig
from ffbm.errors import OptionError

if TYPE_CHECKING:
    from ffbm.results.bayes_factor import Evidence as EvidenceFound

NOT_CONVERGED = 1

OptionalSource = Annotated[
    str | None,
    typer.Argument(
        metavar="SOURCE",
        help="A network file, or the name of a registered data set; left out, that of --config.",
        autocompletion=sources,
    ),
]
Blocks = Annotated[
    str | None, typer.Option(metavar="N|auto", help=f"The number of blocks [default: {FitConfig.n_blocks}].")
]
Target = Annotated[
    str | None,
    typer.Option(
        metavar="cut|joint|both",
        help="cut: blocks from the edges alone, then weights; joint: both together; both: side by side"
        f" [default: {FitConfig.target}].",
        autocompletion=one_of("cut", "joint", BOTH),
    ),
]
Keep = Annotated[
    str | None,
    typer.Option(
        metavar="N|all", help=f"Columns kept for a refit; features, under fixed [default: {MEANT_BY_NONE['n_kept']}]."
    ),
]
Chains = Annotated[
    int | None, typer.Option(metavar="N", help=f"Chains of blocks and of weights [default: {FitConfig.n_chains}].")
]
Workers = Annotated[int | None, typer.Option(metavar="N", help="Threads [default: one per chain, up to the cores].")]
Seed = Annotated[int | None, typer.Option(metavar="N", help="The same seed, the same answer [default: a new one].")]
Out = Annotated[str | None, typer.Option(metavar="DIR", help="Save the run in this new or empty folder.")]
Resume = Annotated[
    bool,
    typer.Option(
        "--resume", help="Go on with the run in --out, or begin it; more minutes, sweeps or draws lengthen it."
    ),
]
Cluster = Annotated[
    str | None, typer.Option(metavar="ADDRESS", help="Run on the dask cluster there, as tcp://host:8786.")
]
Config = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Settings in TOML by the names of Python's keywords, as n_blocks = 3; also those that have no option:"
        " k, burn_in, thin, sampler, moves, column_groups.",
    ),
]
Sweeps = Annotated[
    str | None,
    typer.Option(
        metavar="N|auto", help=f"Sweeps of each block chain [default: {FitConfig.n_sweeps}, until they converge]."
    ),
]
MaxMinutes = Annotated[
    float | None,
    typer.Option(
        metavar="X",
        help="How long the fit may take, report included, if sweeps or draws are auto: stages do less where that is"
        f" too short, and say so [default: {FitConfig.max_minutes:g}].",
    ),
]
Tempering = Annotated[
    bool | None,
    typer.Option(
        "--tempering/--no-tempering",
        help="Replica exchange of the block chains, or joint chains [default: where they do not converge without].",
    ),
]
Draws = Annotated[
    str | None,
    typer.Option(
        metavar="N|auto", help=f"Draws of each weight chain [default: {FitConfig.n_draws}, until they converge]."
    ),
]
Warmup = Annotated[int | None, typer.Option(metavar="N", help=f"Its warm-up [default: {FitConfig.n_warmup}].")]
Members = Annotated[
    str | None,
    typer.Option(
        "--memberships",
        metavar="averaged|drawn",
        help="Weights given each vertex's average over the drawn partitions, or given every partition in turn, which"
        f" carries their uncertainty on [default: {FitConfig.memberships}].",
        autocompletion=one_of("averaged", "drawn"),
    ),
]
Sigma = Annotated[
    float | None,
    typer.Option(metavar="X", help=f"Prior deviation of a weight, under fixed [default: {FitConfig.sigma:g}]."),
]
Intercept = Annotated[
    bool | None,
    typer.Option("--intercept/--no-intercept", help="Add a feature that is 1 everywhere [default: on, under learned]."),
]
WeightPrior = Annotated[
    str | None,
    typer.Option(
        metavar="learned|fixed",
        help="A prior that learns a scale for each column and which columns matter, or the paper's"
        f" [default: {MEANT_BY_NONE['weight_prior']}].",
        autocompletion=one_of("learned", "fixed"),
    ),
]
InterceptSd = Annotated[
    float | None,
    typer.Option(
        metavar="X", help=f"Prior deviation of intercepts, under learned [default: {FitConfig.intercept_sd}]."
    ),
]
Fdr = Annotated[
    float | None,
    typer.Option(metavar="X", help=f"False ones allowed among columns that matter [default: {FitConfig.fdr}]."),
]
GroupBy = Annotated[
    str | None,
    typer.Option(
        metavar="TEXT",
        help='Columns whose names agree up to the last TEXT, as ";", are included or left out together, under learned.',
    ),
]
Preset = Annotated[
    str | None,
    typer.Option(
        metavar="paper", help="The settings of the paper for all that is not given.", autocompletion=one_of("paper")
    ),
]
TrainFraction = Annotated[
    float | None, typer.Option(metavar="X", help=f"Training vertices [default: {FitConfig.train_fraction}].")
]
Folds = Annotated[
    str | None,
    typer.Option(
        metavar="N|auto",
        help="Parts that vertices are held out in, once each; 1 is one split [default: auto, 5 up to 5,000 vertices].",
    ),
]
Columns = Annotated[
    str | None,
    typer.Option(metavar="N|all", help=f"Columns that are tested beyond the others [default: {FitConfig.columns}]."),
]
DegreeCorrection = Annotated[
    bool | None,
    typer.Option(
        "--degree-correction/--no-degree-correction",
        help="Whether a block may hold vertices of any degree [default: on].",
    ),
]
Hierarchy = Annotated[
    bool | None,
    typer.Option(
        "--hierarchy",
        help="Blocks at every scale: a tree whose splits are explained, one for each type if vertices have types.",
    ),
]
Impute = Annotated[
    bool | None,
    typer.Option("--impute", help="Sample cells without an answer along with the weights, by what the others tell."),
]
Evidence = Annotated[
    bool,
    typer.Option(
        "--evidence",
        help="Also how much more likely the network is with its attributes than without, in nats. May double the time.",
    ),
]
NodeType = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="Types of vertices, which never share a block; each is explained by itself. --blocks takes TYPE=N,TYPE=N.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Exit code 1 unless the chains are graded converged.")]


@options.reads_network
def fit(
    source: OptionalSource = None,
    nodes: options.Nodes = None,
    blocks: Blocks = None,
    target: Target = None,
    keep: Keep = None,
    chains: Chains = None,
    workers: Workers = None,
    cluster: Cluster = None,
    seed: Seed = None,
    out: Out = None,
    resume: Resume = False,
    config: Config = None,
    sweeps: Sweeps = None,
    max_minutes: MaxMinutes = None,
    tempering: Tempering = None,
    draws: Draws = None,
    warmup: Warmup = None,
    memberships: Members = None,
    sigma: Sigma = None,
    intercept: Intercept = None,
    train_fraction: TrainFraction = None,
    folds: Folds = None,
    columns: Columns = None,
    degree_correction: DegreeCorrection = None,
    hierarchy: Hierarchy = None,
    impute: Impute = None,
    node_type: NodeType = None,
    weight_prior: WeightPrior = None,
    intercept_sd: InterceptSd = None,
    fdr: Fdr = None,
    group_by: GroupBy = None,
    preset: Preset = None,
    evidence: Evidence = False,
    reading: options.Reading = None,
    as_json: options.Json = False,
    quiet: Quiet = False,
    verbose: Verbose = False,
    strict: Strict = False,
) -> int:
    """Find which attributes explain the blocks of a network.

    Which columns matter; what each explains, alone and beyond the others, of vertices that were held out; blocks, and
    what sets each of them apart. What the command line does not say is taken from --config,
    then from the defaults. With --target both, the cut and the joint posterior side by side: what the features changed.

    Example: ffbm fit edges.csv --nodes people.csv --out runs/first
    """
    if workers is not None and cluster is not None:
        raise OptionError("--workers are threads of this machine and --cluster is another: give one of them")
    if reading["bipartite"] and node_type is None:
        node_type = "node_type"
    if target is not None:
        check_choice("--target", target, (*TARGETS, BOTH))
    begun = begun_with(out, target) if resume and out is not None else {}
    settings, run = settle(
        config, begun, n_blocks=blocks_asked(blocks, node_type, config), node_type=node_type,
        target="joint" if target == BOTH else target, n_kept=number_or("all", "--keep", keep), n_chains=chains,
        workers=workers if cluster is None else cluster, seed=seed, out=out, resume=resume or None,
        n_sweeps=number_or("auto", "--sweeps", sweeps), max_minutes=max_minutes, tempering=tempering,
        n_draws=number_or("auto", "--draws", draws), n_warmup=warmup, memberships=memberships, sigma=sigma,
        intercept=intercept, train_fraction=train_fraction, folds=number_or("auto", "--folds", folds),
        columns=number_or("all", "--columns", columns), degree_corrected=degree_correction,
        directed=reading["directed"], hierarchy=hierarchy, impute=impute, weight_prior=weight_prior,
        intercept_sd=intercept_sd, fdr=fdr, preset=preset, **{name: reading[name] for name in options.WEIGHTS},
    )  # fmt: skip
    if evidence and settings.impute:
        raise OptionError("--evidence takes features as they are read; got --impute: leave one of them out")
    if settings.node_type and target == BOTH:
        raise OptionError("--target both is not for fits with types of vertices; leave it out, or --node-type")
    if evidence and (target == BOTH or settings.hierarchy or settings.node_type):
        asked = "--hierarchy" if settings.hierarchy else "--node-type" if settings.node_type else "--target both"
        raise OptionError(f"--evidence is of one number of blocks and one fit; got {asked}: leave one of them out")
    source, recorded = source_of(source, config)
    reading |= {name: getattr(settings, name) or None for name in options.WEIGHTS}
    if reading["directed"] is None and settings.directed is True:
        reading["directed"] = True
    reading |= {"nodes": nodes, "group_by": group_by}
    chosen = {name: value for name, value in reading.items() if value not in (None, [], {})}
    network = options.open_network(source, **recorded | chosen)
    from ffbm.pipeline.clock import Schedule
    from ffbm.results.bayes_factor import weigh
    from ffbm.results.fit_run import fit_with, measured
    from ffbm.results.record import fit_record
    from ffbm.results.summary import sentence_below

    if settings.node_type is not None:
        typed = fit_by_type(network, settings, run, quiet)
        tell_by_type(typed, source, run.out, as_json, verbose)
        return NOT_CONVERGED if strict and not typed.converged else 0
    if group_by is not None:
        from ffbm.theta.columns import group_by_name

        settings = replace(settings, column_groups=group_by_name(network.features.column_names, group_by))
    command = shlex.join(["ffbm", *sys.argv[1:]])
    if target == BOTH:
        with announcing(quiet) as progress:
            pair = fit_both(network, settings, run, progress, command)
        tell_both(pair, source, run.out, as_json)
        return NOT_CONVERGED if strict and not (pair.first.converged and pair.second.converged) else 0
    with announcing(quiet) as progress:
        schedule = Schedule.of(settings)
        fitted = fit_with(network, settings, run, progress=progress, command=command, schedule=schedule)
        if run.out is None:  # else it was measured when it was saved
            fitted = measured(fitted, progress, schedule=schedule)
        weighed = weigh(fitted, settings.max_minutes, run, progress) if evidence else None
    if as_json:
        more = {} if weighed is None else {"evidence": weighed.to_dict()}
        print_json({"source": source, **fit_record(fitted), **more})
    else:
        text = fitted.summary(verbose)
        print_text(text)
        if sentence := sentence_below(fitted, text, verbose):
            print_text(f"\n{sentence}")
        if weighed is not None:
            sentence = f"{weighed.sentence()} {_cure(weighed, settings.max_minutes)}".rstrip()
            print_text(f"\nevidence\n{wrap(sentence, first='  ', rest='  ')}")
        if run.out is not None:
            print_text(f"\nsaved in {run.out}; open {Path(run.out) / 'report.html'} in a browser")
    return NOT_CONVERGED if strict and not fitted.converged else 0


def _cure(weighed: "EvidenceFound", minutes: float) -> str:
    """Return what may help where the evidence is withheld, in options."""
    from ffbm.diagnostics.verdict import MULTIMODAL

    if weighed.nats is not None:
        return ""
    if weighed.converged.grade == MULTIMODAL:
        return "Another number of blocks, --blocks, may be a cure."
    return f"Give it more time: --max-minutes {4 * minutes:g}."
