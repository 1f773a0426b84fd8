"""``ffbm.simulate``: checks its arguments, then draws features, weights, labels and graph from streams of their own."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from ffbm.blocks.entropy import check_labels
from ffbm.blocks.likelihoods import likelihood_of
from ffbm.check import check_bool, check_choice, check_int, check_real
from ffbm.data.edgeweights import check_prior
from ffbm.errors import DataError, OptionError, either, keyword
from ffbm.rng import resolve_seed, stream
from ffbm.simulation.edgeweights import draw_edge_weights
from ffbm.simulation.memberships import draw_flags, draw_labels, draw_weights, take_features
from ffbm.simulation.multigraph import draw_multigraph
from ffbm.simulation.planted import count_pairs, draw_planted
from ffbm.simulation.truth import Simulation
from ffbm.types import Array, Network
from ffbm.types.edgeweights import HYPERPARAMETERS

_NODES, _BLOCKS, _FEATURES = 200, 3, 3  # where nothing is said
_MEAN_DEGREE = 10
_WHAT = {"n_nodes": "the number of vertices", "n_blocks": "the number of blocks"}
_CONTRAST = 10.0


def simulate(
    n_nodes: int | None = None,
    n_blocks: int | None = None,
    n_edges: int | None = None,
    features: Any = None,
    *,
    exact: bool = False,
    degree_corrected: bool = True,
    directed: bool = False,
    sigma: float = 1.0,
    weights: npt.ArrayLike | None = None,
    labels: npt.ArrayLike | None = None,
    block_matrix: npt.ArrayLike | None = None,
    contrast: float | None = None,
    degree_exponent: float | None = None,
    edge_weight_model: str | None = None,
    edge_weight_prior: Mapping[str, float] | None = None,
    seed: int | None = None,
) -> Simulation:
    """Simulate a network whose blocks depend on features, and return it with the truth beside it.

    Weights W ~ N(0, sigma^2), then blocks b_i ~ softmax(W x_i), then the graph given the blocks: a simple graph with
    planted blocks, or with ``exact=True`` a multigraph drawn from the model's own law.

    Parameters
    ----------
    n_nodes : int, optional
        N; that of ``features`` or ``labels``, else 200.
    n_blocks : int, optional
        B; that of ``weights``, ``block_matrix`` or ``labels``, else 3. A block may turn out empty.
    n_edges : int, optional
        E; 5 N if left out.
    features : int, Features, or (N, D) array or sparse matrix, optional
        X, taken as it is; a number of flags to draw at random (3 if left out).
    exact : bool
        Draw the graph from p(A | b) of the microcanonical degree-corrected SBM, loops and parallel edges included.
        With ``features`` given, (W, b, A) is then an exact draw from the FFBM given X and E.
    degree_corrected : bool
        With ``exact``: False draws from the microcanonical SBM without degree correction.
    directed : bool
        Whether edges lead from one vertex to another.
    sigma : float
        Prior standard deviation of a weight.
    weights : (B, D), optional
        Effects of one's own in place of drawn ones.
    labels : (N,) whole numbers from 0, optional
        Blocks of one's own; no weights are drawn then.
    block_matrix : (B, B), symmetric unless directed, optional
        For planted graphs: how likely an edge is between vertices of two blocks, or from those of the row's block to
        those of the column's; only ratios count.
    contrast : float, optional
        For planted graphs, in place of a matrix: how many times likelier an edge is inside a block (10 if left out).
    degree_exponent : float above 2, optional
        For planted graphs: degrees with a tail k^-exponent; all vertices alike if left out.
    edge_weight_model : {"geometric", "poisson", "exponential", "log-normal", "normal"}, optional
        Give edges weights, with a law of its own for each pair of blocks.
    edge_weight_prior : dict
        With it: the prior that the parameters of these laws are drawn from, a and b, or m0, k0, v0 and nu0.
    seed : int or None
        The same seed gives the same network; None draws one and records it in ``settings``.

    Returns
    -------
    Simulation
        ``network``, ``labels`` (N,), ``weights`` (B, D), ``edge_counts`` (B, B), ``sizes`` (B,), ``settings``,
        ``save(folder)``.

    Examples
    --------
    >>> import ffbm
    >>> made = ffbm.simulate(n_nodes=100, n_blocks=2, n_edges=400, weights=[[3, 0], [-3, 0]], seed=1)
    >>> made.network, made.sizes.sum()
    (<Network simulated: 100 vertices, 400 edges, 2 features>, np.int64(100))
    >>> ffbm.simulate(features=ffbm.load_dataset("polbooks").features, n_edges=441, exact=True, seed=1).network
    <Network simulated: 105 vertices, 441 edges, 3 features>
    """
    seed, exactly = resolve_seed(seed), keyword("exact", True)
    sigma = check_real("sigma", sigma, low=0, above=True)
    known_labels = None if labels is None else np.asarray(labels)
    effects = None if weights is None else _matrix("weights", weights)
    if known_labels is not None and effects is not None:
        raise OptionError(f"labels= and {keyword('weights', '')} both say which block a vertex is in: give one of them")
    if exact:
        planted_options = {"block_matrix": block_matrix, "contrast": contrast, "degree_exponent": degree_exponent}
        if wrong := [name for name, value in planted_options.items() if value is not None]:
            option = keyword(wrong[0], "")
            raise OptionError(f"{option} is for planted graphs; got it with {exactly}: leave one of them out")
    elif not check_bool("degree_corrected", degree_corrected):
        own_way = f"planted graphs have degrees by {keyword('degree_exponent', '')}"
        raise OptionError(f"{either('degree_corrected=False', '--no-degree-correction')} is for {exactly}: {own_way}")
    directed, law = check_bool("directed", directed), _check_law(edge_weight_model, edge_weight_prior)
    density = None if block_matrix is None else _check_density(block_matrix, directed)
    x = _find_features(features, n_nodes, known_labels, effects, seed)
    n_nodes = _agree("n_nodes", n_nodes, {"features": x.values.shape[0]})
    n_blocks = _number_of_blocks(n_blocks, known_labels, effects, density)
    if known_labels is not None:
        b = check_labels(known_labels, n_nodes)
        if b.max(initial=0) >= n_blocks:
            raise OptionError(f"labels must lie in 0..n_blocks-1; got {b.max()} with n_blocks={n_blocks}")
    else:
        if effects is None:
            effects = draw_weights(stream(seed, "simulate", "weights"), n_blocks, x.n_features, sigma)
        if effects.shape != (n_blocks, x.n_features):
            shape = f"({n_blocks}, {x.n_features}), B x D"
            raise OptionError(f"{keyword('weights')} must have the shape {shape}; got {effects.shape}")
        b = draw_labels(stream(seed, "simulate", "labels"), x.values, effects)
    rng = stream(seed, "simulate", "graph")
    settings: dict[str, Any] = {"exact": bool(exact), "directed": directed, "seed": seed, "sigma": sigma}
    if exact:
        likelihood = likelihood_of(check_bool("degree_corrected", degree_corrected))
        graph = draw_multigraph(rng, b, n_blocks, _check_edges(n_edges, n_nodes, None), likelihood, directed)
        settings["degree_corrected"] = degree_corrected
    else:
        if density is None:
            ratio = check_real("contrast", _CONTRAST if contrast is None else contrast, low=0)
            density = np.ones((n_blocks, n_blocks)) + (ratio - 1) * np.eye(n_blocks)
        elif contrast is not None:
            both = f"{keyword('contrast', '')} and {keyword('block_matrix', '')}"
            raise OptionError(f"{both} both say how dense blocks are: give one of them")
        if degree_exponent is not None:
            degree_exponent = check_real("degree_exponent", degree_exponent, low=2, above=True)
        n_edges = _check_edges(n_edges, n_nodes, count_pairs(b, density, directed))
        graph = draw_planted(rng, b, density, n_edges, degree_exponent, directed)
        settings |= {"block_matrix": density.tolist(), "degree_exponent": degree_exponent}
    if law is not None:
        model, prior = law
        edge_weights = draw_edge_weights(stream(seed, "simulate", "edge weights"), graph, b, model, prior)
        graph = replace(graph, weights=edge_weights)
        settings |= {"edge_weight_model": model, "edge_weight_prior": prior}
    ids = np.array([str(i) for i in range(n_nodes)], dtype=object)
    return Simulation(Network(graph, x, ids, (), "simulated"), b, effects, n_blocks, settings)


def _check_law(model: str | None, prior: Any) -> tuple[str, dict[str, float]] | None:
    """Return the law of the weights of edges, if there is one: a model and all numbers of its prior."""
    if model is None:
        if prior is not None:
            prior, model = keyword("edge_weight_prior", ""), keyword("edge_weight_model", "")
            raise OptionError(f"{prior} is for weighted edges: name {model} too")
        return None
    check_choice("edge_weight_model", model, tuple(HYPERPARAMETERS))
    checked = check_prior(prior, model)
    if checked is None:
        names = ", ".join(HYPERPARAMETERS[model])
        asked = keyword("edge_weight_prior", "")
        raise OptionError(f"weights are drawn from a prior with numbers; give {asked} with {names}")
    return model, checked


def _find_features(features: Any, n_nodes: int | None, labels: Array | None, effects: Array | None, seed: int) -> Any:
    if features is not None and not isinstance(features, int | np.integer):
        return take_features(features)
    if n_nodes is None:
        n_nodes = _NODES if labels is None else labels.size
    default = _FEATURES if effects is None else effects.shape[1]
    n_features = check_int("features", default if features is None else features, low=0)
    return draw_flags(stream(seed, "simulate", "features"), check_int("n_nodes", n_nodes, low=1), n_features)


def _number_of_blocks(n_blocks: int | None, labels: Array | None, effects: Array | None, density: Array | None) -> int:
    sources = {
        "weights": None if effects is None else len(effects),
        "block_matrix": None if density is None else len(density),
    }
    if n_blocks is None and effects is None and density is None:
        is_whole = labels is not None and labels.size and labels.dtype.kind in "iu"
        return int(labels.max()) + 1 if labels is not None and is_whole else _BLOCKS
    return _agree("n_blocks", n_blocks, sources)


def _agree(name: str, value: int | None, sources: dict[str, int | None]) -> int:
    """Return the one number that an argument and what follows from others agree on."""
    numbers = {source: number for source, number in sources.items() if number is not None}
    if value is not None:
        numbers = {name: check_int(name, value, low=1), **numbers}
    (first, number), *rest = numbers.items()
    for other, differs in rest:
        if differs != number:
            raise OptionError(
                f"{keyword(first, '')} and {keyword(other, '')} must agree on {_WHAT[name]};"
                f" got {number} and {differs}: repair one"
            )
    return check_int(name, number, low=1)


def _check_edges(n_edges: int | None, n_nodes: int, most: int | None) -> int:
    if n_edges is None:
        n_edges = n_nodes * _MEAN_DEGREE // 2
        return n_edges if most is None else min(n_edges, most)
    n_edges = check_int("n_edges", n_edges, low=0)
    if most is not None and n_edges > most:
        raise OptionError(
            f"{keyword('n_edges')} must be at most {most:,}, the pairs of vertices that may have an edge;"
            f" got {n_edges:,}: ask for fewer, or {keyword('exact', True)} for a multigraph"
        )
    return n_edges


def _check_density(block_matrix: npt.ArrayLike, directed: bool) -> Array:
    density = _matrix("block_matrix", block_matrix)
    n_negative = int((density < 0).sum())
    if density.shape[0] != density.shape[1]:
        wrong = f"{density.shape[0]} rows of {density.shape[1]}"
    elif not directed and not np.array_equal(density, density.T):
        wrong = "one that differs from its transpose"
    else:
        wrong = f"{n_negative} negative" if n_negative else ""
    if wrong:
        form = "square" if directed else "square and symmetric"
        raise OptionError(f"{keyword('block_matrix')} must be {form} without negative entries; got {wrong}: repair it")
    if not density.any():
        raise OptionError(f"{keyword('block_matrix')} must have an entry above 0; got none: no edge could be drawn")
    return density


def _matrix(name: str, value: npt.ArrayLike) -> Array:
    try:
        matrix = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError):
        requirement = f"{keyword(name)} must be a table of numbers"
        raise DataError(f"{requirement}; got something else: give rows of equal length") from None
    if matrix.ndim != 2 or not np.isfinite(matrix).all():
        requirement = f"{keyword(name)} must be a table of finite numbers, one row for each block"
        raise DataError(f"{requirement}; got shape {matrix.shape}")
    return matrix
