"""A verification as Markdown: the tables of docs/verification.md."""

from collections.abc import Mapping
from typing import Any


def markdown_checks(record: Mapping[str, Any]) -> str:
    """Return one row for each check of a record: what is measured, its figure, its bound and the verdict."""
    rows = ["| check | what is measured | figure | bound | verdict |", "|---|---|---:|---:|---|"]
    for check in record["checks"]:
        sign = "≥" if check["rule"] == "at least" else "≤"
        verdict = "pass" if check["passed"] else "**fail**"
        cells = check["name"], check["measures"], f"{check['figure']:.2g}", f"{sign} {check['bound']:.2g}", verdict
        rows.append(f"| {' | '.join(_cell(cell) for cell in cells)} |")
    return "\n".join(rows)


def markdown_newer(record: Mapping[str, Any]) -> str:
    """Return a sentence that names the checks which a record does not have yet; nothing if it has all."""
    from ffbm.verification.battery import CHECKS

    recorded = {check["name"] for check in record["checks"]}
    newer = [check.name for check in CHECKS if check.name not in recorded]
    if not newer:
        return ""
    return f"Checks that are newer than this record, whose figures it does not have: {_cell('; '.join(newer))}."


def markdown_catches(record: Mapping[str, Any]) -> str:
    """Return which faults the checks would show, checks that would show the same in one row."""
    caught: dict[str, list[str]] = {}
    for check in record["checks"]:
        caught.setdefault(check["catches"], []).append(check["name"])
    rows = ["| checks | would show |", "|---|---|"]
    rows += [f"| {_cell('; '.join(names))} | {_cell(faults)} |" for faults, names in caught.items()]
    return "\n".join(rows)


def markdown_ranks(record: Mapping[str, Any]) -> str:
    """Return the smallest p of uniform ranks of every quantity and sampler, over the sizes of networks."""
    rows = ["| quantity | sampler | networks of each size | smallest p |", "|---|---|---:|---:|"]
    for check in record["checks"]:
        smallest: dict[str, float] = {}
        for one in check["details"].get("ranks", ()):
            smallest[one["quantity"]] = min(one["p"], smallest.get(one["quantity"], 1.0))
        sampler = check["name"].rpartition(": ")[2]
        for quantity, p in smallest.items():
            rows.append(f"| {_cell(quantity)} | {sampler} | {check['details']['n_networks']} | {p:.2g} |")
    return "\n".join(rows)


def _cell(text: str) -> str:
    return text.replace("|", "\\|")
