"""The page: sections in order, each with words, a figure, and the figure's table."""

import json
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import Any

from ffbm.plain import count_of, finite, visible
from ffbm.report import apart, charts, network, tables
from ffbm.report.glossary import WORDS
from ffbm.report.subject import Subject
from ffbm.report.table import Table

CITATION = (
    "Lawrence Tray and Ioannis Kontoyiannis (2021). The Feature-First Block Model."
    " Complex Networks & Their Applications X."
)


@dataclass(frozen=True, eq=False)
class Panel:
    """A figure with its text alternative, and the table that says the same."""

    name: str
    alternative: str
    figure: Any
    table: Table | None = None


def render_page(subject: Subject) -> str:
    """Return the whole page as one HTML text that asks nothing of any network.

    Ids, names and values of the data stand in it as text: escaped by jinja2 in the markup, and as JSON without ``<``,
    ``>`` and ``&`` for the scripts.
    """
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("ffbm.report", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    panels = _panels(subject)
    large = network.is_large(subject)
    data = {} if large else network.network_data(subject)
    parts = subject.parts
    items = {name: panel.figure for name, panel in panels.items()}
    return environment.get_template("page.html.j2").render(
        subject=subject,
        parts=parts,
        title=visible(subject.title),
        panels={name: replace(panel, figure=None) for name, panel in panels.items()},
        large=large,
        has_arrows=network.has_arrows(subject),
        sizes=_sizes(subject),
        is_explained=parts.memberships.n_blocks > 1,
        swatches=[charts.swatch(block) for block in range(parts.memberships.n_blocks)],
        block_names=_block_names(subject),
        tables=tables,
        apart=apart.lay_out(subject),
        apart_table=apart.apart_table(subject),
        settings=[(name, visible(str(value))) for name, value in parts.config.to_dict().items() if value is not None],
        origin=_origin(parts.provenance),
        ids=[] if large else [visible(str(i)) for i in parts.network.node_ids],
        feature_names=list(data.get("features", ())),
        citation=CITATION,
        words=WORDS,
        # bokeh's script and ours are text of packages, the rest is JSON that cannot end its element
        style=_own("page.css"),
        bokeh=bokeh_script(),
        script=_own("page.js"),
        data=script_json(data),
        figures=script_json(_to_items(items)),
    )


def script_json(value: Any) -> str:
    r"""Write a value as JSON that is safe inside a script element, whatever its texts are.

    >>> script_json(["</script>", "a & b"])
    '["\\u003c/script\\u003e","a \\u0026 b"]'
    """
    text = json.dumps(finite(value), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return text.replace("<", "\\u003c").replace(">", "\\u003e").replace("&", "\\u0026")


@cache
def bokeh_script() -> str:
    """Return bokeh's own script, the part that draws; nothing in it ends a script element."""
    from bokeh.resources import Resources

    text = "\n".join(Resources(mode="inline", components=["bokeh"]).js_raw)
    return text.replace("</script", "<\\/script").replace("<!--", "<\\!--")


def _sizes(subject: Subject) -> str:
    """Write how large everything is."""
    net, n_blocks = subject.parts.network, subject.parts.memberships.n_blocks
    edges, features = net.graph.edges_in_words, count_of(net.n_features, "feature")
    return f"{count_of(net.n_nodes, 'vertex', 'vertices')}, {edges}, {features}, {count_of(n_blocks, 'block')}"


def _panels(subject: Subject) -> dict[str, Panel]:
    """Return the figures that this fit has, by name."""
    net, members = subject.parts.network, subject.parts.memberships
    blocks = count_of(members.n_blocks, "block")
    size = f"{count_of(net.n_nodes, 'vertex', 'vertices')} and {net.graph.edges_in_words} in {blocks}"
    if network.is_large(subject):
        first = Panel(
            "network", f"The graph of blocks of {size}", network.draw_block_graph(subject), tables.matrix_table(subject)
        )
    else:
        first = Panel("network", f"The network: {size}", network.draw_network(subject), tables.vertex_table(subject))
    found = [first]
    if subject.has_bits:
        told = "Held-out bits of each column, alone and beyond the others, with two standard errors each way"
        found.insert(0, Panel("columns", told, charts.draw_columns(subject), tables.column_table(subject)))
    if members.n_blocks > 1:
        found += [
            Panel("weights", "Heat map of the centred weight of each feature in each block",
                  charts.draw_heat_map(subject), tables.weight_table(subject)),
            Panel("ranking", "Scores of the first features", charts.draw_ranking(subject)),
            Panel("effects", "Largest change in the probability of a block for each feature, with 95 % intervals",
                  charts.draw_effects(subject), tables.effect_table(subject)),
            Panel("bits", "Bits explained in each block, with two standard errors each way", charts.draw_bits(subject),
                  tables.block_table(subject)),
        ]  # fmt: skip
    found.append(
        Panel(
            "matrix",
            "Edges from each block to each other" if net.graph.is_directed else "Edges between each pair of blocks",
            charts.draw_block_matrix(subject),
            tables.matrix_table(subject),
        )
    )
    if subject.checks is not None:
        told = "Statistics of the network against those of replicates drawn from the fit"
        found.append(Panel("checks", told, charts.draw_checks(subject.checks), tables.check_table(subject.checks)))
    for name, values, what, symbol in (
        ("trace-s", subject.parts.blocks.entropy, "description length", "S, nats"),
        ("trace-u", subject.parts.weights.energy, "energy of the weights", "U, nats"),
    ):
        means = ", ".join(f"{mean:,.1f}" for mean in values.mean(axis=1))
        told = f"Traces of the {what}; means by chain: {means}"
        found.append(Panel(name, told, charts.draw_trace(values, symbol), tables.trace_table(values, f"The {what}")))
    settings, trips = subject.parts.blocks.settings, subject.parts.blocks.diagnostics.round_trips
    if trips is not None and len(settings["tempering"]) > 1:
        by_ladder = ", ".join(map(str, trips))
        told = f"How often replicas at neighbouring temperatures exchanged; round trips by ladder: {by_ladder}"
        chart = charts.draw_swap_rates(settings["tempering"], settings["swap_rates"])
        found.append(Panel("ladder", told, chart, tables.ladder_table(subject)))
    return {panel.name: panel for panel in found}


def _to_items(figures: dict[str, Any]) -> dict[str, Any]:
    from bokeh.embed import json_item

    numbers: dict[str, str] = {}
    return {name: _renumber(json_item(figure), numbers) for name, figure in figures.items()}


def _renumber(value: Any, numbers: dict[str, str]) -> Any:
    """Give bokeh's models numbers by where they stand: its own go on from page to page, and no page is like another.

    A model is ``{"type": "object", "id": ...}`` and a mention of it ``{"id": ...}``; data are lists, never such.
    """
    if isinstance(value, dict):
        own = "id" in value and isinstance(value["id"], str) and (len(value) == 1 or value.get("type") == "object")
        return {
            key: numbers.setdefault(part, f"m{len(numbers)}")
            if key == "root_id" or (own and key == "id")
            else _renumber(part, numbers)
            for key, part in value.items()
        }
    return [_renumber(part, numbers) for part in value] if isinstance(value, list | tuple) else value


def _block_names(subject: Subject) -> list[str]:
    table = subject.blocks
    given = table["given"] if "given" in table else [""] * len(table)
    return [
        f"Block {block}{f' = {visible(str(name))}' if name else ''} ({size:,})"
        for block, name, size in zip(table["block"], given, table["vertices"], strict=True)
    ]


def _origin(provenance: dict[str, Any]) -> list[tuple[str, str]]:
    """Return provenance as pairs of texts, what is nested written out."""
    rows = []
    for name, value in provenance.items():
        if isinstance(value, dict):
            rows += [(f"{name}: {key}", visible(str(part))) for key, part in value.items()]
        else:
            rows.append((name, visible(str(value))))
    return rows


def _own(name: str) -> str:
    return files("ffbm.report").joinpath(name).read_text(encoding="utf-8")
