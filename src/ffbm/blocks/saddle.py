"""ln q(m, n) for many parts, by the saddle point of the generating function.

q(m, n) is the coefficient of x^m in prod_{k<=n} 1/(1-x^k). With x = exp(-s) and
K(s) = -sum_k ln(1 - exp(-ks)), the saddle s solves K'(s) = -m, and

    ln q = m s + K(s) - 1/2 ln(2 pi K''(s)) + ln(1 + first + second order)

The sums over k become closed forms: K(s) = sum_k phi(ks) - ln n! - n ln s, where
phi(x) = -ln((1-exp(-x))/x) is smooth at 0, by Euler and Maclaurin's formula. n may be real.
"""

from math import factorial

import numpy as np
from numpy.polynomial import Polynomial
from scipy.special import bernoulli, gammaln, spence

from ffbm.types import Array

_NEAR = 1.5  # below, power series; above, closed forms (each loses digits on the other side)


def log_partitions_saddle(m: Array, n: Array) -> Array:
    """Return ln q(m, n) for m > 2000 and n > 30, to about 1e-7.

    >>> float(np.exp(log_partitions_saddle(np.array([3000.0]), np.array([3000.0])))[0])
    4.960...e+56
    """
    s = np.minimum(np.pi / np.sqrt(6 * m), n / m)
    for _ in range(60):
        slope, curvature = cumulants(s, n, 2)
        step = (slope + m) / -curvature
        s = np.maximum(s + step, s / 2)
        if np.all(np.abs(step) < 1e-14 * s):
            break
    _, k2, k3, k4, k5, k6 = cumulants(s, n, 6)
    l3, l4, l5, l6 = k3 / k2**1.5, k4 / k2**2, k5 / k2**2.5, k6 / k2**3  # standardised cumulants
    first = l4 / 8 - 5 * l3**2 / 24
    second = -l6 / 48 + 35 * l4**2 / 384 + 7 * l3 * l5 / 48 - 35 * l3**2 * l4 / 64 + 385 * l3**4 / 1152
    value = m * s + log_product(s, n) - 0.5 * np.log(2 * np.pi * k2)
    return np.asarray(value + np.log1p(first + second))


def log_product(s: Array, n: Array) -> Array:
    """Return K(s) = -sum_{k<=n} ln(1 - exp(-ks))."""
    x = n * s
    phi, mean = _phi(x, 1), _mean_phi(x, 0)
    smooth = n * mean[0] + phi[0] / 2 + s * (phi[1] - 0.5) / 12
    return np.asarray(smooth - gammaln(n + 1) - n * np.log(s))


def cumulants(s: Array, n: Array, order: int) -> list[Array]:
    """Return the derivatives K'(s), K''(s), ... up to ``order``."""
    x = n * s
    phi, mean = _phi(x, order + 1), _mean_phi(x, order)
    derivatives = []
    for j in range(1, order + 1):
        end_correction = (x * phi[j + 1] + j * phi[j] - (0.5 if j == 1 else 0.0)) / (12 * n)
        logs = n * (-1) ** j * factorial(j - 1) / x**j
        derivatives.append(n**j * (n * mean[j] + phi[j] / 2 + end_correction + logs))
    return derivatives


def _phi(x: Array, order: int) -> list[Array]:
    """Return phi(x) and its derivatives."""
    near, series = x < _NEAR, _series()
    far = np.where(near, _NEAR, x)
    w, chain = 1 / np.expm1(far), Polynomial([0, 1])
    out = [np.where(near, series(x), np.log(far) - np.log(-np.expm1(-far)))]
    for j in range(1, order + 1):
        closed = (-1) ** (j - 1) * factorial(j - 1) / far**j - chain(w)
        out.append(np.where(near, series.deriv(j)(x), closed))
        chain = Polynomial([0, -1, -1]) * chain.deriv()  # the next derivative of w, since w' = -(w + w^2)
    return out


def _mean_phi(x: Array, order: int) -> list[Array]:
    """Return (1/x) int_0^x phi and its derivatives."""
    near = x < _NEAR
    coefficients = np.asarray(_series().coef, dtype=float)
    series = Polynomial(coefficients / np.arange(1, len(coefficients) + 1))
    far = np.where(near, _NEAR, x)
    integral = np.pi**2 / 6 - spence(-np.expm1(-far)) + far * np.log(far) - far
    phi, closed = _phi(far, max(order - 1, 0)), integral / far
    out = [np.where(near, series(x), closed)]
    for j in range(1, order + 1):
        closed = (phi[j - 1] - j * closed) / far
        out.append(np.where(near, series.deriv(j)(x), closed))
    return out


def _series() -> Polynomial:
    """Return the power series of phi: x/2 - sum_i B_2i x^2i / (2i (2i)!)."""
    b = bernoulli(40)
    coefficients = np.zeros(41)
    coefficients[1] = 0.5
    for i in range(2, 41, 2):
        coefficients[i] = -b[i] / (i * factorial(i))
    return Polynomial(coefficients)
