"""The diagnostics of all stages of a fit, and one verdict on them."""

from dataclasses import dataclass
from functools import cached_property

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
        """True if nothing speaks against the convergence of any stage; the reason names the stages."""
        verdicts = {"blocks": self.blocks.converged, "weights": self.weights.converged}
        if self.reduced is not None:
            verdicts["weights of the kept features"] = self.reduced.converged
        if self.joint is not None:
            verdicts["labels and weights together"] = self.joint.converged
        against = {name: verdict for name, verdict in verdicts.items() if not verdict}
        reasons = (f"{name}: {verdict.reason}" for name, verdict in (against or verdicts).items())
        return Verdict(not against, "; ".join(reasons))

    def __repr__(self) -> str:
        return f"<FitDiagnostics: {self.converged}>"
