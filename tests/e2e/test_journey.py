"""The whole journey, as a stranger makes it: drop a file, see, filter, save, download, reload,
and open the saved report in another browser. The sums are worked by hand in `files.py`."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.e2e import files
from tests.e2e.steps import (
    download_rows,
    drop_file,
    figure,
    go_to,
    hero,
    idle,
    open_page,
)

NAME = "team usage 2026-11.csv"


def test_whole_journey(
    page: Page,
    app_url: str,
    new_page: Callable[..., Page],
    complaints: list[str],
    tmp_path: Path,
) -> None:
    # The example is there before anything is asked of the visitor.
    open_page(page, app_url)
    expect(hero(page)).to_be_visible()
    example = hero(page).inner_text()

    # Drop a file: what it cost, and what caching saved, to the cent.
    go_to(page, "Workload")
    drop_file(page, NAME, files.two_days())
    expect(hero(page)).to_have_text("$29.00")
    expect(page.get_by_text("team usage 2026-11.csv").first).to_be_visible()
    go_to(page, "Overview")
    expect(hero(page)).to_have_text("+$47.00")
    expect(figure(page, "No caching")).to_have_text("$76.00")
    expect(figure(page, "As billed")).to_have_text("$29.00")
    assert hero(page).inner_text() != example

    # The receipt adds up on screen.
    expect(page.locator(".st-key-rule_trust")).to_contain_text(re.compile(r"Rows read\s*300"))
    expect(page.locator(".st-key-rule_trust")).to_contain_text(re.compile(r"Rejected\s*0"))

    # Narrow it to one day; the address carries the period.
    go_to(page, "Workload")
    narrow_to(page, "02")
    expect(hero(page)).to_have_text("$17.00")
    expect(page).to_have_url(re.compile("until=2026-11-02"))

    # Download: the same numbers as on the screen, and the page stays as it was.
    go_to(page, "Reports")
    expect(hero(page)).to_have_text("+$6.50")
    unsaved_rows = download_rows(page, "download_current", tmp_path)
    assert_same_money(unsaved_rows)
    expect(hero(page)).to_have_text("+$6.50")

    # Save it, and download what was saved.
    page.locator(".st-key-save_report button").click()
    expect(page).to_have_url(re.compile(r"report=[0-9a-f]{64}"))
    idle(page)
    saved_url = page.url
    saved_rows = download_rows(page, "download_saved", tmp_path)
    assert money_of(saved_rows) == money_of(unsaved_rows)
    report_id = re.search(r"report=([0-9a-f]{64})", saved_url)
    assert report_id is not None
    assert {row["report_id"] for row in saved_rows} == {report_id.group(1)}
    assert {row["report_id"] for row in unsaved_rows} == {report_id.group(1)}

    # Reload the address: the saved report again.
    page.reload(wait_until="commit")
    expect(hero(page)).to_have_text("+$6.50")

    # Open it in a second browser, which never saw the file.
    second = new_page()
    open_page(second, saved_url)
    expect(hero(second)).to_have_text("+$6.50")
    expect(figure(second, "As billed")).to_have_text("$17.00")
    assert money_of(download_rows(second, "download_saved", tmp_path)) == money_of(saved_rows)
    assert complaints == []


def test_reloaded_address_of_unsaved_work_asks_for_the_file_and_keeps_the_settings(
    page: Page, app_url: str, new_page: Callable[..., Page]
) -> None:
    """D40: equal file and settings give the equal report again."""
    open_page(page, f"{app_url}/workload")
    drop_file(page, NAME, files.two_days(shift_min=3))
    expect(hero(page)).to_have_text("$29.00")
    narrow_to(page, "02")
    expect(hero(page)).to_have_text("$17.00")

    stranger = new_page()
    stranger.goto(page.url, wait_until="commit")
    expect(stranger.get_by_text(NAME).first).to_be_visible()
    expect(stranger.get_by_test_id("stMetricValue")).to_have_count(0)
    drop_file(stranger, NAME, files.two_days(shift_min=3), uploader="asked")
    expect(hero(stranger)).to_have_text("$17.00")


def test_a_loss_is_shown_as_a_loss(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/workload")
    drop_file(page, "loss.csv", files.one_loss())
    expect(hero(page)).to_have_text("$6.25")
    go_to(page, "Overview")
    expect(hero(page)).to_have_text("−$1.25")
    expect(page.get_by_text("▼").first).to_be_visible()


def test_what_is_not_in_the_file_is_not_a_zero(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/workload")
    drop_file(page, "plain.csv", files.without_cache_columns())
    expect(hero(page)).to_have_text("$5.00")
    go_to(page, "Overview")
    expect(hero(page)).to_have_text("$5.00")
    expect(figure(page, "As billed")).to_have_text("not in this file")


def test_leaving_the_page_while_the_file_is_read_loses_nothing(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/workload")
    drop_file(page, NAME, files.two_days())
    progress = page.get_by_test_id("stProgress")  # the file has arrived, or is read already
    expect(progress.or_(page.get_by_text("$29.00", exact=True)).first).to_be_visible()
    go_to(page, "Overview")
    expect(hero(page)).to_have_text("+$47.00")


def test_a_file_that_cannot_be_read_gets_one_sentence_and_no_traceback(
    page: Page, app_url: str
) -> None:
    open_page(page, f"{app_url}/workload")
    drop_file(page, "nothing.csv", b"\n\n")
    alert = page.get_by_test_id("stAlert").first
    expect(alert).to_contain_text("nothing.csv")
    expect(page.get_by_test_id("stException")).to_have_count(0)
    expect(page.get_by_text("Traceback")).to_have_count(0)


def narrow_to(page: Page, last_day: str) -> None:
    """Make this day of the month the period's last; the fields are year, month, day, twice."""
    day = page.locator(".st-key-period").get_by_role("spinbutton").nth(5)
    day.click()
    day.press_sequentially(last_day)
    page.get_by_role("heading", level=1).click()  # the field counts when it is left
    idle(page)


def money_of(rows: list[dict[str, str]]) -> list[tuple[str, ...]]:
    """Every line's name and amounts, for comparing two downloads."""
    columns = ("section", "item", "by", "key", "bucket", "usd", "no_cache_usd")
    return [tuple(row[column] for column in columns) for row in rows]


def assert_same_money(rows: list[dict[str, str]]) -> None:
    """The first day in the file, exact: what the screen shows."""
    baselines = {
        row["item"]: Decimal(row["usd"])
        for row in rows
        if row["section"] == "baseline" and row["usd"]
    }
    assert baselines["billed_usd"] == 17
    assert baselines["no_cache_usd"] == Decimal("23.5")
    assert baselines["earned_usd"] == Decimal("6.5")
    teams = {row["key"]: Decimal(row["usd"]) for row in rows if row["by"] == "team"}
    assert teams == {"search": 17}
