"""What lies ahead."""

from __future__ import annotations

from datetime import UTC, date, datetime

from price_tables.changes import Change, changes_ahead
from price_tables.load import load_book
from price_tables.lookup import price_at, rate_card


def ahead(after: date = date(2026, 11, 29)) -> tuple[Change, ...]:
    return changes_ahead(load_book(), after)


def found(provider: str, model: str, kind: str) -> Change | None:
    return next(
        (c for c in ahead() if (c.provider, c.model, c.kind) == (provider, model, kind)), None
    )


def test_the_dated_changes_of_the_coming_months_are_listed() -> None:
    expected = {
        ("anthropic", "claude-sonnet-4-5", "retires", date(2026, 11, 30)),
        ("anthropic", "claude-opus-4-8", "mode", date(2026, 11, 30)),
        ("azure-openai", "gpt-5.6-sol", "price_ends", date(2026, 12, 1)),
        ("google", "gemini-4-argon", "price", date(2026, 12, 1)),
        ("google", "gemini-4-carbon", "price", date(2026, 12, 1)),
        ("google", "gemini-2.5-pro", "retires", date(2026, 12, 1)),
        ("google", "gemini-2.5-flash", "retires", date(2026, 12, 1)),
        ("openai", "gpt-5", "retires", date(2026, 12, 11)),
        ("openai", "gpt-5-mini", "retires", date(2026, 12, 11)),
        ("openai", "gpt-5-nano", "retires", date(2026, 12, 11)),
        ("openai", "o3", "retires", date(2026, 12, 11)),
        ("deepseek", "deepseek-flash", "holidays", date(2027, 1, 1)),
        ("google", "gemini-3.6-flash", "price", date(2027, 1, 1)),
        ("google", "gemini-3.7-flash", "price", date(2027, 1, 1)),
        ("google", "gemini-3.8-flash", "price", date(2027, 1, 1)),
        ("openai", "gpt-4.1", "retires", date(2027, 1, 14)),
        ("openai", "gpt-4o-mini", "retires", date(2027, 1, 14)),
        ("openai", "gpt-6.2-sol", "mode", date(2027, 3, 1)),
        ("openai", "gpt-6.2-astra", "mode", date(2027, 3, 1)),
    }
    assert expected <= {(c.provider, c.model, c.kind, c.on.date()) for c in ahead()}


def test_a_doubling_names_old_and_new_prices() -> None:
    change = found("google", "gemini-4-argon", "price")
    assert change is not None
    assert {k: str(v) for k, v in change.what.values.items()} == {
        "model": "gemini-4-argon",
        "provider": "google",
        "old_input": "2",
        "new_input": "4",
        "old_output": "10",
        "new_output": "20",
    }


def test_resellers_follow_a_change_of_price() -> None:
    assert found("vertex", "gemini-4-argon", "price") is not None


def test_a_change_that_was_called_off_is_not_listed() -> None:
    for change in ahead(date(2026, 8, 1)):
        assert change.model != "claude-sonnet-5"


def test_a_promise_that_runs_out_is_listed_before_its_day() -> None:
    before = ahead(date(2026, 11, 1))
    assert any(c.kind == "promise_ends" and c.model == "gpt-5.6-sol" for c in before)
    assert not any(c.kind == "promise_ends" for c in ahead())


def test_changes_come_in_order_of_time_and_only_after_the_day_asked_for() -> None:
    days = [change.on for change in ahead()]
    assert days == sorted(days)
    assert min(days) > datetime(2026, 11, 29, tzinfo=UTC)
    assert all(c.on.date() > date(2026, 11, 30) for c in ahead(date(2026, 11, 30)))


def test_every_announced_price_is_what_the_look_up_gives_on_its_day() -> None:
    book = load_book()
    for change in ahead():
        if change.kind == "price":
            card = rate_card(book, provider=change.provider, model=change.model)
            row = price_at(card, change.on, 1)  # type: ignore[arg-type]
            assert row.usd_per_mtok["uncached"] == change.what.values["new_input"]  # type: ignore[union-attr]
