"""Models that mix layers whose state does not grow with layers that keep every token."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from price_tables.hardware import ModelSpec

STATE = frozenset({"linear_state"})
NOT_LAYERS = frozenset({"indexer"})
THREE = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class HybridDesign:
    """Layers of both kinds; `parameters` None where no source states them."""

    name: str
    linear_layers: int
    attention_layers: int
    parameters: int | None
    source: str
    as_of: str

    @property
    def ratio(self) -> float:
        """Linear layers to one that keeps every token."""
        return self.linear_layers / self.attention_layers

    @property
    def near_three(self) -> bool:
        """3 : 1 but for what the number of layers does not allow."""
        return round(self.ratio) == THREE


def hybrids(models: Mapping[str, ModelSpec]) -> tuple[HybridDesign, ...]:
    """Every such model that is known, by its ratio and name."""
    found = []
    for model in models.values():
        linear = sum(g.layers for g in model.groups if g.kind in STATE)
        kept = sum(g.layers for g in model.groups if g.kind not in STATE | NOT_LAYERS)
        if linear and kept:
            found.append(
                HybridDesign(
                    name=model.name,
                    linear_layers=linear,
                    attention_layers=kept,
                    parameters=model.parameters_total,
                    source=model.source,
                    as_of=model.as_of,
                )
            )
    return tuple(sorted(found, key=lambda one: (one.ratio, one.name)))
