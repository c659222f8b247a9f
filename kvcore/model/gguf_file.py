"""Reads a GGUF file of llama, qwen2 or qwen3 architecture: shape, dequantised weights, metadata."""

from __future__ import annotations

import mmap
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from kvcore.model.gguf_header import damaged, read_header
from kvcore.model.gguf_values import value_type
from kvcore.model.rope import inverse_frequencies
from kvcore.model.shape import ModelShape, RopeScaling
from kvcore.model.weights import Layer, Weights

ARCHITECTURES = ("llama", "qwen2", "qwen3")
Make = Callable[[Tensor], Tensor]  # to the wanted dtype and device


class GgufFile:
    """One open GGUF file. Tensors are dequantised one at a time, as they are asked for."""

    def __init__(self, path: Path) -> None:
        """Raises KvcoreError where the file is no GGUF or its header does not make sense."""
        self.path = path
        try:
            with path.open("rb") as stream:
                self._data = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as error:  # ValueError: an empty file cannot be mapped
            raise damaged(path, str(error)) from error
        self._header = read_header(path, self._data)

    def value(self, key: str, default: Any = None) -> Any:
        """A metadata value as plain Python, or the default where the key is absent."""
        return self._header.metadata.get(key, default)

    def needed(self, key: str) -> Any:
        """A metadata value that must be there; KvcoreError names the key where it is not."""
        value = self.value(key)
        if value is None:
            raise damaged(self.path, f"it has no {key}")
        return value

    def has(self, name: str) -> bool:
        """True where the file holds a tensor of this name."""
        return name in self._header.tensors

    def quantisations(self) -> str:
        """The types of the file's matrices, the most frequent first: `Q4_1, Q8_0`."""
        matrices = [
            place.type_id for place in self._header.tensors.values() if len(place.sizes) > 1
        ]
        frequent = [type_id for type_id, _ in Counter(matrices).most_common()]
        return ", ".join(kind.name for kind in map(value_type, frequent) if kind is not None)

    def tensor(self, name: str, *sizes: int) -> Tensor:
        """A tensor in fp32, shape sizes. Raises KvcoreError naming the tensor."""
        place = self._header.tensors.get(name)
        if place is None:
            raise damaged(self.path, f"it has no tensor {name}")
        if place.sizes != sizes:
            raise damaged(self.path, f"tensor {name} has shape {place.sizes}, not {sizes}")
        kind = value_type(place.type_id)
        if kind is None or sizes[-1] % kind.elements:
            raise damaged(self.path, f"tensor {name} is of type {place.type_id}, unknown here")
        blocks = place.elements // kind.elements
        if place.offset + blocks * kind.bytes > len(self._data):
            raise damaged(self.path, f"it ends before tensor {name} does")
        raw = np.frombuffer(self._data, np.uint8, blocks * kind.bytes, place.offset)
        return torch.from_numpy(kind.decode(raw.reshape(blocks, kind.bytes)).reshape(sizes))


