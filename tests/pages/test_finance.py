"""What finance asks: a month, two periods, an invoice, other currencies."""

from __future__ import annotations

from decimal import Decimal
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from jobs import flows
from tests.pages.test_pages import asked, calm, dropped, opened, plain, words

SAMPLE = "traces/usage_exports/litellm/spend_logs.synthetic.csv"
TWO_MONTHS = (
    "start_utc,model,input_tokens,output_tokens,cached_read_tokens\n"
    "2026-09-30T09:00:00Z,claude-opus-5,1000000,0,0\n"
    "2026-10-01T09:00:00Z,claude-opus-5,1000000,0,500000\n"
    "2026-10-02T09:00:00Z,claude-opus-5,1000000,0,500000\n"
)
"""5.00 in September; 2.75 twice in October: volume +5.00, caching -4.50, together +0.50."""


def reports(content: str = TWO_MONTHS, **query: str) -> AppTest:
    """The Reports page on a file of its own."""
    at = dropped(opened(**query), content=content)
    at.switch_page("../pages/reports.py").run()
    calm(at)
    return at


def table(at: AppTest, column: str, key: str) -> dict[str, float]:
    """First column -> USD of the table whose first cells include `key`."""
    for frame in at.dataframe:
        value = frame.value
        if column in value and key in list(value[column]):
            return dict(zip(value[column], value["USD"], strict=True))
    raise AssertionError([list(frame.value) for frame in at.dataframe])


def test_two_months_are_compared_and_the_parts_add_up() -> None:
    at = reports()
    parts = table(at, "Cause", "caching")
    assert parts == {
        "volume: more or fewer tokens": 5.0,
        "mix: other models and kinds of token": 0.0,
        "caching": -4.5,
        "price changes": 0.0,
        "together": 0.5,
    }
    assert "October 2026 cost $0.50 more than September 2026" in plain(words(at))


def test_other_periods_are_chosen_and_stand_in_the_url() -> None:
    at = reports(unit="day")
    assert table(at, "Cause", "caching")["together"] == 0.0
    box = next(box for box in at.selectbox if box.key == "pick-before")
    box.set_value("2026-09-30").run()
    calm(at)
    assert asked(at, "before") == "2026-09-30"
    assert table(at, "Cause", "caching")["together"] == -2.25


def test_one_day_alone_has_no_change_to_explain() -> None:
    at = opened("reports")
    assert "Two periods are needed" in words(at)


@pytest.mark.parametrize("nonsense", ["abc", "2026-13-99", "9999-01-01"])
def test_nonsense_periods_are_the_last_two(nonsense: str) -> None:
    at = reports(before=nonsense, after=nonsense, unit=nonsense, month="x", tz="No/Where", rate="?")
    assert table(at, "Cause", "caching")["together"] == 0.5


def test_the_factor_of_a_month_is_shown_and_can_be_changed() -> None:
    at = reports()
    assert "A month at this rate: $106.53" in plain(words(at))  # 10.50 x 30.4375 / 3
    factor = next(box for box in at.number_input if box.key == "finance-month")
    assert factor.placeholder == "10.1458"
    factor.set_value(2.0).run()
    calm(at)
    assert asked(at, "month") == "2.0"
    assert "A month at this rate: $21.00" in plain(words(at))
    assert "Factor entered by you" in words(at)


def test_days_of_another_zone_are_labelled_and_counted() -> None:
    late = TWO_MONTHS.replace("2026-10-02T09:00:00Z", "2026-10-01T20:00:00Z")
    at = reports(late, tz="Asia/Tokyo")
    box = next(box for box in at.selectbox if box.key == "day_zone")
    assert box.value == "Asia/Tokyo"
    assert "over the 3 days" in plain(words(at))  # 2 in UTC
    box.set_value("UTC").run()
    calm(at)
    assert "over the 2 days" in plain(words(at))
    assert "tz" not in at.query_params


def test_yen_are_at_the_published_rate_with_its_date_until_one_is_entered() -> None:
    at = reports()
    shown = plain(words(at))
    assert "¥1,698, at 161.67 JPY to the dollar on 2026-06-26" in shown  # 10.50 x 161.67
    box = next(box for box in at.text_input if box.key == "other_rate")
    box.set_value("eur 0.5").run()
    calm(at)
    assert asked(at, "rate") == "EUR:0.5"
    assert "EUR\u00a05.25, at 0.5 EUR to the dollar, as entered" in plain(words(at))


