"""What draws of weights are worth: losses, accuracies, predictions and effects."""

from ffbm.scoring.contrasts import effects
from ffbm.scoring.folds import combine_folds, fold_rows, split_rows
from ffbm.scoring.joint_losses import score_draws
from ffbm.scoring.losses import base_rate, score_weights
from ffbm.scoring.prediction import PredictedBlocks, contradicting, predict, predict_blocks, predict_some

__all__ = [
    "PredictedBlocks",
    "base_rate",
    "combine_folds",
    "contradicting",
    "effects",
    "fold_rows",
    "predict",
    "predict_blocks",
    "predict_some",
    "score_draws",
    "score_weights",
    "split_rows",
]
