"""Names of blocks: SHA-256 over the parent's name and the block's tokens, packed as uint32.

A block's name stands for all tokens up to its end and for the identity at the root. SHA-256,
because who can make two blocks collide can make one tenant read what another has computed.
"""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import numpy as np
import numpy.typing as npt

from kvcore.blocks.state import Bytes

TOKEN_BYTES = 4
DIGEST_BYTES = 32


def chain(parent: bytes, tokens: npt.NDArray[np.integer[Any]], block_tokens: int) -> Bytes:
    """The names of the whole blocks of `tokens` [n], uint8 [n // block_tokens, 32].

    `parent` is `Identity.root()` for a sequence's first block, else the 32 bytes of the name of the
    block in front: a chain can be continued. A partial last block has no name.
    """
    blocks = len(tokens) // block_tokens
    packed = memoryview(tokens[: blocks * block_tokens].astype("<u4").tobytes())
    size = TOKEN_BYTES * block_tokens
    names = []
    for start in range(0, len(packed), size):
        parent = sha256(parent + packed[start : start + size]).digest()
        names.append(parent)
    return np.frombuffer(bytearray().join(names), dtype=np.uint8).reshape(blocks, DIGEST_BYTES)
