"""The page on relevance: made from the committed records, which show what it says."""

from .loading import DOCS, load

rendering = load(DOCS / "render.py")
SOURCE = DOCS / "relevance.md.in"


def selection(part):
    return rendering.read_record(SOURCE)["selection"][part]


def test_the_page_is_made_from_the_records():
    page = (DOCS / "relevance.md").read_text(encoding="utf-8")
    assert page == rendering.render_page(SOURCE), "run python docs/render.py"
    assert "{{" not in page
    assert "Not measured yet" not in page


def test_columns_are_included_in_truth_at_their_rate():
    assert selection("reliability")["n_networks"] == 200
    assert selection("reliability")["worst"] < 3
    assert selection("inferred")["joint"]["worst"] < 3


def test_next_to_nothing_is_selected_of_permuted_features():
    assert all(row["permutations"] == 10 for row in selection("null")["rows"])
    assert selection("null")["decided"] <= 1


def test_few_columns_are_false_beside_planted_ones():
    for row in selection("planted")["rows"]:
        assert row["decided_fdr"] <= 0.1 + 2 * row["decided_fdr_error"], row


def test_starts_and_seeds_agree():
    for row in selection("starts")["rows"]:
        assert row["seeds"] == 6
        assert max(row["starts"], row["seeds_apart"]) <= 0.05, row


def test_the_full_model_predicts_as_well_as_it_should():
    for row in selection("quality")["rows"]:
        assert row["less_fixed"] <= 2 * row["less_fixed_error"], row
        assert row["less_ridge"] <= 0.02 + 2 * row["less_ridge_error"], row
    assert selection("quality")["below_fixed"] >= 0.1


def test_on_school_the_posterior_costs_more_than_its_scales():
    school = rendering.read_record(SOURCE)["relevance"]["networks"]["school"]
    assert school["typical_share"] < school["ess_ratio_at_typical_scales"]["median"]
