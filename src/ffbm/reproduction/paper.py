"""What the paper says: its two tables, hyper-parameters and results, and what its program adds to them."""

from dataclasses import dataclass, field
from typing import NamedTuple

PUBLISHED, PROGRAM, EXACT = COLUMNS = ("published", "published_program", "exact_posterior")
TITLES = {PUBLISHED: "published", PROGRAM: "published program", EXACT: "exact posterior"}
RUNS = 10  # of the paper


class Figure(NamedTuple):
    """A figure of the paper's table: mean and standard deviation over its 10 runs."""

    mean: float
    sd: float


@dataclass(frozen=True)
class Experiment:
    """One row of the paper's two tables.

    Parameters
    ----------
    name, title : text
        The registered data set, and what the paper calls it.
    n_blocks : int
        B.
    step_scale, reduced_scale : float
        s in h_t = s * 250 (1000 + t)^-0.8 / n, for all features and for the kept ones: in the authors' program,
        not in the paper.
    published : mapping from names of scores to Figures
    n_kept : int, optional
        D'; None where the paper does not reduce.
    """

    name: str
    title: str
    n_blocks: int
    step_scale: float
    published: dict[str, Figure]
    n_kept: int | None = None
    reduced_scale: float = field(default=0.0)
    train_fraction: float = 0.7
    sigma: float = 1.0
    k: float = 1.0
    n_sweeps: int = 1000
    block_burn_in: float = 0.2
    block_thin: int = 5
    n_steps: int = 10_000
    burn_in: float = 0.4
    thin: int = 10


PAPER = {
    "polbooks": Experiment(
        name="polbooks",
        title="Political books",
        n_blocks=3,
        step_scale=0.05,
        published={
            "description_length_without_partition": Figure(2.250, 0.000),
            "loss_train": Figure(0.563, 0.042),
            "loss_test": Figure(0.595, 0.089),
        },
    ),
    "school": Experiment(
        name="school",
        title="Primary school",
        n_blocks=10,
        step_scale=0.2,
        n_kept=10,
        reduced_scale=0.2,
        published={
            "description_length_without_partition": Figure(1.894, 0.004),
            "loss_train": Figure(0.787, 0.127),
            "loss_test": Figure(0.885, 0.129),
            "cutoff": Figure(1.198, 0.249),
            "reduced_loss_train": Figure(0.793, 0.132),
            "reduced_loss_test": Figure(0.853, 0.132),
        },
    ),
    "facebook": Experiment(
        name="facebook",
        title="Facebook egonet",
        n_blocks=10,
        step_scale=0.017,
        n_kept=10,
        reduced_scale=0.5,
        published={
            "description_length_without_partition": Figure(1.626, 0.003),
            "loss_train": Figure(1.326, 0.043),
            "loss_test": Figure(1.538, 0.069),
            "cutoff": Figure(0.94, 0.019),
            "reduced_loss_train": Figure(1.580, 0.150),
            "reduced_loss_test": Figure(1.605, 0.106),
        },
    ),
}
