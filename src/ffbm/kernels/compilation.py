"""How kernels are compiled: as entry points that Python calls, or as inner functions that only kernels call.

An inner function cannot be called from Python, which saves a third of a second of compiling each. A large one with
one call becomes part of its caller before either is compiled: compiled apart, LLVM optimises it twice. A literal
argument (``True``, ``2``) compiles a variant of its own, with all that it calls: where two values share one, pass a
variable or ``np.int64(2)``. Copies go element by element: numba compiles its text handling, seconds of it, for the
error message of a slice assignment.
"""

from numba import njit

ENTRY = {"cache": True, "nogil": True, "error_model": "numpy", "no_cfunc_wrapper": True}
INNER = {**ENTRY, "no_cpython_wrapper": True}
INLINE = {**INNER, "forceinline": True}
ONCE = {**INNER, "inline": "always"}  # for a large function that each of its few callers calls once


@njit(**INLINE)
def copy(source, target):
    """Copy a one-dimensional array into another of its length."""
    for i in range(source.size):
        target[i] = source[i]


@njit(**INLINE)
def copy_table(source, target):
    """Copy a two-dimensional array into another of its shape."""
    for i in range(source.shape[0]):
        for j in range(source.shape[1]):
            target[i, j] = source[i, j]
