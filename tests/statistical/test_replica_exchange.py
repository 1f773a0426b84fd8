"""Replica exchange against exact laws, at every temperature, and against long plain chains."""

import numpy as np
import pytest

import ffbm
from ffbm.blocks import chain, ladder
from ffbm.blocks.chain import BlockSettings, BlockSetup
from ffbm.blocks.ladder import LadderSetup
from ffbm.blocks.target import BlockTarget, block_model
from ffbm.diagnostics.convergence import summarise
from ffbm.rng import stream
from ffbm.verification.exchange import TRIALS, follow_the_laws
from ffbm.verification.findings import Effort
from ffbm.workers import open_workers


@pytest.mark.parametrize(
    ("name", "full"),
    [(name, False) for name, trial in TRIALS.items() if trial.n_quick]
    + [pytest.param(name, True, marks=pytest.mark.slow) for name in TRIALS],
)
def test_every_temperature_follows_its_law(name, full):
    with open_workers(1, 1) as each:
        found = follow_the_laws(name, Effort(full, 0, each))
    assert found.passed, found


def test_tempered_and_plain_chains_agree():
    target = BlockTarget(ffbm.load_dataset("polbooks").graph)
    model, settings = block_model(target, 3), BlockSettings(1000, 5, jumps=0.2)
    labels = np.arange(105) % 3
    plain, tempered = [], []
    for run in range(4):
        setup = BlockSetup(target, model, settings)
        plain.append(chain.advance(setup, chain.start(setup, labels, stream(run, "plain")), 10_000)[1].entropy)
        of_ladder = LadderSetup(target, model, settings)
        betas = np.array([1.0, 0.93, 0.86, 0.8])
        state = ladder.start(of_ladder, np.tile(labels, (4, 1)), betas, stream(run, "ladder"))
        tempered.append(ladder.advance(of_ladder, state, 4000)[1].entropy)
    means, errors = [], []
    for draws in (np.array(plain), np.array(tempered)):
        found = summarise(draws)
        assert found.rhat < 1.01
        means.append(draws.mean())
        errors.append(draws.std() / np.sqrt(float(found.ess_mean)))
    assert max(errors) < 0.25
    assert abs(means[0] - means[1]) < 3.5 * np.hypot(*errors)
