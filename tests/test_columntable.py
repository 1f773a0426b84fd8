"""The table of columns: order, words, what is missing."""

from dataclasses import replace

import numpy as np
import pytest

import ffbm
from ffbm.columntable import NO_SIGN, pairs_that_share, phrase, verdict_in_words
from ffbm.types.columns import ColumnBits, SharedBits

from .planted import planted_network, two_flags

SHORT = {"n_blocks": 2, "n_sweeps": 200, "n_warmup": 100, "n_draws": 200, "n_chains": 2, "seed": 3, "progress": False}
CONTRACT = [
    "column", "kind", "n_features", "inclusion", "decision", "bits_alone", "bits_alone_se", "bits_unique",
    "bits_unique_se", "p_value", "p_value_degrees", "verdict",
]  # fmt: skip

pytestmark = pytest.mark.filterwarnings("ignore::ffbm.errors.ConvergenceWarning")


@pytest.fixture(scope="module")
def fits():
    net, _ = planted_network(5, two_flags)
    return {prior: ffbm.fit(net, weight_prior=prior, **SHORT) for prior in ("fixed", "learned")}


@pytest.mark.parametrize("prior", ["fixed", "learned"])
def test_the_table(fits, prior):
    table = fits[prior].column_table
    assert [name for name in table.columns if name in CONTRACT] == CONTRACT
    assert table["column"].tolist() == ["x1", "x0"]
    assert table["kind"].tolist() == ["flag", "flag"]
    assert table["verdict"][0] == "explains much that no other column does"
    assert table["verdict"][1] == NO_SIGN or table["verdict"][1].startswith("not decided")
    assert table["sets_apart"].str.contains("block").tolist() == [True, False]
    assert table["inclusion"].isna().all() == (prior == "fixed")
    assert table["decision"].tolist() == ([None, None] if prior == "fixed" else ["matters", "not decided"])
    assert fits[prior].explanation.column_table is table


def test_the_table_is_saved_and_loaded(fits, tmp_path):
    import pandas as pd

    for prior, fit in fits.items():
        fit.save(tmp_path / prior)
        again = ffbm.load_fit(tmp_path / prior)
        pd.testing.assert_frame_equal(again.column_table, fit.column_table)
        np.testing.assert_array_equal(again.explanation.held_out, fit.explanation.held_out)
        assert again.sentence() == fit.sentence()
        written = pd.read_csv(tmp_path / prior / "columns.csv")
        assert written["column"].tolist() == fit.column_table["column"].tolist()
        assert written["bits_alone"].to_numpy() == pytest.approx(fit.column_table["bits_alone"].to_numpy())


def test_the_order_is_by_what_a_column_adds(fits):
    whole, known = fits["learned"].explanation, fits["learned"].explanation.columns
    untested = replace(known, unique=np.array([0.2, np.nan]), alone=np.array([0.1, 0.4]))
    table = replace(whole, measure=lambda: untested).column_table
    assert table["column"].tolist() == ["x0", "x1"]
    assert table["verdict"][1] == "explains much; not tested beyond the others"
    said = "1 column was not tested beyond the others: --columns all does."
    some = replace(fits["learned"], explanation=replace(whole, measure=lambda: untested))
    for verbose in (False, True):
        assert said in " ".join(some.summary(verbose).split())
        assert said not in " ".join(fits["learned"].summary(verbose).split())


def test_two_standard_errors_are_little_where_several_columns_are_looked_at(fits):
    """The noise x0 is called explaining by bits that one column alone would be believed."""
    for prior in ("fixed", "learned"):
        whole = fits[prior].explanation
        noise = list(whole.columns.names).index("x0")
        unique, error = whole.columns.unique.copy(), whole.columns.unique_se.copy()
        for errors, said in ((2.2, False), (2.3, True)):  # two columns: 2.28
            unique[noise], error[noise] = errors, 1.0
            some = replace(whole.columns, alone=np.array([0.0, 0.0]), unique=unique, unique_se=error)
            table = replace(whole, measure=lambda some=some: some).column_table
            assert ("explains" in table.set_index("column")["verdict"]["x0"]) == said


def test_columns_chosen_to_be_looked_at_are_the_best_of_all(fits):
    """Bits beyond the others, of the few columns that are tested for them, must be clear by the number of all."""
    whole = fits["learned"].explanation
    noise = list(whole.columns.names).index("x0")
    unique = np.full(2, np.nan)
    for errors, said in ((2.2, False), (2.3, True)):  # one is tested, of two: 2.28
        unique[noise] = errors
        some = replace(whole.columns, alone=np.array([0.0, 0.0]), unique=unique.copy(), unique_se=np.ones(2))
        table = replace(whole, measure=lambda some=some: some).column_table
        assert ("explains" in table.set_index("column")["verdict"]["x0"]) == said


def test_without_bits_only_decisions_are_told(fits):
    for prior, said in (("fixed", "not tested"), ("learned", "matters; no vertex was held out")):
        fit = fits[prior]
        table = replace(fit.explanation, measure=None).column_table
        assert table.set_index("column")["verdict"]["x1"].startswith(said)
        assert table["bits_alone"].isna().all()


@pytest.mark.parametrize(
    ("case", "said"),
    [
        ((True, True, True, False, True), "explains a little that no other column does"),
        ((True, True, True, True, False, "year"), "explains much, part of which year explains too"),
        ((True, True, True, True, False), "explains much, part of which others explain too"),
        ((True, True, False, True, False), "explains, but the others together explain the same"),
        ((True, True, False, False, False, "", "", True), "explains a little, most of which others explain too"),
        ((False, True, True, False, True), "explains only together with others"),
        ((False, True, False, False, False, "", "matters, but"), "matters, but"),
    ],
)
def test_verdicts(case, said):
    assert verdict_in_words(*case) == said


def test_phrases():
    signs = [("c=a", 1, 1.0), ("c=b", 0, -1.0), ("c=d", 2, 1.0), ("c=e", 3, 1.0), ("c=a", 4, 2.0)]
    assert phrase("c", signs) == "a in blocks 1 and 4, d in block 2, e in block 3, and 1 more"
    assert phrase("c", signs[1:2]) == "fewer b in block 0"
    assert phrase("flag", [("flag", 0, -1.0)]) == "less often in block 0"
    assert phrase("c", []) == ""


def test_pairs_that_share_are_clear_and_the_largest_first():
    nothing = np.full(3, np.nan)
    shared = (SharedBits(0, 1, 0.2, 0.05), SharedBits(0, 2, 0.5, 0.1), SharedBits(1, 2, 0.1, 0.06))
    bits = ColumnBits(("a", "b", "c"), *[nothing] * 6, shared=shared)
    assert [pair.second for pair in pairs_that_share(bits)] == [2, 1]
    again = ColumnBits.from_dict(bits.to_dict())
    assert again.shared == shared
    np.testing.assert_array_equal(again.alone, nothing)
