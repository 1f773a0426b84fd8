"""Calibration of blocks with weighted edges: what it draws from, and faults that it must catch."""

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from ffbm.blocks.priors import UNIFORM, UNLABELLED, partition_nats
from ffbm.blocks.target import block_model
from ffbm.verification import weighted_calibration
from ffbm.verification.calibration import Size
from ffbm.verification.findings import Effort
from ffbm.verification.goodness import fit_of_law
from ffbm.verification.joint_calibration import distinct_partitions
from ffbm.verification.weighted_calibration import LAWS, SIZES, calibrate_law, draw_partition


@pytest.mark.parametrize("prior", [UNIFORM, UNLABELLED])
def test_partitions_are_drawn_from_the_prior_of_the_chain(prior):
    n_nodes, n_blocks = 4, 4
    states = np.array(list(product(range(n_blocks), repeat=n_nodes)))
    chance = np.exp([-partition_nats(prior, None, b, n_blocks) for b in states])
    partitions, which = distinct_partitions(states)
    sums = np.bincount(which, weights=chance) / chance.sum()
    law = {tuple(b): p for b, p in zip(partitions.tolist(), sums.tolist(), strict=True)}
    rng = np.random.default_rng(3)
    drawn = np.array([draw_partition(rng, prior, Size(n_nodes, n_blocks, 0)) for _ in range(2000)])
    found, which = distinct_partitions(drawn)
    assert fit_of_law([tuple(b) for b in found[which].tolist()], law) > 1e-3


def without_weights(graph):
    return replace(graph, weights=None)


def exchanged_or_left_out(graph):
    prior = graph.weights.prior
    wrong = {"a": prior["b"], "b": prior["a"]} if "a" in prior else {**prior, "m0": 0.0}
    return replace(graph, weights=replace(graph.weights, prior=wrong))


def outcome(name):
    return calibrate_law(
        name, SIZES[1:], Effort(False, 0, lambda function, items: [function(item) for item in items]), 60
    )


@pytest.mark.slow
@pytest.mark.parametrize("name", LAWS)
def test_right_chains_pass(name):
    assert outcome(name).passed


@pytest.mark.slow
@pytest.mark.parametrize("fault", [without_weights, exchanged_or_left_out])
@pytest.mark.parametrize("name", LAWS)
def test_chains_of_another_law_are_caught(fault, name, monkeypatch):
    def another(target, n_blocks):
        return block_model(target._replace(graph=fault(target.graph)), n_blocks)

    monkeypatch.setattr(weighted_calibration, "block_model", another)
    assert not outcome(name).passed
