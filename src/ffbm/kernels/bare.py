"""Arrays without reference counts, for hot loops.

Numba counts references, with an atomic instruction each time, whenever an array is handed to a function or
taken out of a tuple; in a loop of nanoseconds that costs more than the work. A bare array is the same memory
without a count. It must not outlive the array it was made from: make it inside a kernel from an argument.
"""

from typing import Any

from numba.core import cgutils, types
from numba.extending import intrinsic, overload


def bare(array: Any) -> Any:
    """Return the same array; compiled, without its reference count."""
    return array


@intrinsic
def _without_count(_typing_context, array):
    def generate(context, builder, _signature, arguments):
        view = cgutils.create_struct_proxy(array)(context, builder, value=arguments[0])
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()

    return array(array), generate


@overload(bare, inline="never")
def _compiled_bare(array):
    if isinstance(array, types.Array):
        return lambda array: _without_count(array)
    return None
