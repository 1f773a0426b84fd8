"""A reproduction as a folder: the table, its numbers, and the figures."""

import os
from functools import partial
from typing import Any

from ffbm.plots import save_figure
from ffbm.progress import Listener, Progress
from ffbm.reproduction.all_runs import AllRuns
from ffbm.reproduction.figures import plan_figures
from ffbm.reproduction.table import markdown, number_table
from ffbm.results.record import strict_json
from ffbm.store.folder import check_new_folder, write_file

RESULTS = "results.json"
FORMATS = ("png", "pdf")


def save_reproduction(
    runs: AllRuns, record: dict[str, Any], path: str | os.PathLike[str], tell: Listener | None = None
) -> None:
    """Write ``table.md``, ``table.csv``, ``figures/`` and, when all else is there, ``results.json``."""
    folder = check_new_folder(path)
    write_file(folder / "table.md", markdown(record))
    write_file(folder / "table.csv", str(number_table(record).to_csv(index=False, lineterminator="\n")))
    (folder / "figures").mkdir()
    plan = plan_figures(runs, record)
    for done, (name, draw) in enumerate(plan.items(), start=1):
        figure = draw()
        for kind in FORMATS:
            write_file(folder / "figures" / f"{name}.{kind}", partial(save_figure, figure))
        if tell is not None:
            tell(Progress("figures", done, len(plan)))
    write_file(folder / RESULTS, strict_json(record))
