"""Which models a page looks at, in which cache format and at which context; the URL holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import streamlit as st

from econ.kv_config import ReadConfig
from econ.kv_formats import KvFormat, kv_format
from econ.size_study import CONTEXTS
from jobs import model_sizes
from jobs.fleet_flows import EXAMPLE_FLEET
from messages.errors import UsageError
from price_tables.hardware import ModelSpec
from ui import controls, refused, scenario
from ui.numerals import count, foreign
from ui.typed import keep, number
from ui.words import t

URL_MODELS, URL_CONTEXT = "kv_models", "kv_context"
MOST_MODELS = 12
MOST_CONTEXT = 10_000_000
DEFAULT = (
    "llama-3.1-70b", "gpt3-175b", "qwen3-235b-a22b", "llama-3.1-8b", "deepseek-v3", "gpt-oss-120b",
    "kimi-linear-48b-a3b",
)  # fmt: skip
SHOWN_FORMATS = ("bf16", "fp8", "int8", "q8_0", "q4_0", "int4", "kivi4", "k8v4", "fp32")
_OWN = "_own_models"


def own_models() -> dict[str, ReadConfig]:
    """The models that this browser session has pasted or uploaded, by their key."""
    return dict(st.session_state.get(_OWN, {}))


def keep_own(read: ReadConfig) -> str:
    """Keep a pasted model for the browser session and look at it first; its key."""
    key = f"own:{foreign(read.spec.id, 40)}"
    st.session_state[_OWN] = {**own_models(), key: read}
    write([key, *[name for name in asked() if name != key]])
    return key


def forget_own() -> None:
    """Forget all pasted models."""
    st.session_state.pop(_OWN, None)
    write([name for name in asked() if not name.startswith("own:")])


def known() -> Mapping[str, ModelSpec]:
    """Every model that can be chosen, the reader's own first."""
    own = {key: read.spec for key, read in own_models().items()}
    return {**own, **model_sizes.hardware().models}


def asked() -> list[str]:
    """The scenario's model first, then those beside it, as the URL or the session says; nonsense
    counts as not said. An address that names no scenario means the first model of its list."""
    linked = st.query_params.get(URL_MODELS)
    models = known()
    names = (linked or st.session_state.get(f"_{URL_MODELS}") or "").split(",")
    found = [name for name in dict.fromkeys(names) if name in models]
    found = found or [name for name in DEFAULT if name in models]
    first = st.query_params.get(scenario.MODEL)
    if first is None and not linked:
        first = st.session_state.get(f"_{scenario.MODEL}") or EXAMPLE_FLEET.model
    if first in models:
        found = [first, *(name for name in found if name != first)]
    return found[:MOST_MODELS]


def write(names: Sequence[str]) -> None:
    """Look at these models; the default leaves the URL."""
    chosen = list(names)[:MOST_MODELS]
    keep(URL_MODELS, None if not chosen or chosen == list(DEFAULT) else ",".join(chosen))
    first = chosen[0] if chosen else DEFAULT[0]
    keep(scenario.MODEL, None if first == EXAMPLE_FLEET.model else first)


def models() -> list[ModelSpec]:
    """The control that chooses; the first model is the reader's own workload's."""
    catalogue, chosen = known(), asked()
    names = {key: foreign(model.name, 60) for key, model in catalogue.items()}
    refused.one_of(scenario.MODEL, list(names), names[chosen[0]])
    linked = st.query_params.get(URL_MODELS, "").split(",")
    if any(name not in names for name in linked):
        refused.value(URL_MODELS, ", ".join(names[key] for key in chosen))
    write(chosen)
    st.session_state["kv_models_widget"] = chosen
    st.multiselect(
        t("model_size.models"),
        list(names),
        format_func=names.__getitem__,
        key="kv_models_widget",
        max_selections=MOST_MODELS,
        help=t("model_size.models_help"),
        on_change=lambda: write(st.session_state["kv_models_widget"]),
    )
    return [catalogue[key] for key in chosen]


def dtype() -> KvFormat:
    """The scenario's cache format; in the URL also as keys/values, such as fp8/int4."""
    said = st.query_params.get(scenario.KV) or st.session_state.get(f"_{scenario.KV}") or ""
    usual = EXAMPLE_FLEET.kv_dtype
    try:
        found = kv_format(said or usual)
    except UsageError:
        found = kv_format(usual)
        refused.value(scenario.KV, usual)
    keep(scenario.KV, None if found.name == usual else found.name)
    options = list(dict.fromkeys([*SHOWN_FORMATS, found.name]))
    names = {name: _format_name(name) for name in options}

    def chosen() -> None:
        name = st.session_state["kv_dtype_widget"]
        keep(scenario.KV, None if name == usual else name)

    st.session_state["kv_dtype_widget"] = found.name
    st.selectbox(
        t("model_size.dtype"),
        options,
        format_func=names.__getitem__,
        key="kv_dtype_widget",
        on_change=chosen,
        width=200,
    )
    return found


def _format_name(name: str) -> str:
    key = f"model_size.format_{name}"
    return t(key) if name in SHOWN_FORMATS else name


def context() -> int:
    """Tokens of one sequence: one of three usual lengths, or typed."""
    usual = [str(tokens) for tokens in CONTEXTS]
    options = [*usual[::-1], "own"]
    said = controls.choice(t("model_size.context"), options, "kv_length", _context_name)
    if said != "own":
        return int(said)
    typed = number(
        URL_CONTEXT, Decimal(CONTEXTS[-1]), label=t("model_size.context_typed"), low=1.0,
        high=float(MOST_CONTEXT), step=1024.0, form="%.0f",
    )  # fmt: skip
    return int(typed or CONTEXTS[-1])


def _context_name(option: str) -> str:
    return t("model_size.context_own") if option == "own" else count(int(option))
