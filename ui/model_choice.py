"""Which models a page looks at, in which cache format and at which context; the URL holds it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from decimal import Decimal

import streamlit as st

from econ.kv_config import ReadConfig
from econ.kv_formats import FORMATS, KvFormat, kv_format
from econ.size_study import CONTEXTS
from jobs import model_sizes
from messages.errors import UsageError
from price_tables.hardware import ModelSpec
from ui import controls
from ui.numerals import count, foreign
from ui.typed import keep, number
from ui.words import t

URL_MODELS, URL_DTYPE, URL_CONTEXT = "kv_models", "kv_dtype", "kv_context"
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
    """Keep a pasted model for this session and look at it first; its key."""
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
    """The keys that the URL or the session says; nonsense counts as not said."""
    said = st.query_params.get(URL_MODELS) or st.session_state.get(f"_{URL_MODELS}") or ""
    models = known()
    found = [name for name in dict.fromkeys(said.split(",")) if name in models][:MOST_MODELS]
    return found or [name for name in DEFAULT if name in models]


def write(names: Sequence[str]) -> None:
    """Look at these models; the default leaves the URL."""
    chosen = list(names)[:MOST_MODELS]
    keep(URL_MODELS, None if not chosen or chosen == list(DEFAULT) else ",".join(chosen))


def models() -> list[ModelSpec]:
    """The control that chooses; the first model is the reader's own workload's."""
    catalogue, chosen = known(), asked()
    write(chosen)
    names = {key: foreign(model.name, 60) for key, model in catalogue.items()}
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
    """The cache's format; in the URL also as keys/values, such as fp8/int4."""
    said = st.query_params.get(URL_DTYPE) or st.session_state.get(f"_{URL_DTYPE}") or ""
    try:
        found = kv_format(said) if said else FORMATS[SHOWN_FORMATS[0]]
    except UsageError:
        found = FORMATS[SHOWN_FORMATS[0]]
    keep(URL_DTYPE, None if found.name == SHOWN_FORMATS[0] else found.name)
    options = list(dict.fromkeys([*SHOWN_FORMATS, found.name]))
    names = {name: _format_name(name) for name in options}
    st.session_state["kv_dtype_widget"] = found.name
    st.selectbox(
        t("model_size.dtype"),
        options,
        format_func=names.__getitem__,
        key="kv_dtype_widget",
        on_change=lambda: keep(URL_DTYPE, st.session_state["kv_dtype_widget"]),
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
