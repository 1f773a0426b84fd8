"""Print a digest of the draws of small fits with fixed seeds: equal lines before and after a change mean equal bits.

Run ``python tests/digests.py > before.txt``, change the code, run it again on the same machine and compare. Numbers
differ between machines in their last bits, so nothing is kept. S is rounded to 1e-6 nats: chains carry it as a sum of
changes, whose last bits depend on the order of the terms.
"""

import argparse
import contextlib
import hashlib
import sys
import tempfile
import warnings
from pathlib import Path
from unittest import mock

import numpy as np

import ffbm
from ffbm.types import Graph

FIXED = {"weight_prior": "fixed", "progress": False}
SHORT = {"n_sweeps": 120, "n_warmup": 60, "n_draws": 80, "n_chains": 2, "seed": 3, "folds": 1, "n_kept": 10, **FIXED}


def mixed_network():
    """Return a network with loops, parallel edges, flags and a number."""
    rng = np.random.default_rng(11)
    block = np.repeat([0, 1, 2], 14)
    ends = rng.integers(0, 42, (900, 2))
    ends = ends[(block[ends[:, 0]] == block[ends[:, 1]]) | (rng.random(900) < 0.1)]
    features = np.column_stack(
        (block == 0, block == 1, rng.random(42) < 0.5, rng.random((9, 42)).T < 0.3, rng.normal(size=42) + block)
    )
    return ffbm.as_network(np.vstack((ends, [[0, 0], [5, 5], [1, 2], [1, 2]])), features.astype(float))


def small_fit(net, **options):
    return parts_of(ffbm.fit(net, **{**SHORT, **options}))


def parts_of(fit):
    parts = [*blocks_of(fit.blocks), fit.memberships.probs, *weights_of(fit.weights), fit.ranking.order, fit.train]
    parts += [fit.scores.loss_test, fit.scores.bits_train, fit.scores.accuracy_test]
    parts += [rounded(fit.scores.description_length)]
    if fit.reduced is not None:
        parts += [*weights_of(fit.reduced.weights), fit.reduced.scores.loss_test]
    return parts


def blocks_of(trace):
    return [trace.labels, rounded(trace.entropy), trace.acceptance, trace.best_labels, rounded(trace.best_entropy)]


def rounded(nats):
    return np.round(nats, 6) + 0.0


def weights_of(trace):
    return [trace.weights, trace.energy, trace.acceptance_rate, trace.step_size, trace.n_steps, trace.mean, trace.sd]


def small_blocks(net, n_blocks, **options):
    chosen = {"n_sweeps": 150, "n_chains": 2, "seed": 5, "progress": False, **options}
    return blocks_of(ffbm.sample_blocks(net, n_blocks, **chosen))


def small_weights(net, members, **options):
    chosen = {"n_warmup": 60, "n_draws": 80, "n_chains": 2, "seed": 7, **FIXED, **options}
    return weights_of(ffbm.sample_weights(net.features, members, **chosen))


