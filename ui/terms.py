"""The glossary's terms, and which of them a heading, a metric or a column title speaks of.

A term's words are `glossary.<id>.name` and `.means`. Titles are searched for the term's name and
its other forms, longest first, so that "hit-ratio curve" is not taken for "hit ratio".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from messages import catalogue
from ui.words import language

TERMS = (
    "kv_cache", "key", "value", "query", "attention", "self_attention", "causal_mask",
    "dense_attention", "full_attention", "linear_attention", "hybrid", "token", "context_length",
    "prefill", "decode", "autoregressive", "mha", "mqa", "gqa", "mla", "kv_head", "query_head",
    "head_dim", "latent", "projection", "absorbed", "rope", "position_part", "weights",
    "active_parameters", "state_space", "decay_gate", "delta_rule", "kernel", "bytes_per_token",
    "compute", "capacity", "bandwidth", "bandwidth_bound", "concurrent", "throughput", "latency",
    "ttft", "tpot", "fragmentation", "internal_fragmentation", "external_fragmentation",
    "paged_attention", "block", "block_table", "block_length", "logical_block", "physical_block",
    "prefix", "prefix_caching", "system_prompt", "hash_collision", "salt", "trust_boundary",
    "side_channel", "eviction", "lru", "clairvoyant", "hit_curve", "miss_curve", "offload",
    "tier", "recompute", "transfer", "disaggregated", "prefill_pool", "decode_pool",
    "quantisation", "quantisation_error", "scale", "calibration", "lossless", "approximate",
    "prompt_cache", "cache_write", "cache_read", "uncached_input", "output_tokens",
    "read_multiplier", "write_premium", "lifetime", "min_length", "breakpoint", "lookback",
    "implicit_cache", "explicit_cache", "storage_fee", "hit_ratio", "hit", "miss", "saving",
    "break_even", "baseline", "unpriced", "price_table", "as_of", "hbm", "hbm_share",
    "stacked_layers", "mass_production", "long_contract", "revenue", "gross_profit",
    "operating_profit", "operating_loss", "rd", "year_on_year", "fiscal_year", "annual_report",
    "keyword_count", "production_indices", "production_index", "producer_price_index",
    "first_print", "revised", "vintage", "inference", "training", "generative_ai", "llm",
    "data_centre", "power_demand", "supply", "on_site", "jevons", "utilisation", "kv_transfer",
    "ridge", "linear_map", "retention", "cosine", "r2", "prefill_again",
)  # fmt: skip
"""Every term of the glossary, in its order."""

FORMS: Mapping[str, tuple[str, ...]] = {
    "mha": ("multi-head attention", "マルチヘッドアテンション"),
    "mqa": ("multi-query attention", "マルチクエリアテンション"),
    "gqa": ("grouped-query attention", "グループ化クエリアテンション"),
    "mla": ("multi-head latent attention", "マルチヘッド潜在アテンション"),
    "ttft": ("TTFT", "time to first token"),
    "tpot": ("TPOT", "time per output token"),
    "hbm": ("HBM", "high-bandwidth memory"),
    "llm": ("LLM",),
    "paged_attention": ("paged attention",),
    "block_length": ("block size", "tokens a block", "ブロックサイズ"),
    "prefix_caching": ("prefix cache",),
    "cache_read": ("cached reads", "cache-read", "キャッシュ読み出し"),
    "cache_write": ("cache-write", "キャッシュ書き込み"),
    "lifetime": ("TTL",),
    "lru": ("LRU",),
    "clairvoyant": ("clairvoyant", "Belady", "先読み最適"),
    "scale": ("scale",),
    "rope": ("RoPE",),
    "jevons": ("Jevons",),
    "r2": ("R²",),
    "quantisation": ("quantised",),
    "disaggregated": ("disaggregation",),
    "eviction": ("evicted", "evictions"),
    "tier": ("tiers",),
    "rd": ("R&D",),
    "break_even": ("breaks even",),
}
"""What else a title may say of a term, in either language."""

EVERYDAY = frozenset({
    "key", "value", "query", "token", "attention", "weights", "kernel", "compute", "capacity",
    "bandwidth", "latency", "block", "scale", "transfer", "recompute", "projection", "calibration",
    "inference", "training", "lossless", "approximate", "retention", "tier", "hit", "miss", "as_of",
    "revenue", "supply", "hbm_share", "baseline", "saving", "lifetime", "utilisation", "revised",
})  # fmt: skip
"""Words with an ordinary meaning too: a title that says one of them is left alone."""
MOST_AT_ONCE = 2
TITLES_KEPT = 2_048
_PARENTHESES = re.compile(r"[（(]([^）)]*)[）)]")


def name(term: str, lang: str) -> str:
    """The term's name in `lang`."""
    return catalogue.t(lang, f"glossary.{term}.name")


def meaning(term: str, lang: str) -> str:
    """'prefill (プリフィル): what it means': name in both languages, meaning in `lang`."""
    other = "en" if lang == "ja" else "ja"
    means = catalogue.t(lang, f"glossary.{term}.means")
    return f"{name(term, lang)} ({name(term, other)}): {means}"


def forms(term: str) -> tuple[str, ...]:
    """All that a title may call the term: its names, without and within their parentheses."""
    found = []
    for lang in catalogue.LANGUAGES:
        whole = name(term, lang)
        found += [whole, _PARENTHESES.sub("", whole).strip(), *_PARENTHESES.findall(whole)]
    return tuple(dict.fromkeys(form for form in (*found, *FORMS.get(term, ())) if len(form) > 1))


@cache
def _searched() -> dict[str, str]:
    """Each form, folded, and its term; the longest forms first."""
    by_form = {
        form.casefold(): term for term in TERMS if term not in EVERYDAY for form in forms(term)
    }
    return {form: by_form[form] for form in sorted(by_form, key=len, reverse=True)}


def _whole(form: str) -> str:
    """The form as a word of its own where its script has spaces."""
    return rf"\b{re.escape(form)}(?:s|es)?\b" if form.isascii() else re.escape(form)


@lru_cache(maxsize=TITLES_KEPT)
def spoken_of(title: str) -> tuple[str, ...]:
    """The terms of the glossary in a title, in the order in which it says them. One pattern of all
    forms takes 0.3 s to build and milliseconds a title: only forms that are there are looked for.
    """
    folded, searched = title.casefold(), _searched()
    here = [form for form in searched if form in folded]
    if not here:
        return ()
    pattern = "|".join(f"({_whole(form)})" for form in here)
    found = [searched[here[(m.lastindex or 1) - 1]] for m in re.finditer(pattern, folded)]
    return tuple(dict.fromkeys(found))[:MOST_AT_ONCE]


def help_of(title: str) -> str | None:
    """Hover help for a title: its terms with their meanings; None where it says none."""
    lang = language()
    return "\n\n".join(meaning(term, lang) for term in spoken_of(title)) or None
