"""What a benchmark leaves behind: its figures as JSON with date and versions, and its tables as text."""

import argparse
import json
import platform
import time
from collections.abc import Callable
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


def run_parts(name: str, title: str, packages: tuple[str, ...], parts: dict[str, Callable], settings: dict) -> None:
    """Run the parts of a benchmark that the command line names, all by default, and keep what is there of the others.

    A part returns its figures; its processor seconds are written beside them, and all results after every part.
    """
    options = argparse.ArgumentParser(description=title)
    options.add_argument("parts", nargs="*", metavar="PART", default=list(parts), help=f"of {', '.join(parts)}")
    path = RESULTS / f"{name}.json"
    for part in options.parse_args().parts:
        begun = time.process_time()
        found = parts[part]()
        known = json.loads(path.read_text()) if path.exists() else {}  # another part may have ended meanwhile
        results = {other: known[other] for other in parts if other in known}
        write(name, packages, settings | results | {part: found | {"seconds": time.process_time() - begun}})
