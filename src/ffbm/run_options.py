"""How a fit is run: on which workers, and where it is saved. No answer depends on it, so it is no setting."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from ffbm.check import check_bool, check_workers
from ffbm.errors import OptionError, keyword


@dataclass(frozen=True)
class RunOptions:
    """What is chosen for a run; the names and defaults are those of the keywords of ``ffbm.fit``.

    Parameters
    ----------
    workers : int, or address or Client of a dask cluster, optional
        How many threads, or which cluster.
    out : path, optional
        Which folder the run is saved in.
    resume : bool
        Whether it goes on with what is there.

    Examples
    --------
    >>> RunOptions(workers=2, resume=True)
    RunOptions(workers=2, out=None, resume=True)
    """

    workers: Any = None
    out: str | None = None
    resume: bool = False

    def __post_init__(self) -> None:
        check_workers(self.workers)
        check_bool("resume", self.resume)
        if self.out is None:
            return
        if not isinstance(self.out, str | os.PathLike) or not os.fspath(self.out):
            raise OptionError(f"{keyword('out')} must be the path of a folder; got {self.out!r}")
        object.__setattr__(self, "out", str(os.fspath(self.out)))


RUN_OPTIONS = tuple(field.name for field in fields(RunOptions))


def split_options(chosen: Mapping[str, Any]) -> tuple[dict[str, Any], RunOptions]:
    """Return the settings of a fit, and how it is run, of keywords of ``ffbm.fit``.

    >>> split_options({"n_blocks": 3, "workers": 2})
    ({'n_blocks': 3}, RunOptions(workers=2, out=None, resume=False))
    """
    settings = {name: value for name, value in chosen.items() if name not in RUN_OPTIONS}
    return settings, RunOptions(**{name: value for name, value in chosen.items() if name in RUN_OPTIONS})
