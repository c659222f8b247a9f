"""One visit is one step back; names from a file are shown as they are."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from tests.e2e import files
from tests.e2e.steps import drop_file, go_to, hero, idle, open_page

NAME = ":red[x] $a$ **c** :material:home: <-.csv"


def steps(page: Page) -> int:
    """How many entries the browser's history of this tab has."""
    return int(page.evaluate("history.length"))


def test_a_visit_is_one_step_of_the_back_button(page: Page, app_url: str) -> None:
    open_page(page, f"{app_url}/workload")
    drop_file(page, "usage.csv", files.two_days(shift_min=11))
    expect(hero(page)).to_have_text("$29.00")
    idle(page)
    before = steps(page)
    visits = ("Overview", "Workload", "Reports", "Overview", "Workload")
    for name in visits:
        go_to(page, name)
    assert steps(page) - before == len(visits)
    assert "w=" in page.url
    assert "file=usage.csv" in page.url
    page.go_back()
    expect(page.get_by_role("heading", level=1)).to_have_text("Is prompt caching saving you money?")
    assert "w=" in page.url


def test_a_saved_report_of_the_list_is_one_step_of_the_back_button(
    page: Page, app_url: str
) -> None:
    open_page(page, f"{app_url}/workload")
    drop_file(page, "usage.csv", files.two_days(shift_min=13))
    expect(hero(page)).to_have_text("$29.00")
    go_to(page, "Reports")
    page.locator(".st-key-save_report button").click()
    expect(page).to_have_url(re.compile("report="))
    idle(page)
    go_to(page, "Workload")
    go_to(page, "Reports")
    before = steps(page)
    page.locator("[class*='st-key-open-'] button").first.click()
    expect(page).to_have_url(re.compile("report="))
    idle(page)
    assert steps(page) - before == 1


@pytest.mark.parametrize("name", ["Workload", "Overview"])
def test_a_files_name_is_shown_as_it_is(page: Page, app_url: str, name: str) -> None:
    open_page(page, f"{app_url}/workload")
    drop_file(page, NAME, files.two_days(shift_min=12))
    expect(hero(page)).to_have_text("$29.00")
    if name != "Workload":
        go_to(page, name)
    label = page.locator("[class*='st-key-hero'] [data-testid=stMetricLabel]").first
    said = label.inner_text().replace("\u2060", "")
    assert said.endswith(NAME)
