"""What a verification leaves behind: a verdict on every check, as a table, as plain values, as rank histograms."""

import json
import os
import platform
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.metadata import version
from typing import Any, NamedTuple

import pandas as pd

from ffbm.plain import finite
from ffbm.store.folder import check_new_folder, write_file
from ffbm.verification.findings import Check, Finding

BARS = "▁▂▃▄▅▆▇█"
PLAIN_BARS = "_.-=+*%#"


class Outcome(NamedTuple):
    """A check, what it found and how long that took."""

    check: Check
    finding: Finding
    seconds: float

    @property
    def name(self) -> str:
        """What the check is called."""
        return self.check.name

    @property
    def figure(self) -> float:
        """What was measured."""
        return self.finding.figure

    @property
    def bound(self) -> float:
        """What it is held to."""
        return self.finding.bound

    @property
    def passed(self) -> bool:
        """The verdict."""
        return self.finding.passed

    def record(self) -> dict[str, Any]:
        """Return all of it in plain values."""
        return {
            "name": self.name,
            "figure": self.figure,
            "bound": self.bound,
            "rule": "at least" if self.finding.at_least else "at most",
            "passed": self.passed,
            "doubt": self.finding.doubt or None,
            "measures": self.check.measures,
            "catches": self.check.catches,
            "seconds": round(self.seconds, 3),
            "details": dict(self.finding.details),
        }


class Ranks(NamedTuple):
    """The histogram of one quantity's ranks in a calibration."""

    check: str
    quantity: str
    size: str
    p: float
    counts: list[int]

    def bars(self, signs: str = BARS) -> str:
        """Draw the counts as bars, one character a bin; the middle height is what uniform ranks give.

        >>> Ranks("", "", "", 1.0, [0, 5, 5, 10]).bars("12345678")
        '1558'
        """
        expected = sum(self.counts) / len(self.counts)
        top = len(signs) - 1
        return "".join(signs[min(top, round(count / (2 * expected) * (top + 1)))] for count in self.counts)


def versions() -> dict[str, Any]:
    """Return what a verdict belongs to: the machine and the versions of what computes."""
    packages = ("ffbm", "numba", "numpy", "scipy")
    return {
        "python": platform.python_version(),
        "machine": platform.machine(),
        "versions": {package: version(package) for package in packages},
    }


@dataclass(frozen=True, eq=False)
class Verification:
    """The outcome of every check.

    Parameters
    ----------
    checks : tuple of Outcome
        Each with ``name``, ``figure``, ``bound``, ``passed`` and ``seconds``.
    full : bool
        Whether the longer runs were made.
    seed : int
    seconds : float
        By the clock, of all of them.
    """

    checks: tuple[Outcome, ...]
    full: bool
    seed: int
    seconds: float

    @property
    def passed(self) -> bool:
        """True if every check passed."""
        return all(outcome.passed for outcome in self.checks)

    @property
    def failed(self) -> tuple[str, ...]:
        """The names of the checks that did not pass."""
        return tuple(outcome.name for outcome in self.checks if not outcome.passed)

    @property
    def table(self) -> pd.DataFrame:
        """One row for each check: check, figure, bound, rule, verdict, seconds."""
        rows = [outcome.record() for outcome in self.checks]
        for row in rows:
            row["verdict"] = "pass" if row["passed"] else "FAIL"
        frame = pd.DataFrame(rows, columns=["name", "figure", "rule", "bound", "verdict", "seconds"])
        return frame.rename(columns={"name": "check"})

    def ranks(self) -> Iterator[Ranks]:
        """Yield the rank histograms of the calibrations."""
        for outcome in self.checks:
            for entry in outcome.finding.details.get("ranks", ()):
                yield Ranks(outcome.name, entry["quantity"], entry["size"], entry["p"], entry["counts"])

    def record(self) -> dict[str, Any]:
        """Return all of it in plain values for JSON."""
        return {
            "passed": self.passed,
            "full": self.full,
            "seed": self.seed,
            "seconds": round(self.seconds, 3),
            "checks": [outcome.record() for outcome in self.checks],
        }

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write ``results.json`` and, if there were calibrations, ``ranks.png`` into a new or empty folder."""
        folder = check_new_folder(path)
        record = finite({**self.record(), **versions()})
        write_file(folder / "results.json", json.dumps(record, indent=1, allow_nan=False) + "\n")
        if ranks := list(self.ranks()):
            from ffbm.plots import COLUMN, plot_ranks, save_figure

            titles = {f"{one.quantity}, {one.size} ({one.check.removeprefix('calibration: ')})": one for one in ranks}
            figure = plot_ranks({title: one.counts for title, one in titles.items()}, columns=3, width=2 * COLUMN)
            write_file(folder / "ranks.png", lambda draft: save_figure(figure, draft))

    def __repr__(self) -> str:
        n, kind = len(self.checks), "full" if self.full else "quick"
        message = f"all {n} passed" if self.passed else f"{len(self.failed)} of {n} failed: {', '.join(self.failed)}"
        return f"<Verification ({kind}): {message}>"
