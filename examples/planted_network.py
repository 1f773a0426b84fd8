"""A planted network: how many edges does it take until the effects of features can be found?

    python examples/planted_network.py

Simulates networks of 150 vertices whose blocks depend on the first three of six flags, with more and more edges, fits
each under both targets, and compares what is found with what was planted. About half a minute.
"""

import warnings

import numpy as np
import pandas as pd
from scipy.optimize import linear_sum_assignment

import ffbm

TELLING = {"x0", "x1", "x2"}


def main(edges: tuple[int, ...] = (225, 300, 600)) -> pd.DataFrame:
    """Fit networks with these numbers of edges, and print and return what was found."""
    rng = np.random.default_rng(1)
    kinds = np.eye(3)[np.arange(150) % 3]  # each vertex has one of three flags that matter ...
    features = np.column_stack((kinds, rng.random((150, 3)) < 0.5))  # ... and some of three that do not
    weights = np.hstack((4 * np.eye(3), np.zeros((3, 3))))
    rows = []
    for n_edges in edges:
        made = ffbm.simulate(features=features, weights=weights, n_edges=n_edges, contrast=10, seed=5)
        for target in ("cut", "joint"):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", ffbm.errors.ConvergenceWarning)  # told in the table
                lengths = {"n_sweeps": 4000, "n_draws": 1000}
                fit = ffbm.fit(made.network, n_blocks=3, target=target, weight_prior="fixed", seed=1, **lengths)
            rows.append(
                {
                    "edges": n_edges,
                    "target": target,
                    "in the planted block": share_found(made.labels, fit.memberships.labels),
                    "bits held out": fit.scores.bits_test,
                    "first three": " ".join(sorted(fit.ranking.kept[:3])),
                    "right": set(fit.ranking.kept[:3]) == TELLING,
                    "converged": bool(fit.converged),
                }
            )
    table = pd.DataFrame(rows)
    print(table.round(2).to_string(index=False))
    return table


def share_found(planted: np.ndarray, found: np.ndarray) -> float:
    """Return the share of vertices in the block that was planted for them, under the best numbering."""
    shared = np.zeros((3, 3))
    np.add.at(shared, (planted, found), 1)
    return float(shared[linear_sum_assignment(-shared)].sum() / len(planted))


if __name__ == "__main__":
    main()
