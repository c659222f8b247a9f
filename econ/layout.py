"""Over how many devices a model can be split by tensor parallelism.

Engines deal out whole heads. The query heads must divide evenly; KV heads too, or, where there are
more devices than KV heads, the devices by them: then each head is held by several
(https://github.com/vllm-project/vllm/blob/main/vllm/model_executor/models/llama.py). Latent
vectors have no heads: every device holds them whole.
"""

from __future__ import annotations

from messages.errors import Message, UsageError, Value
from price_tables.hardware import KvGroup, ModelSpec

PLACE = Message("hardware.ranks_place")
PREFILL_PLACE = Message("hardware.ranks_prefill")


def valid_ranks(model: ModelSpec) -> tuple[int, ...]:
    """Every number of devices that the heads can be dealt out to, ascending; empty where the
    number of query heads is not known: then any may do."""
    return tuple(n for n in range(1, model.query_heads + 1) if can_split(model, n))


def check_ranks(model: ModelSpec, ranks: int, place: Value = PLACE) -> None:
    """UsageError naming `place` and what is possible, unless the heads can be dealt out."""
    if can_split(model, ranks):
        return
    heads = max((group.kv_heads for group in model.groups), default=0)
    values: dict[str, Value] = {
        "place": place, "found": ranks, "model": model.name, "heads": model.query_heads,
        "expected": ", ".join(map(str, valid_ranks(model))),
    }  # fmt: skip
    if not heads:
        raise UsageError(Message("hardware.ranks_heads", values))
    raise UsageError(Message("hardware.ranks", values | {"kv_heads": heads}))


def can_split(model: ModelSpec, ranks: int) -> bool:
    """The heads can be dealt out to that many devices; True where they are not known."""
    if not model.query_heads:
        return True
    return model.query_heads % ranks == 0 and all(_dealt(g, ranks) for g in model.groups)


def _dealt(group: KvGroup, ranks: int) -> bool:
    heads = group.kv_heads
    return not heads or heads % ranks == 0 or ranks % heads == 0
