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
from numba.extending import intrinsic

from kvcore.attention import vector_ir as ir_
from kvcore.attention.vector_ir import cgutils

LANES = ir_.LANES


def _rows_dot(bits: int) -> Any:
    """``y[r] = sum(w[r, i] * x[i])`` of ``rows`` rows of ``n`` elements; n a multiple of 16.

    One row at a time: one sequential stream is read up to twice as fast as several side by side.
    """
    size, unrolled = bits // 8, 4

    def some(builder: Any, base: Any, x: Any, sums: list[Any], first: Any, last: Any) -> None:
        step = ir_.const(ir_.LANES * len(sums))
        with cgutils.for_range_slice(builder, first, last, step, ir_.I64) as (i, _):
            for part, slot in enumerate(sums):
                at = builder.add(i, ir_.const(ir_.LANES * part))
                shared = ir_.load(builder, ir_.at(builder, x, at, 4), 32)
                row = ir_.load(builder, ir_.at(builder, base, at, size), bits)
                ir_.multiply_add(builder, row, shared, slot)

    def emit(builder: Any, w: Any, x: Any, y: Any, rows: Any, n: Any) -> None:
        whole = builder.and_(n, ir_.const(-ir_.LANES * unrolled))
        with cgutils.for_range_slice(builder, ir_.const(0), rows, ir_.const(1), ir_.I64) as (
            row,
            _,
        ):
            sums = ir_.accumulators(builder, unrolled)
            base = ir_.at(builder, w, builder.mul(row, n), size)
            some(builder, base, x, sums, ir_.const(0), whole)
            some(builder, base, x, sums[:1], whole, n)
            total = builder.load(sums[0])
            for slot in sums[1:]:
                total = builder.fadd(total, builder.load(slot), flags=ir_.FAST)
            total = ir_.reduce(builder, "fadd", total, ir.Constant(ir_.F32, 0.0))
            ir_.store(builder, total, ir_.at(builder, y, row, 4))

    return ir_.kernel(5, emit)


