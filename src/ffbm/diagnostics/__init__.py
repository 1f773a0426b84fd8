"""Whether chains have converged, and how much their draws are worth."""

from ffbm.diagnostics.blocks import BlockDiagnostics, block_diagnostics
from ffbm.diagnostics.convergence import Summary, ess_bulk, ess_mean, ess_tail, rhat, summarise
from ffbm.diagnostics.joint import JointDiagnostics, joint_diagnostics
from ffbm.diagnostics.verdict import Verdict, verdict
from ffbm.diagnostics.weights import WeightDiagnostics, weight_diagnostics

__all__ = [
    "BlockDiagnostics",
    "JointDiagnostics",
    "Summary",
    "Verdict",
    "WeightDiagnostics",
    "block_diagnostics",
    "ess_bulk",
    "ess_mean",
    "ess_tail",
    "joint_diagnostics",
    "rhat",
    "summarise",
    "verdict",
    "weight_diagnostics",
]
