"""The target of the weights, p(theta | X, y), written to be read; the kernels are held to it."""

import numpy as np
import numpy.typing as npt
from scipy.special import betaln, gammaln, log_softmax

from ffbm.theta.prior import INTERCEPT_SD
from ffbm.types.graph import Array


def energy(w: Array, x: Array, y: Array, sigma: npt.ArrayLike = 1.0) -> float:
    """Return U(W), the negative log posterior of the weights up to a constant (the paper's U)::

        U(W) = - sum_i sum_k y_ik ln softmax_k(W x_i) + sum_d |w_d|^2 / (2 sigma_d^2)

    Parameters
    ----------
    w : (B, D) float64
        Weights.
    x : (N, D) float64
        Features of the training vertices.
    y : (N, B) float64
        Memberships, rows sum to 1.
    sigma : float or (D,) float64
        Prior standard deviation, of all weights or feature by feature.

    Examples
    --------
    >>> x, y = np.ones((1, 1)), np.array([[1.0, 0.0]])
    >>> round(energy(np.zeros((2, 1)), x, y), 6)  # ln 2
    0.693147
    """
    scaled = w / np.asarray(sigma)
    return float(-np.sum(y * log_softmax(x @ w.T, axis=1)) + 0.5 * np.sum(scaled**2))


def selection_energy(
    w: Array, inside: Array, x: Array, y: Array, column: Array, intercept_sd: float = INTERCEPT_SD
) -> float:
    """Return minus the log of the joint density of inclusion and contrasts, scales and omega integrated out::

        -ln P(y | W, X) + |a|^2 / (2 intercept_sd^2) - sum_{g inside} ln t_3(V_g) - ln P(inclusion)

    with P(inclusion) = B(1 + n, 2G - n) / B(1, G) for n of G columns inside, up to a constant.

    Parameters
    ----------
    w : (B, D) float64
        Contrasts: weights whose mean over blocks is 0, and which are 0 where a column is out.
    inside : (G,) bool
        Which columns are included.
    x, y : (N, D) and (N, B) float64
        Features and memberships of the training vertices.
    column : (D,) int64
        The column of each feature, -1 for an intercept. Features that nobody has are left out of the density.

    Examples
    --------
    >>> x, y = np.ones((1, 1)), np.array([[1.0, 0.0]])
    >>> round(selection_energy(np.zeros((2, 1)), np.array([False]), x, y, np.array([0])), 6)  # ln 2 + ln 2
    1.386294
    """
    result = -float(np.sum(y * log_softmax(x @ w.T, axis=1)))
    result += float(np.sum(w[:, column == -1] ** 2)) / (2 * intercept_sd**2)
    seen = (x != 0).any(axis=0)
    for g in np.flatnonzero(inside):
        v = w[:, (column == g) & seen]
        k = (w.shape[0] - 1) * v.shape[1]
        result += (3 + k) / 2 * float(np.log(1 + np.sum(v**2) / 3))
        result -= float(gammaln((3 + k) / 2) - gammaln(3 / 2)) - k / 2 * float(np.log(3 * np.pi))
    n_columns, n_inside = len(inside), int(np.sum(inside))
    return result - float(betaln(1 + n_inside, 2 * n_columns - n_inside) - betaln(1, n_columns))


def gradient(w: Array, x: Array, y: Array, sigma: npt.ArrayLike = 1.0) -> Array:
    """Return the gradient of U at W, (B, D)::

        dU/dw_k = sum_i (softmax_k(W x_i) - y_ik) x_i + w_k / sigma^2

    Examples
    --------
    >>> gradient(np.zeros((2, 1)), np.ones((1, 1)), np.array([[1.0, 0.0]])).ravel().tolist()
    [-0.5, 0.5]
    """
    a = np.exp(log_softmax(x @ w.T, axis=1))
    return np.asarray((a - y).T @ x + w / np.asarray(sigma) ** 2)
