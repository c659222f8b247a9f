"""The model of one's own hardware: one of the table, or one that the reader has brought."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

from econ.kv_config import ReadConfig
from jobs import own_models
from ui import model_choice, model_source, typed
from ui.typed import keep
from ui.words import t

BILLION = 10**9
MOST_BILLIONS = 100_000


def names() -> dict[str, str]:
    """Key -> name of the models that this browser session has brought."""
    return {key: read.spec.name for key, read in model_choice.own_models().items()}


def bring() -> None:
    """Takes a config.json, a GGUF or a safetensors file, and looks at that model."""
    label = t("own_hardware_page.own_model")
    model_source.ask(lambda key: keep("hw_model", key), label)


def resolved(chosen: str) -> str:
    """The name under which jobs find the model; asks for its parameters where its file does not
    say them."""
    read = model_choice.own_models().get(chosen)
    return chosen if read is None else own_models.keep(_counted(read).spec)


def _counted(read: ReadConfig) -> ReadConfig:
    spec = read.spec
    total, active = spec.parameters_total, spec.parameters_active
    if total is None:
        total = _billions("hw_params_b")
        if spec.experts:
            active = _billions("hw_active_b") or total
    if total is None:
        return read
    return replace(
        read, spec=replace(spec, parameters_total=total, parameters_active=active or total)
    )


def _billions(name: str) -> int | None:
    found = typed.number(
        name, None, label=t(f"own_hardware_page.{name}"), low=0.0, high=float(MOST_BILLIONS),
        step=1.0, form="%.3f",
    )  # fmt: skip
    return None if found is None else int(found * Decimal(BILLION))
