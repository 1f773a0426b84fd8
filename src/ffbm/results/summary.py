"""The answer in about a screen of plain text."""

import textwrap
from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np
import scipy.sparse as sp

from ffbm.results.tables import given_names
from ffbm.types import Array
from ffbm.types.scores import Scores

if TYPE_CHECKING:
    from ffbm.results.fitted import Fit

WIDTH = 80
LOW, HIGH = 0.025, 0.975
_RANKED = 10  # features listed in the ranking
_ROWS = 20  # rows of the table of blocks, shared out among them
_MOST = 3  # rows of one block
_CLEAR, _WEAK = 10.0, 3.0  # nats between the best number of blocks and the next: odds of 20,000 and of 20
_MODES = 8  # modes whose shares are listed


def summary_text(fit: "Fit") -> str:
    """Return the verdict if it is bad, then modes, the network, blocks, ranking, scores and the verdict if it is good.

    Modes are told if there are several.
    """
    parts = [_modes(fit), _network(fit), _blocks(fit), _ranking(fit), _scores(fit), _notes(fit)]
    if fit.converged:
        parts.append(_wrap(f"The chains converged. {_sentence(fit.converged.reason)}"))
    else:
        warning = "Do not rely on what follows, the ranking least of all; run"
        parts.insert(0, _wrap(f"NOT CONVERGED. {_sentence(fit.converged.reason)} {warning} {_cure(fit)}."))
    return "\n\n".join(part for part in parts if part)


def _cure(fit: "Fit") -> str:
    found = fit.diagnostics
    cures = [] if found.blocks.converged else ["more sweeps (n_sweeps, --sweeps) or fewer blocks"]
    if not found.weights.converged or (found.reduced is not None and not found.reduced.converged):
        cures.append("more chains or draws of the weights (n_chains, n_draws)")
    return " and ".join(cures)


def _modes(fit: "Fit") -> str:
    """Say how many pictures the draws show, how they differ, and whether their shares mean anything."""
    members = fit.memberships
    n_modes = members.n_modes
    if n_modes == 1:
        return ""
    shown = members.modes[:_MODES]
    shares = ", ".join(f"{mode.weight:.0%}" for mode in shown) + (", ..." if n_modes > len(shown) else "")
    changed = [one.changed(other) for one, other in combinations(members.modes, 2)]
    low, high = f"{min(changed):.0%}", f"{max(changed):.0%}"
    said = [
        f"{n_modes} MODES: the draws show {n_modes} different pictures ({shares} of them);",
        f"{low if low == high else f'{low} to {high}'} of the vertices change block from one to another.",
        f"What follows is averaged over all; fit.mode(0) to fit.mode({n_modes - 1}) rank for each.",
    ]
    chains = np.array([mode.chains for mode in members.modes])
    if chains.shape[1] > 1 and (chains.max(axis=0) == 1).all():
        said.append("No chain went from one to another: the shares tell where chains started, not what is probable.")
    return _wrap(" ".join(said))


def _network(fit: "Fit") -> str:
    net, s = fit.network, fit.scores
    name = _visible(net.name) or "the network"
    said = [f"{name}: {net.n_nodes:,} vertices, {net.n_edges:,} edges, {_count(net.n_features, 'feature')}"]
    length = s.description_length_without_partition
    if length is not None:
        said.append(
            f"description length {length:.4f} nats per vertex and edge ({s.description_length:.4f} with N ln B)"
        )
    said.append(f"seed {fit.config.seed}")
    return "\n".join(said)


