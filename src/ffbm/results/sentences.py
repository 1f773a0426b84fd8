"""Sentences about a fit that the summary and the report share."""

import re
from itertools import combinations

import numpy as np

from ffbm.columntable import find_linked
from ffbm.diagnostics import ColumnVerdict
from ffbm.diagnostics.verdict import MULTIMODAL, TOO_SHORT
from ffbm.pipeline.clock import OUT_OF_TIME
from ffbm.plain import EACH_WAY, count_of, visible, with_interval
from ffbm.results.by_mode import tell_decisions
from ffbm.store.parts import FitParts
from ffbm.types.relevance import list_of
from ffbm.typeset import sentence, wrap

_CLEAR, _WEAK = 10.0, 3.0  # nats between the best number of blocks and the next: odds of 20,000 and of 20
_MOSTLY = 0.95  # of free chains: with less, other numbers of blocks are not ruled out
_NUMBERS = 3  # of blocks whose probabilities are listed
_READINGS = 6  # columns that are named
_NO_ANSWER = re.compile(r"column ('.*'|\".*\") has [0-9,]+ cells? (\S+), (?:far from|below 0 unlike) the others")
_COLUMNS = re.compile(r"[0-9,]+ columns with ")  # one note that speaks for many
_MODES = 8  # modes whose shares are listed
_NO_EDGES = "The network has no edges: blocks are found from edges, so there is nothing for attributes to explain."
_ONE_BLOCK = (
    "With one block there is nothing to explain{why}. {linked} To look at two blocks all the same, use n_blocks=2"
    " (--blocks 2); with target='joint' (--target joint) the features help to find them."
)
_MAY_BE_LINKED = (
    "Attributes may still be related to who is linked with whom: the permutation test (ffbm test) asks that without"
    " blocks."
)
_LINKED = 4  # columns that are named with their p values
_NO_NEWS = ("nothing_reduced", "misleading", OUT_OF_TIME)  # codes of notes that the summary says elsewhere
_MEANS = {
    MULTIMODAL: "Do not rely on what is averaged over chains: look at each mode.",
    TOO_SHORT: "Do not rely on what follows, the ranking least of all.",
}


def tell_misleading(fit: FitParts) -> str:
    """Say that the features mislead, if they do: on held-out vertices they are worse than the base rate."""
    return "" if fit.scores.misleads is None else wrap(sentence(fit.scores.misleads.message))


def tell_relevance(fit: FitParts) -> str:
    """Say which columns matter, under the learned prior."""
    if fit.relevance is None or fit.memberships.n_blocks == 1:
        return ""
    return wrap(sentence(tell_decisions(fit)))


def tell_readings(fit: FitParts) -> str:
    """Say which columns of numbers or dates were read as values, since these explain more; not those made one of."""
    heads = tuple(f"column {name!r} " for name in fit.network.features.column_names)
    notes = [note.message for note in fit.network.notes if note.code == "read-as-values"]
    taken = [text for text in notes if text.startswith(heads) or not text.startswith("column ")]
    if not taken:
        return ""
    short = [text.removeprefix("column ").split(": alone")[0].replace(" read as ", " as ") for text in taken]
    shown = ", ".join(short[:_READINGS]) + (f" and {len(short) - _READINGS} more" if len(short) > _READINGS else "")
    return wrap(f"Numbers are read as values where these explain more: {shown}; numeric= (--numeric) overrules.")


def tell_direction(fit: FitParts) -> str:
    """Say that edges were read without a direction that they may have."""
    notes = [note for note in fit.network.notes if note.code in ("looks-directed", "says-directed")]
    if not notes or fit.network.graph.is_directed:
        return ""
    back = f" ({notes[0].count:,} pairs stand both ways)" if notes[0].code == "looks-directed" else ""
    return wrap(f"Edges are read without direction; if they have one{back}: directed=True (--directed).")


def tell_no_answers(fit: FitParts) -> str:
    """Say which columns hold, among their numbers, some that may mean no answer; as values they would do no harm."""
    numbers = set(fit.network.features.names) & set(fit.network.features.columns)
    messages = [note.message for note in fit.network.notes if note.code == "looks-missing"]
    if any(map(_COLUMNS.match, messages)):
        which = messages[0].partition(" with ")[0]
        return wrap(f"{which} hold values that may mean no answer: drop= (--drop) makes them missing.")
    matches = list(map(_NO_ANSWER.match, messages))
    suspects = [f"{match[1]} {match[2]}" for match in matches if match and match[1][1:-1] in numbers]
    if not suspects:
        return ""
    shown = ", ".join(suspects[:_READINGS])
    shown += f" and {len(suspects) - _READINGS} more" if len(suspects) > _READINGS else ""
    return wrap(f"Read as numbers, though they may mean no answer: {shown}; drop= (--drop) makes them missing.")


