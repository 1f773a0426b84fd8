"""What the site's build does to a page beyond Markdown: formulas become MathML, so that no script is needed for them.

A link out of this folder, such as ``../benchmarks/results/blocks.txt``, is right in the repository and has no target
on the site: there its text is left.
"""

import html
import re
from typing import Any

from latex2mathml.converter import convert

FORMULA = re.compile(r'<(span|div) class="arithmatex">\\[(\[](.*?)\\[)\]]</\1>', re.DOTALL)
OUTSIDE = re.compile(r"(?<!!)\[([^\]]+)\]\(\.\./[^)]+\)")


def on_page_markdown(markdown: str, **_: Any) -> str:
    """Leave the text of links that lead out of the folder of pages."""
    return OUTSIDE.sub(r"\1", markdown)


def on_page_content(content: str, **_: Any) -> str:
    """Turn every formula into MathML."""
    return FORMULA.sub(_typeset, content)


def _typeset(found: re.Match[str]) -> str:
    latex = re.sub(r"\\ln(?=\s)", r"\\ln\\,", html.unescape(found[2]).strip())  # else "lnsoftmax" is one word
    formula = convert(latex, display="inline" if found[1] == "span" else "block")
    return formula if found[1] == "span" else f'<div class="formula">{formula}</div>'
