"""A fit in a notebook: what to rely on, tables of columns and blocks, scores, the ranking as a small figure."""

from html import escape
from math import isnan

from ffbm.columntable import inclusion_in_words, name_of_inclusion
from ffbm.plain import count_of, with_interval
from ffbm.results.answer import grade_in_a_line, warning_paragraphs
from ffbm.results.block_features import none_apart, set_apart
from ffbm.results.sentences import (
    interval_of,
    tell_direction,
    tell_no_answers,
    tell_readings,
    tell_relevance,
    tell_verdict,
)
from ffbm.results.tables import given_names
from ffbm.store.parts import FitParts
from ffbm.types.html import notes_html, table_html, text_html
from ffbm.types.relevance import MATTERS

_SHOWN = 12
_VALUES = 3  # that set a block apart
_ROW, _LEFT, _WIDTH = 20, 200, 300


def fit_html(fit: FitParts) -> str:
    """Return a fit as HTML: its grade, warnings, tables of columns, blocks and scores, a figure of features, notes."""
    warnings = "".join(f"<p><strong>{text_html(text)}</strong></p>" for text in warning_paragraphs(fit))
    sentences = [
        grade_in_a_line(fit) if fit.converged.is_usable else "",
        tell_relevance(fit),
        tell_direction(fit),
        tell_readings(fit),
        tell_no_answers(fit),
        tell_verdict(fit),
    ]
    paragraphs = "".join(f"<p>{text_html(' '.join(text.split()))}</p>" for text in sentences if text)
    notes = notes_html(fit.network.notes)
    figure = ranking_svg(fit) if fit.memberships.n_blocks > 1 else ""
    return f"<div>{warnings}{paragraphs}{_columns(fit)}{_blocks(fit)}{fit.scores._repr_html_()}{figure}{notes}</div>"


def _columns(fit: FitParts) -> str:
    """Return what each column explains."""
    if fit.explanation.columns is None or fit.memberships.n_blocks == 1:
        return ""
    table = fit.column_table
    inclusion = [] if fit.relevance is None else inclusion_in_words(table)
    title = [] if fit.relevance is None else [name_of_inclusion(table)]
    head = ["column", "kind", *title, "bits alone", "bits beyond", "p"]
    rows = [
        [
            row["column"],
            row["kind"],
            *inclusion[number : number + 1],  # none under the fixed prior
            *(_amount(row[f"bits_{name}"], row[f"bits_{name}_se"]) for name in ("alone", "unique")),
            _number(row["p_value"], 3),
            f"{row['verdict']}{': ' if row['sets_apart'] else ''}{row['sets_apart']}",
        ]
        for number, row in enumerate(table.head(_SHOWN).to_dict("records"))
    ]
    left = f", the first {_SHOWN} of {len(table):,}" if len(table) > _SHOWN else ""
    caption = f"What each column explains of vertices held out, in bits per vertex, by bits beyond{left}"
    return table_html([*head, "verdict"], rows, caption, range(2, len(head)))


def _blocks(fit: FitParts) -> str:
    """Return the blocks, and the features that set each apart, the clearest first."""
    members, names = fit.memberships, given_names(fit)
    rows = []
    for r, values in enumerate(set_apart(fit, _VALUES)[:_SHOWN]):
        apart = ", ".join(f"{value.feature} ({value.weight:+.2f})" for value in values)
        which = str(r) if names is None else f"{r} = {names[r]}"
        rows.append([which, f"{members.sizes[r]:,}", apart or none_apart(fit)])
    left = f", the first {_SHOWN}" if members.n_blocks > _SHOWN else ""
    caption = f"{count_of(members.n_blocks, 'block')}, by size{left}"
    return table_html(["block", "vertices", "set apart by (centred weight)"], rows, caption, [1])


def _amount(bits: float, error: float) -> str:
    return "" if isnan(bits) else with_interval(bits, error)


def _number(value: float, digits: int) -> str:
    return "" if isnan(value) else f"{value:.{digits}f}"


def ranking_svg(fit: FitParts) -> str:
    """Draw the centred weights of the first features in the block of their score, with 95 % intervals."""
    table = fit.ranking.table
    if fit.relevance is not None:  # features of other columns are not shown, whatever their average over modes
        columns = fit.column_table
        table = table[table["column"].isin(columns.loc[columns["decision"] == MATTERS, "column"])]
    if table.empty:
        return ""
    table = table.head(_SHOWN)
    names, blocks = table["feature"].tolist(), table["block"].tolist()
    weights = [
        (mean, *interval_of(fit, block, name))
        for mean, block, name in zip(table["centred_mean"].tolist(), blocks, names, strict=True)
    ]
    reach = max(1e-9, *(abs(end) for ends in weights for end in ends))
    scale = _WIDTH / (2 * reach)
    zero = _LEFT + _WIDTH / 2
    height = _ROW * (len(table) + 1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 90}" height="{height}"'
        ' font-family="sans-serif" font-size="12" role="img">',
        "<title>Centred weights of the first features, with 95 % intervals</title>",
        f'<line x1="{zero}" x2="{zero}" y1="0" y2="{height - _ROW}" stroke="#999"/>',
    ]
    for row, (name, block, ends) in enumerate(zip(names, blocks, weights, strict=True)):
        y = _ROW * (row + 0.5)
        x, low, high = (zero + end * scale for end in ends)
        shown = name if len(name) <= 28 else f"{name[:27]}…"
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 4}" text-anchor="end"><title>{escape(name)}</title>{escape(shown)}</text>'
            f'<line x1="{low:.1f}" x2="{high:.1f}" y1="{y}" y2="{y}" stroke="#36c" stroke-width="2"/>'
            f'<circle cx="{x:.1f}" cy="{y}" r="4" fill="#36c"/>'
            f'<text x="{_LEFT + _WIDTH + 8}" y="{y + 4}" fill="#666">in block {block}</text>'
        )
    digits = 1 if reach < 10 else 0
    where = "it scores highest" if fit.ranking.rule == "paper" else "its sign is surest"
    span, middle = f"-{reach:,.{digits}f} to {reach:,.{digits}f}", (_LEFT + _WIDTH + 90) / 2
    caption = f"centred weight, {span}: with 95 % intervals, in the block where {where}"
    parts.append(f'<text x="{middle}" y="{height - 5}" text-anchor="middle" fill="#666">{caption}</text></svg>')
    return "".join(parts)
