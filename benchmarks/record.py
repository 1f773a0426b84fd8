"""What a benchmark leaves behind: its figures as JSON with date and versions, and its tables as text."""

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
_SAID: list[str] = []


def say(text: str) -> None:
    """Print a line and keep it for the text that stands beside the JSON."""
    print(text, flush=True)
    _SAID.append(text)


def write(name: str, packages: tuple[str, ...], results: dict) -> None:
    """Write results/<name>.json and what was said so far to results/<name>.txt."""
    head = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "versions": {package: version(package) for package in packages},
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps({**head, **results}, indent=1) + "\n")
    (RESULTS / f"{name}.txt").write_text("\n".join([*_SAID, "", f"{head['date']}, {head['versions']}"]) + "\n")
    print(f"written to benchmarks/results/{name}.json")
