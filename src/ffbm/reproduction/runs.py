"""``ffbm.reproduce``: the paper's table, from runs of the published program and of the exact posterior."""

import logging
import os
import time
from collections.abc import Callable, Sequence
from threading import Event, Lock
from typing import Any, NamedTuple, TypeVar

from ffbm.check import check_choice, check_int
from ffbm.data import load_dataset
from ffbm.errors import DataError
from ffbm.progress import Listener, Progress, listening
from ffbm.reproduction.all_runs import DatasetRuns
from ffbm.reproduction.columns import ColumnRun, RunBlocks, run_blocks, run_exact, run_limit, run_published
from ffbm.reproduction.folder import save_reproduction
from ffbm.reproduction.outcome import Reproduction
from ffbm.reproduction.paper import PAPER, Experiment
from ffbm.rng import child_seed, resolve_seed
from ffbm.store.folder import reserved
from ffbm.types import Network
from ffbm.workers import open_workers

ALL = "all"
Result = TypeVar("Result")


class Item(NamedTuple):
    """One run on one data set, and its blocks once they are sampled."""

    net: Network
    paper: Experiment
    number: int
    blocks: Any = None  # RunBlocks


def reproduce(
    dataset: str = "polbooks",
    runs: int = 10,
    *,
    seed: int | None = 0,
    workers: int | None = None,
    out: str | os.PathLike[str] | None = None,
    progress: Listener | bool | None = None,
) -> Reproduction:
    """Make the paper's table again: published figures, the published program, and the exact posterior beside it.

    Every run has its own seed and split. Its block level is the paper's, one chain of 1,000 sweeps, and is shared by
    the two columns, so that they differ by the sampler of the weights alone: the *published program* is the authors'
    weight chain as it was, the *exact posterior* is ``sample_weights`` with its defaults. Both rank, keep the paper's
    D' features and fit these again.

    Parameters
    ----------
    dataset : {"polbooks", "school", "facebook", "all"}
        With "all", a data set that cannot be had is left out, and ``missing`` says how to get it.
    runs : int
        The paper's 10.
    seed : int or None
        The same seed gives the same table on any number of workers; None draws one and records it.
    workers : int, optional
        Threads, each with a run of its own; as many as runs or cores, whichever is fewer, if left out.
    out : folder, optional
        Write the table, ``results.json`` and the figures there; a new or empty folder.
    progress : None, bool or callable

    Returns
    -------
    Reproduction
        ``table``, ``differences``, ``record``, ``figures()``, ``save(path)``.

    Examples
    --------
    >>> reproduction = reproduce("polbooks", runs=2)
    >>> reproduction.table.loc[("polbooks", "L0"), "published"]
    '0.563 ± 0.042'
    """
    check_choice("dataset", dataset, (*PAPER, ALL))
    runs, seed = check_int("runs", runs, low=1), resolve_seed(seed)
    with reserved(None if out is None else os.fspath(out)), listening(progress) as tell:
        outcome = _run(dataset, runs, seed, workers, tell)
        if out is not None:
            save_reproduction(outcome, outcome.record, out, tell)
    return outcome


def _run(dataset: str, runs: int, seed: int, workers: int | None, tell: Listener) -> Reproduction:
    """Run every stage of all data sets, one stage after the other."""
    networks, missing = _load(dataset)
    items = [Item(net, PAPER[name], number) for name, net in networks.items() for number in range(runs)]
    items.sort(key=lambda item: -item.net.n_nodes)  # the long ones first, so that no worker is left with one at the end
    seconds: dict[str, float] = {}

    def begin(item: Item, listen: Listener) -> RunBlocks:
        return run_blocks(item.net, item.paper, child_seed(seed, item.paper.name, item.number), listen)

    blocks = _run_all("blocks", begin, items, workers, tell, seconds)
    items = [item._replace(blocks=labels) for item, labels in zip(items, blocks, strict=True)]
    published = _run_all("published program", _on(run_published), items, workers, tell, seconds)
    exact = _run_all("exact posterior", _on(run_exact), items, workers, tell, seconds)
    limits = _run_all("the program's limit", _on(run_limit), items, workers, tell, seconds)
    datasets = {name: _gather(name, net, items, published, exact, limits) for name, net in networks.items()}
    return Reproduction(datasets, missing, seed, runs, seconds)


def _load(dataset: str) -> tuple[dict[str, Network], dict[str, str]]:
    """Load one data set, or all of them that can be had."""
    if dataset != ALL:
        return {dataset: load_dataset(dataset)}, {}
    networks, missing = {}, {}
    for name in PAPER:
        try:
            networks[name] = load_dataset(name)
        except DataError as error:
            missing[name] = str(error)
            logging.getLogger("ffbm").info("%s is left out: %s", name, error)
    return networks, missing


def _on(stage: Callable[[Network, Experiment, RunBlocks, Listener], Result]) -> Callable[[Item, Listener], Result]:
    """Return a stage as a function of an item."""
    return lambda item, listen: stage(item.net, item.paper, item.blocks, listen)


def _run_all(
    stage: str,
    function: Callable[[Item, Listener], Result],
    items: Sequence[Item],
    workers: int | None,
    tell: Listener,
    seconds: dict[str, float],
) -> list[Result]:
    """Run one stage of all items on the workers; an interrupt stops those under way when they next report progress."""
    start = time.perf_counter()
    stopped, lock = Event(), Lock()
    done = 0

    def listen(_: Progress) -> None:
        if stopped.is_set():
            raise KeyboardInterrupt

    def work(item: Item) -> Result:
        nonlocal done
        result = function(item, listen)
        with lock:
            done += 1
            tell(Progress(stage, done, len(items)))
        return result

    tell(Progress(stage, 0, len(items)))
    with open_workers(workers, len(items)) as run:
        try:
            results = run(work, items)
        except BaseException:
            stopped.set()
            raise
    seconds[stage] = time.perf_counter() - start
    return results


def _gather(
    name: str,
    net: Network,
    items: Sequence[Item],
    published: Sequence[ColumnRun],
    exact: Sequence[ColumnRun],
    limits: Sequence[dict[str, float]],
) -> DatasetRuns:
    numbers = [number for number, item in enumerate(items) if item.paper.name == name]
    return DatasetRuns(
        paper=PAPER[name],
        network=net,
        blocks=[items[number].blocks for number in numbers],
        published=[published[number] for number in numbers],
        exact=[exact[number] for number in numbers],
        limit=[limits[number] for number in numbers],
    )
