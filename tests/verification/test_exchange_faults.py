"""Faults planted in replica exchange: a check must catch each of them, at the size of the quick run."""

import numpy as np
import pytest

from ffbm.blocks import ladder
from ffbm.verification.exchange import follow_the_laws
from ffbm.verification.findings import Effort

from ..mutants import planted

OWN = [f"ffbm.kernels.{name}" for name in ("compilation", "ladder", "visits")]  # moves are as they were
RATIO = "(beta[t] - beta[t + 1]) * (of_i - of_j)"
TRADE = "            replica[t], replica[t + 1] = j, i\n"
ADAPT = "            beta[t + 1] = min(max(beta[t + 1] * (0.97 if of_i > of_j else 1.03), 0.1), 0.97)\n"
FAULTS = {
    "energies ignored": ([(RATIO, "0.0")], "B=3"),
    "the sign of the energies turned": ([(RATIO, RATIO.replace("of_i - of_j", "of_j - of_i"))], "B=3"),
    "the prior taken for a part of the energy": (
        [
            ("totals[i, ENTROPY] - prior_cost(prior, rungs, t, s, i)", "totals[i, ENTROPY]"),
            ("totals[j, ENTROPY] - prior_cost(prior, rungs, t + 1, s, j)", "totals[j, ENTROPY]"),
        ],
        "free B",
    ),
    "labels exchanged without their counts": (
        [
            (
                TRADE,
                "            for v in range(s.b.shape[1]):\n"
                "                s.b[i, v], s.b[j, v] = s.b[j, v], s.b[i, v]\n",
            )
        ],
        "B=3",
    ),
    "the ladder adapted while it draws": ([(TRADE, TRADE + ADAPT)], "B=3"),
}


def outcome(name):
    return follow_the_laws(name, Effort(False, 0, lambda function, items: [function(item) for item in items]))


@pytest.mark.parametrize(
    "fault", [pytest.param(fault, marks=() if fault == "energies ignored" else pytest.mark.slow) for fault in FAULTS]
)
def test_faults_in_exchanges(fault, monkeypatch):
    changes, check = FAULTS[fault]
    made = planted("ffbm.kernels.ladder", *changes, order=OWN)
    monkeypatch.setattr(
        "ffbm.verification.exchange.count_ladder_visits", made["ffbm.kernels.visits"].count_ladder_visits
    )
    found = outcome(check)
    assert found.figure > found.bound


@pytest.mark.parametrize(("tempered", "check"), [("prior", "free B"), ("field", "field")])
def test_the_prior_or_the_field_tempered_too(tempered, check, monkeypatch):
    def wrong(setup, betas):
        rungs, cold = ladder.lay_out(setup, betas), ladder.lay_out(setup, np.ones(len(betas)))
        names = ["field"] if tempered == "field" else ["size_cost", "size_step", "used_cost"]
        return rungs._replace(**{name: getattr(cold, name) for name in names})

    monkeypatch.setattr("ffbm.verification.exchange.lay_out", wrong)
    found = outcome(check)
    assert found.figure > found.bound
