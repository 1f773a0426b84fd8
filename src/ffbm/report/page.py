"""The page: sections in order, each with words, a figure, and the figure's table."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from ffbm.diagnostics import Verdict
from ffbm.plain import count_of, finite, visible
from ffbm.plots.heatmap import NUMBERED
from ffbm.report import block_features, charts, network, tables
from ffbm.report.glossary import WORDS
from ffbm.report.icicle import icicle
from ffbm.report.markup import breakable, mark_up
from ffbm.report.panels import Panel, explanation_panels, network_panels
from ffbm.report.scene import Scene
from ffbm.report.subject import Subject
from ffbm.report.table import Table
from ffbm.types import BlockTrace

CITATION = (
    "Lawrence Tray and Ioannis Kontoyiannis (2021). The Feature-First Block Model."
    " Complex Networks & Their Applications X."
)


ORDER = (  # in which figures stand on the page, and are drawn
    "columns", "network", "block_graph", "heatmap", "ranking", "effects", "bits", "block_matrix", "check", "traces-s",
    "traces-u", "ladder",
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Chapter:
    """A type of vertices: sentences about it, and what its figures and tables are made from if it is explained."""

    title: str
    answer: tuple[str, ...]
    subject: Subject | None = None


@dataclass(frozen=True, eq=False)
class TypesSubject:
    """Everything that the page of a fit with types of vertices tells.

    Parameters
    ----------
    scene : Scene
        The whole network, in the blocks of all types.
    blocks : BlockTrace
    warnings, answer : texts
        As in ``Subject``.
    chapters : Chapters, by type
    verdicts, convergence : mapping, Table
        Of the chains.
    config, provenance : mappings
    """

    scene: Scene
    blocks: BlockTrace
    warnings: tuple[str, ...]
    answer: tuple[str, ...]
    chapters: tuple[Chapter, ...]
    verdicts: Mapping[str, Verdict]
    convergence: Table
    config: Mapping[str, Any]
    provenance: Mapping[str, Any]


def render_page(subject: Subject) -> str:
    """Return the whole page as one HTML text that asks nothing of any network.

    Ids, names and values of the data stand in it as text: escaped by jinja2 in the markup, and as JSON without ``<``,
    ``>`` and ``&`` for the scripts.
    """
    parts, scene = subject.parts, subject.scene
    panels_here, shared = explanation_panels(subject), network_panels(scene, parts.blocks)
    panels = panels_here | shared
    figures = {name: panels[name].figure for name in ORDER if name in panels}
    page = _page(
        scene, figures, parts.config.to_dict(), parts.provenance, title=subject.title, sizes=_sizes(scene),
        warnings=subject.warnings, answer=subject.answer, sentence=subject.sentence, verdicts=subject.verdicts,
        convergence=subject.convergence,
    )  # fmt: skip
    one = _explained(subject, panels_here, _block_names(subject), scene)
    return _fill("page.html.j2", page=page, whole=_whole(scene, shared, one["block_names"]), one=one)


def render_types(subject: TypesSubject) -> str:
    """Return the page of a fit with types of vertices: a chapter for each type, then the whole network."""
    scene = subject.scene
    shared = network_panels(scene, subject.blocks)
    figures, types = {name: panel.figure for name, panel in shared.items()}, []
    for number, chapter in enumerate(subject.chapters):
        record: dict[str, Any] = {"is_explained": False, "suffix": f"-{number}"}
        if chapter.subject is not None:
            panels = explanation_panels(chapter.subject)
            names, of = _block_names(chapter.subject), f" of {visible(chapter.title)}"
            record = _explained(chapter.subject, panels, names, scene, record["suffix"], of)
            figures |= {f"{name}{record['suffix']}": panel.figure for name, panel in panels.items()}
        types.append({**record, "title": visible(chapter.title)})
    page = _page(
        scene, figures, subject.config, subject.provenance, title=scene.title, sizes=_sizes(scene, len(types)),
        warnings=subject.warnings, answer=subject.answer, sentence="", verdicts=subject.verdicts,
        convergence=subject.convergence,
    )  # fmt: skip
    sized = zip(scene.called, scene.members.sizes.tolist(), strict=True)
    names = [f"{visible(str(name))} ({size:,})" for name, size in sized]
    return _fill("types.html.j2", page=page, whole=_whole(scene, shared, names), types=types)


def _fill(name: str, **parts: Any) -> str:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("ffbm.report", "."), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True,
    )  # fmt: skip
    environment.filters |= {"mark_up": mark_up, "breakable": breakable}
    return environment.get_template(name).render(**parts)


def _page(
    scene: Scene, figures: Mapping[str, Any], config: Mapping[str, Any], provenance: Mapping[str, Any], **parts: Any
) -> dict[str, Any]:
    """Return what every page has: its head, its last section, its scripts."""
    data = {} if network.is_large(scene) else network.network_data(scene)
    return {
        **parts,
        "title": visible(parts["title"]),
        "modes": tables.mode_table(scene.members) if scene.members.n_modes > 1 else None,
        "settings": [(name, visible(str(value))) for name, value in config.items() if value is not None],
        "origin": _origin(provenance),
        "provenance": provenance,
        "citation": CITATION,
        "words": WORDS,
        # bokeh's script and ours are text of packages, the rest is JSON that cannot end its element
        "style": _own("page.css"),
        "bokeh": bokeh_script(),
        "script": _own("page.js"),
        "data": script_json(data),
        "figures": script_json(_to_items(figures)),
    }


def _whole(scene: Scene, panels: Mapping[str, Panel], names: list[str]) -> dict[str, Any]:
    """Return what the sections on the whole network are made from."""
    large = network.is_large(scene)
    features = scene.network.features.names
    return {
        "network": scene.network,
        "panels": panels,
        "large": large,
        "has_names": scene.has_names,
        "has_counts": scene.members.n_blocks <= NUMBERED,
        "has_arrows": network.has_arrows(scene),
        "swatches": [charts.swatch(int(look)) for look in scene.looks],
        "block_names": names,
        "ids": [] if large else [visible(str(i)) for i in scene.network.node_ids],
        "feature_names": [] if large else [visible(features[j]) for j in scene.order[: network.HIGHLIGHTED]],
    }


def _explained(
    subject: Subject, panels: Mapping[str, Panel], names: list[str], scene: Scene, suffix: str = "", of: str = ""
) -> dict[str, Any]:
    """Return what the sections on one explanation are made from; ``suffix`` keeps ids on the page apart."""
    n_blocks = subject.parts.memberships.n_blocks
    return {
        "subject": subject,
        "parts": subject.parts,
        "panels": panels,
        "suffix": suffix,
        "of": of,
        "large": network.is_large(scene),
        "is_explained": n_blocks > 1,
        "swatches": [charts.swatch(block) for block in range(n_blocks)],
        "block_names": names,
        "tables": tables,
        "tree": None if subject.parts.hierarchy is None else icicle(subject.parts.hierarchy),
        "apart": block_features.lay_out(subject),
        "apart_table": block_features.apart_table(subject),
    }


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


def _sizes(scene: Scene, n_types: int = 0) -> str:
    """Write how large everything is."""
    net = scene.network
    lines = [count_of(net.n_nodes, "vertex", "vertices"), net.graph.edges_in_words]
    lines += [count_of(n_types, "type")] if n_types else []
    return ", ".join([*lines, count_of(net.n_features, "feature"), count_of(scene.members.n_blocks, "block")])


def _to_items(figures: Mapping[str, Any]) -> dict[str, Any]:
    from bokeh.embed import json_item

    numbers: dict[str, str] = {}
    return {name: _renumber(json_item(figure), numbers) for name, figure in figures.items()}


def _renumber(value: Any, numbers: dict[str, str]) -> Any:
    """Give bokeh's models numbers by where they stand: its own go on from page to page, and no page is like another.

    A model is ``{"type": "object", "id": ...}`` and a mention of it ``{"id": ...}``; data are lists, never such.
    """
    if isinstance(value, dict):
        is_model = "id" in value and isinstance(value["id"], str) and (len(value) == 1 or value.get("type") == "object")
        return {
            key: numbers.setdefault(part, f"m{len(numbers)}")
            if key == "root_id" or (is_model and key == "id")
            else _renumber(part, numbers)
            for key, part in value.items()
        }
    return [_renumber(part, numbers) for part in value] if isinstance(value, list | tuple) else value


def _block_names(subject: Subject) -> list[str]:
    table = subject.blocks
    labels = table["given"] if "given" in table else [""] * len(table)
    return [
        f"Block {block}{f' = {visible(str(name))}' if name else ''} ({size:,})"
        for block, name, size in zip(table["block"], labels, table["vertices"], strict=True)
    ]


def _origin(provenance: Mapping[str, Any]) -> list[tuple[str, str]]:
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
