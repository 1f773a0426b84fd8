"""The choice of the number of blocks: several descents in parallel, then the neighbours of the best."""

from functools import partial

import numpy as np

from ffbm.blocks.choose import Candidates, descend_to_one, look_around, pool
from ffbm.blocks.start import effort_for
from ffbm.progress import Listener, Progress
from ffbm.rng import stream
from ffbm.types import Graph
from ffbm.workers import open_workers

_DESCENTS = 4  # at most


def find_candidates(graph: Graph, seed: int, workers: int | None, tell: Listener) -> Candidates:
    """Return the best partition found for each number of blocks that was tried."""
    n_descents = min(_DESCENTS, effort_for(graph).tries)
    tell(Progress("number of blocks", 0, n_descents + 1))
    with open_workers(workers, n_descents) as run:
        found = pool(run(partial(_descend, graph, seed), range(n_descents)))
    tell(Progress("number of blocks", n_descents, n_descents + 1))
    found = look_around(graph, found, stream(seed, "number of blocks", n_descents))
    tell(Progress("number of blocks", n_descents + 1, n_descents + 1))
    return found


def _descend(graph: Graph, seed: int, number: int) -> Candidates:
    return descend_to_one(graph, stream(seed, "number of blocks", number), communities=number == 0)


def list_candidates(found: Candidates) -> list[tuple[int, float]]:
    """Return the numbers of blocks and their description lengths, as settings of a trace hold them."""
    return [(n, float(np.round(found[n].entropy, 6))) for n in sorted(found)]