def resumed(net):
    """Lengthen a run that was saved."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        small_fit(net, n_blocks=3, out=out)
        return small_fit(net, n_blocks=3, out=out, resume=True, n_sweeps=200, n_draws=120)


def stopped_and_resumed(net):
    """Go on with a joint run that was stopped on its way."""

    class StopError(Exception):
        pass

    def stop(event):
        if event.stage == "joint" and event.done > 60:
            raise StopError

    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "run"
        options = {"n_blocks": 3, "target": "joint", "out": out}
        with mock.patch("ffbm.pipeline.run._SAVE_SECONDS", 0.0), contextlib.suppress(StopError):
            small_fit(net, **options, progress=stop)
        return small_fit(net, **options, resume=True)


def compact(net):
    """Sample with tables that hold only the cells that were touched."""
    with mock.patch.multiple(
        "ffbm.blocks.target", _NEAR_BYTES=0, _SQUARE_BYTES=0, _NEAR_PER_EDGE=0, _SQUARE_PER_EDGE=0
    ):
        options = {"initial": "random"}  # merges are priced with dense tables
        return small_blocks(net, 3, **options) + small_blocks(net, 4, allow_empty=True, **options)


def second_mode():
    """Explain the second mode of a network with two pictures."""
    cliques = [6 * c + np.array(np.triu_indices(6, 1)).T for c in range(4)]
    upper, left = np.repeat([[0, 0, 1, 1], [0, 1, 0, 1]], 6, axis=1)
    net = ffbm.as_network(np.vstack(cliques), np.column_stack((upper, left)))
    blocks = ffbm.sample_blocks(net, 2, n_chains=2, n_sweeps=100, initial=[upper, left], moves="single", progress=False)
    fit = ffbm.fit(net, blocks=blocks, **SHORT)
    mode = fit.mode(1)
    return [*parts_of(fit), *weights_of(mode.weights), mode.scores.loss_test, mode.ranking.order]


def cases():
    """Return the fits by name."""
    books, mixed = ffbm.load_dataset("polbooks"), mixed_network()
    rng = np.random.default_rng(2)
    soft = rng.dirichlet(np.ones(3), mixed.n_nodes)
    field = rng.normal(size=(mixed.n_nodes, 3))
    random_graph = Graph.from_edges(*rng.integers(0, 60, (2, 150)), 60)
    return {
        "cut": lambda: small_fit(books, n_blocks=3),
        "cut, mixed": lambda: small_fit(mixed, n_blocks=3, n_kept=4),
        "joint": lambda: small_fit(books, n_blocks=3, target="joint"),
        "joint, reduced": lambda: small_fit(mixed, n_blocks=4, target="joint", n_kept=3),
        "joint, mala, intercept": lambda: small_fit(mixed, n_blocks=3, target="joint", sampler="mala", intercept=True),
        "drawn": lambda: small_fit(books, n_blocks=3, memberships="drawn"),
        "drawn, intercept": lambda: small_fit(mixed, n_blocks=3, memberships="drawn", intercept=True, n_kept="all"),
        "mala": lambda: small_fit(books, n_blocks=3, sampler="mala"),
        "auto": lambda: small_fit(books),
        "auto, mixed": lambda: small_blocks(mixed, "auto"),
        "free": lambda: small_blocks(mixed, "free"),
        "free, random graph": lambda: small_blocks(random_graph, "free"),
        "field": lambda: small_blocks(mixed, 3, field=field),
        "empty blocks": lambda: small_blocks(mixed, 6, allow_empty=True),
        "field, empty blocks": lambda: small_blocks(mixed, 3, field=field, allow_empty=True, beta=0.7),
        "single moves": lambda: small_blocks(mixed, 4, moves="single", initial="random"),
        "soft memberships": lambda: small_weights(mixed, soft),
        "numbers": lambda: small_weights(mixed, np.arange(42) % 3, rows=np.arange(30)),
        "intercept, sigma": lambda: small_weights(mixed, soft, intercept=True, sigma=0.5),
        "annealing": lambda: small_weights(mixed, soft, sampler="mala", annealing=0.1),
        "reduced": lambda: small_fit(mixed, n_blocks=3, n_kept=2, intercept=True),
        "folds": lambda: small_fit(mixed, n_blocks=3, folds=3, n_kept="all"),
        "compact tables": lambda: compact(mixed),
        "lengthened": lambda: resumed(mixed),
        "stopped and resumed": lambda: stopped_and_resumed(mixed),
        "second mode": second_mode,
    }


def digest(parts):
    made = hashlib.sha256()
    for part in parts:
        array = np.ascontiguousarray(np.asarray(part, dtype=np.float64))
        made.update(f"{array.shape}".encode() + array.tobytes())
    return made.hexdigest()[:16]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("only", nargs="*", help="names of the fits to run; all if left out")
    chosen = parser.parse_args().only
    warnings.simplefilter("ignore")
    for name, run in cases().items():
        if not chosen or name in chosen:
            sys.stdout.write(f"{digest(run())}  {name}\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
