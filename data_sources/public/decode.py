"""Undoing gzip and deflate of an answer without ever holding more than was allowed."""

from __future__ import annotations

import zlib

AUTO_GZIP_OR_ZLIB = 47
RAW_DEFLATE = -15


class TooLarge(Exception):
    """The body is longer than allowed, or unpacks to more."""


class Damaged(Exception):
    """The packed body ends early or is not what its header says."""


class Unpacker:
    """Takes the bytes as sent and keeps the plain ones, at most `most` of them."""

    def __init__(self, encoding: str, most: int) -> None:
        """`encoding` is the Content-Encoding. Damaged for one that was not asked for."""
        self._most = most
        self._parts: list[bytes] = []
        self._size = 0
        self._packed = encoding.strip().lower() not in ("", "identity")
        if self._packed and encoding.strip().lower() not in ("gzip", "x-gzip", "deflate"):
            raise Damaged
        self._inflate = zlib.decompressobj(AUTO_GZIP_OR_ZLIB)
        self._fresh = True

    def feed(self, chunk: bytes) -> None:
        """More bytes as sent. TooLarge or Damaged."""
        if not self._packed:
            self._keep(chunk)
            return
        while chunk:
            if self._inflate.eof:  # a gzip file may have several members
                self._inflate = zlib.decompressobj(AUTO_GZIP_OR_ZLIB)
            chunk = self._step(chunk)

    def _step(self, chunk: bytes) -> bytes:
        room = self._most - self._size + 1
        try:
            plain = self._inflate.decompress(chunk, room)
        except zlib.error:
            if not self._fresh:
                raise Damaged from None
            # "deflate" is sent with and without zlib's two bytes of header.
            self._inflate, self._fresh = zlib.decompressobj(RAW_DEFLATE), False
            return chunk
        self._fresh = False
        self._keep(plain)
        return self._inflate.unconsumed_tail or self._inflate.unused_data

    def _keep(self, plain: bytes) -> None:
        self._size += len(plain)
        if self._size > self._most:
            raise TooLarge
        self._parts.append(plain)

    def close(self) -> bytes:
        """The whole plain body. Damaged where its packing has no end."""
        if self._packed and not self._inflate.eof and (self._size or not self._fresh):
            raise Damaged
        return b"".join(self._parts)
