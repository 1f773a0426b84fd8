"""The choice of the number of blocks: several descents in parallel, then the neighbours of the best."""

from functools import partial

import numpy as np

from ffbm.blocks.choose import Candidates, CandidateTable, as_table, descend_to_one, from_table, pool, try_neighbours
from ffbm.blocks.start import effort_for
from ffbm.pipeline.conduct import Conduct
from ffbm.progress import Progress
from ffbm.rng import stream
from ffbm.store.journal import digest
from ffbm.types import Graph
from ffbm.workers import open_workers

_DESCENTS = 4  # at most


def find_candidates(graph: Graph, seed: int, conduct: Conduct) -> Candidates:
    """Return the best partition found for each number of blocks that was tried."""
    key = digest(graph, seed) if conduct.journal else ""
    return from_table(conduct.remember("number of blocks", key, CandidateTable, partial(_find, graph, seed, conduct)))


def _find(graph: Graph, seed: int, conduct: Conduct) -> CandidateTable:
    n_descents = min(_DESCENTS, effort_for(graph).tries)
    conduct.tell(Progress("number of blocks", 0, n_descents + 1))
    with open_workers(conduct.workers, n_descents) as run:
        tables = run(partial(_descend, seed), range(n_descents), graph, kind=CandidateTable)
    conduct.tell(Progress("number of blocks", n_descents, n_descents + 1))
    candidates = pool(map(from_table, tables))
    candidates = try_neighbours(graph, candidates, stream(seed, "number of blocks", n_descents))
    conduct.tell(Progress("number of blocks", n_descents + 1, n_descents + 1))
    return as_table(candidates)


def _descend(seed: int, graph: Graph, number: int) -> CandidateTable:
    return as_table(descend_to_one(graph, stream(seed, "number of blocks", number), communities=number == 0))


def list_candidates(found: Candidates) -> list[tuple[int, float]]:
    """Return the numbers of blocks and their description lengths, as settings of a trace hold them."""
    return [(n, float(np.round(found[n].entropy, 6))) for n in sorted(found)]
