"""Large memory pages for what is streamed every step."""

from __future__ import annotations

import ctypes
import sys
from dataclasses import replace
from typing import TYPE_CHECKING

import torch

if TYPE_CHECKING:
    from kvcore.model.weights import Weights

COPY_UP_TO_BYTES = 1_000_000_000
"""Weights above this stay where they are: a second copy would cost more than it gives."""
_LARGE_PAGE = 2 << 20
_MADV_HUGEPAGE = 14  # linux/mman.h
_ALIGNMENT = 64


def ask_for_large_pages(tensor: torch.Tensor) -> None:
    """Advise the kernel to back a tensor not yet written with 2 MiB pages, where it can.

    A page of 4 KiB ends each stream that the processor fetches ahead.
    """
    if sys.platform.startswith("linux"):
        storage = tensor.untyped_storage()
        start = -(-storage.data_ptr() // _LARGE_PAGE) * _LARGE_PAGE
        size = storage.data_ptr() + storage.nbytes() - start
        if size > 0:
            madvise = ctypes.CDLL(None).madvise
            madvise(ctypes.c_void_p(start), ctypes.c_size_t(size), _MADV_HUGEPAGE)


def in_one_piece(weights: Weights) -> Weights:
    """The same weights with their matrices side by side in the order they are read."""
    if weights.bytes > COPY_UP_TO_BYTES:
        return weights
    arena = torch.empty(weights.bytes + _LARGE_PAGE, dtype=torch.uint8)
    ask_for_large_pages(arena)
    taken = 0

    def place(tensor: torch.Tensor) -> torch.Tensor:
        nonlocal taken
        part = arena[taken : taken + tensor.nbytes].view(tensor.dtype).view(tensor.shape)
        taken += -(-tensor.nbytes // _ALIGNMENT) * _ALIGNMENT
        return part.copy_(tensor)

    layers = tuple(
        replace(
            layer,
            wqkv=place(layer.wqkv),
            wo=place(layer.wo),
            w_gate_up=place(layer.w_gate_up),
            w_down=place(layer.w_down),
        )
        for layer in weights.layers
    )
    head = place(weights.head)
    tied = weights.head is weights.embedding
    return replace(weights, layers=layers, head=head, embedding=head if tied else weights.embedding)
