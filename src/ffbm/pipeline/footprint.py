"""Whether a fit fits: about how much memory and disk it takes, against what is left, before it is begun."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ffbm.config import FitConfig, burn_sweeps
from ffbm.errors import OptionError
from ffbm.pipeline import selection
from ffbm.pipeline.estimate import guess_blocks
from ffbm.pipeline.weights import STORED_BYTES
from ffbm.types import Network

# from the highest point of fits from 10^5 to 3 x 10^7 edges: see docs/scale.md
_PROGRAM = 400 << 20
_PER_EDGE, _PER_NODE = 200, 600


class Footprint(NamedTuple):
    """Bytes, to within a factor of about two: memory for the work, and what the kept draws take."""

    work: int
    labels: int
    weights: int

    @property
    def draws(self) -> int:
        """What the draws of both levels take, in memory or on disk."""
        return self.labels + self.weights


def estimate_footprint(net: Network, config: FitConfig) -> Footprint:
    """Return about how many bytes a fit takes.

    >>> import ffbm
    >>> footprint = estimate_footprint(ffbm.load_dataset("polbooks"), FitConfig(n_blocks=3))
    >>> footprint.labels, footprint.weights
    (268800, 768000)
    """
    n_blocks = config.n_blocks if isinstance(config.n_blocks, int) else guess_blocks(net.n_nodes)
    n_sweeps = config.countable_sweeps
    n_partitions = (n_sweeps - burn_sweeps(config.burn_in, n_sweeps)) // config.thin
    n_draws = config.countable_draws
    if config.target == "joint":  # under the learned prior two draws or more of the weights for each partition
        n_draws = n_partitions if config.weight_prior == "fixed" else max(n_draws, 2 * n_partitions)
    weights = 8 * config.n_chains * n_draws * n_blocks * (net.n_features + bool(config.intercept))
    selected = min(weights, selection.STORED_BYTES) if config.weight_prior == "learned" else 0
    return Footprint(
        work=_PROGRAM + _PER_EDGE * net.n_edges + _PER_NODE * net.n_nodes,
        labels=config.n_chains * n_partitions * net.n_nodes * np.min_scalar_type(n_blocks - 1).itemsize,
        weights=min(weights, STORED_BYTES) + selected,
    )


def check_footprint(net: Network, config: FitConfig, out: str | None = None) -> None:
    """Refuse a fit that cannot fit, and say what would.

    With ``out`` draws go to disk, twice: as the chains leave them and in the saved run; those of the joint
    posterior also in the numbering of the answer.
    """
    footprint = estimate_footprint(net, config)
    on_disk = (3 if config.target == "joint" else 2) * footprint.draws
    in_memory = footprint.work + (footprint.draws if out is None else 0)
    if in_memory > memory_left():
        raise OptionError(
            f"this fit takes about {_size(in_memory)} of memory and {_size(memory_left())} are free: "
            + (
                "keep draws on disk with --out, or fewer of them with a larger thin"
                if footprint.draws > footprint.work and out is None
                else "take a machine with more, or a part of the network"
            )
        )
    if out is not None and on_disk > disk_left(out):
        raise OptionError(
            f"this run takes about {_size(on_disk)} on disk and {_size(disk_left(out))} are free at"
            f" {out}: choose another --out, or keep fewer draws with a larger thin"
        )


def memory_left() -> float:
    """Return how many bytes of memory are free for this process; infinity where the system does not say."""
    return min(_free_memory(), _free_of_group())


def disk_left(path: str) -> int:
    """Return how many bytes are free where a folder is or will be."""
    folder = Path(path).absolute()
    while not folder.exists():
        folder = folder.parent
    return shutil.disk_usage(folder).free


def _free_memory() -> float:
    try:
        lines = Path("/proc/meminfo").read_text().splitlines()
        return 1024.0 * next(int(line.split()[1]) for line in lines if line.startswith("MemAvailable"))
    except (OSError, StopIteration, ValueError, IndexError):
        pass
    try:
        return float(os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"))
    except (AttributeError, ValueError, OSError):
        return float("inf")


def _free_of_group() -> float:
    """Return what the control group that a container or a batch system made has left."""
    try:
        group = Path("/sys/fs/cgroup")
        stat = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
        used = int((group / "memory.current").read_text()) - int(stat["inactive_file"])  # a cache gives way
        return float((group / "memory.max").read_text()) - used
    except (OSError, ValueError, KeyError):  # none, or no limit
        return float("inf")


def _size(n_bytes: float) -> str:
    if n_bytes < 9.5e7:
        return f"{n_bytes / 1e6:.1f} MB"
    return f"{n_bytes / 1e9:,.0f} GB" if n_bytes > 9.5e9 else f"{n_bytes / 1e9:.1f} GB"
