"""The guide's frame: a section's heading, text and sources, its picture and its small table."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager

import streamlit as st

from messages.errors import Value
from ui import cell_pictures, components, doors, guide_place, guide_terms, plain_table, state
from ui.cell_pictures import Kind
from ui.components import mark
from ui.plain_table import Cell, cell
from ui.words import t

Rows = list[list[str | Cell]]
_FIRST_SENTENCE = re.compile(r".+?(?:[.?] (?=[A-Z\[*{])|。(?=.))")
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
        ("Anthropic", "https://platform.claude.com/docs/en/build-with-claude/prompt-caching"),
    ),
    "identity": (("vLLM: prefix caching", f"{_VLLM}design/prefix_caching.html"),),
    "limits": (("vLLM: limits", f"{_VLLM}features/automatic_prefix_caching.html"),),
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
}
"""Papers and documentation a section stands on; names of works, the same in every language."""

PAGES: Mapping[str, str] = {
    "repeats": "engine",
    "mask": "engine",
    "phases": "own_hardware",
    "formula": "model_size",
    "context": "own_hardware",
    "resources": "own_hardware",
    "gqa": "less_kv",
    "models": "model_size",
    "mla": "model_size",
    "requests": "workload",
    "fragments": "engine",
    "length": "cache",
    "prefix": "cache",
    "limits": "engine",
    "share": "cache",
    "evict": "cache",
    "offload": "own_hardware",
    "formats": "less_kv",
    "price": "engine",
    "hybrid": "less_kv",
    "apart": "own_hardware",
    "second": "engine",
    "switch": "less_kv",
    "power": "less_kv",
}
"""The page on which a section goes on with the reader's own workload and hardware."""


def section(name: str, **values: Value) -> AbstractContextManager[object]:
    """Heading, sources and text of a section at the left; what is drawn inside stands right."""
    with components.rule(f"guide_{name}"):
        left, right = st.columns([5, 6], gap="large")
        with left:
            components.answer(guide_place.heading(name), _links(name))
            guide_terms.say(led(t(f"guide.{name}.text", **values)))
            if name in PAGES:
                st.page_link(
                    doors.path_of(PAGES[name]),
                    label=t("guide.go_on", page=t(f"ui.page.{PAGES[name]}")),
                    icon=":material/arrow_forward:",
                    query_params=state.for_links(),
                )
    return right.container(gap="small")


def led(text: str) -> str:
    """The first sentence as a paragraph of its own: it is the answer, the rest is for who asks."""
    found = _FIRST_SENTENCE.match(text)
    return text if found is None else f"{found[0].rstrip()}\n\n{text[found.end() :]}"


def _links(name: str) -> str:
    found = SOURCES.get(name, ())
    return ", ".join(f"[{work}]({address})" for work, address in found) or t("guide.own_words")


def drawn(
    name: str,
    rows: Sequence[str],
    *,
    keys: Sequence[tuple[Kind, str]] = (),
    as_table: tuple[Sequence[str], Sequence[Sequence[str | Cell]]] | None = None,
    known: str = "computed",
    side_rem: float = 6.5,
    **values: Value,
) -> None:
    """A picture with what its kinds mean, how its figures are known, and the same as a table.
    `values` fill the words for those who cannot see it, 'guide.<name>.alt'."""
    said = [(kind, t(f"guide.key.{word}")) for kind, word in keys]
    with st.container(gap="xxsmall", key=f"drawn_{name}"):
        cell_pictures.show(
            [*rows, *([cell_pictures.key(said)] if said else [])],
            t(f"guide.{name}.alt", **values),
            side_rem=side_rem,
        )
        with st.container(
            horizontal=True, gap="medium", vertical_alignment="center", key=f"tools_{name}"
        ):
            st.markdown(components.muted(mark(known)), width="content")
            if as_table is not None:
                with st.popover(
                    t("ui.as_table"),
                    type="tertiary",
                    icon=":material/table_rows:",
                    key=f"guide-{name}-table",
                ):
                    _plain(name, *as_table)


def table(
    name: str, head: Sequence[str], rows: Sequence[Sequence[str | Cell]], known: str = "computed"
) -> None:
    """A small table; `known` says how its figures are known: computed, simulated, datasheet."""
    _plain(name, head, rows)
    components.note(mark(known))


def _plain(name: str, head: Sequence[str], rows: Sequence[Sequence[str | Cell]]) -> None:
    cells = [[one if isinstance(one, Cell) else cell(one) for one in row] for row in rows]
    plain_table.show(head, cells, t(f"guide.{name}.heading"), f"guide_{name}")


def head(*names: str) -> list[str]:
    """Column titles; '' stays empty."""
    return [t(f"guide.col.{name}") if name else "" for name in names]
