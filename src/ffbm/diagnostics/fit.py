"""The diagnostics of all stages of a fit, and one verdict on them."""

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property, reduce
from operator import and_

from ffbm.diagnostics.blocks import BlockDiagnostics
from ffbm.diagnostics.columns import ColumnVerdict
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
    compare : callable, optional
        Makes ``columns`` when they are first asked for.
    """

    blocks: BlockDiagnostics
    weights: WeightDiagnostics
    reduced: WeightDiagnostics | None = None
    variance: VarianceSplit | None = None
    joint: JointDiagnostics | None = None
    compare: Callable[[], ColumnVerdict | None] | None = field(default=None, repr=False)

    @cached_property
    def converged(self) -> Verdict:
        """The worst grade of all stages; the reason names the stages."""
        return reduce(and_, (verdict.named(stage) for stage, verdict in self._verdicts.items()))

    @property
    def open_stages(self) -> tuple[str, ...]:
        """The stages whose chains have not converged."""
        return tuple(stage for stage, verdict in self._verdicts.items() if not verdict)

    @property
    def _verdicts(self) -> dict[str, Verdict]:
        verdicts = {"blocks": self.blocks.converged, "weights": self.weights.converged}
        if self.reduced is not None:
            verdicts["weights of the kept features"] = self.reduced.converged
        if self.joint is not None:
            verdicts["labels and weights together"] = self.joint.converged
        return verdicts

    @cached_property
    def columns(self) -> ColumnVerdict | None:
        """Whether the block chains, each by itself, give the same answer about columns: see docs/diagnostics.md.

        It takes a few seconds when it is first asked for; None for given blocks, one block or one chain.
        """
        return None if self.compare is None else self.compare()

    def __repr__(self) -> str:
        return f"<FitDiagnostics: {self.converged}>"
