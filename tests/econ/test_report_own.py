"""Own hardware in a report: an id of its own, nothing lost in store, CSV, JSON and on paper."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from econ.own_break_even import ApiBill, OwnRate
from econ.own_csv import OWN_COLUMNS
from econ.own_json import own_to_json
from econ.own_tables import tables_of
from econ.own_words import duration, figure, money, number, sized
from econ.report import CostReport
from econ.report_csv import report_csv
from econ.report_own import OwnLine, OwnPart, with_own
from econ.report_store import report_from_store, report_to_store
from messages.catalogue import LANGUAGES, sayer
from messages.errors import Message
from tests.econ.test_report_html import HOSTILE, Seen, made, page

SAY = sayer("en")
NUMBERS = (
    st.integers(-(10**15), 10**15)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.decimals(allow_nan=False, allow_infinity=False, min_value=-(10**9), max_value=10**9)
)


def line(item: str, value: Any, unit: str = "", section: Any = "memory", **more: Any) -> OwnLine:
    """A line of the memory, or of another section."""
    values = {"section": section, "item": item, "unit": unit, "basis": "computed", "value": value}
    return OwnLine(**{**values, **more})


def bill(model: str, usd: str, provider: str = "anthropic") -> ApiBill:
    """What a million tokens cost at an API."""
    each = Decimal(usd)
    return ApiBill(provider=provider, surface="global", model=model, policy="5m",
                   low_usd_per_mtok=each, high_usd_per_mtok=each, source="https://prices.example",
                   as_of="2026-11-01")  # fmt: skip


def part(**more: Any) -> OwnPart:
    """An own hour at 2 USD and 1,000,000 tokens an hour: busy at 2 USD a million."""
    values: dict[str, Any] = {
        "choice": {"fleet.model": "m", "fleet.tensor_parallel": "2", "fleet.quantization": "",
                   "fleet.kv_dtype": "fp8", "fleet.percentile": "95", "fleet.speed": "published",
                   "fleet.ttft_s": "5.0"},
        "model": "Some model",
        "device": "Some device",
        "lines": (
            line("device_bytes", 100 * 10**9, "bytes", source="a sheet", as_of="2026-10-01"),
            line("weights_bytes", 40 * 10**9, "bytes"),
            line("overhead_bytes", 10**9, "bytes"),
            line("kv_bytes", 49 * 10**9, "bytes"),
            line("held_back_bytes", 10 * 10**9, "bytes"),
            line("kv_tokens", 1000, "tokens"),
            line("context_p50_tokens", 100, "tokens"),
            line("context_p95_tokens", 500, "tokens"),
            line("sequences_p50", 10), line("sequences_p95", 2),
            line("ttft_p95_s", 2.0, "s", "speed", key="published", low=1.5, high=5.0),
            line("tpot_p95_s", 0.02, "s", "speed", key="published"),
            line("reserved_usd", Decimal("155.91"), "USD", "cost"),
            line("usd_per_mtok_output", Decimal("110.4781"), "USD/Mtok", "cost"),
            line("peak_bytes", 210 * 10**9, "bytes", "less_kv", key="as_is bf16"),
            line("peak_bytes", 105 * 10**9, "bytes", "less_kv", key="chosen fp8"),
            line("hbm_usd", Decimal("0.2"), "USD", "less_kv", key="as_is bf16",
                 low=Decimal("0.1"), high=Decimal("0.3")),
        ),
        "rate": OwnRate(usd_per_hour=Decimal("7.2"), tokens_per_s=Decimal(1000)),
        "load": 0.5,
        "apis": (bill("claude-opus-5", "8"), bill("cheap", "1"), bill("claude-haiku-4-5", "4")),
        "charted": ("claude-opus-5", "claude-haiku-4-5"),
        "assumptions": (Message("own_report.assume_hours"),),
        "missing": (Message("own_report.wait_curve"),),
        "sources": (("datasheet", "Some device: a sheet, 2026-10-01"),),
    }  # fmt: skip
    return OwnPart(**{**values, **more})


@pytest.fixture(scope="module")
def report() -> CostReport:
    """A report with own hardware in it."""
    return with_own(made([{"team": "a"}]), part())


def cells(report: CostReport, language: str = "en") -> list[dict[str, str]]:
    """The CSV's lines of own hardware."""
    data = report_csv(report, "x", sayer(language))[3:].decode()
    rows = list(csv.DictReader(io.StringIO(data, newline="")))
    return [row for row in rows if row["section"].startswith("own_")]


def test_without_own_hardware_the_report_and_its_id_stay_as_they_were() -> None:
    bare = made([{}])
    assert with_own(bare, None) is bare


def test_the_same_choice_and_figures_make_the_same_id_and_others_another(
    report: CostReport,
) -> None:
    again = with_own(made([{"team": "a"}]), part())
    assert again.report_id == report.report_id != made([{"team": "a"}]).report_id
    base = made([{"team": "a"}])
    others = [
        part(load=0.25),
        part(choice={**part().choice, "fleet.model": "n"}),
        part(lines=part().lines[1:]),
        part(rate=OwnRate(usd_per_hour=Decimal(8), tokens_per_s=Decimal(1000))),
        part(apis=(bill("claude-opus-5", "9"),)),
        part(missing=()),
    ]
    ids = {with_own(base, other).report_id for other in others}
    assert len(ids) == len(others)
    assert report.report_id not in ids


def test_the_day_on_which_a_price_was_checked_changes_no_id(report: CostReport) -> None:
    later = tuple(replace(one, as_of="2027-01-01") for one in part().apis)
    lines = tuple(replace(one, as_of="2027-01-01", source="moved") for one in part().lines)
    moved = with_own(made([{"team": "a"}]), part(apis=later, lines=lines))
    assert moved.report_id == report.report_id


