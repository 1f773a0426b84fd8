"""Predictions for vertices that a fit has not seen, from a table as the user has it."""

import logging
from typing import Any

import pandas as pd

from ffbm.data.encode_like import encode_like
from ffbm.scoring import predict
from ffbm.types import Array, Features
from ffbm.types.weights import WeightTrace


def predict_unseen(trace: WeightTrace, known: Features, features: Any) -> Array:
    """Return the probability of each block (n, B) for vertices in a table, or with features encoded already.

    A table is encoded as ``known`` was; what of it could not be used is logged.
    """
    if isinstance(features, pd.DataFrame):
        features, notes = encode_like(known, features)
        for note in notes:
            level = logging.INFO if note.code == "unused-columns" else logging.WARNING
            logging.getLogger("ffbm").log(level, note.message)
    return predict(trace, features)
