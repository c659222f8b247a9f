"""How to get each file that kvledger reads: a line to run, where to drop it, what it gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st

from data_sources.traces import formats
from ui import components, controls, doors, state
from ui.numerals import md
from ui.words import say, t

Kind = Literal["bills", "texts", "traces", "measured", "models"]
KINDS: tuple[Kind, ...] = ("bills", "texts", "traces", "measured", "models")
ALL = "all"
PAGE_OF: dict[Kind, str] = {
    "bills": "workload", "texts": "workload", "traces": "cache", "measured": "accuracy",
    "models": "model_size",
}  # fmt: skip
CODEX = """find ~/.codex/sessions -name "*.jsonl"
codex exec --json "YOUR TASK" > turns.jsonl"""
REPLIES = """row = {"timestamp": datetime.now(UTC).isoformat(), "response": reply.model_dump()}
log.write(json.dumps(row) + "\\n")"""
ANTHROPIC = """curl "https://api.anthropic.com/v1/organizations/usage_report/messages\
?starting_at=2026-11-01T00:00:00Z&bucket_width=1d&group_by[]=model" \\
  --header "x-api-key: $ANTHROPIC_ADMIN_KEY" \\
  --header "anthropic-version: 2023-06-01" > usage.json"""
OPENAI = """curl "https://api.openai.com/v1/organization/usage/completions\
?start_time=1793491200&bucket_width=1d&group_by=model" \\
  --header "Authorization: Bearer $OPENAI_ADMIN_KEY" > usage.json"""
BATCHES = """curl "https://api.openai.com/v1/files/FILE_ID/content" \\
  --header "Authorization: Bearer $OPENAI_API_KEY" > results.jsonl
curl "https://api.anthropic.com/v1/messages/batches/BATCH_ID/results" \\
  --header "x-api-key: $ANTHROPIC_API_KEY" \\
  --header "anthropic-version: 2023-06-01" > batch.jsonl"""
PLAIN = """start_utc,model,input_tokens,cached_read_tokens,cache_write_5m_tokens,output_tokens
2026-11-02T09:00:00Z,claude-opus-5,21000,0,20000,500"""
GITHUB = "https://github.com/"
HUB = "https://huggingface.co/datasets/"
HUB_GET = "hf download {name} --repo-type dataset --local-dir . --include"
SHAREGPT = "anon8231489123/ShareGPT_Vicuna_unfiltered"
TOKENIZER = """hf download Qwen/Qwen3-8B tokenizer.json --local-dir .
python cli.py report chats.json --tokenizer tokenizer.json"""
BAILIAN = f"{GITHUB}alibaba-edu/qwen-bailian-usagetraces-anon"


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One kind of file: a line to run or a header to write, where it comes from, and the `reads`
    under which a reader knows it."""

    id: str
    kind: Kind
    reads: tuple[str, ...] = ()
    line: str = ""
    language: str = "bash"
    address: str = ""
    page: str = ""


