"""A transformer small enough to watch: what attention computes, keeps and reads, bit by bit.

Plain numpy, weights drawn by a seed from small whole numbers, no training: the words it writes mean
nothing, the mechanism is the real one. Sums run in one fixed order, a product at a time, so adding
an exact zero cannot move a rounding: what the causal mask hides leaves every bit as it was.

    q, k, v = h W_Q, h W_K, h W_V        h' = h + softmax(q Kᵀ / sqrt(d)) V W_O

(Vaswani et al. 2017, with the query heads of a group sharing a KV head: Ainslie et al. 2023.)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
SEED, LAYERS, HEADS, KV_HEADS, HEAD_DIM, VOCABULARY = 7, 3, 4, 2, 4, 64
PROJECTIONS = 3  # query, key, value

_exp = np.frompyfunc(math.exp, 1, 1)  # one algorithm for every element, whatever the array's layout


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """embed [vocabulary, hidden]; query, key, value [layers, hidden, heads of each, head_dim];
    out [layers, heads * head_dim, hidden]. No position is added: the mask alone tells before from
    after, which is enough to watch it at work."""

    embed: FloatArray
    query: FloatArray
    key: FloatArray
    value: FloatArray
    out: FloatArray

    @property
    def layers(self) -> int:
        """Attention layers."""
        return int(self.query.shape[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """keys, values [layers, tokens, kv_heads, head_dim]; out [tokens, hidden]; `projections`: how
    many query, key and value vectors of a position and layer were computed."""

    keys: FloatArray
    values: FloatArray
    out: FloatArray
    projections: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One position's turn, a layer: `computed` new vectors, `appended` of them, and how many keys
    and values of positions were read, its own among them."""

    position: int
    computed: int
    appended: int
    keys_read: int
    values_read: int


def small_weights(
    seed: int = SEED, layers: int = LAYERS, heads: int = HEADS, kv_heads: int = KV_HEADS
) -> Weights:
    """Weights of whole eighths. `heads` is a multiple of `kv_heads`."""
    if heads % kv_heads:
        raise ValueError("query heads are shared out evenly over KV heads")
    draw, hidden = np.random.default_rng(seed), heads * HEAD_DIM

    def some(*shape: int) -> FloatArray:
        return draw.integers(-4, 5, shape).astype(np.float64) / 8

    return Weights(
        embed=some(VOCABULARY, hidden) * 2,
        query=some(layers, hidden, heads, HEAD_DIM),
        key=some(layers, hidden, kv_heads, HEAD_DIM),
        value=some(layers, hidden, kv_heads, HEAD_DIM),
        out=some(layers, hidden, hidden),
    )


def run(weights: Weights, tokens: Sequence[int], *, masked: bool = True) -> Run:
    """All positions at once, as a prefill does. Without the mask every position sees all others."""
    hidden = weights.embed[np.asarray(tokens, dtype=np.int64) % len(weights.embed)]
    count = len(tokens)
    seen = mask(count) if masked else np.ones((count, count), dtype=np.bool_)
    keys, values = [], []
    for layer in range(weights.layers):
        query = _times(hidden, weights.query[layer])
        keys.append(_times(hidden, weights.key[layer]))
        values.append(_times(hidden, weights.value[layer]))
        mixed = attend(query, keys[-1], values[-1], seen)
        hidden = hidden + _times(mixed.reshape(count, -1), weights.out[layer])
    return Run(
        keys=np.stack(keys),
        values=np.stack(values),
        out=hidden,
        projections=PROJECTIONS * weights.layers * count,
    )


def run_cached(weights: Weights, tokens: Sequence[int]) -> Run:
    """One position after another: its own query, key and value are computed, the rest is read."""
    layers, outs = weights.layers, []
    empty = np.zeros((0, *weights.key.shape[2:]))
    kept_keys, kept_values = [empty] * layers, [empty] * layers
    for token in tokens:
        hidden = weights.embed[[token % len(weights.embed)]]
        for layer in range(layers):
            query = _times(hidden, weights.query[layer])
            key, value = _times(hidden, weights.key[layer]), _times(hidden, weights.value[layer])
            kept_keys[layer] = np.concatenate([kept_keys[layer], key])
            kept_values[layer] = np.concatenate([kept_values[layer], value])
            everything = np.ones((1, len(kept_keys[layer])), dtype=np.bool_)
            mixed = attend(query, kept_keys[layer], kept_values[layer], everything)
            hidden = hidden + _times(mixed.reshape(1, -1), weights.out[layer])
        outs.append(hidden[0])
    return Run(
        keys=np.stack(kept_keys),
        values=np.stack(kept_values),
        out=np.stack(outs),
        projections=PROJECTIONS * layers * len(tokens),
    )


