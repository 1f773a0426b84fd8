"""The pages of columns and of permutation tests: made from their records, which show what they say."""

import json

import pytest

from .loading import DOCS, load

rendering = load(DOCS / "render.py")


def record(name):
    return json.loads((rendering.BENCHMARKS / f"{name}.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", ["columns", "permutation"])
def test_the_page_is_made_from_the_records(name):
    page = (DOCS / f"{name}.md").read_text(encoding="utf-8")
    assert page == rendering.render_page(DOCS / f"{name}.md.in"), "run python docs/render.py"
    assert "{{" not in page
    assert "Not measured yet" not in page


def test_intervals_cover_at_the_stated_rate():
    study = record("columns")["coverage"]
    assert study["n_data_sets"] >= 300
    assert {row["kind"] for row in study["rates"]} == {"alone", "unique"}
    for row in study["rates"]:
        assert abs(row["covered"] - study["stated"]) < 3 * row["error"], row
    assert {row["n_nodes"] for row in study["parts"]} == {300, 1000, 3000}


def test_noise_is_called_relevant_at_most_at_the_stated_rate():
    rows = {row["column"]: row for row in record("columns")["noise"]["rows"]}
    for column in ("2", "20", "60"):
        for kind in ("alone", "unique"):
            assert rows[column][kind] <= 0.023 + 3 * (0.023 * 0.977 / rows[column]["n"]) ** 0.5, rows[column]
    assert rows["own"]["alone"] == 1


def test_p_values_are_uniform_and_known_answers_are_found():
    study = record("permutation")
    assert study["null"]["n_networks"] >= 300
    for row in study["null"]["rows"]:
        assert row["uniform_p"] > 0.001, row
    for row in study["law_firm"]["rows"]:
        for part, known in row["known"].items():
            assert abs(row[part] - known) < 3 * (known * (1 - known) / 1600) ** 0.5 + 0.005, row
    assert study["gamma"]["best"] == pytest.approx(study["gamma"]["known_best"], abs=0.01)
    assert study["gamma"]["gamma"] == pytest.approx(study["gamma"]["known_gamma"], abs=0.003)
