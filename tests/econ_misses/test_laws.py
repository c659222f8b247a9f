"""What holds of every workload: the parts are the whole, compiled is plain, real files add up."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from data_sources.traces.base import ReadOptions
from econ import miss_chains, miss_forks, miss_ledger
from econ.example import example_workload
from econ.miss_blocks import Rule
from econ.miss_json import misses_csv, misses_from_json, misses_to_json
from econ.miss_runs import REASONS
from econ.miss_study import study_of
from econ.misses import Missed
from econ.money import total
from econ.workload import Workload
from jobs import flows
from messages.errors import KvledgerError
from tests.econ_misses.hand import blocks, look, missed, tokens, usd, workload

MODELS = ("claude-opus-5", "claude-sonnet-5")


@st.composite
def traces(draw: st.DrawFn, observed: bool = False) -> Workload:
    """Conversations that share, fork, pause and switch; own breakpoints or observed tokens."""
    rows: list[dict[str, Any]] = []
    at = 0.0
    for _ in range(draw(st.integers(1, 12))):
        at += draw(st.sampled_from([0.0, 1.0, 250.0, 300.0, 900.0, 4000.0]))
        ids = draw(st.lists(st.integers(1, 4), min_size=1, max_size=6))
        row: dict[str, Any] = {
            "ids": ids,
            "arrival_s": at,
            "response_s": draw(st.sampled_from([0.0, 2.0, 400.0])),
            "session_id": draw(st.sampled_from([None, "A", "B"])),
            "model": draw(st.sampled_from(MODELS)),
            "workspace": draw(st.sampled_from([None, "w", "v"])),
        }
        if observed:
            size = 10_000 * len(ids)
            row["cached_read_tokens"] = draw(st.integers(0, size))
            row["cache_write_5m_tokens"] = draw(st.integers(0, size - row["cached_read_tokens"]))
        else:
            after = sorted(draw(st.sets(st.integers(1, len(ids)), max_size=3)))
            row["points"] = [(n, draw(st.sampled_from([300, 3600]))) for n in after]
        rows.append(row)
    return blocks(rows, messages=draw(st.booleans()))


@st.composite
def logs(draw: st.DrawFn) -> Workload:
    """Observed rows without blocks."""
    rows = []
    at = 0.0
    for _ in range(draw(st.integers(1, 12))):
        at += draw(st.sampled_from([0.0, 1.0, 250.0, 300.0, 900.0, 4000.0]))
        size = draw(st.integers(1, 9)) * 1_000
        read = draw(st.integers(0, size))
        row: dict[str, Any] = {
            "arrival_s": at,
            "input_tokens": size,
            "output_tokens": 1,
            "session_id": draw(st.sampled_from([None, "A", "B"])),
            "model": draw(st.sampled_from((*MODELS, "gpt-5", "gpt-5.6-sol"))),
        }
        if draw(st.booleans()):
            row["cached_read_tokens"] = read
            if row["model"] in MODELS:
                row["cache_write_5m_tokens"] = draw(st.integers(0, size - read))
        rows.append(row)
    rows[0]["cached_read_tokens"] = 0
    return workload(rows)


def adds_up(found: Missed) -> None:
    """Runs follow each other from what was read to the prompt's end, in every row."""
    usage = found.kept.usage
    end = np.minimum(found.read, usage.prompt)
    for one in found.runs:
        assert (one.run.start == end).all()
        assert (one.run.end >= one.run.start).all()
        end = one.run.end
    assert (end == usage.prompt).all()
    study = study_of(found)
    assert study.tokens == study.prompt_tokens - study.read_tokens
    assert set(tokens(study)) <= set(REASONS)
    assert study.e13 == sum(total(one.e13) for one in found.runs)
    for by in ("model", "session"):
        groups = [group for group in study.groups if group.by == by]
        if by == "model":
            assert sum(group.e13 for group in groups) == study.e13
            assert sum(group.tokens for group in groups) == study.tokens
    unexplained = tokens(study).get("unexplained", 0)
    assert sum(count for _, count in study.lacking) == unexplained
    assert misses_from_json(misses_to_json(study)) == study


@given(traces())
@settings(max_examples=60)
def test_runs_of_a_trace_are_its_missed_tokens(found: Workload) -> None:
    for rule in (Rule(), Rule(lifetime="5m"), Rule(lifetime="1h", placement="end")):
        adds_up(missed(found, rule))


