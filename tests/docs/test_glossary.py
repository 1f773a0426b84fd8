"""The glossary of the site is the one of the report."""

from pathlib import Path

from ffbm.report.glossary import WORDS

PAGE = Path(__file__).parents[2] / "docs" / "glossary.md"


def test_the_page_has_the_words_of_the_report():
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("- ")]
    assert lines == [f"- **{word}**: {meaning}" for word, meaning in WORDS.items()]


def test_words_stand_in_order():
    assert [*WORDS] == sorted(WORDS, key=str.lower)