def test_a_stored_report_reopens_to_the_same_and_one_from_before_opens_too(
    report: CostReport,
) -> None:
    stored = json.loads(json.dumps(report_to_store(report)))
    assert report_from_store(stored) == report
    del stored["report"]["CostReport"]["own"]
    assert report_from_store(stored) == replace(report, own=None)


@given(value=NUMBERS, low=NUMBERS, high=NUMBERS)
def test_any_number_survives_the_store(value: Any, low: Any, high: Any) -> None:
    kept = with_own(made([{}]), part(lines=(line("x", value, low=low, high=high),)))
    found = report_from_store(json.loads(json.dumps(report_to_store(kept))))
    assert found.own is not None
    (back,) = found.own.lines
    for before, after in zip((value, low, high), (back.value, back.low, back.high), strict=True):
        assert (type(after), str(after)) == (type(before), str(before))


def test_break_even_follows_from_the_rate_and_the_bills() -> None:
    own = part()  # 7.2 USD for 3.6 million tokens: 2 USD a million at full load
    assert [(row.model, row.point.utilisation_ratio) for row in own.api_rows] == [
        ("claude-opus-5", Decimal("0.25")),
        ("claude-haiku-4-5", Decimal("0.5")),
        ("cheap", Decimal(2)),
    ]
    assert [row.model for row in own.short_rows] == ["claude-opus-5", "claude-haiku-4-5"]
    assert part(rate=None).api_rows == ()


def test_every_figure_stands_in_the_csv_with_raw_numbers_and_every_api(
    report: CostReport,
) -> None:
    rows = cells(report)
    assert report.own is not None
    figures = {(r["item"], r["key"]): r for r in rows if r["unit"] or r["value"]}
    for one in report.own.lines:
        found = figures[(one.item, one.key)]
        assert Decimal(found["value"]) == Decimal(str(one.value))
        assert found["section"] == f"own_{one.section}"
        assert (found["source"], found["as_of"]) == (one.source, one.as_of)
    spent = figures[("hbm_usd", "as_is bf16")]
    assert [Decimal(spent[n]) for n in ("usd", "usd_low", "usd_high")] == [
        Decimal("0.2"), Decimal("0.1"), Decimal("0.3")
    ]  # fmt: skip
    apis = [r for r in rows if r["section"] == "own_api" and r["item"] == "break_even_load"]
    assert [(r["model"], r["value"], r["status"]) for r in apis] == [
        ("claude-opus-5", "0.25", ""), ("claude-haiku-4-5", "0.5", ""), ("cheap", "2", "never")
    ]  # fmt: skip
    sections = {r["section"] for r in rows}
    assert {"own_choice", "own_assumption", "own_missing", "own_source"} <= sections
    assert set(OWN_COLUMNS) <= set(rows[0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_report_without_it_says_so_in_one_sentence(language: str) -> None:
    bare = made([{}])
    said = sayer(language)(Message("own_report.not_seen"))
    (row,) = cells(bare, language)
    assert (row["section"], row["text"]) == ("own_missing", said)
    assert said in Seen(page(bare, language)).words
    assert own_to_json(bare.own, sayer(language)) is None


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_cell_of_every_table_stands_on_paper_with_assumptions_and_sources(
    language: str, report: CostReport
) -> None:
    say, own = sayer(language), report.own
    assert own is not None
    words = Seen(page(report, language)).words
    tables = tables_of(own, say)
    assert {one.name for one in tables} >= {"less_kv", "speed", "cost", "apis"}
    for one in tables:
        assert one.caption in words
        for cell in (cell for row in (one.head, *one.rows) for cell in row):
            assert cell in words
    for message in (*own.assumptions, *own.missing):
        assert say(message) in words
    assert "Some device: a sheet, 2026-10-01" in words
    assert "https://prices.example, 2026-11-01" in words
    assert "own_report." not in words


def test_foreign_names_are_text_on_paper_and_no_formula_in_the_csv() -> None:
    bad = part(
        model=HOSTILE, device="=cmd()", apis=(bill("=1+1", "3", HOSTILE),), charted=("=1+1",)
    )
    report = with_own(made([{}]), bad)
    assert "script" not in {tag for tag, _ in Seen(page(report)).tags}
    models = [row["model"] for row in cells(report) if row["section"] == "own_api"]
    assert set(models) == {"'=1+1"}


def test_saturation_is_said_and_no_latency_is_shown() -> None:
    full = line("ttft_p95_s", None, "s", "speed", key="published", state="saturated")
    assert figure(full, SAY) == "queue grows"


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (199_439_155_200, "bytes", "199.4 GB"),
        (327_680, "bytes", "327.7 kB"),
        (0.0165432, "s", "16.5 ms"),
        (4.2877, "s", "4.29 s"),
        (0.04992, "ratio", "5.0 %"),
        (Decimal("0.0692048"), "USD/Mtok", "$0.0692"),
        (Decimal("110.4781"), "USD/Mtok", "$110.48"),
        (133_857_892.9, "tokens", "133,857,893"),
        (55e9, "bytes/s", "55 GB/s"),
    ],
)
def test_numbers_are_read_as_people_read_them(value: Any, unit: str, words: str) -> None:
    assert number(value, unit, SAY).replace("\u00a0", " ") == words


@given(st.floats(1e-9, 1e18))
def test_sizes_times_and_money_never_show_as_nothing(value: float) -> None:
    assert any(char in "123456789" for char in sized(value) + duration(value))
    assert any(char in "123456789" for char in money(Decimal(repr(value))))
