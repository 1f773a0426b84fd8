"""The summary of a fit as plain text: on one screen, or at length."""

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from ffbm.plain import count_of, visible
from ffbm.results.block_features import name_of_sure, none_apart, set_apart
from ffbm.results.by_mode import decided_by_mode
from ffbm.results.columns import amount, columns_text, warning_mark
from ffbm.results.sentence import claim_of, sentence_of
from ffbm.results.sentences import (
    explain_grade,
    name_grade,
    notes_of,
    tell_choice,
    tell_direction,
    tell_hierarchy,
    tell_misleading,
    tell_modes,
    tell_no_answers,
    tell_notes,
    tell_one_block,
    tell_readings,
    tell_relevance,
    tell_time,
    tell_verdict,
)
from ffbm.results.tables import given_names
from ffbm.store.parts import FitParts
from ffbm.types import Array, Network
from ffbm.types.relevance import list_of
from ffbm.types.scores import Scores
from ffbm.types.tree import Tree
from ffbm.typeset import WIDTH, at_most, cut, number, tabulate, wrap

GLOSSARY = "(words: docs/glossary.md, also at the end of report.html)"
_SIZES = 20  # blocks whose sizes are listed
_MOST_COLUMNS = 6  # columns of the user's table in the ranking


@dataclass(frozen=True)
class Length:
    """How much of each part is listed."""

    columns: int
    more: int  # further columns, if they matter or are more likely in than out
    ranked: int  # features
    rows: int  # of the table of blocks, shared out among them
    most: int  # rows of one block
    is_tight: bool = False  # in fewer words, each part in as few lines as can be
    has_words: bool = True  # whether each column has a sentence


SHORT, LONG = Length(5, 3, 5, 8, 2), Length(8, 10_000, 10, 20, 3)
MEDIUM, TIGHT = Length(3, 1, 3, 3, 1, is_tight=True), Length(3, 1, 3, 3, 1, is_tight=True, has_words=False)
SCREEN = 26  # lines of a summary: the sentence, and where the files are, come below it
_WHOLE = 36  # lines with both
_SPLITS = 4  # of a tree, where there is little room


def summary_text(fit: FitParts, verbose: bool = False) -> str:
    """Return the summary of a fit: warnings, the grade, columns, blocks, how much is explained, how many notes.

    It fits a screen: less of each part is listed where it is long, and what is left out is counted. With ``verbose``
    it is as long as it needs to be, and has description lengths, losses, more features and blocks, and the notes too.
    """
    if verbose:
        return _text(fit, LONG)
    for length in (SHORT, MEDIUM):
        if (text := _text(fit, length)).count("\n") < SCREEN and sentence_below(fit, text, verbose=False):
            return text
    text = _text(fit, TIGHT)
    return text if sentence_below(fit, text, verbose=False) else _text(fit, TIGHT, names_sentence=True)


def sentence_below(fit: FitParts, text: str, verbose: bool) -> str:
    """Return the sentence to quote as a terminal shows it below a summary: a shorter one, or none, if lines are few."""
    n_free = _WHOLE - text.count("\n") - 5  # its title, where the files are, and two blank lines
    title, short = "in a sentence", "in a sentence (fit.sentence() has all of it)"
    for head, words in ((title, sentence_of(fit)), (title, sentence_of(fit, 1)), (short, claim_of(fit, 1))):
        text = wrap(words, "  ", "  ")
        if verbose or text.count("\n") < n_free:
            return f"{head}\n{text}"
    return ""


def _text(fit: FitParts, length: Length, names_sentence: bool = False) -> str:
    verbose, is_tight = length is LONG, length.is_tight
    lead = [name_grade(fit, brief=not verbose)] if fit.converged.is_usable else []
    first = [
        wrap(" ".join([*lead, *tell_relevance(fit).split()])),
        tell_modes(fit, is_tight),
        tell_direction(fit),
        tell_readings(fit),
    ]
    first.append(tell_no_answers(fit))
    tree = tree_text(fit.hierarchy, is_tight=is_tight)
    blocks = [_network(fit, verbose, is_tight), tree, tell_hierarchy(fit, is_tight), blocks_text(fit, length)]
    if is_tight:
        lines_of_each = 2, 3, 1, 2, 1
        first = [at_most(text, n) for text, n in zip(first, lines_of_each, strict=True)]
    last = []
    if fit.memberships.n_blocks > 1:
        last.append(_scores(fit) if verbose else tell_verdict(fit, is_tight) if fit.scores.misleads is None else "")
    last.append(tell_time(fit, is_tight))
    last += (
        [tell_notes(fit), reading_text(fit.network), GLOSSARY]
        if verbose
        else [_notes_by_count(fit, is_tight, names_sentence)]
    )
    columns = columns_text(fit, length.columns, length.more, verbose, not length.has_words)
    parts = [[tell_misleading(fit)], first, [columns], blocks]
    parts += [[ranking_text(fit, length)]] if fit.relevance is None else []
    parts.append(last)
    parts.insert(len(parts) if fit.converged.is_usable else 0, [_grade(fit, verbose, is_tight)])
    separator = "\n" if is_tight else "\n\n"
    return "\n\n".join(text for part in parts if (text := separator.join(filter(None, part))))


