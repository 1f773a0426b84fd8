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
    joint_imputation,
    joint_selection,
    joint_selection_geweke,
    joint_tree,
    lengths,
    partitions,
    ranking,
    selection,
    splits,
    weighted_calibration,
    weights,
)
from ffbm.verification.findings import Check

_MODULES = (
    lengths, generation, changes, partitions, hierarchies, gradients, weights, calibration, weighted_calibration,
    selection, imputation, ranking, alignment, joint, joint_selection, joint_imputation, joint_selection_geweke,
    joint_tree, splits, evidence,
)  # fmt: skip
CHECKS: tuple[Check, ...] = tuple(check for module in _MODULES for check in module.CHECKS)
