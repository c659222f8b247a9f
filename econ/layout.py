"""Over how many devices a model can be split by tensor parallelism.

Engines deal out whole heads. The query heads must divide evenly; KV heads too, or, where there are
more devices than KV heads, the devices by them: then each head is held by several
(https://github.com/vllm-project/vllm/blob/main/vllm/model_executor/models/llama.py). Latent
vectors have no heads: every device holds them whole.
"""

from __future__ import annotations

from econ.roofline import touched_share
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


def check_copies(model: ModelSpec, ranks: int, copies: int) -> None:
    """UsageError for copies of attention that do not divide the devices, or of a model that is no
    mixture of known experts: only experts can stay spread while attention is copied."""
    if copies == 1:
        return
    if touched_share(model, 1) in (None, 1.0):
        raise UsageError(Message("results.copies_need_experts", {"model": model.name}))
    if ranks % copies:
        even = ", ".join(str(n) for n in range(1, ranks + 1) if not ranks % n)
        values = {"flag": "--attention-copies", "found": str(copies), "expected": even}
        raise UsageError(Message("cli.bad_value", values))


def can_split(model: ModelSpec, ranks: int) -> bool:
    """The heads can be dealt out to that many devices; True where they are not known."""
    if not model.query_heads:
        return True
    return model.query_heads % ranks == 0 and all(_dealt(g, ranks) for g in model.groups)


def _dealt(group: KvGroup, ranks: int) -> bool:
    heads = group.kv_heads
    return not heads or heads % ranks == 0 or ranks % heads == 0
