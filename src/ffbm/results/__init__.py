"""One call from a network to the answer, and the answer as an object that can be saved."""

from ffbm.results.comparison import Comparison, compare
from ffbm.results.fitted import Fit, FitDiagnostics
from ffbm.results.running import fit
from ffbm.results.saving import load_fit

__all__ = ["Comparison", "Fit", "FitDiagnostics", "compare", "fit", "load_fit"]
