"""Faults planted in the joint sampler, each of which a check must catch."""

import numpy as np
import pytest

from ffbm.blocks.target import block_model
from ffbm.joint.chain import JointSettings
from ffbm.joint.prepare import joint_model
from ffbm.pipeline import joint as stage
from ffbm.theta.design import Training
from ffbm.verification.joint import CASES, CHECKS

from ..mutants import planted
from .test_planted_faults import outcome

pytestmark = pytest.mark.slow  # faults of the same kinds in blocks and in weights are caught in every run

KERNELS = (
    "ffbm.kernels.compilation",
    "ffbm.kernels.dispatch",
    "ffbm.kernels.mergesplit",
    "ffbm.kernels.carrier",
    "ffbm.kernels.carriedsplit",
    "ffbm.kernels.scatter",
    "ffbm.kernels.joint",
)


def test_every_check_has_a_name_of_its_own():
    names = [check.name for check in CHECKS]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("place", "check"),
    [("joint.prepare", "p(b,W|A,X): loops and parallels"), ("verification.geweke", "Geweke's test: joint")],
)
def test_edge_counts_over_empty_blocks(place, check, monkeypatch):
    """B for B_b in P(e|b)."""

    def constant(target, n_blocks):
        model = block_model(target, n_blocks)
        cost = np.full(n_blocks + 1, model.likelihood.edge_cost[-1])
        return model._replace(likelihood=model.likelihood._replace(edge_cost=cost))

    monkeypatch.setattr(f"ffbm.{place}.block_model", constant)
    assert not outcome(check).passed


@pytest.mark.parametrize(
    ("place", "check"), [("joint_laws", "p(b,W|A,X): held out"), ("geweke", "Geweke's test: joint")]
)
def test_training_rows_ignored(place, check, monkeypatch):
    """The field left on for held-out vertices, and their labels in the weights."""

    def everybody(graph, x, n_blocks, rows, sigma):
        return joint_model(graph, x, n_blocks, None, sigma)

    monkeypatch.setattr(f"ffbm.verification.{place}.joint_model", everybody)
    assert not outcome(check).passed


@pytest.mark.parametrize(
    ("wrong", "check"),
    [
        (lambda scale: scale[::-1], "p(b,W|A,X): unequal scales"),
        (np.ones_like, "p(b,W|A,X): unequal scales"),
        (lambda scale: scale[::-1], "joint draws belong together"),
    ],
)
def test_a_scale_ignored_or_of_the_wrong_feature(wrong, check, monkeypatch):
    right = Training.target

    def of_another(training, sums, scale, *rest):
        target = right(training, sums, scale, *rest)
        return target._replace(precision=np.ascontiguousarray(wrong(target.precision)))

    monkeypatch.setattr(Training, "target", of_another)
    assert not outcome(check).passed


def test_weights_aligned_apart_from_labels(monkeypatch):
    right = stage.number_alike

    def apart(blocks, members, weights):
        blocks, members, _ = right(blocks, members, weights)
        return blocks, members, weights

    monkeypatch.setattr(stage, "number_alike", apart)
    assert not outcome("joint draws belong together").passed


def planted_joint(module, *changes):
    """The kernel of the joint chain with changes (right, wrong) in the source of one of those it is made of."""
    return planted(module, *changes, order=KERNELS)["ffbm.kernels.joint"]


# moves that carry the weights along, so often that sweeps cannot make good what is wrong with them
# (and mix so much faster that half the sweeps do)
OFTEN, SWEEPS = JointSettings(100, 1, n_moves=1, n_warmup=100, jumps=0.0, shifts=20.0), 4000
WAY_BACK = "reverse_path)\n    return path[ENTROPY], path[FIELD], reverse - forward\n\n\n@njit(**ONCE)\ndef merge_split"
OPENING, CLOSING = "log_ratio + np.log(n_free)", "log_ratio - np.log(n_free + 1)"
KERNEL_FAULTS = {  # the module, what is changed in it, and the check that catches it
    "the field left on for held-out vertices": (
        "carrier",
        [("        r = design.group[i]\n        if r >= 0:\n            for k in range(field.shape[1]):",
          "        r = max(design.group[i], 0)\n        if r >= 0:\n            for k in range(field.shape[1]):")],
        "p(b,W|A,X): held out",
    ),
    "a scale of the wrong feature in the weights carried over": (
        "carrier",
        [("target.scale[target.rows.active[d]] * rng", "target.scale[1 - target.rows.active[d]] * rng")],
        "p(b,W|A,X): unequal scales",
    ),
    "the scale left out of the weights carried over": (
        "carrier",
        [("target.scale[target.rows.active[d]] * rng", "rng")],
        "p(b,W|A,X): unequal scales",
    ),
    "weights carried over without their Jacobian": (
        "carrier",
        [("ratio += 0.5 * log(factor)", "ratio += 0.0 * log(factor)")],
        "p(b,W|A,X): loops and parallels",
    ),
    "a split carried over without the chance of the way back": (
        "mergesplit",
        [(WAY_BACK, WAY_BACK.replace("reverse - forward", "-forward"))],
        "p(b,W|A,X): loops and parallels",
    ),
    "a block scattered without the chance of its homes": (
        "scatter",
        [("ratio = -scatter(rng, with_field, c, s, before, False, chances, scratch)",
          "ratio = -0.0 * scatter(rng, with_field, c, s, before, False, chances, scratch)")],
        "p(b,W|A,X): three blocks",
    ),
    "free labels forgotten": (
        "mergesplit",
        [(part, "log_ratio") for part in (OPENING, CLOSING)],
        "p(b,W|A,X): many free labels",
    ),
}  # fmt: skip


@pytest.mark.slow  # each compiles the chain again
@pytest.mark.parametrize("fault", KERNEL_FAULTS)
def test_faults_in_the_kernel(fault, monkeypatch):
    module, changes, check = KERNEL_FAULTS[fault]
    made = planted_joint(f"ffbm.kernels.{module}", *changes)
    monkeypatch.setattr("ffbm.joint.chain.run_joint", made.run_joint)
    assert not outcome_with_moves_often(check, monkeypatch).passed


@pytest.mark.slow
@pytest.mark.parametrize("check", sorted({check for _, _, check in KERNEL_FAULTS.values()}))
def test_the_right_kernel_passes_there(check, monkeypatch):
    assert outcome_with_moves_often(check, monkeypatch).passed


def outcome_with_moves_often(check, monkeypatch):
    monkeypatch.setattr("ffbm.verification.joint._SETTINGS", OFTEN)
    monkeypatch.setattr("ffbm.verification.joint._SWEEPS", dict.fromkeys(CASES, SWEEPS))
    return outcome(check)