def _notes_by_count(fit: FitParts, is_tight: bool = False, names_sentence: bool = False) -> str:
    """Say what else there is to read."""
    n_notes, n_reading = len(notes_of(fit)), len(fit.network.notes)
    if is_tight:
        n_all = n_notes + n_reading
        more = ["a sentence to quote"] if names_sentence else []
        more += [] if fit.converged else ["why not converged"]
        more += [count_of(n_all, "note")] if n_all else []
        return wrap(f"With --verbose (verbose=True): {', '.join(more)}.") if more else ""
    parts = [] if fit.converged else ["what speaks against convergence"]
    parts += [f"{count_of(n_notes, 'note')} on the fit"] if n_notes else []
    parts += [f"{count_of(n_reading, 'note')} on reading the data"] if n_reading else []
    return wrap(f"With --verbose, or summary(verbose=True): {list_of(parts)}.") if parts else ""


def _grade(fit: FitParts, verbose: bool, is_tight: bool = False) -> str:
    """Say what the grade rests on; a grade that is a warning is named here, others in the first line."""
    command = visible(fit.converged.command)  # in one line, so that it can be copied
    warning = "" if fit.converged.is_usable else name_grade(fit, brief=not verbose)
    text = wrap(f"{warning} {explain_grade(fit, brief=not verbose)}".strip())
    return (at_most(text, 3) if is_tight else text) + (f"\n  {command}" if command else "")


def _network(fit: FitParts, verbose: bool, is_tight: bool = False) -> str:
    net, s = fit.network, fit.scores
    name = visible(net.name) or "the network"
    sizes = count_of(net.n_nodes, "vertex", "vertices"), net.graph.edges_in_words
    lines = [f"{name}: {', '.join(sizes)}, {count_of(net.n_features, 'feature')}"]
    length = s.description_length_without_partition
    if length is not None and verbose:
        rest = "N ln B for the blocks of all vertices" if fit.hierarchy is None else "the partitions of all levels"
        message = f"description length {length:.4f} nats per vertex and edge ({s.description_length:.4f} with {rest})"
        lines.append(wrap(message, rest="  "))
    if net.graph.weights is not None:
        why = f" ({net.graph.weights.reason})" if verbose else ""
        lines.append(wrap(f"edges weighted by {net.graph.weights.in_words}{why}", rest="  "))
    if not fit.config.degree_corrected:
        lines.append("blocks without degree correction: vertices of different degree tend to different blocks")
    if fit.diagnostics.joint is not None:
        empty = fit.diagnostics.joint.fewer
        lines.append(f"joint posterior of blocks and weights; a block is empty in {empty:.1%} of the draws")
        if fit.weights.selected is not None:
            some = f"{fit.weights.settings['n_partitions']:,}"
            message = (
                f"blocks are drawn with the selection of columns; weights with all columns given {some} of the kept"
            )
            lines.append(wrap(f"{message} partitions, a cut step", rest="  "))
    lines[0] = at_most(wrap(lines[0]), 1) if is_tight else wrap(f"{lines[0]}; seed {fit.config.seed}", rest="  ")
    return "\n".join(lines)


def tree_text(tree: Tree | None, whole: str = "the network", is_tight: bool = False) -> str:
    """Tell the tree of blocks, a line for each split; where there is little room the first splits, in a line each."""
    if tree is None:
        return ""
    title = f"blocks at {count_of(tree.n_levels, 'level')}, {tree.description_length:,.1f} nats at the lowest"
    message = (
        "(nats: what a split and all below it save; draws: how many have its groups; bits per vertex of the group,"
        f" held out; over {_explained(tree)} {tree.bits:.2f} bits per vertex of {whole})"
    )
    lines = [wrap(line.lstrip(), _indent(line), _indent(line) + "    ") for line in tree.lines(is_tight)]
    acting = [wrap(f"where columns act: {tree.places}", "  ", "    ")] if tree.places else []
    if is_tight:
        left = len(lines) - _SPLITS
        more = [f"  ... and {count_of(left, 'more split')} (report.html)"] if left > 0 else []
        shown = [at_most(text, 1) for text in lines[:_SPLITS]]
        return "\n".join([title, *shown, *more, *(at_most(text, 2) for text in acting)])
    return "\n".join([title, *lines, *acting, wrap(message, "  ", "  ")])


