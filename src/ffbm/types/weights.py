"""Draws of the weights, with the statistics of their chains."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from ffbm.plain import count_of
from ffbm.types.graph import Array
from ffbm.types.imputed import Imputed
from ffbm.types.network import Note
from ffbm.types.selection import SelectionTrace

INTERCEPT = "(intercept)"  # the name of the feature that is 1 everywhere
Sigma = float | Sequence[float] | Array | Mapping[str, float]  # prior sd: of all weights, by feature, or by column


@dataclass(frozen=True, eq=False)
class WeightTrace:
    """Draws from p(theta | X, y), C chains of T draws, B blocks and D features.

    Parameters
    ----------
    weights : (C, T / thin, B, D) float64
        W as the paper defines it. With ``thin`` > 1 only every thin-th draw is here: ``weights[:, t]`` is draw
        number (t + 1) * thin - 1.
    energy : (C, T) float64
        U(W) of every draw: the negative log posterior up to a constant, in nats.
    acceptance_rate, step_size : (C, T) float64
        Of every draw; with ``sampler="mala"`` the mean over the steps of a draw, and its last step size.
    n_steps : (C, T) int32
        Gradients taken for every draw.
    diverging : (C, T) bool
        Trajectories whose energy was wrong by more than 1,000 nats.
    chain_mean, chain_sd : (C, B, D) float64
        Over all T draws of each chain, stored or not; sd with ddof 0.
    names, columns : tuple of D
        The features, and the column of the user's table each comes from; an intercept is the last.
    support : (D,) int64
        On how many vertices each feature is not zero.
    rows : (n,) int64
        The training vertices.
    thin : int
        1 unless the draws would have taken more memory than is allowed: then ``notes`` says so.
    settings : dict
        What was chosen: sampler, sigma, seed and the rest.
    selected : SelectionTrace, optional
        Under the learned prior: draws under the selection of columns. ``weights`` are those of the full model, with all
        columns included.
    imputed : Imputed, optional
        With ``impute``: the law of each cell that had no answer.
    """

    weights: Array
    energy: Array
    acceptance_rate: Array
    step_size: Array
    n_steps: Array
    diverging: Array
    chain_mean: Array
    chain_sd: Array
    names: tuple[str, ...]
    columns: tuple[str, ...]
    support: Array
    rows: Array
    thin: int
    settings: dict[str, Any]
    notes: tuple[Note, ...] = ()
    selected: SelectionTrace | None = None
    imputed: Imputed | None = None
    diagnose: Callable[["WeightTrace"], Any] | None = field(default=None, repr=False)

    @property
    def n_chains(self) -> int:
        """C."""
        return int(self.energy.shape[0])

    @property
    def n_draws(self) -> int:
        """T, the draws of each chain, stored or not."""
        return int(self.energy.shape[1])

    @property
    def n_blocks(self) -> int:
        """B."""
        return int(self.weights.shape[2])

    @property
    def n_features(self) -> int:
        """D, an intercept counted."""
        return int(self.weights.shape[3])

    @property
    def sampler(self) -> str:
        """The sampler's name."""
        return str(self.settings["sampler"])

    @property
    def sigma(self) -> float | Array:
        """The prior standard deviation of a weight: one number, or one for each feature (D,)."""
        sigma = self.settings["sigma"]
        return np.array(sigma, dtype=np.float64) if isinstance(sigma, list) else float(sigma)

    @property
    def weight_prior(self) -> str:
        """The prior: ``fixed`` or ``learned``."""
        return str(self.settings.get("weight_prior", "fixed"))

    @property
    def inclusion(self) -> Array | None:
        """Which columns each draw of ``selected`` includes (C, T, G); None under the fixed prior."""
        return None if self.selected is None else self.selected.inclusion

    @property
    def scales(self) -> Array | None:
        """The scales of the columns in each draw of ``selected`` (C, T, G); None under the fixed prior."""
        return None if self.selected is None else self.selected.scales

    @property
    def column_names(self) -> tuple[str, ...]:
        """The G columns, each once, in their order; groups of columns under the name of the group."""
        if self.selected is not None:
            return self.selected.column_names
        return tuple(dict.fromkeys(column for column in self.columns if column != INTERCEPT))

    @property
    def seed(self) -> int:
        """The seed of the chains."""
        return int(self.settings["seed"])

    @cached_property
    def mean(self) -> Array:
        """The posterior mean of each weight (B, D), over all draws of all chains."""
        return np.asarray(self.chain_mean.mean(axis=0))

    @cached_property
    def sd(self) -> Array:
        """The posterior standard deviation of each weight (B, D), ddof 0, over all draws of all chains."""
        within = (self.chain_sd**2).mean(axis=0)
        return np.asarray(np.sqrt(within + self.chain_mean.var(axis=0)))

    @property
    def centred(self) -> Array:
        """The stored weights less their mean over blocks, (C, T / thin, B, D): what the data can tell.

        The softmax does not see the mean; its law is the prior's, N(0, sigma^2 / B), whatever the data.
        """
        return np.asarray(self.weights - self.weights.mean(axis=2, keepdims=True))

    def centred_interval(self, feature: int, share: float = 0.95) -> Array:
        """Return the ends of the interval that holds this share of the centred weights of a feature, (2, B)."""
        draws = self.weights[..., feature]  # one feature at a time: draws may be many, and on disk
        draws = (draws - draws.mean(axis=2, keepdims=True)).reshape(-1, self.n_blocks)
        return np.asarray(np.quantile(draws, ((1 - share) / 2, (1 + share) / 2), axis=0))

    def stored(self, statistic: Array) -> Array:
        """Return the values of a (C, T) statistic at the draws whose weights are stored."""
        return statistic[:, self.thin - 1 :: self.thin]

    @cached_property
    def diagnostics(self) -> Any:
        """R-hat and ESS of every weight and of the energy, divergences and a verdict; computed when first asked for."""
        return None if self.diagnose is None else self.diagnose(self)

    @property
    def converged(self) -> Any:
        """The verdict on the chains: a truth value with a ``grade`` and a ``reason``."""
        return None if self.diagnostics is None else self.diagnostics.converged

    def __repr__(self) -> str:
        thinned = f" (1 in {self.thin} stored)" if self.thin > 1 else ""
        chains = f"{count_of(self.n_chains, 'chain')} x {count_of(self.n_draws, 'draw')}{thinned}"
        return (
            f"<WeightTrace ({self.sampler}): {chains},"
            f" {count_of(self.n_blocks, 'block')} x {count_of(self.n_features, 'feature')},"
            f" acceptance {self.acceptance_rate.mean():.2f}, {count_of(int(self.diverging.sum()), 'divergence')}>"
        )
