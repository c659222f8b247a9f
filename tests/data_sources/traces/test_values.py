"""Cells: counts, times and costs in every spelling that files have."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from data_sources.traces.builder import cost_e13
from data_sources.traces.makers import provider_named, provider_of_model
from data_sources.traces.tally import RowRejectedError
from data_sources.traces.values import text, tokens, utc_us, zone
from messages.errors import InputError

MOMENT = 1_791_358_215_250_000  # 2026-10-07T07:30:15.25Z


@pytest.mark.parametrize(
    "written",
    [
        "2026-10-07T07:30:15.25Z",
        "2026-10-07T07:30:15.250000+00:00",
        "2026-10-07 07:30:15.2500000 UTC",
        "2026-10-07T16:30:15.25+09:00",
        "2026-10-07T16:30:15,25+0900",
        "1791358215250",
        1_791_358_215.25,
        1_791_358_215_250,
        1_791_358_215_250_000,
        1_791_358_215_250_000_000,
    ],
)
def test_one_moment_in_every_spelling(written: object) -> None:
    assert utc_us(written) == MOMENT


@pytest.mark.parametrize(
    "written",
    [None, "", "yesterday", "2026-10-07T07:30:15", "2026-13-07T07:30:15Z", 0, 12.5, 10**30, True,
     float("nan"), float("inf"), "2026-02-29T00:00:00Z", [], {}, "0001-01-01T00:00:00Z"],
)  # fmt: skip
def test_what_is_no_moment_stays_empty(written: object) -> None:
    assert utc_us(written) is None


def test_a_zone_is_taken_only_where_none_is_written() -> None:
    tokyo = zone("Asia/Tokyo")
    assert utc_us("2026-10-07T16:30:15.25", tokyo) == MOMENT
    assert utc_us("2026-10-07T07:30:15.25Z", tokyo) == MOMENT
    with pytest.raises(InputError):
        zone("Mars/Olympus")
    with pytest.raises(InputError):
        zone("../../etc/passwd")


@pytest.mark.parametrize(
    ("written", "count"),
    [(5, 5), (5.0, 5), ("5", 5), (" 908.0 ", 908), (0, 0), (None, None)],
)
def test_a_count_may_be_written_as_a_whole_float_or_text(
    written: object, count: int | None
) -> None:
    assert tokens({"n": written}, "n") == count


@pytest.mark.parametrize("written", [-1, 1.5, "5.5", "１２", "many", True, [], {}, float("nan")])
def test_anything_else_is_no_count(written: object) -> None:
    with pytest.raises(RowRejectedError) as caught:
        tokens({"n": written}, "n")
    assert caught.value.reason.id == "traces.reason.not_a_count"


def test_a_name_is_text_or_a_whole_number() -> None:
    assert text({"a": None, "b": " x "}, "a", "b") == "x"
    assert text({"a": 7}, "a") == "7"
    assert text({"a": {"b": 1}, "c": True}, "a", "c") is None


@pytest.mark.parametrize(
    ("stated", "counted"),
    [
        (0.0123, 123_000_000_000),
        ("0.2444502", 2_444_502_000_000),
        (-1.5, -15_000_000_000_000),
        (0, 0),
        (None, None),
        ("free", None),
        (float("nan"), None),
        (True, None),
        ("1e400", None),
    ],
)
def test_a_stated_cost_is_exact_or_empty(stated: object, counted: int | None) -> None:
    assert cost_e13(stated) == counted


@given(st.decimals("-1000", "1000", places=13))
def test_every_cost_to_the_thirteenth_place_is_kept_exactly(cost: Decimal) -> None:
    assert cost_e13(str(cost)) == int(cost * 10**13)


@pytest.mark.parametrize(
    ("model", "provider"),
    [
        ("claude-opus-5", "anthropic"),
        ("us.anthropic.claude-opus-5-v1:0", "bedrock"),
        ("anthropic.claude-opus-5", "bedrock"),
        ("anthropic/claude-opus-5", "anthropic"),
        ("gpt-5.6-sol", "openai"),
        ("o3-mini", "openai"),
        ("models/gemini-3.1-pro", "google"),
        ("deepseek-chat", "deepseek"),
        ("accounts/fireworks/models/deepseek-v3", "fireworks"),
        ("my-own-model", None),
        ("ozone", None),
        (None, None),
    ],
)
def test_a_model_name_tells_who_bills_it(model: str | None, provider: str | None) -> None:
    assert provider_of_model(model) == provider


def test_a_stated_provider_is_known_by_its_common_names() -> None:
    assert provider_named("Azure OpenAI") == "azure-openai"
    assert provider_named("AWS Bedrock") == "bedrock"
    assert provider_named("some-gateway") is None
