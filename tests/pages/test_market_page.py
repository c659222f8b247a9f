"""The Market page: shares as published, margins with inputs, series, counts, refusals."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

import pytest
from streamlit.testing.v1 import AppTest

from messages.catalogue import t
from tests.pages.test_pages import calm, opened, plain, words
from ui import market_series


def tables(at: AppTest) -> str:
    """The markup of every plain table."""
    return "\n".join(str(part.proto.body) for part in at.get("html"))


def test_the_shares_stand_as_published_with_their_sum() -> None:
    at = opened("market")
    assert plain(at.metric[0].value) == "50 / 33 / 18 %"
    assert "sum 101 (rounding)" in plain(words(at))


def test_margins_show_both_inputs_and_are_never_rounded_up() -> None:
    at = opened("market", open_makers="true", open_quarters="true")
    shown = tables(at)
    assert "35,056 M USD / 41,456 M USD = 84.6" in shown
    assert "74.98" not in shown
    assert "75.0" in shown
    assert "79.3 tn KRW" in shown


def test_amounts_stay_in_their_currency_where_no_average_rate_is_known() -> None:
    shown = plain(words(opened("market", open_makers="true")))
    assert "one day's rate is no average" in shown
    assert "1,533.44 on 2026-06-26" in shown


def test_japanese_amounts_are_in_cho_and_oku() -> None:
    at = opened("market", lang="ja", open_makers="true", open_japan="true")
    shown = tables(at)
    assert "414億5,600万ドル" in shown
    assert "79兆3,000億ウォン" in shown
    assert "2兆3,376億円" in shown


def test_the_first_print_and_the_revised_value_are_two_vintages() -> None:
    july = date(2026, 7, 1)
    found = {
        kind: {one.start: one.value for one in market_series.months(market_series.CHIPS, kind)}
        for kind in market_series.VINTAGES
    }
    assert found["first"][july] == Decimal("28.987")
    assert found["latest"][july] == Decimal("29.058")


def test_the_window_moves_the_base_month() -> None:
    def base(**query: str) -> str:
        at = opened("market", open_prices="true", **query)
        return next(box.label for box in at.expander if box.label.startswith("Chips"))[-7:]

    assert base(market_vintage="first") == "2025-09"
    assert base(market_window="all") == "2025-08"


def test_the_notices_of_fred_and_e_stat_and_the_snapshots_day_are_there() -> None:
    shown = words(opened("market", open_prices="true", open_estat="true"))
    assert t("en", "market.notice.fred") in shown
    assert t("en", "market.notice.estat") in shown
    assert "2026-11-29" in shown


def test_an_upload_counts_words_and_opens_their_sentences() -> None:
    at = opened("market", open_words="true")
    text = "ＧＰＵで推論する。大規模言語モデル（LLM）を使う。推論統計は別。"
    at.file_uploader[0].upload("report.txt", text.encode()).run()
    calm(at)
    assert "5 matches in report" in plain(words(at))
    opened_words = [box.label for box in at.expander]
    assert any(label.startswith("推論") for label in opened_words)
    assert "(other sense)" in words(at)


def test_a_damaged_zip_is_refused_in_a_sentence() -> None:
    at = opened("market", open_words="true")
    at.file_uploader[0].upload("report.zip", b"PK\x03\x04nothing").run()
    assert not at.exception
    (box,) = at.error
    assert "report.zip" in plain(box.value)


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_refresh_without_keys_names_the_settings(language: str) -> None:
    at = opened("market", lang=language)
    at.multiselect[0].set_value(["sec", "edinet", "estat"]).run()
    next(button for button in at.button if button.key == "market_refresh_go").click().run()
    calm(at)
    said = plain("\n".join(box.value for box in at.warning))
    for name in ("KVLEDGER_SEC_CONTACT", "KVLEDGER_EDINET_KEY", "KVLEDGER_ESTAT_KEY"):
        assert name in said


def test_nonsense_in_the_url_does_no_harm() -> None:
    at = opened("market", market_company="none", market_window="-1", market_vintage="blue")
    assert at.metric
