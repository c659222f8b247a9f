"""Rotary positions in the half-split convention: element i turns with element i + dim/2."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from kvcore.model.shape import ModelShape, RopeScaling


def inverse_frequencies(
    dim: int, theta: float, scaling: RopeScaling | None = None
) -> Tensor:  # [dim/2] f32
    """Radians per position of each pair: theta^(-2i/dim), stretched as Llama 3 does where asked.

    Source of the stretching: "The Llama 3 Herd of Models" and the reference code that came with
    it; wavelengths shorter than original/high are kept, longer than original/low divided by
    factor, those between blended.
    """
    frequencies = 1.0 / theta ** (torch.arange(0, dim, 2, dtype=torch.float32) / dim)
    if scaling is None:
        return frequencies
    wavelengths = 2 * math.pi / frequencies
    low = scaling.original_context / scaling.low_freq_factor
    high = scaling.original_context / scaling.high_freq_factor
    blend = (scaling.original_context / wavelengths - scaling.low_freq_factor) / (
        scaling.high_freq_factor - scaling.low_freq_factor
    )
    blended = (1 - blend) * frequencies / scaling.factor + blend * frequencies
    stretched = torch.where(wavelengths > low, frequencies / scaling.factor, frequencies)
    between = (wavelengths <= low) & (wavelengths >= high)
    return torch.where(between, blended, stretched)


def rope_dim(shape: ModelShape) -> int:
    """How many elements of a key carry position: all of head_dim, or MLA's separate part."""
    return shape.mla.rope_dim if shape.mla is not None else shape.head_dim


def rope_tables(
    shape: ModelShape, positions: int, device: torch.device | str = "cpu"
) -> tuple[Tensor, Tensor]:
    """cos and sin, each [positions, rope_dim/2] f32, for positions 0 .. positions-1."""
    frequencies = inverse_frequencies(rope_dim(shape), shape.rope_theta, shape.rope_scaling)
    angles = torch.outer(torch.arange(positions, dtype=torch.float32), frequencies)
    return angles.cos().to(device), angles.sin().to(device)


def rotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """x [..., T, dim] turned by its positions; cos and sin [T, dim/2]. Keeps x's dtype.

    Computed in x's dtype widened to fp32, so that bf16 keys lose nothing to a bf16 angle.
    """
    half = x.shape[-1] // 2
    first, second = x[..., :half].float(), x[..., half:].float()
    return torch.cat((first * cos - second * sin, second * cos + first * sin), dim=-1).to(x.dtype)


def unrotate(x: Tensor, cos: Tensor, sin: Tensor) -> Tensor:
    """Takes positions out again: the key before RoPE. The inverse of rotate."""
    return rotate(x, cos, -sin)
