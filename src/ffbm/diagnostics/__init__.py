"""Whether chains have converged, and how much their draws are worth."""

from ffbm.diagnostics.blocks import BlockDiagnostics, block_diagnostics, given_diagnostics
from ffbm.diagnostics.columns import ColumnVerdict, judge_columns
from ffbm.diagnostics.convergence import Summary, ess_bulk, ess_mean, ess_tail, rhat, summarise
from ffbm.diagnostics.fit import FitDiagnostics
from ffbm.diagnostics.grades import judge_blocks, judge_previous
from ffbm.diagnostics.joint import JointDiagnostics, joint_diagnostics
from ffbm.diagnostics.measures import BlockMeasures, measure_blocks
from ffbm.diagnostics.verdict import GRADES, Verdict, verdict
from ffbm.diagnostics.weights import WeightDiagnostics, diagnose_weights, weight_diagnostics

__all__ = [
    "GRADES",
    "BlockDiagnostics",
    "BlockMeasures",
    "ColumnVerdict",
    "FitDiagnostics",
    "JointDiagnostics",
    "Summary",
    "Verdict",
    "WeightDiagnostics",
    "block_diagnostics",
    "diagnose_weights",
    "ess_bulk",
    "ess_mean",
    "ess_tail",
    "given_diagnostics",
    "joint_diagnostics",
    "judge_blocks",
    "judge_columns",
    "judge_previous",
    "measure_blocks",
    "rhat",
    "summarise",
    "verdict",
    "weight_diagnostics",
]
