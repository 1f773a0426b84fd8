"""What a benchmark leaves behind: its figures as JSON with date and versions, and its tables as text."""

import argparse
import json
import os
import platform
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"
PIECE = 15 * 60  # seconds by the clock, after which a study of many networks is written and left to the next call
_SAID: list[str] = []


def say(text: str) -> None:
    """Print a line and keep it for the text that stands beside the JSON."""
    print(text, flush=True)
    _SAID.append(text)


def write(name: str, packages: tuple[str, ...], results: dict, lines: list[str] | None = None) -> None:
    """Write results/<name>.json, and what was said so far, or other lines, to results/<name>.txt."""
    head = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "versions": {package: version(package) for package in packages},
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps({**head, **results}, indent=1) + "\n")
    (RESULTS / f"{name}.txt").write_text(
        "\n".join([*(_SAID if lines is None else lines), "", f"{head['date']}, {head['versions']}"]) + "\n"
    )
    print(f"written to benchmarks/results/{name}.json")


def count_processor_seconds() -> None:
    """Let ``max_minutes`` go by the work done from here on: a second is then one processor second of every core.

    A machine that is busy with other work then measures what a quiet one would; only parts that use one core, such as
    the search for temperatures, take longer there than their share says.
    """
    cores = os.cpu_count() or 1
    time.monotonic = lambda: time.process_time() / cores


def run_parts(name: str, title: str, packages: tuple[str, ...], parts: dict[str, Callable], settings: dict) -> None:
    """Run the parts of a benchmark that the command line names, all by default, and keep what is there of the others.

    A part returns its figures; its processor seconds, unless it has them, are written beside them, and all results
    after every part.
    """
    options = argparse.ArgumentParser(description=title)
    options.add_argument("parts", nargs="*", metavar="PART", default=list(parts), help=f"of {', '.join(parts)}")
    path = RESULTS / f"{name}.json"
    for part in options.parse_args().parts:
        started = time.process_time()
        found = parts[part]()
        known = json.loads(path.read_text()) if path.exists() else {}  # another part may have ended meanwhile
        results = {other: known[other] for other in parts if other in known}
        write(name, packages, settings | results | {part: {"seconds": time.process_time() - started} | found})


def study(name: str, part: str, n: int, measure: Callable[[int], dict]) -> tuple[list[dict], dict]:
    """Return what ``measure(number)`` says of networks 0 .. n - 1, as far as 15 minutes go, and what a record keeps.

    ``part`` is where the record has it, "noise.fixed" that below "noise". A record without all n has the measurements
    themselves, and the next call goes on from there.
    """
    path = RESULTS / f"{name}.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    for step in part.split("."):
        known = known.get(step, {})
    networks = known.get("networks", [])
    before, started, spent = known["seconds"] if networks else 0.0, time.perf_counter(), time.process_time()
    while len(networks) < n and (not networks or time.perf_counter() - started < PIECE):
        networks.append(measure(len(networks)))
        print(part, len(networks), "of", n, networks[-1], flush=True)
    kept = {"n_networks": len(networks), "seconds": before + time.process_time() - spent}
    return networks, kept | ({"networks": networks} if len(networks) < n else {})
