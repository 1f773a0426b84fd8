"""Averages over neighbours: repeated, they leave what changes slowest along the edges of a network."""

from numba import njit

from ffbm.kernels.bare import bare
from ffbm.kernels.compilation import ENTRY


@njit(**ENTRY)
def average_neighbours(indptr, indices, x, y):
    """Put the mean of x (N, K) over the neighbours of each vertex into y (N, K); of none it is 0."""
    indptr, indices, x, y = bare(indptr), bare(indices), bare(x), bare(y)
    n_columns = x.shape[1]
    for i in range(x.shape[0]):
        for k in range(n_columns):
            y[i, k] = 0
        for at in range(indptr[i], indptr[i + 1]):
            j = indices[at]
            for k in range(n_columns):
                y[i, k] += x[j, k]
        n_neighbours = max(indptr[i + 1] - indptr[i], 1)
        for k in range(n_columns):
            y[i, k] /= n_neighbours
