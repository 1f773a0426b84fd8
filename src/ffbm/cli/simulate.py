"""``ffbm simulate``: a network with known blocks and effects, as files that ``ffbm fit`` takes."""

import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from ffbm.cli import options
from ffbm.cli.screen import print_json, print_text, wrap
from ffbm.errors import DataError, OptionError
from ffbm.plain import count_of

if TYPE_CHECKING:
    import numpy as np

_N_SHOWN = 12  # blocks whose sizes are shown

Out = Annotated[str, typer.Option(metavar="DIR", help="A new or empty folder for edges.csv, nodes.csv and truth.json.")]
Vertices = Annotated[int | None, typer.Option(metavar="N", help="Vertices [default: 200, or those of --like].")]
Blocks = Annotated[int | None, typer.Option(metavar="N", help="Blocks [default: 3].")]
Edges = Annotated[int | None, typer.Option(metavar="N", help="Edges [default: 5 a vertex, or those of --like].")]
Features = Annotated[int | None, typer.Option(metavar="N", help="Flags drawn at random [default: 3].")]
Like = Annotated[
    str | None, typer.Option(metavar="SOURCE", help="Take the features of this network, a file or a registered name.")
]
Nodes = Annotated[str | None, typer.Option(metavar="FILE", help="The table of vertex attributes of --like.")]
Exact = Annotated[
    bool, typer.Option("--exact", help="A multigraph from the model's own law, not a planted simple one.")
]
NoDegreeCorrection = Annotated[
    bool, typer.Option("--no-degree-correction", help="With --exact: from the SBM without degree correction.")
]
Directed = Annotated[bool, typer.Option("--directed", help="Edges that lead from source to target.")]
Sigma = Annotated[float, typer.Option(metavar="X", help="Prior deviation of the weights that are drawn.")]
Weights = Annotated[
    str | None, typer.Option(metavar="FILE", help="Weights of one's own: CSV, a row for each block, no header.")
]
Matrix = Annotated[
    str | None,
    typer.Option("--block-matrix", metavar="FILE", help="How dense each pair of blocks is: CSV, no header."),
]
Contrast = Annotated[
    float | None, typer.Option(metavar="X", help="Or how many times denser blocks are inside [default: 10].")
]
Exponent = Annotated[
    float | None, typer.Option("--degree-exponent", metavar="X", help="The tail of the degrees, above 2.")
]
Seed = Annotated[int | None, typer.Option(metavar="N", help="The same seed, the same network [default: a new one].")]


def simulate(
    out: Out,
    vertices: Vertices = None,
    blocks: Blocks = None,
    edges: Edges = None,
    features: Features = None,
    like: Like = None,
    nodes: Nodes = None,
    exact: Exact = False,
    no_degree_correction: NoDegreeCorrection = False,
    directed: Directed = False,
    sigma: Sigma = 1.0,
    weights: Weights = None,
    block_matrix: Matrix = None,
    contrast: Contrast = None,
    degree_exponent: Exponent = None,
    edge_weight_model: options.EdgeWeightModel = None,
    edge_weight_prior: options.EdgeWeightPrior = None,
    seed: Seed = None,
    as_json: options.Json = False,
) -> None:
    """Simulate a network whose blocks depend on its features.

    Writes edges.csv and nodes.csv, which ffbm fit takes, and truth.json: each vertex's block, the weights, the seed.

    Example: ffbm simulate --out planted --vertices 500 --blocks 4 --seed 1
    """
    from ffbm.simulation import simulate as draw
    from ffbm.store.folder import check_new_folder

    check_new_folder(out, "--out")
    source: Any = features
    if like is not None:
        if features is not None or vertices is not None:
            raise OptionError("--like brings its own vertices and features; leave out --vertices and --features")
        network = options.open_network(like, "--like", nodes=nodes)
        source, edges = network.features, network.n_edges if edges is None else edges
    elif nodes is not None:
        raise OptionError("--nodes is the table of the network that --like names; give --like as well")
    made = draw(
        vertices, blocks, edges, source, exact=exact, degree_corrected=not no_degree_correction, directed=directed,
        sigma=sigma, weights=_read_matrix("--weights", weights),
        block_matrix=_read_matrix("--block-matrix", block_matrix), contrast=contrast, degree_exponent=degree_exponent,
        edge_weight_model=edge_weight_model, edge_weight_prior=options.split_prior(edge_weight_prior), seed=seed,  # type: ignore[arg-type]  # checked there
    )  # fmt: skip
    made.save(out)
    if as_json:
        print_json({"out": out, **{name: value for name, value in made.truth().items() if name != "labels"}})
        return
    net = made.network
    counts = count_of(net.n_nodes, "vertex", "vertices"), net.graph.edges_in_words
    print_text(f"{', '.join(counts)}, {count_of(net.n_features, 'feature')}")
    print_text(wrap(_blocks_in_words(made.sizes.tolist()), rest="  "))
    print_text(f"seed {made.settings['seed']}")
    print_text(f"written to {out}: edges.csv, nodes.csv, truth.json")


def _blocks_in_words(sizes: list[int]) -> str:
    """Say how large the blocks are; of many, the first.

    >>> _blocks_in_words([20, 1]), _blocks_in_words([1])
    ('blocks of 20, 1 vertices', 'one block of 1 vertex')
    """
    if len(sizes) == 1:
        return f"one block of {count_of(sizes[0], 'vertex', 'vertices')}"
    shown = ", ".join(f"{size:,}" for size in sizes[:_N_SHOWN])
    if len(sizes) > _N_SHOWN:
        return f"{len(sizes):,} blocks of {shown}, ... vertices"
    return f"blocks of {shown} vertices"


def _read_matrix(option: str, path: str | None) -> "np.ndarray[Any, Any] | None":
    if path is None:
        return None
    import numpy as np

    try:
        with Path(path).open(encoding="utf-8") as file, warnings.catch_warnings():
            warnings.simplefilter("error")  # an empty file
            return np.loadtxt(file, delimiter=",", ndmin=2)
    except FileNotFoundError:
        raise DataError(f"{option}: {path} does not exist: check the name and the folder") from None
    except (ValueError, UserWarning):
        raise DataError(f"{option} must be CSV of numbers, rows of equal length and no header; {path} is not") from None