def tell_verdict(fit: FitParts, brief: bool = False) -> str:
    """Say in a sentence whether features explain the blocks on vertices that they have not seen."""
    s = fit.scores
    if fit.memberships.n_blocks == 1:
        return tell_one_block(fit)
    if not s.n_test:
        return "No vertex was held out: what features explain of unseen ones is not known."
    bits, error = s.bits_test, s.bits_se_test
    amount = f"{with_interval(bits, error)} bits per vertex"
    whole = s.base_rate_loss_test / np.log(2)
    if bits > EACH_WAY * error and brief:
        return f"Features explain {amount} held out, of {whole:.2f}."
    if bits > EACH_WAY * error:
        return wrap(f"Features explain {amount} of the {whole:.2f} needed to name the block of a held-out vertex.")
    if s.misleads is not None:
        return tell_misleading(fit)
    doubt = "It is not sure that features tell the block of an unseen vertex"
    return wrap(f"{doubt}: {amount} of the {whole:.2f} needed, on held-out ones.")


def tell_one_block(fit: FitParts) -> str:
    """Say what one block means, and what to try."""
    if not fit.network.n_edges:
        return f"{_NO_EDGES} Look with ffbm describe at what was read."
    linked = _tell_linked(fit) or _MAY_BE_LINKED
    if fit.blocks.candidates is None:
        return _ONE_BLOCK.format(why="", linked=linked)
    groups = "as well as any groups" if _is_sure(fit) else "about as well as the best groups"
    return _ONE_BLOCK.format(why=f": degrees alone describe these edges {groups} of vertices do", linked=linked)


def _tell_linked(fit: FitParts) -> str:
    """Say which columns the permutation test, which needs no blocks, finds related to the edges; "" if it was not run.

    Columns are judged together, by the rule that verdicts on columns follow.
    """
    table = fit.column_table
    tested = table[np.isfinite(table["p_value"])]
    if not len(tested):
        return ""
    test = "The permutation test, which needs no blocks, finds"
    related = "related to who is linked with whom"
    linked = tested[find_linked(tested["p_value"].to_numpy())].sort_values("p_value", kind="stable")
    if not len(linked):
        which = "the attribute not" if len(tested) == 1 else f"none of {len(tested)} attributes"
        return f"{test} {which} {related}."
    pairs = zip(linked["column"].head(_LINKED), linked["p_value"], strict=False)
    named = [f"{visible(str(column))} (p = {p:.3f})" for column, p in pairs]
    if len(linked) > len(named):
        named.append(f"{len(linked) - len(named):,} more (columns.csv, or fit.column_table)")
    return f"{test} {list_of(named)} {related}."


def name_one_block(fit: FitParts) -> str:
    """Say that there is one block, as sure as its choice is, and what is known of the attributes without blocks."""
    if not fit.network.n_edges:
        return _NO_EDGES
    if fit.blocks.candidates is None:
        message = "With one block there is nothing for attributes to explain."
    elif _is_sure(fit):
        message = "The network shows one block, and there is nothing for attributes to explain."
    else:
        other = count_of(int(fit.blocks.candidates["n_blocks"][1]), "block")
        message = (
            f"One block describes the network in the fewest nats, though {other} are not ruled out; with one, there is"
            " nothing for attributes to explain."
        )
    return f"{message} {_tell_linked(fit)}".rstrip()


def _is_sure(fit: FitParts) -> bool:
    """Return whether the chosen number of blocks is clear of the next one, and chains with B free have it mostly."""
    table, known = fit.blocks.candidates, fit.blocks.settings.get("probabilities")
    if table is None or len(table) == 1:
        return True
    often = not known or (known[0][0] == table["n_blocks"][0] and known[0][1] >= _MOSTLY)
    return bool(table["difference"][1] >= _CLEAR) and often and not _is_cut_short(fit)


def _is_cut_short(fit: FitParts) -> bool:
    """Return whether time ended the search for the number of blocks."""
    return bool(fit.blocks.settings.get("search_rounds_left"))


