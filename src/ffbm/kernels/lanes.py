"""Four numbers at a time: vector registers by name, for sums and products that LLVM leaves one by one.

It must not reorder a sum of floating-point numbers, nor fuse a product with one, unless it may do as it likes
everywhere (fastmath). Here the order is written down: ``load`` takes four neighbours out of a table, arithmetic works
on each of them alone, and ``store`` puts them back. What is left over, fewer than four, goes the usual way.
"""

import operator
from typing import Any

import numpy as np
from llvmlite import ir  # type: ignore[import-untyped]
from numba.core import cgutils, types
from numba.core.typing.templates import AbstractTemplate, infer_global, signature
from numba.extending import lower_builtin, models, register_model

LANES = 4

_FLOATS = ir.VectorType(ir.DoubleType(), LANES)
_WORDS = ir.VectorType(ir.IntType(64), LANES)


def load(table: Any, at: int) -> Any:
    """Return four entries of a contiguous table, from entry ``at`` on, counted through its rows."""
    return table.reshape(-1)[at : at + LANES].copy()


def store(table: Any, at: int, lanes: Any) -> None:
    """Put four numbers into a contiguous table, from entry ``at`` on."""
    table.reshape(-1)[at : at + LANES] = lanes


def broadcast(x: float) -> Any:
    """Return four times the same number."""
    return np.full(LANES, x)


def total(lanes: Any) -> Any:
    """Return the sum of the four."""
    return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3])


def fused(a: Any, b: Any, c: Any) -> Any:
    """Return a b + c, rounded once where the processor has an instruction for it."""
    return a * b + c


def power_of_two(lanes: Any) -> Any:
    """Return 2^k for lanes that hold 1.5 * 2^52 + k, -1023 < k < 1024: k stands in the last bits of such a sum."""
    return ((lanes.view(np.int64) + 1023) << 52).view(np.float64)


class _Lanes(types.Type):
    def __init__(self) -> None:
        super().__init__(name="Lanes")


_lanes = _Lanes()


@register_model(_Lanes)
class _Register(models.PrimitiveModel):  # type: ignore[misc]
    def __init__(self, manager, kind):
        super().__init__(manager, kind, _FLOATS)


def _compiled(function, result, *kinds):
    """Tell the compiler what a function returns; the function decorated with this writes its instructions."""

    @infer_global(function)
    class _Typed(AbstractTemplate):  # type: ignore[misc]
        key = function

        def generic(self, given, _named):
            fits = len(given) == len(kinds) and all(map(isinstance, given, kinds))
            tables = [kind for kind in given if isinstance(kind, types.Array)]
            fits = fits and all(kind.layout == "C" and kind.dtype == types.float64 for kind in tables)
            return signature(result, *given) if fits else None

    return lower_builtin(function, *kinds)


def _place(context, builder, kinds, arguments):
    view = cgutils.create_struct_proxy(kinds[0])(context, builder, value=arguments[0])
    at = context.cast(builder, arguments[1], kinds[1], types.intp)
    return builder.bitcast(builder.gep(view.data, [at]), _FLOATS.as_pointer())


@_compiled(load, _lanes, types.Array, types.Integer)
def _load(context, builder, signature, arguments):
    return builder.load(_place(context, builder, signature.args, arguments), align=8)


@_compiled(store, types.void, types.Array, types.Integer, _Lanes)
def _store(context, builder, signature, arguments):
    builder.store(arguments[2], _place(context, builder, signature.args, arguments), align=8)
    return context.get_dummy_value()


def _broadcast(builder, x):
    empty = ir.Constant(_FLOATS, ir.Undefined)
    first = builder.insert_element(empty, x, ir.IntType(32)(0))
    return builder.shuffle_vector(first, empty, ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES))


@_compiled(broadcast, _lanes, types.Float)
def _broadcast_number(_context, builder, _signature, arguments):
    return _broadcast(builder, arguments[0])


@_compiled(total, types.float64, _Lanes)
def _total(_context, builder, _signature, arguments):
    a, b, c, d = (builder.extract_element(arguments[0], ir.IntType(32)(i)) for i in range(LANES))
    return builder.fadd(builder.fadd(a, b), builder.fadd(c, d))


@_compiled(fused, _lanes, _Lanes, _Lanes, _Lanes)
def _fused(_context, builder, _signature, arguments):
    kind = ir.FunctionType(_FLOATS, [_FLOATS] * 3)
    return builder.call(cgutils.get_or_insert_function(builder.module, kind, f"llvm.fmuladd.v{LANES}f64"), arguments)


@_compiled(power_of_two, _lanes, _Lanes)
def _power_of_two(_context, builder, _signature, arguments):
    words = builder.bitcast(arguments[0], _WORDS)
    words = builder.add(words, ir.Constant(_WORDS, [1023] * LANES))
    return builder.bitcast(builder.shl(words, ir.Constant(_WORDS, [52] * LANES)), _FLOATS)


def _arithmetic(function, instruction):
    """Let an operator work on lanes, and on lanes and a number."""
    for kinds in ((_Lanes, _Lanes), (_Lanes, types.Float), (types.Float, _Lanes)):

        @_compiled(function, _lanes, *kinds)
        def _lanewise(_context, builder, signature, arguments):
            wide = [
                x if isinstance(kind, _Lanes) else _broadcast(builder, x)
                for x, kind in zip(arguments, signature.args, strict=True)
            ]
            return getattr(builder, instruction)(*wide)


_arithmetic(operator.add, "fadd")
_arithmetic(operator.sub, "fsub")
_arithmetic(operator.mul, "fmul")