def _tile_scores(bits: int, heads: int, lanes: int) -> Any:
    """``s[g, t] = sum_d(q[g, d] * k[d, t])`` for ``lanes`` tokens t; head_dim even.

    Arguments: k, tokens a row of k, q, s, elements a row of s, head_dim.
    """

    def emit(builder: Any, k: Any, width: Any, q: Any, s: Any, stride: Any, dim: Any) -> None:
        sums = ir_.accumulators(builder, 2 * heads, lanes)
        queries = [ir_.at(builder, q, builder.mul(dim, ir_.const(g)), 4) for g in range(heads)]
        with cgutils.for_range_slice(builder, ir_.const(0), dim, ir_.const(2), ir_.I64) as (d, _):
            for odd in range(2):
                at = builder.add(d, ir_.const(odd))
                keys = ir_.load(
                    builder, ir_.at(builder, k, builder.mul(at, width), bits // 8), bits, lanes
                )
                for g, base in enumerate(queries):
                    one = builder.load(ir_.pointer(builder, ir_.at(builder, base, at, 4), ir_.F32))
                    ir_.multiply_add(
                        builder, keys, ir_.splat(builder, one, lanes), sums[2 * g + odd]
                    )
        for g in range(heads):
            total = builder.fadd(builder.load(sums[2 * g]), builder.load(sums[2 * g + 1]))
            ir_.store(builder, total, ir_.at(builder, s, builder.mul(stride, ir_.const(g)), 4))

    return ir_.kernel(6, emit)


def _tile_values(bits: int, heads: int) -> Any:
    """``o[g, j] += sum_t(p[g, t] * v[t, j])`` for 32 elements j.

    Arguments: v, elements a row of v and of o, p, elements a row of p, o, tokens.
    """

    vectors = 2

    def emit(builder: Any, v: Any, dim: Any, p: Any, stride: Any, o: Any, tokens: Any) -> None:
        sums = ir_.accumulators(builder, heads * vectors)
        places = [
            ir_.at(
                builder, o, builder.add(builder.mul(dim, ir_.const(g)), ir_.const(ir_.LANES * j)), 4
            )
            for g in range(heads)
            for j in range(vectors)
        ]
        for slot, place in zip(sums, places, strict=True):
            builder.store(ir_.load(builder, place, 32), slot)
        with cgutils.for_range_slice(builder, ir_.const(0), tokens, ir_.const(1), ir_.I64) as (
            t,
            _,
        ):
            row = ir_.at(builder, v, builder.mul(t, dim), bits // 8)
            values = [
                ir_.load(builder, builder.add(row, ir_.const(ir_.LANES * j * bits // 8)), bits)
                for j in range(vectors)
            ]
            for g in range(heads):
                place = ir_.at(builder, p, builder.add(builder.mul(stride, ir_.const(g)), t), 4)
                weight = ir_.splat(builder, builder.load(ir_.pointer(builder, place, ir_.F32)))
                for j, value in enumerate(values):
                    ir_.multiply_add(builder, value, weight, sums[g * vectors + j])
        for slot, place in zip(sums, places, strict=True):
            ir_.store(builder, builder.load(slot), place)

    return ir_.kernel(6, emit)


def _emit_max(builder: Any, s: Any, n: Any) -> Any:
    kind = ir.VectorType(ir_.F32, ir_.LANES)
    slot = cgutils.alloca_once(builder, kind)
    builder.store(ir_.load(builder, s, 32), slot)
    with cgutils.for_range_slice(builder, ir_.const(0), n, ir_.const(ir_.LANES), ir_.I64) as (i, _):
        new, old = ir_.load(builder, ir_.at(builder, s, i, 4), 32), builder.load(slot)
        builder.store(builder.select(builder.fcmp_ordered(">", new, old), new, old), slot)
    return ir_.reduce(builder, "fmax", builder.load(slot))


def _vector_exp(builder: Any, x: Any) -> Any:
    """exp(x) for x <= 0 to two units in the last place: 2^n * e^r with |r| <= ln(2)/2."""

    def constant(value: float) -> ir.Constant:
        return ir.Constant(ir.VectorType(ir_.F32, ir_.LANES), [value] * ir_.LANES)

    words = ir.VectorType(ir_.I32, ir_.LANES)
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
        y = builder.fadd(
            builder.fmul(y, r, flags=ir_.FAST), constant(1.0 / divisor), flags=ir_.FAST
        )
    power = builder.shl(builder.bitcast(rounded, words), ir.Constant(words, [23] * ir_.LANES))
    return builder.bitcast(builder.add(builder.bitcast(y, words), power), x.type)


def _emit_exp_sum(builder: Any, s: Any, n: Any) -> Any:
    (total,) = ir_.accumulators(builder, 1)
    top = ir_.splat(builder, _emit_max(builder, s, n))
    with cgutils.for_range_slice(builder, ir_.const(0), n, ir_.const(ir_.LANES), ir_.I64) as (i, _):
        place = ir_.at(builder, s, i, 4)
        weights = _vector_exp(builder, builder.fsub(ir_.load(builder, place, 32), top))
        ir_.store(builder, weights, place)
        builder.store(builder.fadd(builder.load(total), weights, flags=ir_.FAST), total)
    return ir_.reduce(builder, "fadd", builder.load(total), ir.Constant(ir_.F32, 0.0))


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
row_max = ir_.kernel(2, _emit_max, types.float32)
"""Largest of ``n`` float32 at an address; n a multiple of 16."""
exp_sum = ir_.kernel(2, _emit_exp_sum, types.float32)
"""Replace ``n`` float32 s by exp(s - max(s)) and give their sum; n a multiple of 16."""


def _emit_load(builder: Any, address: Any) -> Any:
    return builder.load(ir_.pointer(builder, address, ir_.F32), align=4)


def _emit_load_bf16(builder: Any, address: Any) -> Any:
    word = builder.zext(builder.load(ir_.pointer(builder, address, ir_.I16)), ir_.I32)
    return builder.bitcast(builder.shl(word, ir.Constant(ir_.I32, 16)), ir_.F32)


def _emit_store_bf16(builder: Any, address: Any, value: Any) -> None:
    """Rounded to nearest, ties to even."""
    word = builder.bitcast(value, ir_.I32)
    odd = builder.and_(builder.lshr(word, ir.Constant(ir_.I32, 16)), ir.Constant(ir_.I32, 1))
    rounded = builder.add(builder.add(word, ir.Constant(ir_.I32, 0x7FFF)), odd)
    narrow = builder.trunc(builder.lshr(rounded, ir.Constant(ir_.I32, 16)), ir_.I16)
    builder.store(narrow, ir_.pointer(builder, address, ir_.I16))


def _emit_store(builder: Any, address: Any, value: Any) -> None:
    builder.store(value, ir_.pointer(builder, address, ir_.F32), align=4)


def _emit_next(builder: Any, address: Any) -> Any:
    counter = ir_.pointer(builder, address, ir_.I64)
    return builder.atomic_rmw("add", counter, ir_.const(1), "seq_cst")


def _emit_read(builder: Any, address: Any) -> Any:
    return builder.load_atomic(ir_.pointer(builder, address, ir_.I64), "seq_cst", 8)


load_f32 = ir_.kernel(1, _emit_load, types.float32)
load_bf16 = ir_.kernel(1, _emit_load_bf16, types.float32)
fetch_add = ir_.kernel(1, _emit_next, types.int64)
"""Add one to the shared counter at an address; its value before."""
prefetch = ir_.kernel(2, ir_.emit_prefetch)
"""Ask for ``size`` bytes from an address on."""
load_shared = ir_.kernel(1, _emit_read, types.int64)


def _storing(emit: Callable[..., None]) -> Any:
    """An intrinsic that stores a float32 at an address."""

    def codegen(context: Any, builder: Any, signature: Any, values: Any) -> Any:
        emit(builder, *values)
        return context.get_dummy_value()

    signature = types.void(types.int64, types.float32), codegen
    typed: Callable[..., Any] = lambda context, address, value: signature  # noqa: E731
    return intrinsic(typed)


store_f32, store_bf16 = _storing(_emit_store), _storing(_emit_store_bf16)
