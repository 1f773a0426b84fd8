"""Are the blocks that features predict right as often as they say? Of held-out vertices."""

from typing import TYPE_CHECKING

import numpy as np

from ffbm.rng import stream
from ffbm.scoring import predict_some
from ffbm.scoring.calibration import calibration_bins, calibration_error, chance_errors
from ffbm.store.parts import FitParts
from ffbm.theta.design import make_design
from ffbm.types import Array
from ffbm.types.weights import INTERCEPT

if TYPE_CHECKING:
    import pandas as pd

_DRAWS = 199
_COMPARED = 100_000  # held-out vertices, drawn at random where there are more


def held_out_predictions(fit: FitParts) -> tuple[Array, Array]:
    """Return what features predict of held-out vertices (n, B), and their memberships; of some where there are many."""
    predicted = fit.explanation.held_out
    if predicted is None:
        held_out = np.setdiff1d(np.arange(fit.network.n_nodes), fit.weights.rows)
        design = make_design(fit.network.features, INTERCEPT in fit.weights.names, fit.config.impute)
        if len(held_out) > _COMPARED and design.blanks is None:
            some = stream(fit.config.known_seed, "calibration", "vertices")
            held_out = np.sort(some.choice(held_out, _COMPARED, replace=False))
        predicted = predict_some(fit.weights, design, held_out)
    else:
        held_out = np.flatnonzero(np.isfinite(predicted).all(axis=1))
        predicted = predicted[held_out]
    return predicted, fit.memberships.probs[held_out]


def check_calibration(fit: FitParts, seed: int) -> "pd.DataFrame | None":
    """Return observed against predicted in bins, None if no vertex was held out or there is one block.

    ``attrs`` compares the mean difference, ``observed``, with that of blocks drawn from the predictions: ``mean``,
    ``low``, ``high``, ``p``, ``fits``, ``sentence``.
    """
    predicted, observed = held_out_predictions(fit)
    if not len(predicted) or predicted.shape[1] < 2:
        return None
    error = calibration_error(predicted, observed)
    chance = chance_errors(predicted, _DRAWS, stream(seed, "calibration"))
    low, high = np.quantile(chance, (0.025, 0.975))
    table = calibration_bins(predicted, observed)
    slope = float(((predicted - predicted.mean(axis=0)) * (observed - predicted)).sum())
    p = (1 + int((chance >= error).sum())) / (1 + len(chance))
    against = f"{error:.3f} on average, against {chance.mean():.3f} ({low:.3f} to {high:.3f}) if predictions were right"
    subject = "Predictions of held-out vertices: the share in a block differs from its probability by"
    judged = "as sure as they should be"
    if error > high:
        judged = "features are too sure of blocks" if slope < 0 else "features are not sure enough of blocks"
    table.attrs |= {
        "observed": error, "mean": float(chance.mean()), "low": float(low), "high": float(high), "p": p,
        "fits": bool(error <= high),
        "sentence": f"{subject} {against}: {judged}.",
    }  # fmt: skip
    return table
