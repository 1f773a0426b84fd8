"""The page on the joint posterior: its numbers are those of the record, and its claims hold there."""

import importlib.util
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture(scope="module")
def told():
    return json.loads((DOCS / "figures" / "joint" / "results.json").read_text(encoding="utf-8"))["datasets"]


def test_the_page_is_made_from_the_record():
    spec = importlib.util.spec_from_file_location("render", DOCS / "render.py")
    rendering = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(rendering)
    page = (DOCS / "joint.md").read_text(encoding="utf-8")
    assert page == rendering.render_page(DOCS / "joint.md.in"), "run python docs/render.py"
    assert "{{" not in page


def test_the_joint_posterior_is_calibrated_and_the_cut_is_not(told):
    found = told["calibration"]
    assert found["n_networks"]["joint"] == 500
    assert found["smallest_p"]["joint"] > 0.001 / 27
    assert max(found["wrong"].values()) < 1e-10


def test_the_claims_of_the_page(told):
    for name in ("polbooks", "school", "facebook"):
        assert told[name]["n_changed"] < 0.05 * told[name]["n_nodes"]
        assert told[name]["adjusted_mutual_information"] > 0.9
    carried = told["planted"]["strong"]["carried"]
    assert carried["fewer"] > told["planted"]["strong"]["single"]["fewer"]
