"""Terms of the field as hover help: a word in a text, its meaning where the pointer rests.

Texts mark a term as `[[prefill]]`, or `[[prefill|read at once]]` where the sentence needs another
form. `term` and `with_terms` give Markdown with `abbr` elements; every word is the catalogue's.
"""

from __future__ import annotations

import html
import re

import streamlit as st

from messages import catalogue
from ui import plain_table
from ui.plain_table import cell
from ui.words import language, t

_MARKED = re.compile(r"\[\[([a-z0-9_]+)(?:\|([^\]]+))?\]\]")
TERMS = (
    "kv_cache",
    "key",
    "value",
    "query",
    "attention",
    "causal_mask",
    "dense_attention",
    "full_attention",
    "linear_attention",
    "hybrid",
    "token",
    "context_length",
    "prefill",
    "decode",
    "autoregressive",
    "mha",
    "mqa",
    "gqa",
    "mla",
    "kv_head",
    "query_head",
    "head_dim",
    "latent",
    "projection",
    "absorbed",
    "rope",
    "weights",
    "active_parameters",
    "state_space",
    "decay_gate",
    "delta_rule",
    "kernel",
    "bytes_per_token",
    "compute",
    "capacity",
    "bandwidth",
    "bandwidth_bound",
    "concurrent",
    "throughput",
    "latency",
    "ttft",
    "tpot",
    "fragmentation",
    "paged_attention",
    "block",
    "block_table",
    "block_length",
    "prefix",
    "prefix_caching",
    "system_prompt",
    "hash_collision",
    "salt",
    "trust_boundary",
    "side_channel",
    "eviction",
    "lru",
    "clairvoyant",
    "hit_curve",
    "offload",
    "tier",
    "recompute",
    "transfer",
    "disaggregated",
    "prefill_pool",
    "decode_pool",
    "quantisation",
    "quantisation_error",
    "scale",
    "calibration",
    "lossless",
    "approximate",
    "prompt_cache",
    "cache_write",
    "cache_read",
    "uncached_input",
    "read_multiplier",
    "write_premium",
    "lifetime",
    "min_length",
    "breakpoint",
    "lookback",
    "implicit_cache",
    "explicit_cache",
    "hit_ratio",
    "saving",
    "break_even",
    "baseline",
    "unpriced",
    "hbm",
    "inference",
    "training",
    "llm",
    "data_centre",
    "jevons",
    "utilisation",
    "kv_transfer",
    "ridge",
    "linear_map",
    "retention",
    "cosine",
    "r2",
    "prefill_again",
)
"""Every term of the glossary, in its order."""


def term(name: str, shown: str = "") -> str:
    """The term in the reader's language, its meaning as hover help; Markdown with HTML."""
    word, means = shown or t(f"glossary.{name}.name"), t(f"glossary.{name}.means")
    other = catalogue.t("en" if language() == "ja" else "ja", f"glossary.{name}.name")
    title = html.escape(f"{t(f'glossary.{name}.name')} ({other}): {means}", quote=True)
    return f'<abbr tabindex="0" title="{title}">{html.escape(word)}</abbr>'


def with_terms(text: str) -> str:
    """`text` with every marked term made into hover help."""
    return _MARKED.sub(lambda found: term(found[1], found[2] or ""), text)


def say(text: str) -> None:
    """A paragraph of the catalogue with its terms."""
    st.markdown(with_terms(text), unsafe_allow_html=True)


def marked(text: str) -> tuple[str, ...]:
    """The terms that a text marks."""
    return tuple(found[1] for found in _MARKED.finditer(text))


def glossary() -> None:
    """All terms in one table, for those who cannot hover."""
    with st.popover(t("glossary.open"), type="tertiary", icon=":material/dictionary:"):
        other = "en" if language() == "ja" else "ja"
        rows = [
            [
                cell(t(f"glossary.{name}.name")),
                cell(catalogue.t(other, f"glossary.{name}.name"), tone="words"),
                cell(t(f"glossary.{name}.means"), tone="words"),
            ]
            for name in TERMS
        ]
        head = [t("glossary.term"), t("glossary.other"), t("glossary.meaning")]
        plain_table.show(head, rows, t("glossary.heading"), "glossary")