def _explained(tree: Tree) -> str:
    known = sum(node.is_explained for node in tree.splits)
    return "all splits" if known == len(tree.splits) else f"the {known} of {len(tree.splits)} splits that are explained"


def _indent(line: str) -> str:
    return "  " + " " * (len(line) - len(line.lstrip()))


def blocks_text(fit: FitParts, length: Length) -> str:
    """List for each block the features that set it apart, the clearest first."""
    members = fit.memberships
    n_blocks = members.n_blocks
    source = "given" if "given" in fit.blocks.settings else f"draws agree on {members.agreement:.1%} of the vertices"
    empty = int(np.count_nonzero(members.sizes == 0))
    rest = f", {empty} with no vertex" if empty else ""
    title = f"{count_of(n_blocks, 'block')}, by size{rest}; {source}"
    choice = tell_choice(fit, length.is_tight)
    if n_blocks == 1:
        return f"1 block\n{choice}{wrap(tell_one_block(fit), '  ', '  ')}"
    if not any(set_apart(fit, 1)) and given_names(fit) is None:
        return f"{title}\n{choice}{wrap(_tell_sizes(fit), '  ', '  ')}"
    shown = min(n_blocks - empty, length.rows)
    most = max(1, min(length.most, length.rows // n_blocks))
    names = given_names(fit)
    rows = [["block", "vertices", "set apart by", "weight", name_of_sure(fit)]]
    named = set_apart(fit, most)[:shown]
    for i, features in enumerate(named):
        head = [str(i) if names is None else f"{i} = {cut(names[i], 16)}", f"{members.sizes[i]:,}"]
        for one in features:
            rows.append([*head, one.feature, f"{one.weight:+.2f}", one.sure])
            head = ["", ""]
        if head[0]:
            rows.append([*head, none_apart(fit), "", ""])
    lines = [title, choice + tabulate(rows, right=(0, 1, 3, 4), gives=2)]
    left = [count_of(n_blocks - empty - shown, "smaller block")] if n_blocks - empty > shown else []
    more = sum(map(len, set_apart(fit, sure=False)[:shown])) - sum(map(len, named))
    if more:
        apart = "" if length.is_tight else f" that set{'s' if more == 1 else ''} blocks apart"
        left.append(f"{count_of(more, 'more feature')}{apart}")
    if left:
        where = "(blocks.csv, or --verbose)" if length is SHORT else "(blocks.csv)"
        lines.append(wrap(f"... and {' and '.join(left)} {where}", "  ", "  "))
    if fit.relevance is None:
        message = "(weights are centred: how far a block's lies from the mean over blocks)"
    elif length is LONG:
        message = "(of columns that matter; weights are centred over blocks, and over values that cover all vertices)"
    else:
        message = "(of columns that matter; weights are centred)"
    lines += [] if length.is_tight else [wrap(message, "  ", "  ")]
    split = fit.diagnostics.variance
    if split is not None and np.isfinite(split.share).any():
        share = np.nanmedian(split.share)
        message = f"(weights' spread includes the uncertainty of the blocks: a median of {share:.0%} of the variance)"
        lines.append(wrap(message, "  ", "  "))
    return "\n".join(lines)


def _tell_sizes(fit: FitParts) -> str:
    """Say how large blocks are if no feature sets any of them apart."""
    sizes = [f"{size:,}" for size in fit.memberships.sizes if size]
    left = len(sizes) - _SIZES
    shown = [*sizes[:_SIZES], f"{left:,} more (blocks.csv)"] if left > 0 else sizes
    where = "" if decided_by_mode(fit) is None else " in every mode"
    return f"of {list_of(shown)} vertices; no feature clearly sets one of them apart{where}"


def ranking_text(fit: FitParts, length: Length) -> str:
    """List the first features of the ranking; nothing with one block."""
    ranking, table = fit.ranking, fit.ranking.table
    if ranking.n_blocks == 1:
        return ""
    n_shown = min(length.ranked, ranking.n_features)
    in_training, numbers = _support(fit), fit.network.features.names_of_numbers
    which = f"first {n_shown} of {ranking.n_features:,}" if n_shown < ranking.n_features else "all"
    title = f"Ranking ({which}), from {len(fit.train):,} training vertices{warning_mark(fit)}"
    rows = [["rank", "feature", "score", "block", "weight", "sd", "vertices"]]
    for position in range(n_shown):
        row = table.iloc[position]
        held = f"{row['support']:,} ({in_training[ranking.order[position]]:,})"
        rows.append(
            [
                f"{row['rank']}",
                row["feature"],
                f"{row['score']:.2f}",
                f"{row['block']}",
                f"{row['centred_mean']:+.2f}",
                f"{row['centred_sd']:.2f}",
                "number" if row["feature"] in numbers else held,
            ]
        )
    message = (
        f"(score: the largest |mean| - {ranking.k:g} sd over blocks, of the weights as they are; weight and sd:"
        " centred, in that block; vertices: how many have it, and in training)"
    )
    lines = [title, tabulate(rows, right=(0, 2, 3, 4, 5, 6), gives=1)]
    return "\n".join([*lines, wrap(message, "  ", "  "), *_columns(fit)] if length is LONG else lines)


def _columns(fit: FitParts) -> list[str]:
    """Rank the columns of the user's table, where some have several features."""
    table = fit.ranking.by_column
    if len(table) in (1, fit.ranking.n_features):
        return []
    shown = table.head(_MOST_COLUMNS)
    first = [f"{column} {score:.2f}" for column, score in zip(shown["column"], shown["score"], strict=True)]
    more = ", ..." if len(table) > len(first) else ""
    return [wrap(f"columns by their best feature: {', '.join(first)}{more}", "  ", "    ")]


def reading_text(net: Network) -> str:
    """List what reading the network changed or left out."""
    notes = net.notes
    if not notes:
        return ""
    return "\n".join(["reading", *(wrap(note.message, "  - ", "    ") for note in notes)])


def _support(fit: FitParts) -> Array:
    """Return on how many training vertices each feature is not zero (D,)."""
    x = fit.network.features.values[fit.train]
    return np.asarray((x != 0).sum(axis=0)).ravel() if sp.issparse(x) else np.count_nonzero(x, axis=0)


def _scores(fit: FitParts) -> str:
    s = fit.scores
    columns = [(s, "train"), (s, "test")]
    n_folds = fit.config.n_folds(fit.network.n_nodes) if s.n_test == fit.network.n_nodes else 1
    head = ["", "training", "held out" if n_folds == 1 else f"{n_folds} folds"]
    if fit.reduced is not None:
        columns += [(fit.reduced.scores, "train"), (fit.reduced.scores, "test")]
        head += ["training", "held out"]
    rows = [head]
    rows.append(["vertices", *(f"{getattr(one, f'n_{side}'):,}" for one, side in columns)])
    rows.append(["bits explained", *(_bits(one, side) for one, side in columns)])
    rows.append(["block accuracy", *(number(_accuracy(one, side), 2) for one, side in columns)])
    for label, key in (
        ("loss per draw", "loss"),
        ("loss, averaged", "predictive_loss"),
        ("loss, base rate", "base_rate_loss"),
    ):
        rows.append([label, *(number(getattr(one, f"{key}_{side}"), 3) for one, side in columns)])
    lines = [tell_verdict(fit), tabulate(rows, right=range(1, len(head)), gives=0)]
    if fit.reduced is not None:
        whose = f"all {fit.network.n_features:,} features", f"the {len(fit.ranking.kept):,} kept"
        width = max(len(cell) for row in rows for cell in row[1:])
        margin = min(2 + max(len(row[0]) for row in rows), WIDTH - 4 * (width + 2))
        lines.insert(1, " " * margin + "".join(f"  {text:>{2 * width + 2}}" for text in whose))
    message = (
        "(bits per vertex over the base rate, +- 95 %; accuracy: mean over blocks; losses in nats per vertex: mean over"
        f" draws, of the averaged prediction, of the training base rate; a uniform guess has {s.uniform_loss:.3f})"
    )
    lines.append(wrap(message, "  ", "  "))
    return "\n".join(lines)


def _bits(s: Scores, side: str) -> str:
    return amount(getattr(s, f"bits_{side}"), getattr(s, f"bits_se_{side}"))


def _accuracy(s: Scores, side: str) -> float:
    accuracies = getattr(s, f"accuracy_{side}")
    return float(np.nanmean(accuracies)) if np.isfinite(accuracies).any() else float("nan")
