"""R-hat and effective sample sizes of many quantities at once, equal to arviz-stats and quicker."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.fft
from scipy.special import ndtri

from ffbm.errors import DataError
from ffbm.kernels.convergence import effective_size, effective_size_from, split_series

Array = npt.NDArray[Any]

TAIL = 0.05  # tail ESS looks at the 5 % and the 95 % quantile
MIN_DRAWS = 4  # below, nothing can be said of a chain
_MAX_LAG = 64  # beyond this many lags one FFT is cheaper than further sums
_CHUNK = 2**18  # draws worked on at a time: a few megabytes
_BATCH = 16  # series to one FFT: their spectra stay in the cache


@dataclass(frozen=True, eq=False)
class Summary:
    """R-hat and effective sample sizes of quantities of shape (...), from C chains of T draws.

    Parameters
    ----------
    rhat, ess_bulk, ess_tail, ess_mean : (...) float64
        NaN where a draw is not finite and where there are fewer than 4 draws per chain; R-hat also for
        a single chain and for a constant.
    constant : (...) bool
        Every draw of every chain is the same finite value.
    finite : (...) bool
        Every draw is finite.
    """

    rhat: Array
    ess_bulk: Array
    ess_tail: Array
    ess_mean: Array
    constant: Array
    finite: Array
    n_chains: int
    n_draws: int

    def __repr__(self) -> str:
        return f"<Summary of {self.rhat.size:,} quantities: {self.n_chains} chains of {self.n_draws:,} draws>"


def summarise(draws: npt.ArrayLike) -> Summary:
    """Return R-hat, bulk, tail and mean ESS of each quantity of ``draws``, sharing the work.

    Parameters
    ----------
    draws : (C, T, ...) numbers or booleans
        T draws of each of C chains.

    Notes
    -----
    With z the normal scores of the pooled ranks of the 2C half chains of n draws, B and W the variance
    between and within them::

        R-hat = max over z of the draws and z of |draws - median| of sqrt((n - 1 + B/W) / n)
        ESS   = 2Cn / tau,  tau = -1 + 2 sum rho_t  over Geyer's initial monotone sequence

    Bulk ESS takes z, mean ESS the draws, tail ESS the smaller of those of [draw <= 5 % quantile] and
    [draw <= 95 % quantile] (Vehtari, Gelman, Simpson, Carpenter and Bürkner 2021). The numbers are
    those of arviz-stats, except that infinite draws count as not finite, and that R-hat is infinite
    for chains which are each constant and differ.

    Examples
    --------
    >>> draws = np.random.default_rng(1).normal(size=(4, 500, 3))
    >>> summary = summarise(draws)
    >>> summary.rhat.round(2).tolist()
    [1.0, 1.0, 1.0]
    >>> bool((summary.ess_bulk > 1500).all())
    True
    """
    x = np.asarray(draws)
    if x.ndim < 2 or x.dtype.kind not in "biuf":
        raise DataError(f"draws must be numbers of shape (chains, draws, ...); got {x.dtype} of shape {x.shape}")
    (n_chains, n_draws), shape = x.shape[:2], x.shape[2:]
    x = x.reshape(n_chains, n_draws, -1) if x.size else x.reshape(n_chains, n_draws, int(np.prod(shape)))
    n_quantities = x.shape[2]
    out = np.full((4, n_quantities), np.nan)
    constant, finite = np.zeros((2, n_quantities), dtype=bool)
    step = max(1, _CHUNK // max(1, n_chains * n_draws))
    for first in range(0, n_quantities, step):
        part = slice(first, first + step)
        rows = np.ascontiguousarray(x[:, :, part].transpose(2, 1, 0), dtype=np.float64)
        rows = rows.reshape(len(rows), -1)
        finite[part] = np.isfinite(rows).all(axis=1)
        if rows.shape[1]:
            constant[part] = finite[part] & (rows == rows[:, :1]).all(axis=1)
        if n_draws >= MIN_DRAWS and n_chains:
            good = np.flatnonzero(finite[part])
            out[:, first + good] = _measure(rows if len(good) == len(rows) else rows[good], n_chains, n_draws)
    rhat, bulk, tail, mean = (row.reshape(shape) for row in out)
    return Summary(rhat, bulk, tail, mean, constant.reshape(shape), finite.reshape(shape), n_chains, n_draws)


def rhat(draws: npt.ArrayLike) -> Array:
    """Return the rank-normalised split R-hat (...) of draws (C, T, ...); see :func:`summarise`.

    >>> apart = np.random.default_rng(1).normal(size=(2, 200)) + [[0.0], [3.0]]
    >>> bool(rhat(apart) > 1.5)
    True
    """
    return summarise(draws).rhat


def ess_bulk(draws: npt.ArrayLike) -> Array:
    """Return the bulk effective sample size (...) of draws (C, T, ...); see :func:`summarise`.

    >>> float(ess_bulk(np.ones((2, 50))))
    100.0
    """
    return summarise(draws).ess_bulk


def ess_tail(draws: npt.ArrayLike) -> Array:
    """Return the tail effective sample size (...) of draws (C, T, ...); see :func:`summarise`.

    >>> float(ess_tail(np.ones((2, 50))))
    100.0
    """
    return summarise(draws).ess_tail


def ess_mean(draws: npt.ArrayLike) -> Array:
    """Return the effective sample size for the mean (...) of draws (C, T, ...); see :func:`summarise`.

    >>> float(ess_mean(np.ones((2, 50))))
    100.0
    """
    return summarise(draws).ess_mean


def _measure(rows: Array, n_chains: int, n_draws: int) -> Array:
    """Return R-hat, bulk, tail and mean ESS (4, P) of finite draws (P, T*C), draw t of chain c at t*C + c."""
    n, n_split = n_draws // 2, 2 * n_chains
    series = np.empty((len(rows), 4, n, n_split))
    scale = np.empty(len(rows))
    probs = np.array([TAIL, 1 - TAIL])
    order = np.argsort(rows, axis=1)
    split_series(rows, order, _split_positions(n_chains, n_draws), _normal_scores(n * n_split), probs, series, scale)
    ess = effective_sizes(series.reshape(-1, n, n_split)).reshape(-1, 4)
    if n_chains == 1:
        scale[:] = np.nan
    return np.stack((scale, ess[:, 0], np.minimum(ess[:, 1], ess[:, 2]), ess[:, 3]))


def effective_sizes(series: Array) -> Array:
    """Return the effective sample size (K,) of K series of S half chains (K, n, S), which are centred on the way."""
    n_split = series.shape[2]
    ess, between = np.empty((2, len(series)))
    done = np.empty(len(series), dtype=bool)
    effective_size(series, _MAX_LAG, ess, between, done)
    slow = np.flatnonzero(~done)
    for first in range(0, len(slow), _BATCH):
        batch = slow[first : first + _BATCH]
        sizes = np.empty(len(batch))
        effective_size_from(_autocovariances(series[batch]), between[batch], n_split, sizes)
        ess[batch] = sizes
    return ess


def _autocovariances(centred: Array) -> Array:
    """Return the autocovariances (K, n) at all lags of centred series (K, n, S), averaged over S, by FFT."""
    k, n, n_split = centred.shape
    length = scipy.fft.next_fast_len(2 * n, real=True)
    spectrum = scipy.fft.rfft(centred, n=length, axis=1).view(np.float64).reshape(k, -1, 2 * n_split)
    power = np.einsum("kfs,kfs->kf", spectrum, spectrum)
    gamma: Array = scipy.fft.irfft(power, n=length)[:, :n] / (n * n_split)
    return gamma


@lru_cache(maxsize=16)
def _split_positions(n_chains: int, n_draws: int) -> Array:
    """Return the position among the split chains of draw t of chain c, numbered t*C + c; -1 for the middle draw."""
    half, n_split = n_draws // 2, 2 * n_chains
    t, c = np.divmod(np.arange(n_draws * n_chains), n_chains)
    late = t >= n_draws - half
    position = np.where(late, (t - (n_draws - half)) * n_split + n_chains + c, t * n_split + c)
    position[(t >= half) & ~late] = -1
    return position


@lru_cache(maxsize=16)
def _normal_scores(size: int) -> Array:
    """Return Blom's normal score of each average rank r of ``size`` values, at index 2r: r may be a half number."""
    rank = np.arange(2 * size + 1) / 2
    score: Array = ndtri((rank - 3 / 8) / (size + 1 / 4))
    return score
