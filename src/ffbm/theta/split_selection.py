"""The chain that selects columns at all splits of a tree, as a stepper: one omega for every column at every split.

Given omega the splits are independent regressions; given which columns are inside, K of the C G trials, omega is
Beta(1 + K, G + C G - K): see docs/model.md.
"""

from collections.abc import Sequence
from math import log, log1p
from typing import NamedTuple

import numpy as np
from scipy.special import betaln

from ffbm.theta.selection import (
    MOVES,
    SelectionRecord,
    SelectionSetup,
    SelectionState,
    Sweeper,
    start_selection,
)
from ffbm.types.graph import Array


class SplitsState(NamedTuple):
    """A chain at rest: all that steps change."""

    omega: Array  # (1,)
    splits: list[SelectionState]  # the columns and weights of each; every one has its own stream
    done: Array  # (1,) int64: sweeps made, warm-up included
    thin: Array  # (1,) int64
    rng: np.random.Generator  # of omega


class SplitsRecord(NamedTuple):
    """What a stretch of a chain leaves behind: the fields of ``SelectionRecord`` for each of C splits."""

    omega: Array  # (T,)
    weights: Array  # (T // thin, M): contrasts (B, D), split after split
    inclusion: Array  # (T, C, G) bool
    chance: Array  # (T, C, G)
    scales: Array  # (T, C, G)
    energy: Array  # (T, C): minus the log of the joint density of inclusion and contrasts given omega
    acceptance: Array  # (T, C)
    accepted: Array  # (T, C, 5) int32


def draw_omega(rng: np.random.Generator, inside: Sequence[Array]) -> float:
    """Draw omega given which of the G columns are inside (G,) at each of C splits.

    >>> draws = [draw_omega(np.random.default_rng(i), [np.array([True, False])] * 3) for i in range(2000)]
    >>> round(float(np.mean(draws)), 1)  # Beta(1 + 3, 2 + 6 - 3)
    0.4
    """
    n_inside, n_columns = sum(int(own.sum()) for own in inside), len(inside[0])
    return float(rng.beta(1 + n_inside, n_columns * (1 + len(inside)) - n_inside))


def log_odds(omega: float) -> float:
    """Return ln(omega / (1 - omega))."""
    return log(omega) - log1p(-omega)


def start_splits(
    setups: Sequence[SelectionSetup], rngs: Sequence[np.random.Generator], full: bool, thin: int = 1
) -> SplitsState:
    """Set up a chain with no column inside, or with all; ``rngs`` are the streams of omega and of each split."""
    own, *of_splits = rngs
    splits = [start_selection(setup, rng, full) for setup, rng in zip(setups, of_splits, strict=True)]
    n_columns = len(splits[0].inside)
    return SplitsState(np.array([1 / (1 + n_columns)]), splits, np.zeros(1, np.int64), np.array([thin]), own)


def advance_splits(setups: Sequence[SelectionSetup], state: SplitsState, n: int) -> tuple[SplitsState, SplitsRecord]:
    """Make ``n`` sweeps over the columns of all splits; return the state, changed in place, and the draws kept.

    Before each of them omega is drawn. Sweeps of the warm-up adapt and are not kept: see ``advance_selection``.
    Advancing by a and then by b is, bit for bit, advancing by a + b.
    """
    done, thin, n_warmup = int(state.done[0]), int(state.thin[0]), setups[0].n_warmup
    before, after = max(done - n_warmup, 0), max(done + n - n_warmup, 0)
    n_draws, trials = after - before, (after - before, len(setups), len(state.splits[0].inside))
    sizes = [one.weights.shape[1] * len(setup.target.scale) for setup, one in zip(setups, state.splits, strict=True)]
    record = SplitsRecord(
        omega=np.zeros(n_draws),
        weights=np.zeros((after // thin - before // thin, sum(sizes))),
        inclusion=np.zeros(trials, np.bool_),
        chance=np.zeros(trials),
        scales=np.zeros(trials),
        energy=np.zeros(trials[:2]),
        acceptance=np.zeros(trials[:2]),
        accepted=np.zeros((*trials[:2], len(MOVES)), np.int32),
    )
    odds = np.zeros(1)
    sweepers = [Sweeper(setup._replace(columns=setup.columns._replace(odds=odds))) for setup in setups]
    for sweep in range(done, done + n):
        warm = sweep < n_warmup
        state.omega[0] = draw_omega(state.rng, [one.inside for one in state.splits])
        odds[0] = log_odds(state.omega[0])
        row, drawn = sweep - max(done, n_warmup), sweep - n_warmup + 1
        for c, (sweeper, one) in enumerate(zip(sweepers, state.splits, strict=True)):
            accepted = sweeper.sweep(one, warm)
            if warm:
                continue
            record.energy[row, c] = sweeper.energy(one) + _prior_of_its_own(one.inside, odds[0])
            record.scales[row, c] = sweeper.draw_scales(one, one.rng)
            record.acceptance[row, c], record.accepted[row, c] = sweeper.acceptance, accepted
            record.inclusion[row, c], record.chance[row, c] = one.inside, one.chance
        if warm:
            continue
        record.omega[row] = state.omega[0]
        if drawn % thin == 0:
            record.weights[drawn // thin - before // thin - 1] = np.concatenate(
                [_all_weights(setup, one) for setup, one in zip(setups, state.splits, strict=True)]
            )
    state.done[0] += n
    return state, record


def _prior_of_its_own(inside: Array, odds: float) -> float:
    """Return ln P(inclusion) with an omega of its own integrated out, less ln P(inclusion | omega)."""
    k, n_columns = int(inside.sum()), len(inside)
    return float(betaln(1 + k, 2 * n_columns - k) - betaln(1, n_columns) - k * odds + n_columns * np.logaddexp(0, odds))


def _all_weights(setup: SelectionSetup, state: SelectionState) -> Array:
    """Return the contrasts (B, D) of a split as a row: 0 for features that none of its vertices has."""
    weights = np.zeros((state.weights.shape[1], len(setup.target.scale)))
    weights[:, setup.target.training.rows.active] = state.weights.T
    return weights.ravel()


def records_of_splits(setups: Sequence[SelectionSetup], drawn: SplitsRecord) -> list[SelectionRecord]:
    """Return the draws of C chains (C, T, ...), or of one (T, ...), as those of each split."""
    records, first = [], 0
    of_chains = drawn.energy.ndim - 1  # axes before that of the splits
    fields = drawn._asdict()
    for c, setup in enumerate(setups):
        shape = setup.full.shape[1], len(setup.target.scale)
        own = drawn.weights[..., first : first + shape[0] * shape[1]]
        first += shape[0] * shape[1]
        parts = {
            name: np.take(fields[name], c, axis=of_chains) for name in SelectionRecord._fields if name != "weights"
        }
        records.append(SelectionRecord(weights=own.reshape(*own.shape[:-1], *shape), **parts))
    return records
