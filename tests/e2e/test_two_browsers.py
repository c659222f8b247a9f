"""Reliability 19: two people at once never see each other's unsaved work."""

from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.e2e import files
from tests.e2e.steps import drop_file, go_to, hero, idle, open_page


def test_two_sessions_never_share_uploads_or_results(
    new_page: Callable[..., Page], app_url: str
) -> None:
    one, other = new_page(), new_page()
    for page in (one, other):
        open_page(page, f"{app_url}/workload")
    example = hero(other).inner_text()

    drop_file(one, "of one.csv", files.two_days())
    expect(hero(one)).to_have_text("$29.00")
    other.reload(wait_until="commit")
    expect(hero(other)).to_have_text(example)
    expect(other.get_by_text("of one.csv")).to_have_count(0)

    drop_file(other, "of the other.csv", files.one_loss())
    expect(hero(other)).to_have_text("$6.25")
    for page, cost, saving in ((one, "$29.00", "+$47.00"), (other, "$6.25", "−$1.25")):
        go_to(page, "Overview")
        expect(hero(page)).to_have_text(saving)
        go_to(page, "Workload")
        expect(hero(page)).to_have_text(cost)
    expect(one.get_by_text("of the other.csv")).to_have_count(0)
    expect(other.get_by_text("of one.csv")).to_have_count(0)


def test_uploads_at_the_same_moment_never_mix(new_page: Callable[..., Page], app_url: str) -> None:
    pages = [new_page() for _ in range(4)]
    for page in pages:
        open_page(page, f"{app_url}/workload")
    for number, page in enumerate(pages):
        body = files.two_days() if number % 2 else files.one_loss()
        drop_file(page, f"file {number}.csv", body)
    for number, page in enumerate(pages):
        expect(hero(page)).to_have_text("$29.00" if number % 2 else "$6.25")
        expect(page.get_by_text(f"file {number}.csv").first).to_be_visible()
        others = [f"file {n}.csv" for n in range(4) if n != number]
        for name in others:
            expect(page.get_by_text(name)).to_have_count(0)


def test_the_address_of_unsaved_work_gives_a_stranger_nothing(
    new_page: Callable[..., Page], app_url: str
) -> None:
    one = new_page()
    open_page(one, f"{app_url}/workload")
    drop_file(one, "private.csv", files.two_days(shift_min=1))
    expect(hero(one)).to_have_text("$29.00")

    stranger = new_page()
    stranger.goto(one.url, wait_until="commit")
    expect(stranger.locator("[class*='st-key-asked-'] input[type=file]")).to_have_count(1)
    idle(stranger)
    expect(stranger.get_by_text("29.00")).to_have_count(0)


def test_what_is_not_saved_is_in_no_list(new_page: Callable[..., Page], app_url: str) -> None:
    one = new_page()
    open_page(one, f"{app_url}/workload")
    drop_file(one, "only-mine.csv", files.two_days(shift_min=2))
    expect(hero(one)).to_have_text("$29.00")
    other = new_page()
    open_page(other, f"{app_url}/reports")
    expect(other.get_by_text("only-mine.csv")).to_have_count(0)
