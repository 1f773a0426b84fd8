"""A fit in a notebook: the ranking as a small figure, the rest as the text of the summary."""

from html import escape

from ffbm.results.summary import summary_text
from ffbm.store.parts import FitParts

_SHOWN = 12
_ROW, _LEFT, _WIDTH = 20, 200, 300


def fit_html(fit: FitParts) -> str:
    """Return the summary as text, which says first whether to rely on it, and a figure of the first features below."""
    return f'<div><pre style="font-family:monospace">{escape(summary_text(fit))}</pre>{ranking_svg(fit)}</div>'


def ranking_svg(fit: FitParts) -> str:
    """Draw the centred weights of the first features in the block of their score, mean and two deviations each way."""
    table = fit.ranking.table
    if fit.relevance is not None:  # of an excluded column nothing is named
        table = table[table["column"].isin(fit.relevance.matters)]
    if table.empty:
        return ""
    table = table.head(_SHOWN)
    mean, sd = table["centred_mean"].to_numpy(), table["centred_sd"].to_numpy()
    reach = max(float((abs(mean) + 2 * sd).max()), 1e-9)
    scale = _WIDTH / (2 * reach)
    zero = _LEFT + _WIDTH / 2
    height = _ROW * (len(table) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 90}" height="{height}"'
        ' font-family="sans-serif" font-size="12" role="img">',
        "<title>Centred weights of the first features: mean and two standard deviations</title>",
        f'<line x1="{zero}" x2="{zero}" y1="0" y2="{height - _ROW}" stroke="#999"/>',
    ]
    for row, (name, block, m, s) in enumerate(zip(table["feature"], table["block"], mean, sd, strict=True)):
        y, x = _ROW * (row + 0.5), zero + m * scale
        low, high = x - 2 * s * scale, x + 2 * s * scale
        shown = name if len(name) <= 28 else f"{name[:27]}…"
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end"><title>{escape(name)}</title>{escape(shown)}</text>'
            f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="#36c" stroke-width="2"/>'
            f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="#36c"/>'
            f'<text x="{_LEFT + _WIDTH + 8}" y="{y + 4}" fill="#666">in block {block}</text>'
        )
    where = "it scores highest" if fit.ranking.rule == "paper" else "its sign is surest"
    caption = f"centred weight, -{reach:.2g} to {reach:.2g}: mean and 2 sd, in the block where {where}"
    parts.append(f'<text x="{zero}" y="{height - 5}" text-anchor="middle" fill="#666">{caption}</text></svg>')
    return "".join(parts)
