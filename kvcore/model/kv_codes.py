"""One half of the cache (keys or values) in fewer bits: codes, their scales, and back to numbers.

Tensors are [heads, T, hd]. Everything a code keeps is in its tensors: their bytes are its bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from kvcore.errors import KvcoreError

GROUP = 32  # elements that share a scale where a token's head is cut into groups
TOKENS = 16  # tokens that share a scale where a channel is; one block, so a block stands alone
FP8_MAX = 448.0  # largest finite float8 e4m3fn


@dataclass(frozen=True, slots=True)
class Coded:
    """What is kept of one half, and how to read it."""

    parts: tuple[Tensor, ...]
    read: Callable[[], Tensor]  # [heads, T, hd] f32

    @property
    def bytes(self) -> int:
        return sum(part.nbytes for part in self.parts)


Code = Callable[[Tensor], Coded]


def cast(dtype: torch.dtype) -> Code:
    """Every element on its own in another float type; what exceeds fp8's range is cut to it."""

    def code(x: Tensor) -> Coded:
        limit = FP8_MAX if dtype == torch.float8_e4m3fn else torch.inf
        kept = x.float().clamp(-limit, limit).to(dtype)
        return Coded((kept,), lambda: kept.float())

    return code


def int8_token_head(x: Tensor) -> Coded:
    """Signed bytes, one fp16 scale per token and head: hd + 2 bytes for hd values."""
    scale = (x.float().abs().amax(-1, keepdim=True) / 127).clamp_min(1e-7).half()
    codes = (x.float() / scale.float()).round().clamp(-127, 127).to(torch.int8)
    return Coded((codes, scale), lambda: codes.float() * scale.float())


def fp8_token_head(x: Tensor) -> Coded:
    """float8 e4m3 spread over its range by one fp16 scale per token and head."""
    scale = (x.float().abs().amax(-1, keepdim=True) / FP8_MAX).clamp_min(1e-7).half()
    codes = (x.float() / scale.float()).clamp(-FP8_MAX, FP8_MAX).to(torch.float8_e4m3fn)
    return Coded((codes, scale), lambda: codes.float() * scale.float())


def _groups(x: Tensor) -> Tensor:
    """x [..., hd] as [..., hd/32, 32]. Raises KvcoreError where 32 does not divide hd."""
    if x.shape[-1] % GROUP:
        raise KvcoreError(
            "kvcore.kv_format_head_dim",
            "This KV format groups {group} elements; a head of {head_dim} cannot be cut so.",
            {"group": GROUP, "head_dim": int(x.shape[-1])},
        )
    return x.reshape(*x.shape[:-1], -1, GROUP)


def _packed(codes: Tensor) -> Tensor:
    """Two codes 0 … 15 a byte: neighbours of the last axis, the first in the low half."""
    return codes[..., 0::2] | (codes[..., 1::2] << 4)


def _unpacked(packed: Tensor) -> Tensor:
    return torch.stack((packed & 15, packed >> 4), dim=-1).flatten(-2)


def _int4(grouped: Tensor, read: Callable[[Tensor], Tensor]) -> Coded:
    """Codes 0 … 15 between the least and the greatest of each group (the last axis)."""
    low, high = grouped.float().aminmax(dim=-1, keepdim=True)
    scale = ((high - low) / 15).clamp_min(1e-7).half()
    zero = low.half()
    codes = ((grouped.float() - zero.float()) / scale.float()).round().clamp(0, 15)
    packed = _packed(codes.to(torch.uint8))
    return Coded(
        (packed, scale, zero),
        lambda: read(_unpacked(packed).float() * scale.float() + zero.float()),
    )


def int4_token_group(x: Tensor) -> Coded:
    """Four bits, fp16 scale and least value per 32 elements of a token's head: 5 bits in all."""
    return _int4(_groups(x), lambda values: values.flatten(-2))


def int4_channel(x: Tensor) -> Coded:
    """Four bits, fp16 scale and least value per channel over 16 tokens: 6 bits in all.

    Tokens after the last whole 16 stay in bf16, until their block is full. From KIVI
    (https://arxiv.org/abs/2402.02750): keys differ by channel, not by token.
    """
    full = x.shape[1] // TOKENS * TOKENS
    # [heads, T, hd] -> [heads, groups, hd, 16]: a group's values are neighbours.
    grouped = x[:, :full].reshape(len(x), -1, TOKENS, x.shape[-1]).transpose(2, 3)
    head = _int4(grouped, lambda values: values.transpose(2, 3).flatten(1, 2))
    tail = x[:, full:].to(torch.bfloat16)
    return Coded((*head.parts, tail), lambda: torch.cat((head.read(), tail.float()), dim=1))


def q8_0(x: Tensor) -> Coded:
    """llama.cpp's q8_0: 32 signed bytes and one fp16 scale, 34 bytes for 32 values."""
    grouped = _groups(x.float())
    exact = grouped.abs().amax(-1, keepdim=True) / 127
    inverse = torch.where(exact == 0, 0.0, 1 / exact)
    codes = (grouped * inverse).round().to(torch.int8)
    scale = exact.half()
    return Coded((codes, scale), lambda: (codes.float() * scale.float()).flatten(-2))


def q4_0(x: Tensor) -> Coded:
    """llama.cpp's q4_0: 32 codes of four bits and one fp16 scale, 18 bytes for 32 values.

    The scale maps the element of greatest magnitude to -8, whatever its sign.
    """
    grouped = _groups(x.float())
    greatest = grouped.gather(-1, grouped.abs().argmax(-1, keepdim=True))
    exact = greatest / -8
    inverse = torch.where(exact == 0, 0.0, 1 / exact)
    codes = (grouped * inverse + 8.5).floor().clamp(0, 15).to(torch.uint8)
    packed = codes[..., :16] | (codes[..., 16:] << 4)
    scale = exact.half()

    def read() -> Tensor:
        values: Tensor = torch.cat((packed & 15, packed >> 4), dim=-1).float() - 8
        return (values * scale.float()).flatten(-2)

    return Coded((packed, scale), read)
