"""The guide's frame: chapters in the URL, a section's heading, text and sources, small tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

import streamlit as st

from messages.errors import Value
from ui import components, controls, doors, guide_terms, plain_table, state
from ui.components import mark
from ui.numerals import SPACE
from ui.plain_table import Cell, cell
from ui.words import t

Rows = list[list[str | Cell]]
CHAPTERS = ("why", "size", "heads", "server", "reuse", "room", "beyond", "whole")
NUMBERS: Mapping[str, str] = {
    "next": "§1", "repeats": "§2", "kept": "§3", "layers": "§4", "phases": "§5", "four": "§6",
    "formula": "§7", "example": "§8", "context": "§9", "resources": "§10", "mha": "§11",
    "mqa": "§12", "gqa": "§13", "models": "§14", "mla": "§15", "position": "§16",
    "requests": "§17", "fragments": "§18", "paged": "§19", "length": "§20", "prefix": "§21",
    "limits": "§22", "share": "§23", "evict": "§24", "offload": "§25", "formats": "§26",
    "price": "§27", "six": "§28", "five": "§29", "chain": "§30",
}  # fmt: skip
_ARXIV = "https://arxiv.org/abs/"
_VLLM = "https://docs.vllm.ai/en/latest/"
SOURCES: Mapping[str, tuple[tuple[str, str], ...]] = {
    "next": (("Vaswani 2017", f"{_ARXIV}1706.03762"),),
    "repeats": (("Vaswani 2017", f"{_ARXIV}1706.03762"), ("Pope 2022", f"{_ARXIV}2211.05102")),
    "mask": (("Vaswani 2017", f"{_ARXIV}1706.03762"),),
    "kept": (("Pope 2022", f"{_ARXIV}2211.05102"),),
    "query": (("Vaswani 2017", f"{_ARXIV}1706.03762"),),
    "layers": (("vLLM: PagedAttention", f"{_VLLM}design/paged_attention.html"),),
    "phases": (("Splitwise 2023", f"{_ARXIV}2311.18677"),),
    "four": (("Pope 2022", f"{_ARXIV}2211.05102"),),
    "formula": (("Pope 2022", f"{_ARXIV}2211.05102"),),
    "example": (("Kwon 2023", f"{_ARXIV}2309.06180"),),
    "context": (("Kwon 2023", f"{_ARXIV}2309.06180"),),
    "resources": (("Shazeer 2019", f"{_ARXIV}1911.02150"),),
    "mha": (("Vaswani 2017", f"{_ARXIV}1706.03762"),),
    "mqa": (("Shazeer 2019", f"{_ARXIV}1911.02150"),),
    "gqa": (("Ainslie 2023", f"{_ARXIV}2305.13245"),),
    "models": (("Ainslie 2023", f"{_ARXIV}2305.13245"),),
    "mla": (("DeepSeek-V2 2024", f"{_ARXIV}2405.04434"),),
    "position": (("RoFormer 2021", f"{_ARXIV}2104.09864"), ("DeepSeek-V2", f"{_ARXIV}2405.04434")),
    "requests": (("Kwon 2023", f"{_ARXIV}2309.06180"),),
    "fragments": (("Kwon 2023", f"{_ARXIV}2309.06180"),),
    "paged": (("Kwon 2023", f"{_ARXIV}2309.06180"), ("FlashAttention", f"{_ARXIV}2205.14135")),
    "length": (("Kwon 2023", f"{_ARXIV}2309.06180"),),
    "prefix": (
        ("vLLM: prefix caching", f"{_VLLM}design/prefix_caching.html"),
        ("Anthropic", "https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching"),
    ),
    "identity": (("vLLM: prefix caching", f"{_VLLM}design/prefix_caching.html"),),
    "limits": (
        ("vLLM: limits", f"{_VLLM}features/automatic_prefix_caching.html"),
    ),
    "share": (("vLLM: cache isolation", f"{_VLLM}design/prefix_caching.html"),),
    "evict": (
        ("SGLang 2023", f"{_ARXIV}2312.07104"),
        ("TensorRT-LLM", "https://nvidia.github.io/TensorRT-LLM/features/kvcache.html"),
    ),
    "offload": (("Mooncake 2024", f"{_ARXIV}2407.00079"), ("LMCache", "https://docs.lmcache.ai/")),
    "formats": (
        ("vLLM: quantised KV", f"{_VLLM}features/quantization/quantized_kvcache.html"),
        ("KIVI 2024", f"{_ARXIV}2402.02750"),
    ),
    "price": (("KVQuant 2024", f"{_ARXIV}2401.18079"), ("KIVI 2024", f"{_ARXIV}2402.02750")),
    "hybrid": (("Kimi Linear 2025", f"{_ARXIV}2510.26692"),),
    "delta": (("Gated DeltaNet 2024", f"{_ARXIV}2412.06464"), ("KDA", f"{_ARXIV}2510.26692")),
    "apart": (("DistServe 2024", f"{_ARXIV}2401.09670"), ("Splitwise", f"{_ARXIV}2311.18677")),
    "second": (("Ollama", "https://docs.ollama.com/"),),
    "switch": (("arXiv 2608.03893", f"{_ARXIV}2608.03893"),),
    "power": (("Kimi Linear 2025", f"{_ARXIV}2510.26692"),),
}  # fmt: skip
"""Papers and documentation a section stands on; names of works, the same in every language."""

PAGES: Mapping[str, str] = {
    "repeats": "engine", "mask": "engine", "phases": "own_hardware", "formula": "model_size",
    "context": "own_hardware", "resources": "own_hardware", "gqa": "less_kv",
    "models": "model_size", "mla": "model_size", "requests": "workload", "fragments": "engine",
    "length": "cache", "prefix": "cache", "limits": "engine", "share": "cache", "evict": "cache",
    "offload": "own_hardware", "formats": "less_kv", "price": "engine", "hybrid": "less_kv",
    "apart": "own_hardware", "second": "engine", "switch": "less_kv", "power": "less_kv",
}  # fmt: skip
"""The page on which a section goes on with the reader's own workload and hardware."""