@given(traces(observed=True))
@settings(max_examples=60)
def test_runs_of_an_observed_trace_are_its_missed_tokens(found: Workload) -> None:
    adds_up(missed(found))


@given(logs())
@settings(max_examples=80)
def test_runs_of_a_log_are_its_missed_tokens(found: Workload) -> None:
    adds_up(missed(found))


@given(logs())
@settings(max_examples=40)
def test_dollars_are_the_bill_less_reading_everything(found: Workload) -> None:
    """Prompt tokens as billed, minus every prompt token at the price of a read."""
    result = missed(found)
    usage, paid = result.kept.usage, 0
    for part in result.kept.parts:
        for name, column in usage.tokens.items():
            if name != "output":
                over = np.maximum(part.prices[name], 0) - part.prices["read"]
                paid += int((column[part.rows] * over).sum())
    assert sum(total(one.e13) for one in result.runs) == paid


@given(traces())
@settings(max_examples=60)
def test_an_unlimited_lifetime_leaves_nothing_expired(found: Workload) -> None:
    bare = replace(found.prefix, bp_offsets=None, bp_blocks=None, bp_ttl_s=None)  # type: ignore[type-var]
    for placement in ("shared", "end"):
        study = look(replace(found, prefix=bare), Rule(lifetime="unlimited", placement=placement))
        assert "expired" not in tokens(study)


@given(traces(), logs())
@settings(max_examples=15)
def test_compiled_and_plain_kernels_agree(trace: Workload, log: Workload) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delitem(sys.modules, "numba", raising=False)  # loaded, it would be used at once
        plain = [look(trace), look(log)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(miss_ledger, "COMPILE_FROM_ENTRIES", 0)
        patch.setattr(miss_forks, "COMPILE_FROM_ENTRIES", 0)
        patch.setattr(miss_chains, "COMPILE_FROM_ROWS", 0)
        assert [look(trace), look(log)] == plain


def test_the_example_names_the_team_that_stamps_its_prompts() -> None:
    """What the cache read of the example came from the rules, so nothing of it was evicted and
    nothing is unexplained; most is lost where one team puts the time before everything else."""
    study = look(example_workload())
    adds_up(missed(example_workload()))
    assert {"evicted", "unexplained"}.isdisjoint(tokens(study))
    assert study.dearest()[0].reason == "prefix_changed"
    dearest = max((g for g in study.groups if g.by == "session"), key=lambda group: group.e13)
    assert dearest.key.startswith("billing")
    assert set(usd(study)) == set(tokens(study))


def test_the_csv_has_every_sum_and_runs_nothing() -> None:
    text = misses_csv(look(example_workload()), "2026-11-29").decode("utf-8-sig")
    lines = text.splitlines()
    assert lines[0].startswith("row_type,price_book_version,model,session,reason")
    assert {line.split(",")[0] for line in lines[1:]} == {"reason", "model", "session", "example"}


REAL: Mapping[str, str] = {
    "agent_logs/claude_code/tracelab_claude_session.jsonl": "observed_log",
    "agent_logs/codex/tracelab_rollout.jsonl": "observed_log",
    "usage_exports/litellm/spend_logs.synthetic.json": "observed_log",
    "usage_exports/bedrock/model_invocation_log.synthetic.jsonl": "observed_log",
    "serving_prefix/tracelab/round_trace.jsonl": "observed_log",
    "serving_prefix/kv_cache_tester/trace_0014.json": "simulated",
    "serving_prefix/kv_cache_tester/trace_0256.json": "simulated",
    "serving_prefix/mooncake/conversation_trace.jsonl": "simulated",
    "serving_prefix/ragpulse/0_trace.jsonl": "simulated",
}


@pytest.mark.parametrize(("name", "source"), REAL.items())
def test_real_files_add_up(reference_data: Path, name: str, source: str) -> None:
    read = flows.read_paths([reference_data / "traces" / name], ReadOptions(), lambda _, __: None)
    found = missed(read.workload)
    assert found.source == source
    adds_up(found)


def test_a_file_of_sums_is_refused(reference_data: Path) -> None:
    path = reference_data / "traces/usage_exports/openai/completions_usage_2026-10-06.synthetic.csv"
    read = flows.read_paths([path], ReadOptions(), lambda _, __: None)
    with pytest.raises(KvledgerError):
        missed(read.workload)
