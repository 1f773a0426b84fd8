"""Checks of the joint sampler: exact laws of tiny networks, calibration, Geweke's test, draws that belong together."""

from functools import partial

import numpy as np

from ffbm.joint.chain import JointSettings
from ffbm.pipeline.joint import sample_joint
from ffbm.simulation import simulate
from ffbm.theta.target import energy
from ffbm.verification.findings import Check, Effort, Finding
from ffbm.verification.geweke import law_kept
from ffbm.verification.joint_calibration import cut_fails, uniform_ranks
from ffbm.verification.joint_laws import CASES, distances, exact_moments, sampled_moments

BOUNDS = (0.01, 0.03, 0.01)  # of co-membership, of E[(w_0d - w_1d)^2] in proportion, of an empty block
_QUICK = ("loops and parallels", "held out", "many free labels")
# sweeps of each run in quick verifications, so many that chance alone hardly ever exceeds a bound
_SWEEPS = dict.fromkeys(CASES, 10_000) | {"many free labels": 3_000}
_SCALES = [2.0, 1.0, 0.5, 3.0]  # of three features and an intercept
_SETTINGS = JointSettings(200, 1, n_moves=1, n_warmup=100, jumps=0.5, shifts=1.5)


def follow_the_law(name: str, effort: Effort) -> Finding:
    """Compare a chain with the exact law; the figure is the worst difference as a share of what is allowed."""
    case = CASES[name]
    n_sweeps = 40_000 if effort.full else _SWEEPS[name]
    sampled = sampled_moments(case, _SETTINGS, n_sweeps, effort.seed, effort.each)
    parts = distances(exact_moments(case), sampled)
    details = dict(zip(("co-membership", "squares", "empty block"), parts, strict=True))
    worst = max(part / bound for part, bound in zip(parts, BOUNDS, strict=True))
    return Finding(worst, 1.0, details={**details, "allowed": list(BOUNDS)})


def draws_belong_together(effort: Effort) -> Finding:
    """Compute the energy again from each draw's labels and weights as a fit has them, and compare with the chain's."""
    worst = 0.0
    for turn in range(4 if effort.full else 1):
        simulation = simulate(60, 4, 240, features=3, sigma=2.0, seed=effort.seed + turn)
        draws = sample_joint(
            simulation.network, 4, rows=np.arange(45), sigma=_SCALES, intercept=True, n_sweeps=200, n_warmup=100,
            n_chains=2, seed=effort.seed + turn,
        )  # fmt: skip
        x = np.column_stack((simulation.network.features.values, np.ones(60)))
        for draw in np.ndindex(*draws.blocks.labels.shape[:2]):
            w, b = draws.weights.weights[draw], draws.blocks.labels[draw]
            rows = draws.weights.rows
            nats = energy(w, x[rows], np.eye(len(w))[b[rows]], _SCALES)
            worst = max(worst, abs(nats - float(draws.weights.energy[draw])))
    return Finding(worst, 1e-8)


CHECKS = (
    *(
        Check(
            f"p(b,W|A,X): {name}",
            "worst difference from the exact law, as a share of what is allowed: co-membership 0.01, "
            "E[(w_0d - w_1d)^2] 3 %, probability of an empty block 0.01",
            "B for B_b in P(e|b), the field left on for held-out vertices, free labels forgotten, weights carried over "
            "without their Jacobian",
            partial(follow_the_law, name),
            full_only=name not in _QUICK,
        )
        for name in CASES
    ),
    Check(
        "joint draws belong together",
        "largest difference between U as the chain had it and from a draw's labels and weights, nats",
        "labels and rows of weights aligned apart, the prior's scale of another feature",
        draws_belong_together,
    ),
    Check(
        "Geweke's test: joint",
        "smallest p of the means of functions of (W, b, A) along runs in which A changes too",
        "any step that does not keep the joint law, at any number of blocks in use",
        law_kept,
    ),
    Check(
        "calibration: joint",
        "smallest p of uniform ranks of the truth among draws, over quantities and sizes",
        "any posterior that is not the model's own, the cut posterior among them",
        uniform_ranks,
    ),
    Check(
        "calibration: cut fails, as it should",
        "largest p of uniform ranks over what the cut posterior gets wrong: ln p(b|W,X), log joint, |W centred|^2, "
        "co-members with equal x",
        "a calibration that could not tell the joint from the cut posterior",
        cut_fails,
        full_only=True,
    ),
)
