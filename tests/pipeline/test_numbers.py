"""P(B | A) beside the choice of B: from chains with B free, where they mix."""

import itertools
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import ffbm
from ffbm.blocks.annealing import Candidate
from ffbm.blocks.entropy import description_length
from ffbm.pipeline import numbers
from ffbm.pipeline.choice import next_best
from ffbm.results.sentences import tell_choice

from ..planted import planted_edges

TRIANGLES = [(0, 1), (1, 2), (0, 2), (3, 4), (4, 5), (3, 5), (0, 3), (0, 1), (4, 5)]


def set_partitions(n):
    """Restricted growth strings: every partition of n vertices once."""
    for labels in itertools.product(range(n), repeat=n):
        if all(b <= max(labels[:i], default=-1) + 1 for i, b in enumerate(labels)):
            yield np.array(labels)


def test_probabilities_are_those_of_enumeration():
    net = ffbm.as_network(np.array(TRIANGLES))
    weight = np.zeros(7)
    for labels in set_partitions(6):
        weight[labels.max() + 1] += np.exp(-description_length(net, labels, prior="full").total)
    exact = weight / weight.sum()
    table = ffbm.sample_blocks(net, "auto", n_sweeps=100, seed=1, progress=False).candidates
    found = dict(zip(table["n_blocks"], table["probability"], strict=True))
    for n in range(1, 5):
        assert found[n] == pytest.approx(exact[n], abs=0.05)


@pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")
def test_they_are_told_and_kept(tmp_path):
    edges, labels = planted_edges(np.random.default_rng(4), (15, 15), 0.6, 0.05)
    net, run = ffbm.as_network(edges, np.eye(2)[labels]), tmp_path / "run"
    fit = ffbm.fit(net, n_sweeps=200, n_draws=200, n_warmup=200, seed=1, out=run, progress=False)
    assert "; with the number left free 2 blocks have probability" in " ".join(fit.summary().split())
    assert ffbm.load_fit(run).blocks.candidates.equals(fit.blocks.candidates)
    assert fit.blocks.candidates["probability"].sum() == pytest.approx(1, abs=0.03)
    fit.blocks.settings["probabilities"] = [(3, 0.6), (2, 0.3), (4, 0.08), (5, 0.02)]
    otherwise = "; but with the number left free 3 blocks have probability 60%, 2 blocks 30%, 4 blocks 8%, ...)"
    assert otherwise in " ".join(fit.summary().split())


def test_not_where_they_do_not_mix_or_take_long(monkeypatch):
    net = ffbm.load_dataset("polbooks")
    monkeypatch.setattr(numbers, "USABLE_RHAT", 0.5)
    assert "probability" not in ffbm.sample_blocks(net, "auto", n_sweeps=100, seed=1, progress=False).candidates
    monkeypatch.setattr(numbers, "_MOST_EDGES", 100)
    monkeypatch.setattr(numbers, "run_chains", None)
    assert "probability" not in ffbm.sample_blocks(net, "auto", n_sweeps=100, seed=1, progress=False).candidates


def test_the_next_best_number_and_what_changes_there():
    labels = [np.zeros(6, dtype=int), np.array([0, 0, 0, 1, 1, 1]), np.array([1, 1, 2, 0, 0, 0])]
    found = {n: Candidate(s, b) for n, s, b in zip((1, 2, 3), (9.0, 4.0, 4.5), labels, strict=True)}
    assert next_best(found) == (3, pytest.approx(1 / 6))
    assert next_best({1: found[1], 2: found[2]}) == (1, 0.5)
    assert next_best({1: found[1]}) is None


@pytest.mark.parametrize(("nats", "is_told"), [(0.4, True), (8.8, True), (12.0, False)])
def test_it_is_told_where_the_choice_is_weak(nats, is_told):
    table = pd.DataFrame({"n_blocks": [3, 4], "difference": [0.0, nats]})
    for settings in ({"next_best": [4, 0.124]}, {"next_best": None}, {}):
        blocks, network = SimpleNamespace(candidates=table, settings=settings), SimpleNamespace(n_edges=9)
        fit = SimpleNamespace(blocks=blocks, network=network)
        told = " ".join(tell_choice(fit).split())
        assert ("with 4 blocks 12% of the vertices are in another block" in told) == (
            is_told and bool(settings.get("next_best"))
        )


@pytest.mark.parametrize(
    ("probabilities", "expected"),
    [([[3, 0.99], [4, 0.01]], ""), ([[3, 0.6], [4, 0.4]], "a weak choice"), ([[4, 0.99], [3, 0.01]], "a weak choice")],
)
@pytest.mark.parametrize("brief", [True, False])
def test_a_choice_is_not_called_weak_where_chains_with_b_free_are_sure_of_it(probabilities, expected, brief):
    table = pd.DataFrame({"n_blocks": [3, 4], "difference": [0.0, 5.9]})
    blocks = SimpleNamespace(candidates=table, settings={"probabilities": probabilities})
    told = tell_choice(SimpleNamespace(blocks=blocks, network=SimpleNamespace(n_edges=9)), brief)
    assert "5.9 nats better than 4 blocks" in " ".join(told.split())
    assert ("weak" in told) == bool(expected)
