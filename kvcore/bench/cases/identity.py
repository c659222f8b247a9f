"""What naming blocks costs, and how likely two names are to meet."""

from __future__ import annotations

import math
import pickle
from collections.abc import Callable, Iterator
from hashlib import sha256

import numpy as np

from kvcore.bench.context import BLOCK_TOKENS, Bench, counted
from kvcore.blocks.hashing import chain
from kvcore.blocks.identity import Identity
from kvcore.profile import CaseResult

TOKENS = 13_220
HASH_BITS = (64, 128, 256)
BLOCKS = (10**6, 10**9, 10**12)


def hash_cost(bench: Bench) -> Iterator[CaseResult]:
    """Seconds a token of the engine's chain, and of SHA-256 over pickled tuples beside it."""
    tokens = np.arange(TOKENS, dtype=np.uint32) % bench.model.shape.vocab
    root = Identity(model=bench.model.name, kv_dtype="any").root()
    listed = tokens.tolist()

    def pickled() -> bytes:
        parent = root
        for start in range(0, TOKENS - BLOCK_TOKENS + 1, BLOCK_TOKENS):
            block = (parent, tuple(listed[start : start + BLOCK_TOKENS]), None)
            parent = sha256(pickle.dumps(block, protocol=pickle.HIGHEST_PROTOCOL)).digest()
        return parent

    methods: dict[str, Callable[[], object]] = {
        "sha256 over packed tokens": lambda: chain(root, tokens, BLOCK_TOKENS),
        "sha256 over a pickled tuple": pickled,
    }
    for method, run in methods.items():
        timing = bench.time(run, repeats=21)
        yield bench.row("hash", timing, per=TOKENS, method=method, block_tokens=BLOCK_TOKENS)


def collision_odds(_bench: Bench) -> Iterator[CaseResult]:
    """Chance that among n random names at least two are equal: 1 - exp(-n(n-1) / 2^(bits+1)).

    The birthday bound. It speaks of chance only: a hash that is not cryptographic can be made to
    collide on purpose whatever its length. The engine compares tokens on every hit besides.
    """
    for bits in HASH_BITS:
        for blocks in BLOCKS:
            odds = -math.expm1(-blocks * (blocks - 1) / 2.0 ** (bits + 1))
            yield counted("collision", odds, bits=bits, blocks=blocks, basis="computed")
