"""Where the uncertainty of weights comes from, when they are drawn for every partition of a block chain."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ffbm.plain import count_of
from ffbm.types.graph import Array


@dataclass(frozen=True, eq=False)
class VarianceSplit:
    """The posterior variance of every weight, split into a part within and a part between partitions b.

    With m draws for each of n partitions::

        Var(w) = E_b Var(w | b) + Var_b E(w | b) = within + between

    Parameters
    ----------
    within : (B, D) float64
        The mean over b of the variance of its m draws (ddof 1): what would remain were b known.
    between : (B, D) float64
        The variance over b of the mean of its m draws (ddof 1), less within / m, which is the noise of such a mean
        (for draws that are nearly independent, as those of HMC are). It is an estimate that is right on average:
        where b matters little it scatters around 0 and may be negative. NaN for a single partition.
    n_partitions : int
        n, over all chains.
    n_each : int
        m.
    """

    within: Array
    between: Array
    n_partitions: int
    n_each: int

    @cached_property
    def share(self) -> Array:
        """The share of the variance that comes from b (B, D): between / (within + between), at least 0."""
        between = np.maximum(self.between, 0)
        return np.asarray(between / (self.within + between))

    def __repr__(self) -> str:
        known = self.share[np.isfinite(self.share)]
        message = (
            f"median share between {np.median(known):.0%}, largest {known.max():.0%}" if len(known) else "no shares"
        )
        return (
            f"<VarianceSplit: {count_of(self.n_partitions, 'partition')} x {count_of(self.n_each, 'draw')}, {message}>"
        )
