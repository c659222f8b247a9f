"""The one scenario of Own hardware, Model size, Less KV, Chain and Five questions: model, device,
weights, cache format, devices a replica.

It stands in the URL and in the session under the names below, so that what one page changes the
others show. It starts as `jobs.fleet_flows.EXAMPLE_FLEET`.
"""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from econ.kv_formats import ELEMENTS, FORMATS, ElementFormat, KvFormat
from jobs import fleet_flows
from jobs.fleet_flows import EXAMPLE_FLEET
from ui import components
from ui.numerals import foreign, md
from ui.words import t

MODEL, DEVICE, WEIGHTS, KV, RANKS = "hw_model", "hw_device", "hw_weights", "hw_kv", "hw_tp"
EARLIER: Mapping[str, str] = {
    "less_kv_model": MODEL, "less_kv_device": DEVICE, "kv_device": DEVICE,
    "less_kv_weights": WEIGHTS, "kv_dtype": KV, "kv_tp": RANKS,
}  # fmt: skip
"""Names that addresses had while each page kept a scenario of its own."""


def adopt() -> None:
    """Take what an earlier address says as the one scenario; the new name counts before the old."""
    for old, new in EARLIER.items():
        said = st.query_params.get(old)
        if said is None:
            continue
        st.query_params.pop(old)
        if new not in st.query_params:
            st.query_params[new] = said


def said() -> None:
    """One muted line: which pages share the scenario, and how it starts."""
    first = EXAMPLE_FLEET
    pages = {
        short: t(f"ui.page.{page}")
        for short, page in (("own", "own_hardware"), ("size", "model_size"), ("less", "less_kv"),
                            ("chain", "chain"), ("five", "five_questions"))
    }  # fmt: skip
    components.note(
        t("ui.scenario.shared", **pages, model=md(foreign(fleet_flows.name_of(first.model))),
          ranks=str(first.tensor_parallel), device=md(foreign(fleet_flows.name_of(first.device))),
          weights=(first.quantization or "").upper(), kv=first.kv_dtype.upper())
    )  # fmt: skip


def joined(keys: str, values: str) -> str:
    """The name of a format whose keys and values are so: 'fp8', 'kivi4', 'fp8/int4'."""
    one = _elements(keys, values)
    for name, known in FORMATS.items():
        if (known.key, known.value) == one:
            return keys if keys == values and keys in FORMATS else name
    return f"{keys}/{values}"


def parted(found: KvFormat, options: Mapping[str, ElementFormat]) -> tuple[str, str]:
    """The elements of keys and of values, each by the first of `options` that is the same."""
    key, slash, value = found.name.partition("/")
    if slash:
        return key, value
    return (
        found.name if found.name in options else _named(found.key, options),
        found.name if found.name in options else _named(found.value, options),
    )


def _named(one: ElementFormat, options: Mapping[str, ElementFormat]) -> str:
    return next(name for name, element in options.items() if element == one)


def _elements(keys: str, values: str) -> tuple[ElementFormat, ElementFormat]:
    return ELEMENTS[keys], ELEMENTS[values]
