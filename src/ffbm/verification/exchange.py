"""Checks of replica exchange: visits of every temperature against its exact law on all partitions of tiny networks."""

from functools import partial
from typing import NamedTuple

import numpy as np

from ffbm.blocks.chain import BlockSettings
from ffbm.blocks.ladder import LadderSetup, lay_out, start
from ffbm.blocks.likelihoods import UNCORRECTED
from ffbm.blocks.priors import UNLABELLED
from ffbm.blocks.target import block_model
from ffbm.kernels.blockchain import Schedule
from ffbm.kernels.visits import count_ladder_visits
from ffbm.kernels.workspace import make_workspace
from ffbm.types import Array
from ffbm.verification.enumeration import RUNS, Case, Distance, distance_of, field_of, log_law, random_start, target_of
from ffbm.verification.findings import Effort, Finding
from ffbm.verification.partitions import FIVE, FOUR, MESS, VISITS, WHO, judge
from ffbm.workers import Run

BETAS = (1.0, 0.6, 0.25)


class Trial(NamedTuple):
    """A ladder on one network, and how many sweeps each replica of the 16 runs makes."""

    case: Case
    n_quick: int  # 0: in full runs only
    n_full: int


TRIALS = {
    "540 states": Trial(Case(MESS, 6, 3), 0, 300_000),
    "B=3": Trial(Case(FIVE, 5, 3), 16_000, 100_000),
    "field": Trial(Case(FOUR, 4, 3, field=True), 40_000, 250_000),
    "field and empty blocks": Trial(Case(FIVE, 5, 3, field=True, allow_empty=True), 0, 400_000),
    "empty blocks": Trial(Case(FOUR, 4, 3, allow_empty=True), 16_000, 120_000),
    "free B": Trial(Case(FOUR, 4, 4, allow_empty=True, prior=UNLABELLED), 12_000, 60_000),
    "types, free B": Trial(
        Case(VISITS, 5, 5, allow_empty=True, prior=UNLABELLED, types=WHO, block_types=(0, 0, 0, 1, 1)), 0, 60_000
    ),
    "no degree correction": Trial(Case(FOUR, 4, 3, field=True, likelihood=UNCORRECTED), 0, 250_000),
    "no degree correction, free B": Trial(
        Case(FOUR, 4, 4, allow_empty=True, prior=UNLABELLED, likelihood=UNCORRECTED), 10_000, 60_000
    ),
}


def compare_ladder(case: Case, n_steps: int, seed: int = 0, each: Run | None = None) -> list[Distance]:
    """Return how far the visits of each temperature are from its law, from cold to hot."""
    visit = partial(_visits, case, n_steps, seed)
    visits = np.array(each(visit, range(RUNS)) if each else [visit(run) for run in range(RUNS)])
    return [distance_of(case, log_law(case, beta), visits[:, t]) for t, beta in enumerate(BETAS)]


def _visits(case: Case, n_steps: int, seed: int, run: int) -> Array:
    """Return how often each state is visited at each temperature (R, B^N)."""
    rng = np.random.default_rng([seed, run, case.n_nodes])
    target = target_of(case)
    settings = BlockSettings(0, 1, allow_empty=case.allow_empty, jumps=0.25, n_scans=1)
    setup = LadderSetup(target, block_model(target, case.layout, field_of(case)), settings, gap=2)
    labels = np.array([random_start(case, rng) for _ in BETAS])
    state = start(setup, labels, np.array(BETAS), rng)
    visits = np.zeros((len(BETAS), case.n_blocks**case.n_nodes), dtype=np.int64)
    count_ladder_visits(
        rng, setup.model, lay_out(setup, state.betas), state.ledgers, n_steps, Schedule(n_steps // 100, *settings[1:]),
        state.counters, state.exchange, make_workspace(case.n_nodes, case.n_blocks), visits,
    )  # fmt: skip
    return visits


def follow_the_laws(name: str, effort: Effort) -> Finding:
    """Run one trial and return the largest total variation of a temperature from its exact law."""
    trial = TRIALS[name]
    n_steps = trial.n_full if effort.full else trial.n_quick
    distances, floors = zip(*compare_ladder(trial.case, n_steps, effort.seed, effort.each), strict=True)
    return judge(Distance(max(distances), max(floors)), n_steps, effort, by_temperature=list(distances))