def undo_rope_permutation(rows: Tensor, heads: int) -> Tensor:
    """Query or key rows [heads*hd, ...] from interleaved rotary order back to half-split order.

    llama.cpp's converter stores rows i and i + hd/2 of each head side by side.
    """
    per_head = rows.shape[0] // heads
    split = rows.reshape(heads, per_head // 2, 2, *rows.shape[1:])
    return split.transpose(1, 2).reshape(rows.shape)


def _scaling(file: GgufFile, arch: str, dim: int, theta: float) -> RopeScaling | None:
    """Llama 3's stretching, which a GGUF holds only as its factors per frequency.

    The four numbers behind the factors are known where original context is 8192 (Llama 3.1 and
    3.2); the factors must agree with them. Raises KvcoreError for any other stretching.
    """
    kind = file.value(f"{arch}.rope.scaling.type", "none")
    if kind not in ("none", ""):
        raise damaged(file.path, f"{arch}.rope.scaling.type is {kind}, which is not run here")
    if not file.has("rope_freqs.weight"):
        return None
    factors = file.tensor("rope_freqs.weight", dim // 2)
    scaling = RopeScaling(
        factor=float(factors.max()),
        low_freq_factor=1.0,
        high_freq_factor=4.0,
        original_context=8192,
    )
    expected = inverse_frequencies(dim, theta) / inverse_frequencies(dim, theta, scaling)
    if not torch.allclose(factors, expected, rtol=1e-3):
        raise damaged(file.path, "tensor rope_freqs.weight is not Llama 3's stretching")
    return scaling


def gguf_shape(file: GgufFile) -> ModelShape:
    """The shape in the file's metadata. Raises KvcoreError naming the key that cannot be run."""
    arch = str(file.needed("general.architecture"))
    if arch not in ARCHITECTURES:
        supported = ", ".join(ARCHITECTURES)
        raise damaged(file.path, f"general.architecture is {arch}; the engine runs {supported}")
    if file.value(f"{arch}.expert_count"):
        raise damaged(file.path, f"{arch}.expert_count says it is a mixture of experts")
    heads = _whole(file, f"{arch}.attention.head_count")
    hidden = _whole(file, f"{arch}.embedding_length")
    head_dim = _whole(file, f"{arch}.attention.key_length", hidden // heads)
    if _whole(file, f"{arch}.rope.dimension_count", head_dim) != head_dim or head_dim % 2:
        raise damaged(file.path, f"{arch}.rope.dimension_count is not the head's {head_dim}")
    kv_heads = _whole(file, f"{arch}.attention.head_count_kv", heads)
    if heads % kv_heads:
        raise damaged(file.path, f"{arch}.attention.head_count_kv is {kv_heads} for {heads} heads")
    theta = _number(file, f"{arch}.rope.freq_base", 10_000.0)
    return ModelShape(
        name=str(file.value("general.name", file.path.stem)),
        layers=_whole(file, f"{arch}.block_count"),
        hidden=hidden,
        intermediate=_whole(file, f"{arch}.feed_forward_length"),
        heads=heads,
        kv_heads=kv_heads,
        head_dim=head_dim,
        vocab=_vocab(file, arch),
        rope_theta=theta,
        rope_scaling=_scaling(file, arch, head_dim, theta),
        norm_eps=_number(file, f"{arch}.attention.layer_norm_rms_epsilon"),
        max_context=_whole(file, f"{arch}.context_length", 2048),
        tied_embeddings=not file.has("output.weight"),
        qkv_bias=file.has("blk.0.attn_q.bias"),
        qk_norm=file.has("blk.0.attn_q_norm.weight"),
    )


def _whole(file: GgufFile, key: str, default: int | None = None) -> int:
    value = file.value(key, default)
    if value is None:
        raise damaged(file.path, f"it has no {key}")
    if not isinstance(value, int) or value < 1:
        raise damaged(file.path, f"{key} is {value}; one whole number from 1 up is expected")
    return value


def _number(file: GgufFile, key: str, default: float | None = None) -> float:
    value = file.needed(key) if default is None else file.value(key, default)
    if not isinstance(value, int | float) or not 0 < value < 1e18:
        raise damaged(file.path, f"{key} is {value}; a positive number is expected")
    return float(value)


def _vocab(file: GgufFile, arch: str) -> int:
    """Ids there are: the written vocabulary, or its size where the file holds none."""
    words = file.value("tokenizer.ggml.tokens")
    return len(words) if isinstance(words, list) and words else _whole(file, f"{arch}.vocab_size")


def _layer(file: GgufFile, shape: ModelShape, index: int, make: Make) -> Layer:
    d, f, hd = shape.hidden, shape.intermediate, shape.head_dim
    q_rows, kv_rows = shape.heads * hd, shape.kv_heads * hd
    permuted = file.value("general.architecture") == "llama"

    def get(part: str, *sizes: int) -> Tensor:
        return file.tensor(f"blk.{index}.{part}", *sizes)

    def qkv(kind: str, *sizes: int) -> Tensor:
        q = get(f"attn_q.{kind}", q_rows, *sizes)
        k = get(f"attn_k.{kind}", kv_rows, *sizes)
        if permuted:
            q = undo_rope_permutation(q, shape.heads)
            k = undo_rope_permutation(k, shape.kv_heads)
        return make(torch.cat((q, k, get(f"attn_v.{kind}", kv_rows, *sizes))))

    gate_up = torch.cat((get("ffn_gate.weight", f, d), get("ffn_up.weight", f, d)))
    return Layer(
        attn_norm=get("attn_norm.weight", d),
        wqkv=qkv("weight", d),
        bqkv=qkv("bias") if shape.qkv_bias else None,
        q_norm=get("attn_q_norm.weight", hd) if shape.qk_norm else None,
        k_norm=get("attn_k_norm.weight", hd) if shape.qk_norm else None,
        wo=make(get("attn_output.weight", d, q_rows)),
        mlp_norm=get("ffn_norm.weight", d),
        w_gate_up=make(gate_up),
        w_down=make(get("ffn_down.weight", d, f)),
    )


def gguf_weights(
    file: GgufFile, shape: ModelShape, *, dtype: torch.dtype, device: torch.device | str
) -> Weights:
    """The file's weights, dequantised to fp32 and then cast. Raises KvcoreError naming a tensor."""

    def make(tensor: Tensor) -> Tensor:
        return tensor.to(dtype=dtype, device=device)

    embedding = make(file.tensor("token_embd.weight", shape.vocab, shape.hidden))
    head = embedding
    if not shape.tied_embeddings:
        head = make(file.tensor("output.weight", shape.vocab, shape.hidden))
    return Weights(
        embedding=embedding,
        layers=tuple(_layer(file, shape, index, make) for index in range(shape.layers)),
        final_norm=file.tensor("output_norm.weight", shape.hidden),
        head=head,
    ).to(dtype, device)