SOURCES: tuple[Source, ...] = (
    Source(
        id="claude_code",
        kind="bills",
        reads=("claude_code_jsonl",),
        line="ls ~/.claude/projects/*/*.jsonl",
    ),
    Source(id="codex", kind="bills", reads=("codex_rollout", "codex_exec_json"), line=CODEX),
    Source(
        id="gemini_cli",
        kind="bills",
        reads=("gemini_cli_chat",),
        line="ls ~/.gemini/tmp/*/chats/*.json*",
    ),
    Source(
        id="anthropic",
        kind="bills",
        reads=("anthropic_console_tokens_csv", "anthropic_usage_report"),
        line=ANTHROPIC,
        address="https://docs.anthropic.com/en/api/usage-cost-api",
    ),
    Source(
        id="openai",
        kind="bills",
        reads=("openai_usage_api", "openai_usage_csv"),
        line=OPENAI,
        address="https://platform.openai.com/docs/api-reference/usage",
    ),
    Source(id="replies", kind="bills", reads=("api_replies",), line=REPLIES, language="python"),
    Source(
        id="batches",
        kind="bills",
        line=BATCHES,
        reads=("openai_batch_output", "anthropic_batch_results"),
        address="https://platform.openai.com/docs/guides/batch",
    ),
    Source(
        id="costs",
        kind="bills",
        page="reports",
        address="https://docs.anthropic.com/en/api/usage-cost-api",
    ),
    Source(
        id="bedrock",
        kind="bills",
        reads=("bedrock_invocation_log",),
        line="aws s3 sync s3://YOUR-BUCKET/AWSLogs ./bedrock-logs",
        address="https://docs.aws.amazon.com/bedrock/latest/userguide/model-invocation-logging.html",
    ),
    Source(
        id="litellm",
        kind="bills",
        reads=("litellm_spend_logs",),
        language="sql",
        line='SELECT * FROM "LiteLLM_SpendLogs"',
        address="https://docs.litellm.ai/docs/proxy/cost_tracking",
    ),
    Source(
        id="plain",
        kind="bills",
        reads=(
            "kvledger_csv",
            "generic_csv",
            "generic_request_jsonl",
            "generic_json",
            "generic_parquet",
        ),
        line=PLAIN,
        language="text",
    ),
    Source(
        id="sharegpt",
        kind="texts",
        reads=("sharegpt",),
        line=f'{HUB_GET.format(name=SHAREGPT)} "ShareGPT_V3*.json"',
        address=f"{HUB}{SHAREGPT}",
    ),
    Source(
        id="lmsys",
        kind="texts",
        reads=("lmsys_chat",),
        line=f'{HUB_GET.format(name="lmsys/lmsys-chat-1m")} "data/*.parquet"',
        address=f"{HUB}lmsys/lmsys-chat-1m",
    ),
    Source(
        id="wildchat",
        kind="texts",
        reads=("wildchat",),
        line=f'{HUB_GET.format(name="allenai/WildChat-1M")} "data/*.parquet"',
        address=f"{HUB}allenai/WildChat-1M",
    ),
    Source(
        id="batch_input",
        kind="texts",
        reads=("openai_batch_input",),
        address="https://platform.openai.com/docs/guides/batch",
    ),
    Source(
        id="lmcache",
        kind="texts",
        reads=("lmcache_agent_text",),
        address=f"{GITHUB}LMCache/lmcache-agent-trace",
    ),
    Source(id="tokenizer", kind="texts", line=TOKENIZER),
    Source(
        id="mooncake",
        kind="traces",
        reads=("mooncake_trace",),
        address=f"{GITHUB}kvcache-ai/Mooncake",
    ),
    Source(id="bailian", kind="traces", reads=("bailian_trace",), address=BAILIAN),
    Source(
        id="kv_cache_tester",
        kind="traces",
        reads=("weka_kv_cache_tester",),
        address=f"{GITHUB}callanjfox/kv-cache-tester",
    ),
    Source(
        id="ragpulse",
        kind="traces",
        reads=("ragpulse_trace",),
        address=f"{GITHUB}flashserve/RAGPulse",
    ),
    Source(
        id="lengths",
        kind="traces",
        reads=("azure_llm_trace", "azure_lmm_trace", "burstgpt", "vidur_trace", "vidur_lengths"),
        address=f"{GITHUB}Azure/AzurePublicDataset",
    ),
    Source(
        id="tracelab",
        kind="traces",
        reads=("tracelab_rounds",),
        address=f"{GITHUB}uw-syfi/TraceLab",
    ),
    Source(
        id="vllm",
        kind="measured",
        line="vllm bench serve --model MODEL --dataset-name random --save-result",
        address="https://docs.vllm.ai/en/latest/benchmarking/cli/",
    ),
    Source(
        id="sglang",
        kind="measured",
        line="python -m sglang.bench_serving --backend sglang --output-file result.jsonl",
        address="https://docs.sglang.ai/developer_guide/bench_serving.html",
    ),
    Source(
        id="guidellm",
        kind="measured",
        line="guidellm benchmark --target http://localhost:8000 --output-path result.json",
        address=f"{GITHUB}vllm-project/guidellm",
    ),
    Source(
        id="aiperf",
        kind="measured",
        line="aiperf profile --model MODEL --url localhost:8000 --endpoint-type chat",
        address=f"{GITHUB}ai-dynamo/aiperf",
    ),
    Source(
        id="profile",
        kind="measured",
        line="python -m kvcore bench --json profile.json",
        page="engine",
    ),
    Source(
        id="config",
        kind="models",
        line="curl -L https://huggingface.co/ORG/MODEL/resolve/main/config.json > config.json",
    ),
    Source(id="gguf", kind="models", line="head -c 8000000 model.gguf > header.gguf"),
)


def kind() -> str:
    """The filter; in the URL as `kind`."""
    return controls.choice(
        t("formats.kind"), (*KINDS, ALL), "kind", lambda name: t(f"formats.kind.{name}")
    )


def show(chosen: str) -> None:
    """Every file of that kind, kind by kind."""
    for name in KINDS:
        if chosen in (ALL, name):
            _kind(name, [source for source in SOURCES if source.kind == name])


def unread() -> None:
    """Formats that are recognised and not read yet, by what to do with them."""
    with components.rule("formats_unread"), st.container(gap="small"):
        components.answer(t("formats.unread"), t("formats.unread_unit"))
        for advice in dict.fromkeys(say(formats.advice(one)) for one in formats.UNREAD):
            mine = [one for one in formats.UNREAD if say(formats.advice(one)) == advice]
            names = ", ".join(md(say(formats.label(one))) for one in mine)
            components.sentence(f"**{names}**  \n{md(advice)}")


def _kind(name: Kind, sources: Sequence[Source]) -> None:
    with components.rule(f"formats_{name}"):
        st.markdown(f"## {t(f'formats.kind.{name}')}", anchors=False)
    for source in sources:
        with components.rule(f"format_{source.id}"):
            left, right = st.columns([5, 6], gap="large")
            with left:
                components.answer(t(f"formats.{source.id}.name"), t(f"formats.{source.id}.gives"))
                components.sentence(t(f"formats.{source.id}.how"))
                if source.reads:
                    named = ", ".join(say(formats.label(one)) for one in source.reads)
                    components.note(t("formats.known_as", names=md(named)))
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
