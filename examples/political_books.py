"""Political books: does a book's leaning explain who buys it together with what?

    python examples/political_books.py [FOLDER]

Fits the data set that ships with the package, tells the answer, lists the books that contradict their leaning, and
saves the run with its report and figures in FOLDER (runs/political_books if left out). About ten seconds.
"""

import sys
from pathlib import Path

import pandas as pd

import ffbm


def main(folder: Path) -> None:
    """Fit, tell, save."""
    net = ffbm.load_dataset("polbooks")
    fit = ffbm.fit(net, n_blocks=3, seed=1, out=folder)
    print(fit.summary())

    print("\nBooks by block and leaning:")
    leaning = [net.features.names[row.argmax()].removeprefix("value=") for row in dense(net.features.values)]
    print(pd.crosstab(fit.memberships.labels, pd.Series(leaning)).rename_axis(index=None, columns="block"))

    expected = fit.predict(net.features)  # what the leaning alone says of each book's block
    found = fit.memberships.probs
    block = found.argmax(axis=1)
    says_otherwise = expected.argmax(axis=1) != block
    is_sure = found.max(axis=1) > 0.95
    print(f"\n{(says_otherwise & is_sure).sum()} books are surely in a block that their leaning speaks against:")
    for i in (says_otherwise & is_sure).nonzero()[0]:
        print(f"  book {net.node_ids[i]}: {leaning[i]}, in block {block[i]} (features say {expected[i].argmax()})")

    files = fit.plot.save(folder / "figures")
    print(f"\nsaved in {folder}: report.html, ranking.csv, nodes.csv, network.graphml, ... and {len(files)} figures")


def dense(values):
    """Return features as an array."""
    return values.toarray() if hasattr(values, "toarray") else values


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "runs/political_books"))