def tell_modes(fit: FitParts, brief: bool = False) -> str:
    """Say how many modes the draws have, how they differ, and whether their shares mean anything."""
    members = fit.memberships
    n_modes = members.n_modes
    if n_modes == 1:
        return ""
    shares = ""
    if members.shares_are_known:
        shown = ", ".join(f"{mode.weight:.0%}" for mode in members.modes[:_MODES])
        shares = f" ({shown}{', ...' if n_modes > _MODES else ''} of the draws)"
    changed = [one.changed(other) for one, other in combinations(members.modes, 2)]
    low, high = f"{min(changed):.0%}", f"{max(changed):.0%}"
    pair = "the two" if n_modes == 2 else "any two of them"
    apart = f"{pair} put {low if low == high else f'{low} to {high}'} of the vertices into different blocks"
    if brief:
        left = "" if members.shares_are_known else "; no chain left one for another"
        return wrap(f"{n_modes} MODES{shares.replace(' of the draws', '')}: {apart}{left}.") + (
            "\nWhat follows is averaged over all modes; fit.mode(i) is not."
        )
    lines = [
        f"{n_modes} MODES: the draws fall into {n_modes} groups{shares} that show different blocks; {apart}.",
        f"What follows is averaged over all modes; in Python, fit.mode(i), i from 0 to {n_modes - 1}, is the answer in"
        " one.",
    ]
    if not members.shares_are_known:
        lines.append("No chain went from one mode to another, so it is not known how probable each is.")
    return wrap(" ".join(lines))


def tell_choice(fit: FitParts, brief: bool = False) -> str:
    """Say how clear the choice of the number of blocks is, where it was chosen, or that time ended the search."""
    table = fit.blocks.candidates
    if table is None or not fit.network.n_edges:
        return ""
    chosen = count_of(int(table["n_blocks"][0]), "block")
    if len(table) == 1:
        return f"  ({chosen}: there is no other number to choose)\n"
    other, nats = count_of(int(table["n_blocks"][1]), "block"), float(table["difference"][1])
    clear = ": a clear choice" if nats >= _CLEAR else ": a weak choice" if nats >= _WEAK else ": NOT a clear choice"
    known = fit.blocks.settings.get("probabilities")
    if known and known[0][0] == table["n_blocks"][0] and known[0][1] >= _MOSTLY and nats < _CLEAR:
        clear = ""  # chains with B free, which weigh all partitions, say more than the best two
    if _is_cut_short(fit):
        clear = ": the search was cut short by time" + ("" if brief else ", and others may be better")
    if brief:
        return wrap(f"({nats:.1f} nats better than {other}{clear}{_tell_probabilities(fit)})", "  ", "  ") + "\n"
    more = (_tell_changes(fit) if nats < _CLEAR else "") + _tell_probabilities(fit)
    message = f"({chosen} chosen by description length, {nats:.1f} nats better than {other}{clear}{more})"
    return wrap(message, "  ", "  ") + "\n"


def _tell_changes(fit: FitParts) -> str:
    """Say what changes at the next best number of blocks; nothing of fits that were saved before it was kept."""
    known = fit.blocks.settings.get("next_best")
    if known is None:
        return ""
    return f"; with {count_of(known[0], 'block')} {known[1]:.0%} of the vertices are in another block"


def tell_hierarchy(fit: FitParts, brief: bool = False) -> str:
    """Say that blocks in groups of groups describe the network in less, where that is sure."""
    nats = fit.nats_by_hierarchy
    if nats < _CLEAR:
        return ""
    if brief:
        return f"Blocks at every scale (--hierarchy) would be shorter by {nats:,.0f} nats or more."
    return wrap(
        f"Blocks at every scale would be shorter by {nats:,.0f} nats or more: hierarchy=True (--hierarchy) finds groups"
        " of these blocks, and smaller blocks."
    )


def _tell_probabilities(fit: FitParts) -> str:
    """Say how probable numbers of blocks are, where chains with B free were run."""
    known = fit.blocks.settings.get("probabilities")
    if not known:
        return ""
    but = "" if known[0][0] == fit.blocks.candidates["n_blocks"][0] else "but "
    (most, share), *others = known[:_NUMBERS]
    verb = "has" if most == 1 else "have"
    shown = "".join(f", {count_of(n, 'block')} {p:.0%}" for n, p in others)
    rest = ", ..." if len(known) > _NUMBERS else ""
    return f"; {but}with the number left free {count_of(most, 'block')} {verb} probability {share:.0%}{shown}{rest}"


