"""What every benchmark writes beside its figures: when, and with which versions."""

import json
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

RESULTS = Path(__file__).parent / "results"


def write(name: str, packages: tuple[str, ...], results: dict) -> None:
    """Write results/<name>.json."""
    head = {
        "date": datetime.now(UTC).isoformat(timespec="seconds"),
        "python": platform.python_version(),
        "machine": platform.machine(),
        "versions": {package: version(package) for package in packages},
    }
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.json").write_text(json.dumps({**head, **results}, indent=1) + "\n")
    print(f"written to benchmarks/results/{name}.json")