def attend(
    query: FloatArray, keys: FloatArray, values: FloatArray, seen: NDArray[np.bool_]
) -> FloatArray:
    """softmax(q Kᵀ / sqrt(d)) V over what is `seen` [queries, stored]; query [queries, heads, d],
    keys and values [stored, kv_heads, d]. What is not seen weighs exactly zero."""
    group = query.shape[1] // keys.shape[1]
    keys, values = np.repeat(keys, group, axis=1), np.repeat(values, group, axis=1)
    products = query[:, None, :, :] * keys[None, :, :, :]
    scores = _sum(products, axis=3) / math.sqrt(query.shape[2])
    visible = seen[:, :, None]
    highest = np.where(visible, scores, -np.inf).max(axis=1, keepdims=True)
    raised = np.asarray(_exp(np.where(visible, scores - highest, 0.0)), dtype=np.float64)
    raised = np.where(visible, raised, 0.0)
    mixed = _sum(raised[:, :, :, None] * values[None, :, :, :], axis=1)
    return np.asarray(mixed / _sum(raised, axis=1)[:, :, None])


def _times(rows: FloatArray, matrix: FloatArray) -> FloatArray:
    """rows [n, a] times matrix [a, ...], summed from first to last."""
    wide = rows.reshape(rows.shape + (1,) * (matrix.ndim - 1))
    return _sum(wide * matrix[None], axis=1)


def _sum(products: FloatArray, axis: int) -> FloatArray:
    """A running sum's last value: numpy's own sum would pair up terms by the array's length."""
    return np.asarray(np.take(np.add.accumulate(products, axis=axis), -1, axis=axis))


def next_scores(weights: Weights, out: FloatArray) -> FloatArray:
    """The chance of every token of the vocabulary behind a position's output [hidden]."""
    scores = _times(out[None], weights.embed.T)[0]
    raised = np.exp(scores - scores.max())
    return np.asarray(raised / raised.sum())


def write(weights: Weights, prompt: Sequence[int], tokens: int) -> tuple[int, ...]:
    """The most likely token again and again: each needs all those before it."""
    known = list(prompt)
    for _ in range(tokens):
        known.append(int(next_scores(weights, run(weights, known).out[-1]).argmax()))
    return tuple(known[len(prompt) :])


def naive_projections(weights: Weights, tokens: Sequence[int]) -> tuple[int, ...]:
    """What each step computes where nothing is kept: everything up to its position again."""
    return tuple(run(weights, tokens[: n + 1]).projections for n in range(len(tokens)))


def steps(tokens: int) -> tuple[Step, ...]:
    """Each position's turn, a layer: query, key and value computed, key and value appended."""
    return tuple(
        Step(position=n, computed=PROJECTIONS, appended=2, keys_read=n, values_read=n)
        for n in range(1, tokens + 1)
    )


def reads(tokens: int) -> tuple[tuple[int, int], ...]:
    """Of each position (its query, its key and value): in how many steps they are used, a layer."""
    used = [[0, 0] for _ in range(tokens)]
    for now in range(tokens):
        used[now][0] += 1
        for earlier in range(now + 1):
            used[earlier][1] += 1
    return tuple((query, kept) for query, kept in used)


def mask(tokens: int) -> NDArray[np.bool_]:
    """Which position [rows] may read which one [columns]: itself and those before it."""
    return np.tril(np.ones((tokens, tokens), dtype=np.bool_))


def names_of_bits(found: Run, positions: int) -> tuple[str, ...]:
    """A SHA-256 of each of the first positions' keys and values in all layers, eight hex digits."""
    return tuple(
        sha256(found.keys[:, n].tobytes() + found.values[:, n].tobytes()).hexdigest()[:8]
        for n in range(positions)
    )


def through_blocks(
    weights: Weights, tokens: Sequence[int], block_tokens: int, seed: int = SEED
) -> bool:
    """Whether attention over keys and values that lie scattered in blocks, read through a table,
    gives the same bits as over one piece. The last layer's, of the last position."""
    whole = run(weights, tokens)
    count = len(tokens)
    blocks = -(-count // block_tokens)
    table = np.random.default_rng(seed).permutation(blocks)
    pool = np.zeros((2, blocks, block_tokens, *whole.keys.shape[2:]))
    for n in range(count):
        place = table[n // block_tokens], n % block_tokens
        pool[0][place], pool[1][place] = whole.keys[-1][n], whole.values[-1][n]
    gathered = [half[table].reshape(-1, *half.shape[2:])[:count] for half in pool]
    query = _times(whole.out[-1:], weights.query[-1])
    seen = np.ones((1, count), dtype=np.bool_)
    apart = attend(query, gathered[0], gathered[1], seen)
    return bool(np.array_equal(apart, attend(query, whole.keys[-1], whole.values[-1], seen)))
