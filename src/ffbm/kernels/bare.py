"""Arrays without reference counts, for hot loops.

Numba counts references, with an atomic instruction each time, whenever an array is handed to a function or
taken out of a tuple; in a loop of nanoseconds that costs more than the work. A bare array is the same memory
without a count. It must not outlive the array it was made from: make it inside a kernel from an argument.
"""

from typing import Any

from numba.core import cgutils
from numba.core.types import Array, BaseTuple  # type: ignore[attr-defined]
from numba.extending import intrinsic, overload


def bare(value: Any) -> Any:
    """Return the same array, or tuple of arrays and tuples; compiled, without reference counts."""
    return value


@intrinsic
def _without_counts(_typing_context, value):
    def generate(context, builder, _signature, arguments):
        return _strip(context, builder, value, arguments[0])

    return value(value), generate


def _strip(context, builder, kind, value):
    if isinstance(kind, Array):
        view = cgutils.create_struct_proxy(kind)(context, builder, value=value)
        view.meminfo = cgutils.get_null_value(view.meminfo.type)
        view.parent = cgutils.get_null_value(view.parent.type)
        return view._getvalue()
    if isinstance(kind, BaseTuple):
        parts = cgutils.unpack_tuple(builder, value, len(kind))
        return context.make_tuple(
            builder, kind, [_strip(context, builder, part, held) for part, held in zip(kind, parts, strict=True)]
        )
    return value


@overload(bare, inline="never")
def _compiled_bare(value):
    if isinstance(value, Array | BaseTuple):
        return lambda value: _without_counts(value)
    return None