def chapter() -> str:
    """The chapter that is read; in the URL as `chapter`."""
    return controls.choice(t("guide.chapter"), CHAPTERS, "chapter", chapter_name)


def chapter_name(name: str) -> str:
    """A chapter's title."""
    return t(f"guide.chapter.{name}")


def section(name: str, **values: Value) -> AbstractContextManager[object]:
    """Heading, sources and text of a section at the left; what is drawn inside stands right."""
    with components.rule(f"guide_{name}"):
        left, right = st.columns([5, 6], gap="large")
        with left:
            number = f"{NUMBERS[name]}{SPACE}" if name in NUMBERS else ""
            components.answer(f"{number}{t(f'guide.{name}.heading')}", _links(name))
            guide_terms.say(t(f"guide.{name}.text", **values))
            if name in PAGES:
                st.page_link(
                    doors.path_of(PAGES[name]),
                    label=t("guide.go_on", page=t(f"ui.page.{PAGES[name]}")),
                    icon=":material/arrow_forward:",
                    query_params=state.for_links(),
                )
    return right.container(gap="small")


def _links(name: str) -> str:
    found = SOURCES.get(name, ())
    return ", ".join(f"[{work}]({address})" for work, address in found) or t("guide.own_words")


def table(
    name: str, head: Sequence[str], rows: Sequence[Sequence[str | Cell]], known: str = "computed"
) -> None:
    """A small table; `known` says how its figures are known: computed, simulated, datasheet."""
    cells = [[one if isinstance(one, Cell) else cell(one) for one in row] for row in rows]
    plain_table.show(head, cells, t(f"guide.{name}.heading"), f"guide_{name}")
    components.note(mark(known))


def head(*names: str) -> list[str]:
    """Column titles; '' stays empty."""
    return [t(f"guide.col.{name}") if name else "" for name in names]