def _blocks(fit: "Fit") -> str:
    """List for each block the features whose centred weight is clear of 0, the clearest first."""
    members, ranking = fit.memberships, fit.ranking
    n_blocks = members.n_blocks
    source = "given" if "given" in fit.blocks.settings else f"draws agree on {members.agreement:.1%} of the vertices"
    title = f"{_count(n_blocks, 'block')}, by size; {source}"
    choice = _choice(fit)
    if n_blocks == 1:
        return f"{title}\n{choice}  all {len(members.labels):,} vertices: no feature can tell them apart"
    most = max(1, min(_MOST, _ROWS // n_blocks))
    clear = np.abs(ranking.centred_mean) - 2 * ranking.centred_sd
    names = given_names(fit.parts)
    rows = [["block", "vertices", "set apart by", "weight", "95 % interval"]]
    for i in range(min(n_blocks, _ROWS)):
        head = [str(i) if names is None else f"{i} = {_cut(names[i], 16)}", f"{members.sizes[i]:,}"]
        for j in np.argsort(-clear[i], kind="stable")[:most]:
            low, high = _interval(fit, i, ranking.names[j])
            if low > 0 or high < 0:
                mean = f"{ranking.centred_mean[i, j]:+.2f}"
                rows.append([*head, ranking.names[j], mean, f"{low:+.2f} to {high:+.2f}"])
                head = ["", ""]
        if head[0]:
            rows.append([*head, "no feature for sure", "", ""])
    lines = [title, choice + _table(rows, right=(0, 1, 3, 4), gives=2)]
    if n_blocks > _ROWS:
        lines.append(f"  ... and {n_blocks - _ROWS:,} smaller blocks")
    lines.append("  (weights are centred: how far a block's lies from the mean over blocks)")
    split = fit.diagnostics.variance
    if split is not None and np.isfinite(split.share).any():
        share = np.nanmedian(split.share)
        lines.append(f"  (the uncertainty of the blocks is in them: {share:.0%} of the variance, in the median)")
    return "\n".join(lines)


def _choice(fit: "Fit") -> str:
    """Say how clear the choice of the number of blocks is, where it was chosen."""
    table = fit.blocks.candidates
    if table is None:
        return ""
    chosen = _count(int(table["n_blocks"][0]), "block")
    if len(table) == 1:
        return f"  ({chosen}: there is no other number to choose)\n"
    other, nats = _count(int(table["n_blocks"][1]), "block"), float(table["difference"][1])
    clear = "a clear choice" if nats >= _CLEAR else "a weak choice" if nats >= _WEAK else "NOT a clear choice"
    said = f"({chosen} chosen by description length, {nats:.1f} nats before {other}: {clear})"
    return _wrap(said, "  ", "  ") + "\n"


def _interval(fit: "Fit", block: int, name: str) -> tuple[float, float]:
    """Return the 95 % interval of one centred weight."""
    w = fit.weights.weights[:, :, :, fit.weights.names.index(name)]
    low, high = np.quantile(w[:, :, block] - w.mean(axis=2), (LOW, HIGH))
    return float(low), float(high)


def _ranking(fit: "Fit") -> str:
    ranking, table = fit.ranking, fit.ranking.table
    if ranking.n_blocks == 1:
        return ""
    n_shown = min(_RANKED, ranking.n_features)
    in_training = _support(fit)
    mark = "" if fit.converged else " - NOT TO BE RELIED ON"
    which = f"first {n_shown} of {ranking.n_features:,}" if n_shown < ranking.n_features else "all"
    title = f"Ranking ({which}), from {len(fit.train):,} training vertices{mark}"
    rows = [["rank", "feature", "score", "block", "weight", "sd", "vertices"]]
    for place in range(n_shown):
        row = table.iloc[place]
        support = "" if ranking.support is None else f"{row['support']:,}"
        rows.append(
            [
                f"{row['rank']}",
                row["feature"],
                f"{row['score']:.2f}",
                f"{row['block']}",
                f"{row['centred_mean']:+.2f}",
                f"{row['centred_sd']:.2f}",
                f"{support} ({in_training[ranking.order[place]]:,})",
            ]
        )
    said = (
        f"(score: the largest |mean| - {ranking.k:g} sd over blocks; weight and sd: centred, in that block;"
        " vertices: how many have it, and in training)"
    )
    return "\n".join([title, _table(rows, right=(0, 2, 3, 4, 5, 6), gives=1), _wrap(said, "  ", "  ")])


def _support(fit: "Fit") -> Array:
    """Return on how many training vertices each feature is not zero (D,)."""
    x = fit.network.features.values[fit.train]
    return np.asarray((x != 0).sum(axis=0)).ravel() if sp.issparse(x) else np.count_nonzero(x, axis=0)


def _scores(fit: "Fit") -> str:
    s = fit.scores
    columns = [(s, "train"), (s, "test")]
    head = ["", "training", "held out" if fit.config.folds is None else f"{fit.config.folds} folds"]
    if fit.reduced is not None:
        columns += [(fit.reduced.scores, "train"), (fit.reduced.scores, "test")]
        head += ["training", "held out"]
    rows = [head]
    rows.append(["vertices", *(f"{getattr(one, f'n_{side}'):,}" for one, side in columns)])
    rows.append(["bits explained", *(_bits(one, side) for one, side in columns)])
    rows.append(["block accuracy", *(_number(_accuracy(one, side), 2) for one, side in columns)])
    for label, key in (
        ("loss per draw", "loss"),
        ("loss, averaged", "predictive_loss"),
        ("loss, base rate", "base_rate_loss"),
    ):
        rows.append([label, *(_number(getattr(one, f"{key}_{side}"), 3) for one, side in columns)])
    lines = [_verdict(fit), _table(rows, right=range(1, len(head)), gives=0)]
    if fit.reduced is not None:
        whose = f"all {fit.network.n_features:,} features", f"the {len(fit.ranking.kept):,} kept"
        width = max(len(cell) for row in rows for cell in row[1:])
        margin = min(2 + max(len(row[0]) for row in rows), WIDTH - 4 * (width + 2))
        lines.insert(1, " " * margin + "".join(f"  {text:>{2 * width + 2}}" for text in whose))
    said = (
        "(bits a vertex over the base rate; accuracy: mean over blocks; losses in nats a vertex: mean over draws, of"
        f" the averaged prediction, of the training base rate; a uniform guess has {s.uniform_loss:.3f})"
    )
    lines.append(_wrap(said, "  ", "  "))
    return "\n".join(lines)


def _verdict(fit: "Fit") -> str:
    """Say in a sentence whether features explain the blocks on vertices that they have not seen."""
    s = fit.scores
    if fit.memberships.n_blocks == 1:
        return "With one block there is nothing to explain."
    if not s.n_test:
        return "No vertex was held out: what features explain of unseen ones is not known."
    bits, error = s.bits_test, s.bits_se_test
    amount = f"{bits:.2f} +- {error:.2f} bits a vertex"
    whole = s.base_rate_loss_test / np.log(2)
    if bits > 2 * error:
        return _wrap(f"Features explain {amount} of the {whole:.2f} needed to name the block of a held-out vertex.")
    if bits < -2 * error:
        return _wrap(f"Features mislead: on held-out vertices they lose {-bits:.2f} +- {error:.2f} bits a vertex.")
    return _wrap(f"It is not sure that features explain anything: {amount} on held-out vertices.")


def _notes(fit: "Fit") -> str:
    reduced = () if fit.reduced is None else fit.reduced.weights.notes
    notes = (*fit.ranking.notes, *fit.weights.notes, *reduced, *fit.scores.notes)
    said = dict.fromkeys(note.message for note in notes if note.code != "nothing_reduced")  # no news: D is above
    if not said:
        return ""
    return "\n".join(["notes", *(_wrap(message, "  - ", "    ") for message in said)])


def _bits(s: Scores, side: str) -> str:
    bits, error = getattr(s, f"bits_{side}"), getattr(s, f"bits_se_{side}")
    return "-" if np.isnan(bits) else f"{bits:.2f} +- {error:.2f}"


def _accuracy(s: Scores, side: str) -> float:
    found = getattr(s, f"accuracy_{side}")
    return float(np.nanmean(found)) if np.isfinite(found).any() else float("nan")


def _number(value: float, digits: int) -> str:
    return "-" if np.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"  # no "-0.00"


def _table(rows: Sequence[Sequence[str]], right: Sequence[int], gives: int) -> str:
    """Line up cells in columns within the width; the column ``gives`` is cut if it must be."""
    cells = [[_visible(cell) for cell in row] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    widths[gives] = min(widths[gives], WIDTH - 2 - 2 * (len(widths) - 1) - (sum(widths) - widths[gives]))
    lines = []
    for row in cells:
        parts = [
            _cut(cell, width) if place == gives else cell
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        padded = [c.rjust(w) if p in right else c.ljust(w) for p, (c, w) in enumerate(zip(parts, widths, strict=True))]
        lines.append(("  " + "  ".join(padded)).rstrip())
    return "\n".join(lines)


def _cut(text: str, width: int) -> str:
    """Cut the middle out of a text: features of one column differ at their ends."""
    if len(text) <= width:
        return text
    tail = (width - 3) // 2
    return f"{text[: width - 3 - tail]}...{text[len(text) - tail :]}"


def _wrap(text: str, first: str = "", rest: str = "") -> str:
    return textwrap.fill(_visible(text), WIDTH, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _visible(text: str) -> str:
    return text if text.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in text)
