"""A comparison of two fits in about a screen of plain text."""

from typing import Any

import numpy as np

from ffbm.plain import count_of
from ffbm.results.differences import Differences
from ffbm.store.parts import FitParts
from ffbm.typeset import number, tabulate, wrap

_VERTICES, _FEATURES = 6, 6  # rows of either table
_ROUNDED = 0.005  # a pull or a probability below is nothing


def comparison_text(differences: Differences) -> str:
    """Return verdicts if they are bad, then the blocks, the vertices that moved, the features, and the scores."""
    parts = [
        tell_warning(differences),
        tell_blocks(differences),
        _vertices(differences),
        _features(differences),
        _scores(differences),
    ]
    return "\n\n".join(part for part in parts if part)


def tell_warning(differences: Differences) -> str:
    """Say which of the two fits have not converged, and what that means for their differences."""
    grades = {
        name: fit.converged
        for name, fit in zip(differences.names, (differences.first, differences.second), strict=True)
    }
    if all(grades.values()):
        return ""
    which = " and ".join(f"{name} ({judged.grade})" for name, judged in grades.items() if not judged)
    advice = "Each fit's own summary says what disagrees, and how to go on."
    if all(judged.is_usable for judged in grades.values()):
        return wrap(f"Not converged: {which}. Differences are known roughly. {advice}")
    message = "Chains that disagree make differences of their own: do not rely on small ones."
    return wrap(f"NOT CONVERGED: {which}. {message} {advice}")


def tell_blocks(differences: Differences) -> str:
    """Say how far the blocks moved."""
    net, (one, other) = differences.first.network, differences.names
    n, moved = net.n_nodes, differences.n_changed
    trained = int(np.isin(np.flatnonzero(differences.is_changed), differences.second.train).sum())
    n_train = len(differences.second.train)
    subject = "With the features in it" if differences.names == ("cut", "joint") else f"From {one} to {other}"
    lines = [
        f"{net.name or 'the network'}: {n:,} vertices, {net.graph.edges_in_words},"
        f" {count_of(net.n_features, 'feature')}; {one} against {other}.",
        f"{subject}, {moved:,} of {n:,} vertices are in another block: {trained:,} of {n_train:,} in training,"
        f" {moved - trained:,} of {n - n_train:,} held out.",
        f"The partitions agree to {differences.agreement:.3f} (adjusted mutual information; 1 is the same, 0 is"
        f" chance), and {differences.shift:.1%} of the membership lies in other blocks.",
    ]
    return wrap(" ".join(lines))


def _vertices(differences: Differences) -> str:
    table = differences.vertices
    if table.empty:
        return ""
    one, other = differences.names
    rows = [["vertex", "", "from", "to", f"in it, {one}", f"{other}"]]
    for row in table.head(_VERTICES).itertuples(index=False):
        vertex, training, before, to, was, now = row
        rows.append([str(vertex), "" if training else "held out", f"{before}", f"{to}", f"{was:.2f}", f"{now:.2f}"])
    lines = [tabulate(rows, right=(2, 3, 4, 5), gives=0)]
    if len(table) > _VERTICES:
        lines.append(f"  ... and {len(table) - _VERTICES:,} more: see vertices of the comparison")
    return "\n".join(lines)


def _features(differences: Differences) -> str:
    table = differences.features
    first = table.head(_FEATURES)
    pulling = table.assign(size=table["pull"].abs()).sort_values("size", ascending=False, kind="stable")
    pulling = pulling[pulling["size"] >= _ROUNDED].head(_FEATURES)
    shown = table.loc[sorted({*first.index, *pulling.index})]
    one, other = differences.names
    rows = [["feature", f"rank, {one}", other, f"score, {one}", other, "pull"]]
    for row in shown.to_dict("records"):
        cells = [f"{row['rank_before']:g}", f"{row['rank_after']:g}"]
        cells += [number(row[f"score_{when}"], 2) for when in ("before", "after")]
        rows.append([row["feature"], *cells, f"{round(row['pull'], 2) + 0.0:+.2f}"])
    kept = tuple(set(ranking.kept) for ranking in differences.rankings)
    message = "(pull: nats by which the features of training vertices speak for the blocks they moved to"
    n_kept = len(kept[1])
    if n_kept < len(table):
        new = len(kept[1] - kept[0])
        message += f"; {new} of the {n_kept} kept features {'is' if new == 1 else 'are'} new"
    return "\n".join([tabulate(rows, right=range(1, 6), gives=0), wrap(f"{message})", "  ", "  ")])


def _scores(differences: Differences) -> str:
    fits = differences.first, differences.second
    rows = [["", *differences.names]]
    rows.append(["blocks", *(f"{fit.memberships.n_blocks}" for fit in fits)])
    rows.append(["probability that one is empty", *map(_fewer, fits, differences.fewer)])
    rows.append(["vertices whose block draws agree on", *(f"{fit.memberships.agreement:.1%}" for fit in fits)])
    length = ("description length per vertex and edge", "description_length_without_partition", 4)
    is_one = _measure(fits[0]) == _measure(fits[1])  # else lengths are of different things
    for text, key, digits in (
        *((length,) if is_one else ()),
        ("bits explained, training", "bits_train", 2),
        ("bits explained, held out", "bits_test", 2),
        ("loss per draw, training", "loss_train", 3),
        ("loss per draw, held out", "loss_test", 3),
    ):
        rows.append([text, *(number(float(getattr(fit.scores, key)), digits) for fit in fits)])
    return tabulate(rows, right=(1, 2), gives=0)


def _measure(fit: FitParts) -> tuple[Any, ...]:
    """Return what a description length describes: edges, and weights as counts or as densities, given totals or not."""
    graph, weights = fit.network.graph, fit.network.graph.weights
    if weights is None:
        return (graph.is_directed,)
    return graph.is_directed, weights.is_counted, weights.prior is None, np.sort(weights.values).tobytes()


def _fewer(fit: FitParts, share: float) -> str:
    if fit.config.target == "cut" and share == 0:
        return "0 by rule"
    return f"{share:.3f}" if share >= _ROUNDED or share == 0 else f"{share:.1e}"
