"""The figures of a page, each with its text alternative and its table; their names are those of ``fit.plot``."""

from dataclasses import dataclass
from typing import Any

from ffbm.plain import count_of
from ffbm.plots.columns import SHOWN as SHOWN_COLUMNS
from ffbm.report import charts, heatmaps, network, tables
from ffbm.report.scene import Scene
from ffbm.report.subject import Subject
from ffbm.report.table import Table
from ffbm.types import Array, BlockTrace


@dataclass(frozen=True, eq=False)
class Panel:
    """A figure with its text alternative, and the table that says the same."""

    alternative: str
    figure: Any
    table: Table | None = None
    left_out: str = ""


def explanation_panels(subject: Subject) -> dict[str, Panel]:
    """Return the figures of what features say of blocks."""
    panels: dict[str, Panel] = {}
    if subject.has_bits:
        summary = "Held-out bits of each column, alone and beyond the others, with 95 % intervals"
        left = _first_of(SHOWN_COLUMNS, len(subject.parts.column_table), "column")
        panels["columns"] = Panel(summary, charts.draw_columns(subject), tables.column_table(subject), left)
    if subject.parts.memberships.n_blocks > 1:
        left = _first_of(charts.SHOWN, subject.parts.ranking.n_features, "feature")
        summary = "Heat map of the centred weight of each feature in each block"
        panels["heatmap"] = Panel(summary, heatmaps.draw_heat_map(subject), tables.weight_table(subject), left)
        panels["ranking"] = Panel("Scores of the first features", charts.draw_ranking(subject), left_out=left)
        summary = "Largest change in the probability of a block for each feature, with 95 % intervals"
        panels["effects"] = Panel(summary, charts.draw_effects(subject), tables.effect_table(subject), left)
        summary = "Bits explained in each block, with 95 % intervals"
        panels["bits"] = Panel(summary, charts.draw_bits(subject), tables.block_table(subject))
    if subject.checks is not None:
        summary = "Statistics of the network against those of replicates drawn from the fit"
        panels["check"] = Panel(summary, charts.draw_checks(subject.checks), tables.check_table(subject.checks))
    if subject.parts.memberships.n_blocks > 1:
        panels["traces-u"] = _trace(subject.parts.weights.energy, "energy of the weights", "U, nats")
    return panels


def _first_of(shown: int, number: int, noun: str) -> str:
    return f"The first {shown} of {count_of(number, noun)}." if shown < number else ""


def network_panels(scene: Scene, blocks: BlockTrace) -> dict[str, Panel]:
    """Return the figures of the network and of the chains of its blocks."""
    net, n_blocks = scene.network, scene.members.n_blocks
    size = f"{count_of(net.n_nodes, 'vertex', 'vertices')} and {net.graph.edges_in_words}"
    size = f"{size} in {count_of(n_blocks, 'block')}"
    panels: dict[str, Panel] = {}
    if network.is_large(scene) and n_blocks > 1:
        chart, table = network.draw_block_graph(scene), tables.matrix_table(scene)
        panels["block_graph"] = Panel(f"The graph of blocks of {size}", chart, table)
    elif not network.is_large(scene):
        panels["network"] = Panel(f"The network: {size}", network.draw_network(scene), tables.vertex_table(scene))
    if n_blocks > 1:  # of one block there is one number, which the page says in words
        pairs = "Edges from each block to each other" if net.graph.is_directed else "Edges between each pair of blocks"
        panels["block_matrix"] = Panel(pairs, heatmaps.draw_block_matrix(scene), tables.matrix_table(scene))
    panels["traces-s"] = _trace(blocks.entropy, "description length", "S, nats")
    settings, trips = blocks.settings, blocks.diagnostics.round_trips
    if trips is not None and len(settings["tempering"]) > 1:
        by_ladder = ", ".join(map(str, trips))
        summary = f"How often replicas at neighbouring temperatures exchanged; round trips by ladder: {by_ladder}"
        chart = charts.draw_swap_rates(settings["tempering"], settings["swap_rates"])
        panels["ladder"] = Panel(summary, chart, tables.ladder_table(blocks))
    return panels


def _trace(values: Array, quantity: str, symbol: str) -> Panel:
    means = ", ".join(f"{mean:,.1f}" for mean in values.mean(axis=1))
    summary = f"Traces of the {quantity}; means by chain: {means}"
    return Panel(summary, charts.draw_trace(values, symbol), tables.trace_table(values, f"The {quantity}"))
