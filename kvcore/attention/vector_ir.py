"""Building blocks of the vector micro-kernels: addresses, loads, sums and loops as LLVM IR."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic

cgutils: Any = _cgutils  # has no types

LANES = 16
F32, I16, I32, I64 = ir.FloatType(), ir.IntType(16), ir.IntType(32), ir.IntType(64)
FAST = ("fast",)


def const(value: int) -> ir.Constant:
    return ir.Constant(I64, value)


def pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def at(builder: Any, base: Any, index: Any, size: int) -> Any:
    """base + index * size, in bytes."""
    return builder.add(base, builder.mul(index, const(size)))


def load(builder: Any, address: Any, bits: int, lanes: int = LANES) -> Any:
    """Vector of float32 from float32 (bits 32) or bfloat16 (bits 16)."""
    wide = ir.VectorType(F32, lanes)
    if bits == 32:
        return builder.load(pointer(builder, address, wide), align=4)
    narrow = builder.load(pointer(builder, address, ir.VectorType(I16, lanes)), align=2)
    words = ir.VectorType(I32, lanes)
    shifted = builder.shl(builder.zext(narrow, words), ir.Constant(words, [16] * lanes))
    return builder.bitcast(shifted, wide)


def store(builder: Any, value: Any, address: Any) -> None:
    builder.store(value, pointer(builder, address, value.type), align=4)


def splat(builder: Any, value: Any, lanes: int = LANES) -> Any:
    kind = ir.VectorType(value.type, lanes)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(I32, 0))
    order = ir.Constant(ir.VectorType(I32, lanes), [0] * lanes)
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), order)


def multiply_add(builder: Any, a: Any, b: Any, accumulator: Any) -> None:
    product = builder.fmul(a, b, flags=FAST)
    builder.store(builder.fadd(builder.load(accumulator), product, flags=FAST), accumulator)


def accumulators(builder: Any, count: int, lanes: int = LANES) -> list[Any]:
    kind = ir.VectorType(F32, lanes)
    slots = [cgutils.alloca_once(builder, kind) for _ in range(count)]
    for slot in slots:
        builder.store(ir.Constant(kind, [0.0] * lanes), slot)
    return slots


def reduce(builder: Any, operation: str, vector: Any, start: Any = None) -> Any:
    name = f"llvm.vector.reduce.{operation}.v{vector.type.count}f32"
    arguments = [vector] if start is None else [start, vector]
    kind = ir.FunctionType(F32, [argument.type for argument in arguments])
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, arguments, fastmath=FAST)


def kernel(arguments: int, emit: Callable[..., Any], returns: Any = types.void) -> Any:
    """An intrinsic over ``arguments`` int64, whose body ``emit(builder, *values)`` writes."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        result = emit(builder, *values)
        return context.get_dummy_value() if result is None else result

    signature = returns(*[types.int64] * arguments), codegen
    # numba reads the number of arguments from the function's own signature
    typed: dict[int, Callable[..., Any]] = {
        1: lambda context, a: signature,
        2: lambda context, a, b: signature,
        5: lambda context, a, b, c, d, e: signature,
        6: lambda context, a, b, c, d, e, f: signature,
    }
    return intrinsic(typed[arguments])


def prefetch(builder: Any, address: Any) -> None:
    """Ask for the cache line of an address, to be read soon and kept."""
    byte = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [byte, I32, I32, I32])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    hints = [ir.Constant(I32, hint) for hint in (0, 3, 1)]
    builder.call(function, [builder.inttoptr(address, byte), *hints])


def emit_prefetch(builder: Any, address: Any, size: Any) -> None:
    with cgutils.for_range_slice(builder, const(0), size, const(64), I64) as (i, _):
        prefetch(builder, builder.add(address, i))
