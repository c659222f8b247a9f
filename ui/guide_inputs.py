"""What the guide's small calculators ask for: a model, a length, and the case they share."""

from __future__ import annotations

from econ.kv_formats import KvFormat, kv_format
from jobs import guide_facts
from price_tables.hardware import DeviceSpec, ModelSpec
from ui import asked
from ui.numerals import count
from ui.words import t

CASE_MODEL, CASE_DEVICE, WEIGHTS_DTYPE = "llama-3.1-70b", "b300-sxm", "fp8"
LENGTHS = (1_024, 2_048, 4_096, 8_192, 16_384, 32_768, 65_536, 131_072)
MODELS = (
    "llama-3.1-70b", "deepseek-v3", "kimi-linear-48b-a3b", "gpt-oss-120b", "gemma-3-27b",
    "qwen3-235b-a22b", "llama-2-7b", "llama-3.1-8b",
)  # fmt: skip


def case() -> tuple[ModelSpec, DeviceSpec]:
    """The model and the device of every floor in the guide."""
    known = guide_facts.hardware()
    return known.models[CASE_MODEL], known.devices[CASE_DEVICE]


def format_of(name: str) -> KvFormat:
    """A cache format by name."""
    return kv_format(name)


def known_models() -> list[ModelSpec]:
    """Those of the short list that the tables have."""
    models = guide_facts.hardware().models
    return [models[name] for name in MODELS if name in models]


def model(key: str, first: str = CASE_MODEL) -> ModelSpec:
    """One of a short list of models."""
    models = {one.id: one for one in known_models()}
    names = list(models)
    usual = first if first in models else names[0]
    return models[asked.picked(key, t("guide.model"), names, usual, lambda name: models[name].name)]


def tokens(key: str, first: int = 32_768, label: str = "guide.tokens") -> int:
    """A length, doubling from 1,024 to 131,072 tokens."""
    return asked.stops(key, t(label), LENGTHS, first, count)


def all_models() -> list[ModelSpec]:
    """Every model of the tables."""
    return list(guide_facts.hardware().models.values())


def by_id(name: str) -> ModelSpec | None:
    """A model of the tables; None where they lack it."""
    return guide_facts.hardware().models.get(name)