def test_large_sums_of_yen_are_counted_in_ten_thousands_in_japanese() -> None:
    at = reports(TWO_MONTHS.replace("1000000,0", "100000000,0"), lang="ja")
    assert "万円" in words(at)


def test_an_invoice_total_is_split_into_what_explains_it() -> None:
    at = reports()
    box = next(box for box in at.number_input if box.key == "invoice-anthropic")
    box.set_value(12.0).run()
    calm(at)
    assert "anthropic states $12.00, computed here $10.50: +$1.50" in plain(words(at))
    assert table(at, "Cause", "unexplained")["unexplained"] == 1.5
    assert "+$1.50 stays unexplained" in plain(words(at))


def test_each_provider_has_an_invoice_of_its_own() -> None:
    both = TWO_MONTHS + "2026-10-02T10:00:00Z,gpt-5.5,1000000,0,0\n"
    at = reports(both, invoice_of="openai")
    box = next(box for box in at.number_input if box.key == "invoice-openai")
    box.set_value(10.0).run()
    calm(at)
    assert "openai states $10.00, computed here $10.00: $0.00" in plain(words(at))


def test_the_stated_costs_of_the_litellm_sample_are_reconciled(reference_data: Path) -> None:
    """Stated 0.2444502 at 3 / 15 / 0.30 / 3.75 for both models; the list says 0.10712328."""
    file = reference_data / SAMPLE
    at = reports(file.read_text(encoding="utf-8"))
    shown = plain(words(at))
    assert "The file states $0.24, computed here $0.11" in shown
    parts = table(at, "Cause", "stated in the file")
    assert parts["stated in the file"] == float(Decimal("0.2444502"))
    assert parts["computed here"] == float(Decimal("0.10712328"))
    assert parts["other prices in the file"] == float(Decimal("0.13732692"))
    assert "unexplained" not in parts
    assert "claude-sonnet-5: the stated costs follow from constant prices" in shown


def test_the_downloads_stand_beside_each_other() -> None:
    at = reports()
    labels = {str(button.label) for button in at.get("download_button")}
    assert {"Page to send (A4)", "FOCUS-style rows (CSV)"} <= labels


COSTS = (
    "usage_date_utc,model,token_type,cost_usd\n"
    "2026-09-30,Claude Opus 5,output,5.00\n"
    "2026-10-01,Claude Opus 5,output,3.00\n"
    "2026-10-05,Claude Opus 5,output,1.00\n"
    "2026-10-06,Claude Opus 5,output,n/a\n"
)
"""Against 5.00, 2.75 and 2.75 on 30 September, 1 and 2 October."""


def with_costs(at: AppTest) -> AppTest:
    """The page after an export of costs was handed in."""
    place = next(box for box in at.file_uploader if str(box.key).startswith("stated-"))
    place.upload("cost.csv", COSTS.encode()).run()
    calm(at)
    return at


def test_an_export_of_costs_is_compared_day_by_day() -> None:
    at = with_costs(reports())
    assert table(at, "Cause", "in the export of costs") == {
        "in the export of costs": 9.0,
        "on days without requests in this file": 1.0,
        "on days that the export does not have": -2.75,
        "unexplained": 0.25,
        "computed here": 10.5,
    }
    shown = plain(words(at))
    assert "1 line of cost.csv holds no day or no amount in USD and is left out: line 5" in shown
    at.button(key="stated_remove").click().run()
    assert "in the export of costs" not in words(at)


def test_a_file_that_is_no_export_of_costs_is_refused_in_a_sentence() -> None:
    at = reports()
    place = next(box for box in at.file_uploader if str(box.key).startswith("stated-"))
    place.upload("other.csv", b"a,b\n1,2\n").run()
    assert not at.exception
    assert len(at.error) == 1
    assert "other.csv" in plain(at.error[0].value)


def test_a_saved_report_keeps_periods_totals_and_its_rows_of_charges() -> None:
    at = with_costs(reports())
    at.button(key="save_report").click().run()
    calm(at)
    report_id = at.query_params["report"]
    kept = flows.open_report(report_id if isinstance(report_id, str) else report_id[0]).report
    assert kept.change is not None
    assert [check.provider for check in kept.invoices] == ["anthropic"]
    assert sum(row.cost.high_usd for row in kept.focus if row.cost) == Decimal("10.5")
    assert [rate.currency for rate in kept.rates] == ["JPY"]
    shown = plain(words(at))
    assert "October 2026 cost $0.50 more than September 2026" in shown
    assert "anthropic states $9.00, computed here $10.50" in shown
    flows.delete_report(kept.report_id)
