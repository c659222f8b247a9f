"""Finds a model by what people call it: id, name or repository; nothing is guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from messages.errors import Message, NotFoundError
from price_tables.hardware import ModelSpec

MOST_NEAR = 5
LONGEST = 120
_BETWEEN = re.compile(r"[\s_/-]+")


def find_model(models: Mapping[str, ModelSpec], text: str) -> ModelSpec:
    """The one model whose id, name, repository or last part of it is `text`; capitals and the
    kind of separator do not count. NotFoundError listing near names where there is none."""
    asked = _plain(text[:LONGEST])
    for model in models.values():
        if asked in _names(model):
            return model
    found = near(models.values(), asked)
    shown = text[:LONGEST]
    if not found:
        raise NotFoundError(Message("hardware.unknown_model_none_near", {"found": shown}))
    raise NotFoundError(
        Message("hardware.unknown_model", {"found": shown, "near": ", ".join(found)})
    )


def near(models: Iterable[ModelSpec], text: str) -> list[str]:
    """Ids whose names hold `text` or are spelt nearly so, the nearest first."""
    asked = _plain(text)
    spelt: dict[str, str] = {}
    holding = []
    for model in models:
        names = _names(model)
        spelt |= dict.fromkeys(names, model.id)
        if asked and any(asked in name for name in names):
            holding.append(model.id)
    close = [spelt[name] for name in get_close_matches(asked, spelt, MOST_NEAR, cutoff=0.5)]
    return list(dict.fromkeys([*holding, *close]))[:MOST_NEAR]


def _names(model: ModelSpec) -> tuple[str, ...]:
    repository = model.repository or ""
    given = (model.id, model.name, repository, repository.rpartition("/")[2])
    return tuple(_plain(name) for name in given if name)


def _plain(name: str) -> str:
    return _BETWEEN.sub("-", name.strip().lower())
