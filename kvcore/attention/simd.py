"""Vector micro-kernels for numba, written as LLVM IR so that they run on any CPU.

LLVM lowers the sixteen-lane vectors to what the CPU has. bfloat16 is widened by a shift, exactly;
sums are kept in float32. All arguments are addresses (int64) and counts; no bounds are checked.
Elements per row and lanes are multiples of what each kernel says.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir  # type: ignore[import-untyped]
from numba import types
from numba.core import cgutils as _cgutils
from numba.extending import intrinsic

cgutils: Any = _cgutils  # has no types

LANES = 16
_F32, _I16, _I32, _I64 = ir.FloatType(), ir.IntType(16), ir.IntType(32), ir.IntType(64)
_FAST = ("fast",)


def _const(value: int) -> ir.Constant:
    return ir.Constant(_I64, value)


def _pointer(builder: Any, address: Any, kind: Any) -> Any:
    return builder.inttoptr(address, kind.as_pointer())


def _at(builder: Any, base: Any, index: Any, size: int) -> Any:
    """base + index * size, in bytes."""
    return builder.add(base, builder.mul(index, _const(size)))


def _load(builder: Any, address: Any, bits: int, lanes: int = LANES) -> Any:
    """Vector of float32 from float32 (bits 32) or bfloat16 (bits 16)."""
    wide = ir.VectorType(_F32, lanes)
    if bits == 32:
        return builder.load(_pointer(builder, address, wide), align=4)
    narrow = builder.load(_pointer(builder, address, ir.VectorType(_I16, lanes)), align=2)
    words = ir.VectorType(_I32, lanes)
    shifted = builder.shl(builder.zext(narrow, words), ir.Constant(words, [16] * lanes))
    return builder.bitcast(shifted, wide)


def _store(builder: Any, value: Any, address: Any) -> None:
    builder.store(value, _pointer(builder, address, value.type), align=4)


def _splat(builder: Any, value: Any, lanes: int = LANES) -> Any:
    kind = ir.VectorType(value.type, lanes)
    one = builder.insert_element(ir.Constant(kind, ir.Undefined), value, ir.Constant(_I32, 0))
    order = ir.Constant(ir.VectorType(_I32, lanes), [0] * lanes)
    return builder.shuffle_vector(one, ir.Constant(kind, ir.Undefined), order)


def _multiply_add(builder: Any, a: Any, b: Any, accumulator: Any) -> None:
    product = builder.fmul(a, b, flags=_FAST)
    builder.store(builder.fadd(builder.load(accumulator), product, flags=_FAST), accumulator)


def _accumulators(builder: Any, count: int, lanes: int = LANES) -> list[Any]:
    kind = ir.VectorType(_F32, lanes)
    slots = [cgutils.alloca_once(builder, kind) for _ in range(count)]
    for slot in slots:
        builder.store(ir.Constant(kind, [0.0] * lanes), slot)
    return slots


def _reduce(builder: Any, operation: str, vector: Any, start: Any = None) -> Any:
    name = f"llvm.vector.reduce.{operation}.v{vector.type.count}f32"
    arguments = [vector] if start is None else [start, vector]
    kind = ir.FunctionType(_F32, [argument.type for argument in arguments])
    function = cgutils.get_or_insert_function(builder.module, kind, name)
    return builder.call(function, arguments, fastmath=_FAST)


def _kernel(arguments: int, emit: Callable[..., Any], returns: Any = types.void) -> Any:
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


def _prefetch(builder: Any, address: Any) -> None:
    """Ask for the cache line of an address, to be read soon and kept."""
    byte = ir.IntType(8).as_pointer()
    kind = ir.FunctionType(ir.VoidType(), [byte, _I32, _I32, _I32])
    function = cgutils.get_or_insert_function(builder.module, kind, "llvm.prefetch.p0")
    hints = [ir.Constant(_I32, hint) for hint in (0, 3, 1)]
    builder.call(function, [builder.inttoptr(address, byte), *hints])


def _emit_prefetch(builder: Any, address: Any, size: Any) -> None:
    with cgutils.for_range_slice(builder, _const(0), size, _const(64), _I64) as (i, _):
        _prefetch(builder, builder.add(address, i))


def _rows_dot(bits: int) -> Any:
    """``y[r] = sum(w[r, i] * x[i])`` of ``rows`` rows of ``n`` elements; n a multiple of 16.

    One row at a time: one sequential stream is read up to twice as fast as several side by side.
    """
    size, unrolled = bits // 8, 4

    def some(builder: Any, base: Any, x: Any, sums: list[Any], first: Any, last: Any) -> None:
        step = _const(LANES * len(sums))
        with cgutils.for_range_slice(builder, first, last, step, _I64) as (i, _):
            for part, slot in enumerate(sums):
                at = builder.add(i, _const(LANES * part))
                shared = _load(builder, _at(builder, x, at, 4), 32)
                row = _load(builder, _at(builder, base, at, size), bits)
                _multiply_add(builder, row, shared, slot)

    def emit(builder: Any, w: Any, x: Any, y: Any, rows: Any, n: Any) -> None:
        whole = builder.and_(n, _const(-LANES * unrolled))
        with cgutils.for_range_slice(builder, _const(0), rows, _const(1), _I64) as (row, _):
            sums = _accumulators(builder, unrolled)
            base = _at(builder, w, builder.mul(row, n), size)
            some(builder, base, x, sums, _const(0), whole)
            some(builder, base, x, sums[:1], whole, n)
            total = builder.load(sums[0])
            for slot in sums[1:]:
                total = builder.fadd(total, builder.load(slot), flags=_FAST)
            total = _reduce(builder, "fadd", total, ir.Constant(_F32, 0.0))
            _store(builder, total, _at(builder, y, row, 4))

    return _kernel(5, emit)


def _tile_scores(bits: int, heads: int, lanes: int) -> Any:
    """``s[g, t] = sum_d(q[g, d] * k[d, t])`` for ``lanes`` tokens t; head_dim even.

    Arguments: k, tokens a row of k, q, s, elements a row of s, head_dim.
    """

    def emit(builder: Any, k: Any, width: Any, q: Any, s: Any, stride: Any, dim: Any) -> None:
        sums = _accumulators(builder, 2 * heads, lanes)
        queries = [_at(builder, q, builder.mul(dim, _const(g)), 4) for g in range(heads)]
        with cgutils.for_range_slice(builder, _const(0), dim, _const(2), _I64) as (d, _):
            for odd in range(2):
                at = builder.add(d, _const(odd))
                keys = _load(
                    builder, _at(builder, k, builder.mul(at, width), bits // 8), bits, lanes
                )
                for g, base in enumerate(queries):
                    one = builder.load(_pointer(builder, _at(builder, base, at, 4), _F32))
                    _multiply_add(builder, keys, _splat(builder, one, lanes), sums[2 * g + odd])
        for g in range(heads):
            total = builder.fadd(builder.load(sums[2 * g]), builder.load(sums[2 * g + 1]))
            _store(builder, total, _at(builder, s, builder.mul(stride, _const(g)), 4))

    return _kernel(6, emit)


def _tile_values(bits: int, heads: int) -> Any:
    """``o[g, j] += sum_t(p[g, t] * v[t, j])`` for 32 elements j.

    Arguments: v, elements a row of v and of o, p, elements a row of p, o, tokens.
    """

    vectors = 2

    def emit(builder: Any, v: Any, dim: Any, p: Any, stride: Any, o: Any, tokens: Any) -> None:
        sums = _accumulators(builder, heads * vectors)
        places = [
            _at(builder, o, builder.add(builder.mul(dim, _const(g)), _const(LANES * j)), 4)
            for g in range(heads)
            for j in range(vectors)
        ]
        for slot, place in zip(sums, places, strict=True):
            builder.store(_load(builder, place, 32), slot)
        with cgutils.for_range_slice(builder, _const(0), tokens, _const(1), _I64) as (t, _):
            row = _at(builder, v, builder.mul(t, dim), bits // 8)
            values = [
                _load(builder, builder.add(row, _const(LANES * j * bits // 8)), bits)
                for j in range(vectors)
            ]
            for g in range(heads):
                place = _at(builder, p, builder.add(builder.mul(stride, _const(g)), t), 4)
                weight = _splat(builder, builder.load(_pointer(builder, place, _F32)))
                for j, value in enumerate(values):
                    _multiply_add(builder, value, weight, sums[g * vectors + j])
        for slot, place in zip(sums, places, strict=True):
            _store(builder, builder.load(slot), place)

    return _kernel(6, emit)


def _emit_max(builder: Any, s: Any, n: Any) -> Any:
    kind = ir.VectorType(_F32, LANES)
    slot = cgutils.alloca_once(builder, kind)
    builder.store(_load(builder, s, 32), slot)
    with cgutils.for_range_slice(builder, _const(0), n, _const(LANES), _I64) as (i, _):
        new, old = _load(builder, _at(builder, s, i, 4), 32), builder.load(slot)
        builder.store(builder.select(builder.fcmp_ordered(">", new, old), new, old), slot)
    return _reduce(builder, "fmax", builder.load(slot))


def _vector_exp(builder: Any, x: Any) -> Any:
    """exp(x) for x <= 0 to two units in the last place: 2^n * e^r with |r| <= ln(2)/2."""

    def constant(value: float) -> ir.Constant:
        return ir.Constant(ir.VectorType(_F32, LANES), [value] * LANES)

    words = ir.VectorType(_I32, LANES)
    low = constant(-87.0)
    x = builder.select(builder.fcmp_ordered(">", x, low), x, low)
    magic = constant(12582912.0)  # 1.5 * 2^23: adding it rounds to an integer in the low bits
    # numba turns every operation without flags into a reassociating one where fastmath is on
    exact = ("contract",)
    scaled = builder.fmul(x, constant(1.4426950408889634), flags=exact)
    rounded = builder.fadd(scaled, magic, flags=exact)
    n = builder.fsub(rounded, magic, flags=exact)
    for part in (0.693359375, -2.12194440e-4):  # ln(2) in two parts
        x = builder.fsub(x, builder.fmul(n, constant(part), flags=exact), flags=exact)
    r = x
    y = constant(1.0 / 720)
    for divisor in (120, 24, 6, 2, 1, 1):
        y = builder.fadd(builder.fmul(y, r, flags=_FAST), constant(1.0 / divisor), flags=_FAST)
    power = builder.shl(builder.bitcast(rounded, words), ir.Constant(words, [23] * LANES))
    return builder.bitcast(builder.add(builder.bitcast(y, words), power), x.type)


def _emit_exp_sum(builder: Any, s: Any, n: Any) -> Any:
    (total,) = _accumulators(builder, 1)
    top = _splat(builder, _emit_max(builder, s, n))
    with cgutils.for_range_slice(builder, _const(0), n, _const(LANES), _I64) as (i, _):
        place = _at(builder, s, i, 4)
        weights = _vector_exp(builder, builder.fsub(_load(builder, place, 32), top))
        _store(builder, weights, place)
        builder.store(builder.fadd(builder.load(total), weights, flags=_FAST), total)
    return _reduce(builder, "fadd", builder.load(total), ir.Constant(_F32, 0.0))


rows_dot_f32, rows_dot_bf16 = _rows_dot(32), _rows_dot(16)
scores_f32_1, scores_f32_2 = _tile_scores(32, 1, 16), _tile_scores(32, 2, 16)
scores_f32_3, scores_f32_4 = _tile_scores(32, 3, 16), _tile_scores(32, 4, 16)
scores_bf16_1, scores_bf16_2 = _tile_scores(16, 1, 16), _tile_scores(16, 2, 16)
scores_bf16_3, scores_bf16_4 = _tile_scores(16, 3, 16), _tile_scores(16, 4, 16)
scores_f32_8, scores_bf16_8 = _tile_scores(32, 1, 8), _tile_scores(16, 1, 8)
values_f32_1, values_f32_2 = _tile_values(32, 1), _tile_values(32, 2)
values_f32_3, values_f32_4 = _tile_values(32, 3), _tile_values(32, 4)
values_bf16_1, values_bf16_2 = _tile_values(16, 1), _tile_values(16, 2)
values_bf16_3, values_bf16_4 = _tile_values(16, 3), _tile_values(16, 4)
row_max = _kernel(2, _emit_max, types.float32)
"""Largest of ``n`` float32 at an address; n a multiple of 16."""
exp_sum = _kernel(2, _emit_exp_sum, types.float32)
"""Replace ``n`` float32 s by exp(s - max(s)) and give their sum; n a multiple of 16."""


def _emit_load(builder: Any, address: Any) -> Any:
    return builder.load(_pointer(builder, address, _F32), align=4)


def _emit_load_bf16(builder: Any, address: Any) -> Any:
    word = builder.zext(builder.load(_pointer(builder, address, _I16)), _I32)
    return builder.bitcast(builder.shl(word, ir.Constant(_I32, 16)), _F32)


def _emit_store_bf16(builder: Any, address: Any, value: Any) -> None:
    """Rounded to nearest, ties to even."""
    word = builder.bitcast(value, _I32)
    odd = builder.and_(builder.lshr(word, ir.Constant(_I32, 16)), ir.Constant(_I32, 1))
    rounded = builder.add(builder.add(word, ir.Constant(_I32, 0x7FFF)), odd)
    narrow = builder.trunc(builder.lshr(rounded, ir.Constant(_I32, 16)), _I16)
    builder.store(narrow, _pointer(builder, address, _I16))


def _emit_store(builder: Any, address: Any, value: Any) -> None:
    builder.store(value, _pointer(builder, address, _F32), align=4)


def _emit_next(builder: Any, address: Any) -> Any:
    counter = _pointer(builder, address, _I64)
    return builder.atomic_rmw("add", counter, _const(1), "seq_cst")


def _emit_read(builder: Any, address: Any) -> Any:
    return builder.load_atomic(_pointer(builder, address, _I64), "seq_cst", 8)


load_f32 = _kernel(1, _emit_load, types.float32)
load_bf16 = _kernel(1, _emit_load_bf16, types.float32)
fetch_add = _kernel(1, _emit_next, types.int64)
"""Add one to the shared counter at an address; its value before."""
prefetch = _kernel(2, _emit_prefetch)
"""Ask for ``size`` bytes from an address on."""
load_shared = _kernel(1, _emit_read, types.int64)


def _storing(emit: Callable[..., None]) -> Any:
    """An intrinsic that stores a float32 at an address."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        emit(builder, *values)
        return context.get_dummy_value()

    signature = types.void(types.int64, types.float32), codegen
    typed: Callable[..., Any] = lambda context, address, value: signature  # noqa: E731
    return intrinsic(typed)


store_f32, store_bf16 = _storing(_emit_store), _storing(_emit_store_bf16)
