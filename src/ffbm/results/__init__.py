"""One call from a network to the answer, and the answer as an object that can be saved."""

from ffbm.diagnostics import FitDiagnostics
from ffbm.results.comparison import Comparison, compare
from ffbm.results.fit_function import fit
from ffbm.results.fitted import Fit
from ffbm.results.run_reader import load_fit
from ffbm.results.typed import TypedFit, fit_types

__all__ = ["Comparison", "Fit", "FitDiagnostics", "TypedFit", "compare", "fit", "fit_types", "load_fit"]
