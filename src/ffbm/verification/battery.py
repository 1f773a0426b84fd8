"""All checks, in the order in which they run. A new sampler adds a module of checks of its own here."""

from ffbm.verification import (
    alignment,
    calibration,
    changes,
    evidence,
    generation,
    gradients,
    hierarchies,
    imputation,
    joint,
    joint_selection,
    lengths,
    partitions,
    ranking,
    selection,
    weighted_calibration,
    weights,
)
from ffbm.verification.findings import Check

CHECKS: tuple[Check, ...] = (
    *lengths.CHECKS,
    *generation.CHECKS,
    *changes.CHECKS,
    *partitions.CHECKS,
    *hierarchies.CHECKS,
    *gradients.CHECKS,
    *weights.CHECKS,
    *calibration.CHECKS,
    *weighted_calibration.CHECKS,
    *selection.CHECKS,
    *imputation.CHECKS,
    *ranking.CHECKS,
    *alignment.CHECKS,
    *joint.CHECKS,
    *joint_selection.CHECKS,
    *evidence.CHECKS,
)
