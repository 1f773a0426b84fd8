"""The options of commands that read a network, defined once."""

import functools
import inspect
import itertools
import shlex
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ffbm.cli.completion import one_of, sources
from ffbm.errors import OptionError, Wording
from ffbm.plain import did_you_mean

if TYPE_CHECKING:
    from ffbm.types import Network

Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A network file, or the name of a registered data set.",
        autocompletion=sources,
    ),
]
Nodes = Annotated[str | None, typer.Option(metavar="FILE", help="A table of vertex attributes.")]
Id = Annotated[
    str | None,
    typer.Option("--id", metavar="COLUMN", help="The column with the ids [default: id, else the first]."),
]
SourceColumn = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="One end of each edge [default: source, from or src, else the first]."),
]
TargetColumn = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="The other end [default: target, to or dst, else the second]."),
]
Include = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Keep this column even if it would be left out. Repeatable."),
]
Exclude = Annotated[list[str] | None, typer.Option(metavar="COLUMN", help="Leave this column out. Repeatable.")]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN=VALUE", help="Read this value as missing, as in gender=Unknown. Repeatable."),
]
Merge = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN:OLD=NEW", help="Read a value as another, field:Biolgy=Biology. Repeatable."),
]
Missing = Annotated[
    str | None,
    typer.Option(
        metavar="none|flag",
        help="Whether missing cells get a flag [default: none].",
        autocompletion=one_of("none", "flag"),
    ),
]
Categorical = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="The numbers of this column are codes. Repeatable."),
]
Numeric = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="The numbers or dates of this column are no codes. Repeatable."),
]
Multiplicity = Annotated[str | None, typer.Option(metavar="COLUMN", help="An edge column that counts parallel edges.")]
EdgeWeight = Annotated[
    str | None, typer.Option(metavar="COLUMN", help="An edge column of weights that blocks explain too.")
]
EdgeWeightModel = Annotated[
    str | None,
    typer.Option(
        metavar="LAW",
        help="What weights are: geometric, poisson, exponential, log-normal or normal [default: by what they are].",
        autocompletion=one_of("geometric", "poisson", "exponential", "log-normal", "normal"),
    ),
]
EdgeWeightPrior = Annotated[
    str | None,
    typer.Option(metavar="a=X,b=X", help="A conjugate prior of the weights' law [default: microcanonical]."),
]
Parallel = Annotated[
    str | None, typer.Option(metavar="count|merge", help="Keep parallel edges, or one of each [default: count].")
]
Directed = Annotated[
    bool | None,
    typer.Option(
        "--directed/--undirected",
        help="Whether edges lead from source to target [default: as a graph file says; lists of edges do not].",
    ),
]
Bipartite = Annotated[
    bool | None,
    typer.Option("--bipartite", help="The two columns of edges hold vertices of two kinds, as people and events."),
]
Unknown = Annotated[
    str | None,
    typer.Option(metavar="error|keep", help="An end of an edge that --nodes does not have [default: error]."),
]
MinSupport = Annotated[
    int | None, typer.Option(metavar="N", help="Leave out flags set on fewer vertices [default: 1].")
]
Encoding = Annotated[str | None, typer.Option(metavar="NAME", help="Of text that is not UTF-8, as latin-1 or cp1252.")]
Run = Annotated[str, typer.Argument(metavar="RUN", help="The folder that ffbm fit --out wrote.")]
Json = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output.")]


WEIGHTS = ("edge_weight", "edge_weight_model", "edge_weight_prior")
_READING = {
    "nodes": Nodes, "id": Id, "source_column": SourceColumn, "target_column": TargetColumn, "include": Include,
    "exclude": Exclude, "drop": Drop, "merge": Merge, "missing": Missing, "categorical": Categorical,
    "numeric": Numeric, "multiplicity": Multiplicity, "edge_weight": EdgeWeight, "edge_weight_model": EdgeWeightModel,
    "edge_weight_prior": EdgeWeightPrior, "parallel": Parallel, "directed": Directed, "bipartite": Bipartite,
    "unknown": Unknown, "min_support": MinSupport, "encoding": Encoding,
}  # fmt: skip
READING = ("--undirected", *("--" + name.replace("_", "-") for name in _READING))  # what notes may name
Reading = Any  # the options of reading, by keyword of ``read_network``: a dict, for the commands that ask for it


