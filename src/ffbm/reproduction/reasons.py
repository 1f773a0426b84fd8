"""Why the columns of the table differ: sentences, each held against the figures of the very run.

Each reason is known beforehand; the figures decide whether it shows in this run, and the sentence gives them.
"""

from collections.abc import Mapping
from math import inf, sqrt
from typing import Any

from ffbm.reproduction.bounds import LEAST_ESS, LENGTH
from ffbm.reproduction.paper import EXACT, PROGRAM, PUBLISHED, RUNS

Record = Mapping[str, Any]
Reason = tuple[bool, str]

_APART = 3.0  # standard errors
_LOWER = 0.004  # description length: blocks that much better are other blocks
_NOT_SEEN = "In this run the figures do not show it."


def find_reasons(datasets: Mapping[str, Record]) -> list[dict[str, Any]]:
    """Return the reasons for each data set: ``dataset``, ``reason``, ``confirmed`` and ``text``."""
    reasons = []
    for name, record in datasets.items():
        for reason, find in _REASONS.items():
            answer = find(record)
            if answer is not None:
                confirmed, text = answer
                text = text if confirmed else f"{text} {_NOT_SEEN}"
                reasons.append({"dataset": name, "reason": reason, "confirmed": confirmed, "text": text})
    return reasons


def _same_program(record: Record) -> Reason:
    """Say whose figures the published ones are: differences in standard errors of two means."""
    columns = record["columns"]
    figures = [name for name in columns[PUBLISHED] if name != LENGTH]
    worst = {}
    for column in (PROGRAM, EXACT):
        pairs = [(columns[PUBLISHED][name], columns[column][name]) for name in figures]
        worst[column] = max(_standard_errors(published, reproduced) for published, reproduced in pairs)
    of_figures = "each published loss and of the cutoff" if "cutoff" in figures else "each published loss"
    message = (
        f"run again, the program comes within {worst[PROGRAM]:.1f} standard errors of {of_figures}; the exact posterior"
        f" differs by up to {worst[EXACT]:.1f}"
    )
    lower = columns[PUBLISHED][LENGTH]["mean"] - columns[PROGRAM][LENGTH]["mean"]
    if lower > _LOWER:
        message += f" (the blocks are not quite the published ones: S is lower by {lower:.3f})"
    if worst[EXACT] < _APART:
        return worst[PROGRAM] < _APART, f"The published losses may be the program's or the posterior's: {message}."
    if worst[EXACT] < 2 * worst[PROGRAM]:
        return worst[PROGRAM] < worst[EXACT], f"The published table is nearer to the program's: {message}."
    return True, f"The published table is the program's: {message}."


def _standard_errors(one: Record, two: Record) -> float:
    """Return how far two means over runs lie apart, in standard errors of their difference."""
    if two["mean"] is None:  # a cutoff that no run has
        return inf
    n_runs = sum(run is not None for run in two["runs"])
    sd = one["sd"] if two["sd"] is None else two["sd"]  # of one run nothing is known
    return float(abs(one["mean"] - two["mean"]) / max(sqrt(one["sd"] ** 2 / RUNS + sd**2 / n_runs), 1e-12))


def _few_draws(record: Record) -> Reason:
    """Say what the draws of both chains are worth."""
    program, exact = (record["columns"][column] for column in (PROGRAM, EXACT))
    ess, median, rhat = (program[name]["mean"] for name in ("min_ess", "median_ess", "max_rhat"))
    least, most = exact["min_ess"]["min"], exact["max_rhat"]["max"]
    return ess < LEAST_ESS <= least, (
        f"The program's chain has hardly mixed: its {program['n_draws']['mean']:,.0f} kept draws are worth {ess:.1f}"
        f" independent ones for the worst weight and {median:.1f} for the median weight, and R-hat between the halves"
        f" of the chain reaches {rhat:.1f} (means over runs). The exact posterior's are worth at least {least:,.0f} in"
        f" every run, with R-hat at most {most:.3f}."
    )


def _other_law(record: Record) -> Reason:
    """Say what the program's chain tends to."""
    losses = {column: record["columns"][column]["loss_train"]["mean"] for column in (PROGRAM, EXACT)}
    limit = record["limit"]["loss_train"]["mean"]
    to_limit, to_posterior = abs(losses[PROGRAM] - limit), abs(losses[PROGRAM] - losses[EXACT])
    arrived = "and is close to it" if to_limit < 0.5 * to_posterior else "and has not arrived there either"
    return to_limit < to_posterior, (
        "Nor does it tend to the posterior: it accepts with proposal densities of variance 1 where the noise has"
        " variance 2h, and divides only the likelihood's part of the drift by n. As steps shrink its law becomes"
        " likelihood^(1+1/n) x prior^2, as if sigma were 0.71. Sampled exactly, that law has"
        f" L0 = {limit:.3f}; the program has {losses[PROGRAM]:.3f} {arrived}; the posterior has {losses[EXACT]:.3f}."
    )


