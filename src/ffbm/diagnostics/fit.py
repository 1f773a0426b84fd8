"""The diagnostics of all stages of a fit, and one verdict on them."""

from dataclasses import dataclass
from functools import cached_property, reduce
from operator import and_

from ffbm.diagnostics.blocks import BlockDiagnostics
from ffbm.diagnostics.joint import JointDiagnostics
from ffbm.diagnostics.verdict import Verdict
from ffbm.diagnostics.weights import WeightDiagnostics
from ffbm.types.variance import VarianceSplit


@dataclass(frozen=True, eq=False)
class FitDiagnostics:
    """The diagnostics of each stage, and one verdict on all of them.

    Parameters
    ----------
    blocks : BlockDiagnostics
        Of the partitions: S, and pairs of vertices in one block.
    weights : WeightDiagnostics
        Of the weights of all features.
    reduced : WeightDiagnostics, optional
        Of the refit on the kept features.
    variance : VarianceSplit, optional
        With ``memberships="drawn"``: the variance of each weight within and between partitions.
    joint : JointDiagnostics, optional
        With ``target="joint"``: of functions of labels and weights together.
    """

    blocks: BlockDiagnostics
    weights: WeightDiagnostics
    reduced: WeightDiagnostics | None = None
    variance: VarianceSplit | None = None
    joint: JointDiagnostics | None = None

    @cached_property
    def converged(self) -> Verdict:
        """The worst grade of all stages; the reason names the stages."""
        verdicts = {"blocks": self.blocks.converged, "weights": self.weights.converged}
        if self.reduced is not None:
            verdicts["weights of the kept features"] = self.reduced.converged
        if self.joint is not None:
            verdicts["labels and weights together"] = self.joint.converged
        return reduce(and_, (one.named(stage) for stage, one in verdicts.items()))

    def __repr__(self) -> str:
        return f"<FitDiagnostics: {self.converged}>"