def reads_network(command: Callable[..., Any], without: Collection[str] = ()) -> Callable[..., Any]:
    """Give a command the options of reading a network, in place of its argument ``reading``.

    Those that it has by itself, or that it is to do ``without``, are left to it.
    """
    signature = inspect.signature(command)
    added = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=option)
        for name, option in _READING.items()
        if name not in signature.parameters and name not in without
    ]
    placed = [added if name == "reading" else [known] for name, known in signature.parameters.items()]

    @functools.wraps(command)
    def run(**arguments: Any) -> Any:
        reading = {known.name: arguments.pop(known.name) for known in added}
        reading["drop"] = split_drop(reading["drop"])
        if "edge_weight_prior" in reading:
            reading["edge_weight_prior"] = split_prior(reading["edge_weight_prior"])
        return command(**arguments, reading=reading)

    every = [known.replace(kind=inspect.Parameter.KEYWORD_ONLY) for known in itertools.chain(*placed)]
    run.__signature__ = signature.replace(parameters=every)  # type: ignore[attr-defined]  # what typer looks at
    return run


reads_unweighted = functools.partial(reads_network, without=WEIGHTS)


_QUOTES = "'\""
# keywords whose option is not the same word; all others are written with dashes
_OTHER_WORDS = {
    "n_blocks": "--blocks", "n_kept": "--keep", "n_chains": "--chains", "n_sweeps": "--sweeps", "n_draws": "--draws",
    "n_warmup": "--warmup", "n_nodes": "--vertices", "n_edges": "--edges", "n_features": "--features",
    "n_permutations": "--permutations",
}  # fmt: skip


def in_options(message: str, options: Collection[str]) -> str:
    """Say in options what a message says in keywords; what the command has no option for stays as it is.

    >>> from ffbm.errors import keyword
    >>> in_options(f"{keyword('n_blocks')} must be 1 or more; got it with {keyword('exact', True)}", ["--blocks"])
    '--blocks must be 1 or more; got it with exact=True'
    """

    def write(argument: str) -> str:
        name, _, value = argument.partition("=")
        option = _OTHER_WORDS.get(name, "--" + name.replace("_", "-"))
        if option not in options:
            return argument
        return option if value in ("", "True") else f"{option} {shlex.quote(value.strip(_QUOTES))}"

    return Wording(message).typed(write)


def split_drop(pairs: list[str] | None) -> dict[str, list[str]]:
    """Turn COLUMN=VALUE arguments into a mapping from columns to values.

    >>> split_drop(["gender=Unknown", "gender=NA"])
    {'gender': ['Unknown', 'NA']}
    """
    values: dict[str, list[str]] = {}
    for pair in pairs or ():
        column, equals, value = pair.partition("=")
        if not equals or not column:
            raise OptionError(f"--drop takes COLUMN=VALUE, as in --drop gender=Unknown; got {pair!r}")
        values.setdefault(column, []).append(value)
    return values


def split_prior(text: str | None) -> str | dict[str, float] | None:
    """Turn a=1,b=2 into a mapping from names to numbers.

    >>> split_prior("a=1,b=0.5"), split_prior("microcanonical")
    ({'a': 1.0, 'b': 0.5}, 'microcanonical')
    """
    if text is None or text == "microcanonical":
        return text
    try:
        return {name.strip(): float(value) for name, value in (pair.split("=") for pair in text.split(","))}
    except ValueError:
        raise OptionError(f"--edge-weight-prior takes numbers by name, as in a=1,b=2; got {text!r}") from None


def open_network(source: str, argument: str = "SOURCE", /, **options: Any) -> "Network":
    """Load a registered data set, or read a file with the options that were given.

    A name of a registered set means the set; a file of that name is read as ``./name``. ``argument`` names it.
    """
    from pathlib import Path

    from ffbm.data.registry import DATASETS, load_dataset

    chosen = {name: value for name, value in options.items() if value not in (None, [], {})}
    if source in DATASETS:
        if chosen:
            raise OptionError(
                f"{source} is a registered data set and is read as registered; "
                f"leave out {', '.join('--' + name.replace('_', '-') for name in chosen)}, or name a file"
            )
        return load_dataset(source)
    if not Path(source).exists() and not Path(source).suffix:
        raise OptionError(
            f"{argument} must be a file or a registered data set ({', '.join(DATASETS)}); "
            f"there is no file {source!r}: {did_you_mean(source, DATASETS) or 'see ffbm datasets'}"
        )
    from ffbm.data import read_network

    return read_network(source, **chosen)
