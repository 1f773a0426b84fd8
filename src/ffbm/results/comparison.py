"""``ffbm.compare``: two fits of one network side by side."""

from dataclasses import dataclass

from ffbm.results.comparison_text import comparison_text
from ffbm.results.differences import Differences
from ffbm.results.fitted import Fit


@dataclass(frozen=True, eq=False, repr=False)
class Comparison(Differences):
    """What ``ffbm.compare`` returns: two fits of one network, their blocks brought to one numbering.

    Parameters
    ----------
    first, second : Fit
    names : two texts
        What they are called: their targets if these differ, else "first" and "second".
    order : (B,) int64
        The block of the first fit that each block of the second is; a number from B on where it is none of them.
    """

    first: Fit
    second: Fit

    def summary(self) -> str:
        """Return the comparison in about a screen of plain text."""
        return comparison_text(self)

    def __repr__(self) -> str:
        return (
            f"<Comparison of {' and '.join(self.names)}: {self.n_changed:,} of {len(self.is_changed):,} vertices in"
            f" another block, adjusted mutual information {self.agreement:.3f}>"
        )


def compare(first: Fit, second: Fit) -> Comparison:
    """Compare two fits of one network, such as the cut and the joint posterior's.

    Parameters
    ----------
    first, second : Fit
        Of the same network with the same features. Blocks of the second are matched with those of the first that they
        share most vertices with.

    Returns
    -------
    Comparison
        ``agreement`` (adjusted mutual information), ``n_changed``, ``vertices``, ``features`` (ranks, scores, pulls),
        ``fewer`` (the probability of an empty block in either), ``summary()``, ``to_dict()``.

    Examples
    --------
    >>> import ffbm
    >>> net = ffbm.load_dataset("polbooks")
    >>> short = {"n_blocks": 2, "n_sweeps": 400, "n_warmup": 50, "n_draws": 400, "seed": 1, "progress": False,
    ...          "weight_prior": "fixed"}
    >>> import warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore")
    ...     comparison = compare(ffbm.fit(net, **short), ffbm.fit(net, target="joint", **short))
    >>> comparison.names, comparison.agreement > 0.5
    (('cut', 'joint'), True)
    """
    return Comparison.between(first, second)