def _narrow(record: Record) -> Reason:
    """Say how wide the weights are."""
    program, exact, limit = (
        part["median_sd"]["mean"] for part in (record["columns"][PROGRAM], record["columns"][EXACT], record["limit"])
    )
    return program < 0.9 * exact, (
        f"For both reasons its weights are too sure: their median standard deviation is {program:.2f}, against"
        f" {exact:.2f} of the posterior ({program / exact:.0%}) and {limit:.2f} of the law it tends to."
    )


def _cutoff(record: Record) -> Reason | None:
    """Say what the cutoffs are made of."""
    if "cutoff" not in record["columns"][PUBLISHED]:
        return None
    parts = [
        [record["columns"][c][name]["mean"] for c in (PROGRAM, EXACT)] for name in ("cutoff", "kept_size", "kept_sd")
    ]
    if None in parts[0]:
        return False, "The cutoff c* is the score |mean| - k sd number D'; it is not positive here."
    (cutoff, exact), (size, exact_size), (sd, exact_sd) = parts
    return size < exact_size and sd < exact_sd, (
        f"The cutoff c* is the score |mean| - k sd number D': {cutoff:.3f} by the program, {exact:.3f} by the"
        f" posterior. The program's kept weights are too small ({size:.2f} in size, against {exact_size:.2f}) and too"
        f" sure (sd {sd:.2f}, against {exact_sd:.2f}), and in the difference the two errors cancel in part."
    )


def _features(record: Record) -> Reason:
    """Say which features are kept, and how far the runs agree on that."""
    program, exact = (record["features"][column] for column in (PROGRAM, EXACT))
    n_runs = len(record["columns"][EXACT]["loss_train"]["runs"])
    n_kept = record["settings"]["n_kept"]
    if n_kept is None:
        led = [rule["runs_with_different_leaders"] for rule in (program, exact)]
        return led[1] == n_runs, (
            f"Each block is led by a feature of its own, as the paper says, in {led[1]} of {n_runs} runs by the"
            f" posterior, in {led[0]} by the program, whose few effective draws leave that to chance."
        )
    group = max(exact["kept_by_group"], key=exact["kept_by_group"].get)
    shares = [rule["kept_by_group"].get(group, 0) / sum(rule["kept_by_group"].values()) for rule in (program, exact)]
    always = [len(rule["always_kept"]) for rule in (program, exact)]
    never = sorted(set(exact["never_kept"]) & set(program["never_kept"]))
    never_kept = f" {', '.join(never)} are never kept by either." if never else ""
    return always[1] >= always[0] and shares[1] >= 0.5, (
        f"As the paper says, most kept features are of {group}: {shares[0]:.0%} by the program, {shares[1]:.0%} by the"
        f" posterior. Of the {n_kept} kept, {always[0]} are the same in all runs by the program, {always[1]} by the"
        f" posterior.{never_kept}"
    )


def _partition(record: Record) -> Reason:
    """Say which description length the table has."""
    published = record["columns"][PUBLISHED][LENGTH]["mean"]
    without, whole = (record["columns"][PROGRAM][name]["mean"] for name in (LENGTH, "description_length"))
    return abs(without - published) < abs(whole - published), (
        f"The published S is the description length without N ln B, although the paper defines it with: here"
        f" {without:.3f} without and {whole:.3f} with it, published {published:.3f}."
    )


def _per_draw(record: Record) -> Reason:
    """Say what averaging over draws does to a loss."""
    exact = record["columns"][EXACT]
    draw, averaged, base = (
        exact[name]["mean"] for name in ("loss_test", "predictive_loss_test", "base_rate_loss_test")
    )
    return averaged < draw, (
        "The table's losses are means over single draws. The prediction averaged over the posterior's draws, which one"
        f" would use, has a held-out loss of {averaged:.3f} in place of {draw:.3f}; base rates alone have {base:.3f}."
    )


def _block_chains(record: Record) -> Reason:
    """Say whether the block chains of the runs agree."""
    rhat, best = record["blocks"]["rhat_entropy"], record["blocks"]["best_entropy"]
    lengths = record["columns"][PROGRAM][LENGTH]
    if rhat is None:
        return True, f"The block chain visits a partition of S = {best:,.1f} nats; one run says nothing of others."
    agree = (
        f"The block chains of the runs agree (R-hat of S {rhat:.2f})"
        if rhat < 1.1
        else f"The block chains of the runs end in different modes (R-hat of S over runs {rhat:.2f}), and part of the"
        " spread over runs is theirs"
    )
    return True, (
        f"{agree}; S lies between {lengths['min']:.4f} and {lengths['max']:.4f}, and the lowest single partition has"
        f" {best:,.1f} nats. Both columns share them."
    )


_REASONS = {
    "same_program": _same_program,
    "few_draws": _few_draws,
    "other_law": _other_law,
    "narrow": _narrow,
    "cutoff": _cutoff,
    "features": _features,
    "per_draw": _per_draw,
    "partition": _partition,
    "block_chains": _block_chains,
}
