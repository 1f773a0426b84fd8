"""The table of a reproduction, as text, Markdown and CSV, from its record."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from ffbm.reproduction.paper import COLUMNS, TITLES

if TYPE_CHECKING:
    import pandas as pd

NONE = "–"


class Row(NamedTuple):
    """A row of the table."""

    symbol: str
    name: str  # in the record
    meaning: str
    over_runs: str = "mean"  # or "max", "min": what is shown of the runs


ROWS = (
    Row("S", "description_length_without_partition", "description length per vertex and edge, nats, without N ln B"),
    Row("S + N ln B", "description_length", "the same with N ln B, as the paper defines it"),
    Row("L0", "loss_train", "loss on training vertices, averaged over draws, nats"),
    Row("L1", "loss_test", "loss on held-out vertices, averaged over draws"),
    Row("c*", "cutoff", "cutoff that keeps D' features"),
    Row("L0'", "reduced_loss_train", "L0 of the kept features"),
    Row("L1'", "reduced_loss_test", "L1 of the kept features"),
    Row("L1, averaged", "predictive_loss_test", "held-out loss of the averaged prediction"),
    Row("L1', averaged", "reduced_predictive_loss_test", "the same of the kept features"),
    Row("R-hat", "max_rhat", "largest over weights and runs; of a single chain, between its halves", "max"),
    Row("ESS", "min_ess", "smallest effective sample size over weights and runs", "min"),
    Row("draws", "n_draws", "kept draws of a run", "max"),
    Row("R-hat'", "reduced_max_rhat", "of the kept features", "max"),
    Row("ESS'", "reduced_min_ess", "of the kept features", "min"),
)


def text_table(record: Mapping[str, Any]) -> "pd.DataFrame":
    """Return the table with cells of text, rows by data set and symbol."""
    import pandas as pd

    rows = list(_rows(record))
    cells = pd.DataFrame([[_cell(row, columns.get(c)) for c in COLUMNS] for _, row, columns in rows])
    cells.columns = pd.Index([TITLES[c] for c in COLUMNS])
    cells.index = pd.MultiIndex.from_tuples([(name, row.symbol) for name, row, _ in rows], names=["data set", "figure"])
    return cells


def number_table(record: Mapping[str, Any]) -> "pd.DataFrame":
    """Return the table with cells of numbers: for each column mean and sd, or the largest or smallest."""
    import pandas as pd

    rows = []
    for dataset, row, columns in _rows(record):
        line: dict[str, Any] = {
            "dataset": dataset,
            "symbol": row.symbol,
            "figure": row.name,
            "over_runs": row.over_runs,
        }
        for column in COLUMNS:
            values = columns.get(column) or {}
            line[column] = values.get(row.over_runs)
            line[f"{column}_sd"] = values.get("sd") if row.over_runs == "mean" else None
        rows.append(line)
    return pd.DataFrame(rows)


def markdown(record: Mapping[str, Any]) -> str:
    """Return the table, what its rows are, and the reasons for its differences."""
    parts = [markdown_table(record), markdown_legend(record), markdown_reasons(record)]
    for name, how in record["missing"].items():
        parts.append(f"**{name}** is left out: {how}")
    return "\n\n".join(parts) + "\n"


def markdown_table(record: Mapping[str, Any], names: tuple[str, ...] | None = None) -> str:
    """Return the table, for all rows or those of some figures."""
    head = ["data set", "figure", *(TITLES[column] for column in COLUMNS)]
    lines = [head, ["---", "---", "---:", "---:", "---:"]]
    before = ""
    for dataset, row, columns in _rows(record):
        if names is None or row.name in names:
            shown = "" if dataset == before else record["datasets"][dataset]["title"]
            lines.append([shown, row.symbol, *(_cell(row, columns.get(column)) for column in COLUMNS)])
            before = dataset
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def markdown_legend(record: Mapping[str, Any]) -> str:
    """Say what the columns and rows are."""
    runs = record["runs"]
    over = f"Mean ± standard deviation over {runs} runs" if runs > 1 else "One run"
    used = {row for _, row, _ in _rows(record)}
    words = [f"{row.symbol}: {row.meaning}" for row in ROWS if row in used]
    return (
        f"{over} with seeds and splits of their own (seed {record['seed']}). Published: the paper's table. Published"
        " program: the authors' weight chain, run again. Exact posterior: Hamiltonian Monte Carlo on the posterior that"
        " the paper writes down. The last two share block chains, memberships and splits.\n\n" + "; ".join(words) + "."
    )


def markdown_reasons(record: Mapping[str, Any], dataset: str | None = None) -> str:
    """List why the columns differ, data set by data set."""
    sections = []
    for name, entry in record["datasets"].items():
        if dataset in (None, name):
            reasons = [reason for reason in record["differences"] if reason["dataset"] == name]
            title = [] if dataset else [f"**{entry['title']}**", ""]
            sections.append("\n".join([*title, *(f"- {reason['text']}" for reason in reasons)]))
    return "\n\n".join(sections)


def _rows(record: Mapping[str, Any]) -> Iterator[tuple[str, Row, dict[str, Any]]]:
    """Yield each row that some column has, with its figures by column."""
    for dataset, entry in record["datasets"].items():
        for row in ROWS:
            cells = {column: entry["columns"][column].get(row.name) for column in COLUMNS}
            if any(cells.values()):
                yield dataset, row, cells


def _cell(row: Row, number: Mapping[str, Any] | None) -> str:
    value = None if number is None else number.get(row.over_runs)
    if number is None or value is None:
        return NONE
    if row.over_runs != "mean":
        return f"{value:,.0f}" if value >= 100 else f"{value:.2f}" if "rhat" in row.name else f"{value:.1f}"
    return f"{value:.3f}" if number["sd"] is None else f"{value:.3f} ± {number['sd']:.3f}"
