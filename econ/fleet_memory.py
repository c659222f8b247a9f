"""What one replica keeps in memory: weights, overhead, and blocks of KV for the rest.

    KV of a device = memory x fraction - weights / tensor parallel - overhead
    blocks         = whole blocks of a device's share of a token's KV

Every device of tensor parallelism holds its own share of the same blocks; what cannot be split
(a latent vector, more devices than KV heads) each holds whole (`econ.kv_memory`). With
data-parallel attention the devices form equal groups, each with blocks of its own sequences and a
copy of all weights but the experts. The overhead
(activations, graphs, libraries) is a device's; the default is what a published engine log implies,
until a line of one's own log calibrates it.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import ceil
from typing import Literal

import numpy as np

from econ.kv_capacity import Capacity, free_bytes, implied_overhead, room
from econ.kv_formats import KvFormat
from econ.kv_memory import BLOCK_TOKENS, reserved, reserved_per_token
from econ.roofline import WEIGHT_BYTES, held_weights
from econ.workload import IntArray
from price_tables.hardware import ModelSpec

LOGGED_OVERHEAD_BYTES = 1_237_612_953
"""A device's: 0.9 x 25,250,627,584 - 16,060,522,496 - 2,588 x 16 x 131,072 bytes. Llama-3.1-8B in
bf16 on an RTX 4090, vLLM's block count in https://github.com/casys-kaist/LLMServingSim."""
DEFAULT_FRACTION = Fraction(9, 10)
OverheadSource = Literal["published log", "your log", "typed"]
QUANTISED = {
    "fp8": "fp8", "int8": "int8", "w8a8": "int8", "awq": "int4", "gptq": "int4", "int4": "int4",
    "mxfp4": "fp4", "nvfp4": "fp4", "fp4": "fp4", "modelopt": "fp8", "compressed-tensors": "fp8",
    "fbgemm_fp8": "fp8", "modelopt_fp4": "fp4",
}  # fmt: skip
"""Names that engines give to quantised weights, and the element that they store."""
CHECKPOINTS = {
    "bfloat16": "bf16", "float16": "fp16", "float32": "fp32", "float8_e4m3fn": "fp8",
    "mxfp4": "fp4",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplicaMemory:
    """One replica of `tensor_parallel` devices; all bytes are those of the replica.

    `held_back_bytes`: what `fraction` leaves to others. `free_bytes`: what no whole block fills.
    `blocks`: of all groups of devices together; `bytes_per_token`: on one device."""

    tensor_parallel: int
    device_bytes: int
    weights_bytes: int
    overhead_bytes: int
    overhead_source: OverheadSource
    held_back_bytes: int
    kv_bytes: int
    free_bytes: int
    block_tokens: int
    blocks: int
    bytes_per_token: Fraction
    sequence_bytes: int
    attention_copies: int = 1

    @property
    def group_devices(self) -> int:
        """Devices that share the KV of one sequence."""
        return self.tensor_parallel // self.attention_copies

    @property
    def fits(self) -> bool:
        """The weights leave room for at least one block."""
        return self.blocks > 0

    @property
    def tokens(self) -> int:
        """Tokens of KV in whole blocks."""
        return self.blocks * self.block_tokens

    def sequences(self, context_tokens: int) -> int:
        """Sequences of `context_tokens` tokens at once, each in whole blocks."""
        return self._room(context_tokens).sequences * self.attention_copies

    def _room(self, context_tokens: int) -> Capacity:
        share = self.kv_bytes // self.tensor_parallel
        return room(
            share,
            bytes_per_token=self.bytes_per_token,
            sequence_bytes=self.sequence_bytes,
            context_tokens=context_tokens,
            block_tokens=self.block_tokens,
        )


def weights_bytes_of(model: ModelSpec, quantization: str | None = None) -> int | None:
    """Parameters x bytes of the stored element; None where the parameters are not known."""
    element = weight_element(model, quantization)
    if model.parameters_total is None or element is None:
        return None
    return ceil(model.parameters_total * WEIGHT_BYTES[element])


def weight_element(model: ModelSpec, quantization: str | None = None) -> str | None:
    """'fp8', 'bf16', ... of the weights: the quantisation's, else the checkpoint's. None: a name
    that is not known."""
    if quantization:
        name = quantization.strip().lower()
        return QUANTISED.get(name, name if name in WEIGHT_BYTES else None)
    return CHECKPOINTS.get(model.checkpoint_dtype)


def rank_bytes_per_sequence(model: ModelSpec, dtype: KvFormat, tensor_parallel: int) -> int:
    """Bytes that a sequence takes on one device whatever its length."""
    states = (g for g in model.groups if g.kind == "linear_state")
    return ceil(sum((reserved(g, dtype, 0, tensor_parallel) for g in states), Fraction(0)))


def replica_memory(
    model: ModelSpec,
    device_bytes: int,
    dtype: KvFormat,
    *,
    weights_bytes: int,
    tensor_parallel: int = 1,
    fraction: Fraction = DEFAULT_FRACTION,
    block_tokens: int = BLOCK_TOKENS,
    overhead_bytes: int | None = None,
    engine_blocks: int | None = None,
    attention_copies: int = 1,
) -> ReplicaMemory:
    """The bar of one replica. `overhead_bytes` (a device's) None: the published log's.
    `engine_blocks`: what an engine said it had found room for, of one group of devices where there
    are several; the overhead follows from it. ValueError for `attention_copies` of a model whose
    experts are not known."""
    group = tensor_parallel // attention_copies
    per_token = reserved_per_token(model, dtype, group)
    share = ceil(held_weights(model, weights_bytes, attention_copies) / tensor_parallel)
    source: OverheadSource = "published log" if overhead_bytes is None else "typed"
    overhead = LOGGED_OVERHEAD_BYTES if overhead_bytes is None else overhead_bytes
    if engine_blocks is not None:
        source = "your log"
        overhead = implied_overhead(
            device_bytes, fraction, share,
            engine_blocks=engine_blocks, block_bytes=per_token * block_tokens,
        )  # fmt: skip
    free = free_bytes(device_bytes, fraction, share, overhead)
    found = room(
        free, bytes_per_token=per_token, sequence_bytes=0, context_tokens=block_tokens,
        block_tokens=block_tokens, overhead_bytes=overhead,
    )  # fmt: skip
    blocks = engine_blocks if engine_blocks is not None else found.blocks
    kv = ceil(blocks * block_tokens * per_token)
    return ReplicaMemory(
        tensor_parallel=tensor_parallel,
        device_bytes=device_bytes * tensor_parallel,
        weights_bytes=share * tensor_parallel,
        overhead_bytes=overhead * tensor_parallel,
        overhead_source=source,
        held_back_bytes=(device_bytes - int(device_bytes * fraction)) * tensor_parallel,
        kv_bytes=kv * tensor_parallel,
        free_bytes=max(free - kv, 0) * tensor_parallel,
        block_tokens=block_tokens,
        blocks=blocks * attention_copies,
        bytes_per_token=per_token,
        sequence_bytes=rank_bytes_per_sequence(model, dtype, group),
        attention_copies=attention_copies,
    )


def at_percentile(contexts: IntArray, percentile: int) -> int | None:
    """The context that so many per cent of the requests do not exceed, by nearest rank."""
    if not len(contexts):
        return None
    return int(np.percentile(contexts, percentile, method="inverted_cdf"))
