"""The description length in whole numbers: how the bundled values were made.

``python -m tests.verification.whole_numbers`` writes src/ffbm/verification/exact_lengths.json again.
"""

import json
from collections import Counter
from fractions import Fraction
from functools import cache
from math import comb, factorial, log, prod
from pathlib import Path

import numpy as np

FILE = Path(__file__).parents[2] / "src/ffbm/verification/exact_lengths.json"
LARGE_Q = ((2048, 2048), (2049, 4), (2100, 2), (3000, 32), (3000, 33), (5000, 60), (6000, 6000), (20_000, 200))
GRAPHS = [  # vertices, edges, blocks, and whether the last label stays unused
    (6, 9, 2, False),
    (6, 9, 3, True),
    (8, 14, 4, True),
    (5, 0, 2, False),
    (12, 40, 3, False),
    (30, 60, 5, True),
]


@cache
def partitions_table(m, n):
    """q(m', n) for m' = 0 .. m in whole numbers, by q(m,n) = q(m,n-1) + q(m-n,n)."""
    row = [1] + [0] * m
    for k in range(1, n + 1):
        for i in range(k, m + 1):
            row[i] += row[i - k]
    return row


def q(m, n):
    return partitions_table(m, min(m, n))[m]


def double_factorial(twice_m):
    m = twice_m // 2
    return 2**m * factorial(m)


def exact_length(edges, n_nodes, labels):
    """-ln of the three parts of p(A | b), each from one whole ratio."""
    degree = Counter(end for edge in edges for end in edge)
    k = [degree[i] for i in range(n_nodes)]
    between = Counter(tuple(sorted((labels[i], labels[j]))) for i, j in edges)
    ends = Counter()
    for i in range(n_nodes):
        ends[labels[i]] += k[i]
    a = Counter(tuple(sorted(edge)) for edge in edges)
    adjacency = Fraction(
        prod(factorial(m) if r < s else double_factorial(2 * m) for (r, s), m in between.items())
        * prod(map(factorial, k)),
        prod(map(factorial, ends.values()))
        * prod(factorial(m) if i < j else double_factorial(2 * m) for (i, j), m in a.items()),
    )
    sizes = Counter(labels)
    eta = Counter(zip(labels, k, strict=True))
    degrees = Fraction(prod(map(factorial, eta.values())), prod(factorial(n) * q(ends[r], n) for r, n in sizes.items()))
    pairs = len(sizes) * (len(sizes) + 1) // 2
    edge_counts = Fraction(1, comb(pairs + len(edges) - 1, len(edges)))
    return {
        name: log(part.denominator) - log(part.numerator)
        for name, part in (("adjacency", adjacency), ("degrees", degrees), ("edge_counts", edge_counts))
    }


def tiny_graphs():
    rng = np.random.default_rng(8)
    for n_nodes, n_edges, n_blocks, gap in GRAPHS:
        edges = np.sort(rng.integers(0, n_nodes - 1, size=(n_edges, 2)), axis=1).tolist()
        labels = rng.permutation(np.arange(n_nodes) % (n_blocks - gap)).tolist()
        labels = [n_blocks - 1 if gap and r == 0 else r for r in labels]  # label 0 unused, the last used
        yield edges, n_nodes, labels


def polbooks_partitions():
    """Partitions of polbooks of 1, 2, 5 and 12 blocks, by vertex number alone."""
    return [[i * n_blocks // 105 for i in range(105)] for n_blocks in (1, 2, 5, 12)]


def bundle():
    import ffbm

    net = ffbm.load_dataset("polbooks")
    edges = net.graph.edges.tolist()
    return {
        "what": "the parts of -ln p(A|b) in nats and ln q(m,n), from whole-number arithmetic",
        "multigraphs": [
            {"edges": e, "n_nodes": n, "labels": b, "nats": exact_length(e, n, b)} for e, n, b in tiny_graphs()
        ],
        "polbooks": [{"labels": b, "nats": exact_length(edges, 105, b)} for b in polbooks_partitions()],
        "log_q": [[m, n, log(q(m, n))] for m, n in LARGE_Q],
    }


if __name__ == "__main__":
    FILE.write_text(json.dumps(bundle()) + "\n")