def tell_grade(fit: FitParts, brief: bool = False) -> str:
    """Say the grade of a fit: why, whether to rely on it, what it means for columns; a command is to follow, if any.

    In place of why, ``brief`` names the stages that have not converged.
    """
    return f"{name_grade(fit, brief)} {explain_grade(fit, brief)}".rstrip()


def name_grade(fit: FitParts, brief: bool = False) -> str:
    """Say the grade of a fit alone, with ``brief`` also the stages that have not converged."""
    judged, stages = fit.converged, _open_stages(fit) if brief else ()
    which = f" ({list_of(stages)})" if stages else ""
    if judged:
        return "The chains converged."
    return (
        f"The chains are usable, not converged{which}."
        if judged.is_usable
        else f"NOT CONVERGED: {judged.grade}{which}."
    )


def explain_grade(fit: FitParts, brief: bool = False) -> str:
    """Say why, unless ``brief``, what the grade means, and that a command is to follow, if any."""
    judged, message = fit.converged, sentence(fit.converged.reason)
    if judged:
        return "" if brief else message
    columns = columns_if_open(fit)
    parts = ["" if brief and _open_stages(fit) else message, _MEANS.get(judged.grade, "")]
    parts += ["" if columns is None else sentence(str(columns)), "To go on:"]
    return " ".join(part for part in parts if part)


def _open_stages(fit: FitParts) -> tuple[str, ...]:
    """Return the stages that have not converged; none of a fit with one chain, where nothing can be compared."""
    return tuple(fit.diagnostics.open_stages) if fit.config.n_chains > 1 else ()


def columns_if_open(fit: FitParts) -> ColumnVerdict | None:
    """Return the verdict on columns where block chains have not converged: elsewhere it is not worth its time."""
    diagnostics = fit.diagnostics
    return None if diagnostics.blocks.converged else diagnostics.columns


def out_of_time(fit: FitParts) -> list[str]:
    """Return what there was too little time for, in a few words each; nothing of a fit that had enough."""
    settings, columns = fit.blocks.settings, fit.explanation.columns
    short = []
    if settings.get("search_rounds_left"):
        short.append(
            f"the search for the number of blocks: {count_of(settings['search_rounds_left'], 'round')} left out"
        )
    if settings.get("probabilities") == []:
        short.append("how probable other numbers of blocks are: left out")
    splits = () if fit.hierarchy is None else fit.hierarchy.splits
    explained = sum(node.is_explained for node in splits)
    if explained < len(splits):
        short.append(f"what explains splits: time was enough for {explained} of {len(splits)}")
    notes = (*fit.scores.notes, *(() if columns is None else columns.notes))
    return short + [note.message for note in notes if note.code == OUT_OF_TIME]


def tell_time(fit: FitParts, brief: bool = False) -> str:
    """Say what there was too little time for, if anything; ``brief``: of how many things."""
    short = out_of_time(fit)
    if not short:
        return ""
    budget = f"--max-minutes {fit.config.max_minutes:g} was too short"
    if brief:
        return f"{budget}: {count_of(len(short), 'part')} cut or left out (--verbose)."
    return wrap(f"{budget} for all. {sentence('; '.join(short))}")


def notes_of(fit: FitParts) -> list[str]:
    """Return the notes of ranking, weights and scores, each once."""
    reduced = () if fit.reduced is None else fit.reduced.weights.notes
    notes = (*fit.ranking.notes, *fit.weights.notes, *reduced, *fit.scores.notes)
    return [*dict.fromkeys(note.message for note in notes if note.code not in _NO_NEWS)]


def tell_notes(fit: FitParts) -> str:
    """List the notes of ranking, weights and scores."""
    notes = notes_of(fit)
    return "\n".join(["notes", *(wrap(message, "  - ", "    ") for message in notes)]) if notes else ""


def interval_of(fit: FitParts, block: int, name: str) -> tuple[float, float]:
    """Return the 95 % interval of one centred weight."""
    ranking = fit.ranking
    if ranking.centred_low is not None and ranking.centred_high is not None:
        index = ranking.names.index(name)
        return float(ranking.centred_low[block, index]), float(ranking.centred_high[block, index])
    low, high = fit.weights.centred_interval(fit.weights.names.index(name))[:, block]
    return float(low), float(high)
