"""A folder for workload files: whole or not at all, on a disk or behind any fsspec URL."""

from __future__ import annotations

import hashlib
import io
import os
import re
import time
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import IO, TYPE_CHECKING, Any

from messages.errors import Message, SourceError, input_error

if TYPE_CHECKING:
    from fsspec import AbstractFileSystem

MANIFEST = "manifest.json"
TEMPORARY = "tmp-"
STALE_S = 3_600
"""Age at which a half-written folder or one that no row names is thrown away."""

MAX_NAME_BYTES = 255
_DEVICE = re.compile(r"^(con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³]|conin\$|conout\$)(\.|$)", re.I)
_CONTENT_KEY = re.compile(r"^[0-9a-f]{64}$")


def safe_join(root: Path, name: str) -> Path:
    """`name` below `root`, as a resolved path. InputError for anything that could lead elsewhere
    on any system: absolute paths, drives, shares, `..`, NUL and controls, device names, links."""
    parts = name.split("/")
    target = None
    if all(_harmless(part) for part in parts) and not _anchored(name):
        base = root.resolve()
        target = base.joinpath(*parts).resolve()
        if target != base and target.is_relative_to(base):
            return target
    raise input_error("store.bad_name", name=ascii(name[:80]))


def _anchored(name: str) -> bool:
    return bool(PurePosixPath(name).anchor or PureWindowsPath(name).anchor)


def _harmless(part: str) -> bool:
    if part in ("", ".", "..") or part != part.rstrip(". ") or _DEVICE.match(part.strip()):
        return False
    if any(ch in '\\:<>"|?*' or ord(ch) < 32 or 0x7F <= ord(ch) < 0xA0 for ch in part):
        return False
    try:
        return len(part.encode()) <= MAX_NAME_BYTES
    except UnicodeEncodeError:
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """What one file came to."""

    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Folder:
    """The root of workload files. Content `key` lies in `<key[:2]>/<key>/`, its manifest last."""

    fs: AbstractFileSystem
    root: str
    local: bool

    def path(self, *parts: str) -> str:
        """A path below the root."""
        return "/".join((self.root, *parts))

    def content(self, key: str, *parts: str) -> str:
        """A path inside the content `key` (64 hex digits)."""
        if not _CONTENT_KEY.match(key):
            raise input_error("store.bad_name", name=ascii(key[:80]))
        return self.path(key[:2], key, *parts)

    def complete(self, key: str) -> bool:
        """The content is there in full."""
        return bool(self.fs.exists(self.content(key, MANIFEST)))

    @contextmanager
    def staging(self) -> Iterator[str]:
        """A new temporary folder, gone afterwards whatever happens."""
        place = self.path(f"{TEMPORARY}{int(time.time())}-{uuid.uuid4().hex}")
        self._make(place)
        try:
            yield place
        finally:
            if self.fs.exists(place):
                self.fs.rm(place, recursive=True)

    def write(self, path: str, fill: Callable[[IO[bytes]], None]) -> Written:
        """Write one file by `fill` and wait until the disk has it."""
        with self._open(path) as raw:
            hashing = _Hashing(raw)
            fill(hashing)  # type: ignore[arg-type]  # a raw binary stream is all that writers need
            raw.flush()
            if self.local:
                os.fsync(raw.fileno())
        return Written(sha256=hashing.sha256.hexdigest(), size_bytes=hashing.size_bytes)

    def publish(self, staged: str, key: str, names: list[str]) -> None:
        """Move staged files into content `key`; the manifest goes last and means complete."""
        self._make(self.content(key))
        for name in (*sorted(set(names) - {MANIFEST}), MANIFEST):
            self._move(f"{staged}/{name}", self.content(key, name))
        self._sync_folder(self.content(key))

    def add(self, staged: str, key: str, name: str) -> None:
        """Move one staged file into content `key`, beside what is there; `remove` takes it too."""
        self._make(self.content(key))
        self._move(f"{staged}/{name}", self.content(key, name))

    def remove(self, key: str) -> None:
        """Delete content `key`; the manifest first, so that what is half gone is not complete."""
        manifest = self.content(key, MANIFEST)
        if self.fs.exists(manifest):
            self.fs.rm_file(manifest)
        if self.fs.exists(self.content(key)):
            self.fs.rm(self.content(key), recursive=True)

    def keys(self) -> list[str]:
        """Every content key that has a folder, complete or not."""
        names = (PurePosixPath(path).name for path in self._listed(self.root))
        shelves = [name for name in names if re.fullmatch("[0-9a-f]{2}", name)]
        found = (PurePosixPath(p).name for s in shelves for p in self._listed(self.path(s)))
        return [name for name in found if _CONTENT_KEY.match(name)]

    def age_s(self, key: str) -> float:
        """Seconds since the newest file of content `key` was written; infinite where unknown."""
        files = self.fs.find(self.content(key), detail=True).values()
        newest = max((float(info.get("mtime") or 0) for info in files), default=0.0)
        return time.time() - newest

    def sweep_staging(self) -> None:
        """Throw away temporary folders that a killed writer left behind."""
        for path in self._listed(self.root):
            name = PurePosixPath(path).name
            stamp = name.removeprefix(TEMPORARY).partition("-")[0]
            if name.startswith(TEMPORARY) and stamp.isdigit():  # noqa: SIM102
                if time.time() - int(stamp) > STALE_S:
                    self.fs.rm(path, recursive=True)

    def _listed(self, path: str) -> list[str]:
        # Listings are cached by some file systems; another process may have written since.
        self.fs.invalidate_cache()
        if not self.fs.exists(path):
            return []
        return [str(p).rstrip("/") for p in self.fs.ls(path, detail=False)]

    def _make(self, path: str) -> None:
        if self.local:
            os.makedirs(self.root, mode=0o700, exist_ok=True)
        self.fs.makedirs(path, exist_ok=True)

    def _open(self, path: str) -> IO[bytes]:
        return open(path, "wb") if self.local else self.fs.open(path, "wb")

    def _move(self, source: str, target: str) -> None:
        if self.local:
            os.replace(source, target)
        else:
            self.fs.mv(source, target)

    def _sync_folder(self, path: str) -> None:
        if not self.local or os.name == "nt":
            return
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class _Hashing(io.RawIOBase):
    """Passes bytes on, counting and hashing them."""

    def __init__(self, target: IO[bytes]) -> None:
        self._target = target
        self.sha256 = hashlib.sha256()
        self.size_bytes = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self.size_bytes

    def write(self, data: Any) -> int:
        view = memoryview(data).cast("B")
        self._target.write(view)
        self.sha256.update(view)
        self.size_bytes += len(view)
        return len(view)


def open_folder(url: str) -> Folder:
    """The folder behind a path or fsspec URL. Nothing is made before the first write.

    SourceError where fsspec has no package for the URL's scheme."""
    import fsspec
    from fsspec.implementations.local import LocalFileSystem

    try:
        fs, root = fsspec.core.url_to_fs(url)
    except (ImportError, ValueError) as error:
        scheme = url.partition("://")[0]
        raise SourceError(Message("store.no_file_system", {"scheme": scheme})) from error
    return Folder(fs=fs, root=str(root).rstrip("/"), local=isinstance(fs, LocalFileSystem))
