"""How many values of t the evidence takes: more until two quadrature rules agree and all neighbours exchange."""

import math
from types import SimpleNamespace

import numpy as np
import pytest
from scipy.stats import norm

from ffbm.joint.path import PathDraws
from ffbm.joint.quadrature import rule_weights
from ffbm.pipeline import evidence as stage
from ffbm.rng import stream

WIDTH = 0.06  # of the bump: eight even values of t miss a part of it, sixteen hardly any


def log_p(t):
    """ln p(A | X, t) - ln p(A), whose derivative is a bump at t = 0.4."""
    return norm.cdf((t - 0.4) / WIDTH) - norm.cdf(-0.4 / WIDTH)


def bump(t):
    return norm.pdf((t - 0.4) / WIDTH) / WIDTH


class Drawn(stage._Ladders):
    """Ladders whose draws are the known derivative and chance."""

    noise, rates = 0.01, lambda n: 1.0

    def __init__(self, subject, n_chains, seed, end, context):
        self.subject, self.n_chains, self.seed, self.end = subject, n_chains, seed, end
        self.round, self.swept, self.is_over, self.hot, self.tried = 0, 0, False, np.zeros(0), []
        Drawn.last = self

    def begin(self, t):
        self.t, self.round = np.asarray(t), self.round + 1
        self.draws = PathDraws(*np.empty((4, self.n_chains, 0, len(t))))
        self.tried.append(len(t))

    def run(self, n_steps):
        rng = stream(self.seed, "draws", self.round, self.draws.slope.shape[1])
        shape = (self.n_chains, self.draws.slope.shape[1] + n_steps, len(self.t))
        before, after = np.append(0.0, self.t[:-1]), np.append(self.t[1:], 1.0)
        self.draws = PathDraws(
            slope=bump(self.t) + self.noise * rng.standard_normal(shape),
            entropy=rng.standard_normal(shape),
            down=np.broadcast_to(log_p(before) - log_p(self.t), shape),
            up=np.broadcast_to(log_p(after) - log_p(self.t), shape),
        )
        swaps = np.tile([100, round(100 * type(self).rates(len(self.t)))], (len(self.t) - 1, 1))
        counts = SimpleNamespace(swaps=swaps, round_trips=0)
        self.states = [SimpleNamespace(exchange=counts, branches=[])] * self.n_chains
        self.is_over = shape[1] > 10_000 or self.round > 5


@pytest.fixture
def weigh(monkeypatch):
    def weigh(noise=0.01, rates=lambda n: 1.0, wanted=0.1):
        monkeypatch.setattr(Drawn, "noise", noise)
        monkeypatch.setattr(Drawn, "rates", staticmethod(rates))
        monkeypatch.setattr(stage, "_Ladders", Drawn)
        integral, _ = stage.find_evidence(SimpleNamespace(groups=None), wanted, 4, 1, math.inf, None)
        return integral, Drawn.last.tried

    return weigh


def test_values_of_t_are_added_until_two_rules_agree(weigh):
    """Rules with 4 and 8 values differ by more than chance and 1 %, those with 8 and 16, too; those with 32 do not."""
    integral, tried = weigh()
    eight = np.arange(1, 9) / 8
    assert abs(rule_weights(eight)[-1] @ bump(eight) - log_p(1.0)) > 0.03
    assert tried == [8, 8, 16, 32]  # the first are those of the short runs
    assert integral.is_smooth
    assert integral.verdict
    assert integral.nats[-1] == pytest.approx(log_p(1.0), abs=0.003)


def test_chance_is_no_reason_for_more_values_of_t(weigh):
    """Rules that differ by less than the Monte Carlo error agree."""
    integral, tried = weigh(noise=40.0, wanted=5.0)
    assert tried == [8, 8]
    assert 0.4 < integral.error[-1] < 1.0


def test_neighbours_that_hardly_exchange_get_more_values_of_t_between_them(weigh):
    _, tried = weigh(noise=40.0, wanted=5.0, rates=lambda n: 0.3 if n > 20 else 0.1)
    assert tried == [8, 8, 16, 32]


def test_rules_that_never_agree_withhold_the_value(weigh, monkeypatch):
    """There are no more than 64 values; here no more than 16."""
    monkeypatch.setattr(stage, "MOST", 16)
    integral, tried = weigh()
    assert tried == [8, 8, 16]
    assert not integral.verdict.is_usable
    assert "quadrature rules with 16 and 8 values of t differ by" in integral.verdict.reason
