"""A run that version 0.1.0 wrote can be loaded and used."""

import json
from pathlib import Path

import numpy as np
import pytest

import ffbm
from ffbm.run_options import split_options

RUN = Path(__file__).parent / "run-0.1.0"


@pytest.fixture(scope="module")
def old():
    return ffbm.load_fit(RUN)


def test_its_answer_is_what_it_was(old):
    known = json.loads((RUN / "summary.json").read_text(encoding="utf-8"))
    assert old.scores.to_dict() == known["scores"]
    assert old.reduced.scores.to_dict() == known["reduced"]["scores"]
    assert list(old.ranking.kept) == known["kept"]
    assert old.ranking.table["score"].tolist() == pytest.approx([row["score"] for row in known["ranking"]])
    assert bool(old.converged) == known["converged"]
    assert old.converged.grade == "too short"  # judged by today's limits
    assert old.blocks.diagnostics.previous is old.blocks.diagnostics.round_trips is None
    assert old.converged.command.startswith("ffbm fit polbooks ")
    assert "--out run-again" in old.converged.command  # its chains cannot go on
    assert old.diagnostics.weights.max_rhat == pytest.approx(known["diagnostics"]["weights"]["max_rhat"])
    of_one_choice = {  # what 0.1.0 had no choice of
        "degree_corrected": True,
        "directed": "auto",
        "hierarchy": False,
        "weight_prior": "fixed",
        "intercept_sd": 1.28,
        "fdr": 0.1,
        "column_groups": None,
        "preset": None,
        "max_minutes": 10.0,
        "tempering": "auto",
        "columns": 12,
        "node_type": None,
        "edge_weight": None,
        "edge_weight_model": None,
        "edge_weight_prior": None,
        "impute": False,
        "folds": 1,  # it was the only way, and had no number
    }
    assert old.config.to_dict() == {**split_options(known["config"])[0], **of_one_choice}


def test_its_explanations_can_be_used(old):
    n_features = old.network.n_features
    assert old.weights.weights.shape[2:] == (old.memberships.n_blocks, n_features)
    assert old.reduced.features.names == old.reduced.weights.names == old.reduced.ranking.names
    assert len(old.reduced.weights.names) == old.ranking.n_kept < n_features
    np.testing.assert_allclose(old.reduced.ranking.mean, old.reduced.weights.mean)
    assert set(old.effects()["feature"]) == set(old.network.features.names)
    assert old.predict(old.network.features).shape == old.memberships.probs.shape
    assert old.network.name in old.summary()
    assert old.mode(0).mode is old.memberships.modes[0]
