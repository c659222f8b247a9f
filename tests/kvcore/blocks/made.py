"""Small pools and sequences for the tests of blocks."""

from __future__ import annotations

import numpy as np

from kvcore.blocks.hashing import chain
from kvcore.blocks.identity import Identity
from kvcore.blocks.pool import BlockPool

BLOCK_TOKENS = 4


def root(salt: str = "") -> bytes:
    return Identity(model="made", kv_dtype="float32", salt=salt).root()


def named(tokens: list[int] | np.ndarray, salt: str = "") -> tuple[np.ndarray, np.ndarray]:
    """Hashes and tokens of a sequence."""
    packed = np.asarray(tokens, dtype=np.uint32)
    return chain(root(salt), packed, BLOCK_TOKENS), packed


def kept(pool: BlockPool, tokens: list[int] | np.ndarray, salt: str = "", **how: object) -> int:
    """Admit, publish and release a sequence; its hits."""
    hashes, packed = named(tokens, salt)
    blocks = -(-len(packed) // BLOCK_TOKENS)
    admission = pool.admit(hashes, packed, len(packed) - 1, blocks)
    assert admission is not None
    pool.publish(admission.table, hashes, packed, admission.hit_blocks)
    pool.release(admission.table, **how)  # type: ignore[arg-type]
    return admission.hit_blocks


def found(pool: BlockPool, tokens: list[int] | np.ndarray, salt: str = "") -> list[int]:
    """Blocks that a sequence would find."""
    hashes, packed = named(tokens, salt)
    return pool.match(hashes, packed, len(packed)).tolist()


def run_of(first: int, blocks: int) -> list[int]:
    """Tokens of so many blocks."""
    return list(range(first, first + blocks * BLOCK_TOKENS))
