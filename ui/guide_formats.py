"""How to get each file that kvledger reads: a line to run, where to drop it, what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from ui import components, controls, doors, state
from ui.words import t

Kind = Literal["bills", "traces", "measured", "models"]
KINDS: tuple[Kind, ...] = ("bills", "traces", "measured", "models")
ALL = "all"
PAGE_OF: dict[Kind, str] = {
    "bills": "workload", "traces": "cache", "measured": "accuracy", "models": "model_size",
}  # fmt: skip
REPLIES = """row = {"timestamp": datetime.now(UTC).isoformat(), "response": reply.model_dump()}
log.write(json.dumps(row) + "\\n")"""
ANTHROPIC = """curl "https://api.anthropic.com/v1/organizations/usage_report/messages\
?starting_at=2026-11-01T00:00:00Z&bucket_width=1d&group_by[]=model" \\
  --header "x-api-key: $ANTHROPIC_ADMIN_KEY" \\
  --header "anthropic-version: 2023-06-01" > usage.json"""
OPENAI = """curl "https://api.openai.com/v1/organization/usage/completions\
?start_time=1793491200&bucket_width=1d&group_by=model" \\
  --header "Authorization: Bearer $OPENAI_ADMIN_KEY" > usage.json"""
PLAIN = """start_utc,model,input_tokens,cached_read_tokens,cache_write_5m_tokens,output_tokens
2026-11-02T09:00:00Z,claude-opus-5,21000,0,20000,500"""
GITHUB = "https://github.com/"
BAILIAN = f"{GITHUB}alibaba-edu/qwen-bailian-usagetraces-anon"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One kind of file: a line to run or a header to write, and where it comes from."""

    id: str
    kind: Kind
    line: str = ""
    language: str = "bash"
    address: str = ""
    page: str = ""


SOURCES: tuple[Source, ...] = (
    Source(id="claude_code", kind="bills", line="ls ~/.claude/projects/*/*.jsonl"),
    Source(id="codex", kind="bills", line='find ~/.codex/sessions -name "*.jsonl"'),
    Source(
        id="anthropic", kind="bills", line=ANTHROPIC,
        address="https://docs.anthropic.com/en/api/usage-cost-api",
    ),
    Source(
        id="openai", kind="bills", line=OPENAI,
        address="https://platform.openai.com/docs/api-reference/usage",
    ),
    Source(id="replies", kind="bills", line=REPLIES, language="python"),
    Source(
        id="bedrock", kind="bills", line="aws s3 sync s3://YOUR-BUCKET/AWSLogs ./bedrock-logs",
        address="https://docs.aws.amazon.com/bedrock/latest/userguide/model-invocation-logging.html",
    ),
    Source(
        id="litellm", kind="bills", language="sql", line='SELECT * FROM "LiteLLM_SpendLogs"',
        address="https://docs.litellm.ai/docs/proxy/cost_tracking",
    ),
    Source(id="plain", kind="bills", line=PLAIN, language="text"),
    Source(id="mooncake", kind="traces", address=f"{GITHUB}kvcache-ai/Mooncake"),
    Source(id="bailian", kind="traces", address=BAILIAN),
    Source(id="kv_cache_tester", kind="traces", address=f"{GITHUB}callanjfox/kv-cache-tester"),
    Source(id="ragpulse", kind="traces", address=f"{GITHUB}flashserve/RAGPulse"),
    Source(id="lengths", kind="traces", address=f"{GITHUB}Azure/AzurePublicDataset"),
    Source(id="tracelab", kind="traces", address=f"{GITHUB}uw-syfi/TraceLab"),
    Source(
        id="vllm", kind="measured",
        line="vllm bench serve --model MODEL --dataset-name random --save-result",
        address="https://docs.vllm.ai/en/latest/benchmarking/cli/",
    ),
    Source(
        id="sglang", kind="measured",
        line="python -m sglang.bench_serving --backend sglang --output-file result.jsonl",
        address="https://docs.sglang.ai/developer_guide/bench_serving.html",
    ),
    Source(
        id="guidellm", kind="measured",
        line="guidellm benchmark --target http://localhost:8000 --output-path result.json",
        address=f"{GITHUB}vllm-project/guidellm",
    ),
    Source(
        id="aiperf", kind="measured",
        line="aiperf profile --model MODEL --url localhost:8000 --endpoint-type chat",
        address=f"{GITHUB}ai-dynamo/aiperf",
    ),
    Source(
        id="profile", kind="measured", line="python -m kvcore bench --json profile.json",
        page="engine",
    ),
    Source(
        id="config", kind="models",
        line="curl -L https://huggingface.co/ORG/MODEL/resolve/main/config.json > config.json",
    ),
    Source(id="gguf", kind="models", line="head -c 8000000 model.gguf > header.gguf"),
)  # fmt: skip


def kind() -> str:
    """The filter; in the URL as `kind`."""
    return controls.choice(
        t("formats.kind"), (ALL, *KINDS), "kind", lambda name: t(f"formats.kind.{name}")
    )


def show(chosen: str) -> None:
    """Every file of that kind, kind by kind."""
    for name in KINDS:
        if chosen in (ALL, name):
            _kind(name, [source for source in SOURCES if source.kind == name])


def _kind(name: Kind, sources: Sequence[Source]) -> None:
    with components.rule(f"formats_{name}"):
        st.markdown(f"## {t(f'formats.kind.{name}')}", anchors=False)
    for source in sources:
        with components.rule(f"format_{source.id}"):
            left, right = st.columns([5, 6], gap="large")
            with left:
                components.answer(t(f"formats.{source.id}.name"), t(f"formats.{source.id}.gives"))
                components.sentence(t(f"formats.{source.id}.how"))
            with right:
                if source.line:
                    st.code(source.line, language=source.language, wrap_lines=True)
                if source.address:
                    components.note(f"[{source.address}]({source.address})")
                page = source.page or PAGE_OF[name]
                st.page_link(
                    doors.path_of(page),
                    label=t("formats.page", page=t(f"ui.page.{page}")),
                    icon=":material/arrow_forward:",
                    query_params=state.for_links(),
                )
