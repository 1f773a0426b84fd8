"""The target of the weights, p(theta | X, y), written to be read; the kernels are held to it."""

import numpy as np
import numpy.typing as npt
from scipy.special import log_softmax

from ffbm.types.network import Array


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
