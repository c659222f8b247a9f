"""The book grows at its end: adding a dated row never changes an answer about an earlier moment.

The look-up's half of `test_old_invoices_do_not_change_when_prices_are_added`.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from price_tables.book import Model, Period, PriceBook, Segment, Unpriced
from price_tables.load import load_book
from price_tables.lookup import price_at, rate_card

EARLIEST = datetime(2025, 1, 1, tzinfo=UTC)
LATEST = datetime(2028, 12, 31, tzinfo=UTC)
MODELS = st.sampled_from(
    [
        (table.provider, model.id)
        for table in load_book().tables.values()
        for model in table.models
        if model.inherited_from is None
    ]
)
MOMENTS = st.datetimes(EARLIEST.replace(tzinfo=None), LATEST.replace(tzinfo=None)).map(
    lambda at: at.replace(tzinfo=UTC)
)
PRICES = st.decimals(min_value=Decimal("0.001"), max_value=100, places=3)
MODES = st.sampled_from([None, "batch", "fast"])
LENGTHS = st.sampled_from([0, 1, 100_001, 200_000, 272_001, 600_000])
Answer = Segment | Unpriced


def asked(
    book: PriceBook, name: tuple[str, str], mode: str | None, at: datetime, prompt: int
) -> Answer:
    card = rate_card(book, provider=name[0], model=name[1], mode=mode)
    return card if isinstance(card, Unpriced) else price_at(card, at, prompt)


def grown(book: PriceBook, name: tuple[str, str], at: datetime, factor: Decimal) -> PriceBook:
    """`book` with one more row of prices that begins at `at` for one model."""
    table = book.tables[name[0]]
    models = tuple(
        _with_row(model, at, factor) if model.id == name[1] else model for model in table.models
    )
    tables = {**book.tables, name[0]: replace(table, models=models)}
    return PriceBook(version="later", as_of=book.as_of, tables=tables)


def _with_row(model: Model, at: datetime, factor: Decimal) -> Model:
    *before, last = model.periods
    dearer = {bucket: price * factor for bucket, price in last.usd_per_mtok.items()}
    row: Period = replace(
        last, valid_from=at, valid_to=None, usd_per_mtok=dearer, tiers=(), note="a later row"
    )
    return replace(model, periods=(*before, replace(last, valid_to=at), row))


class Book(RuleBasedStateMachine):
    """Questions are asked at any time and remembered; rows are added; old answers stay."""

    @initialize()
    def opened(self) -> None:
        self.book = load_book()
        self.answers: dict[tuple[tuple[str, str], str | None, datetime, int], Answer] = {}

    @rule(name=MODELS, mode=MODES, at=MOMENTS, prompt=LENGTHS)
    def ask(self, name: tuple[str, str], mode: str | None, at: datetime, prompt: int) -> None:
        self.answers[name, mode, at, prompt] = asked(self.book, name, mode, at, prompt)

    @rule(name=MODELS, days=st.integers(1, 400), factor=PRICES)
    def add_a_row(self, name: tuple[str, str], days: int, factor: Decimal) -> None:
        model = next(m for m in self.book.tables[name[0]].models if m.id == name[1])
        last = model.periods[-1]
        if last.valid_to is not None or model.retires_on is not None:
            return
        at = max(last.valid_from or EARLIEST, self.book.as_of) + timedelta(days=days)
        self.book = grown(self.book, name, at, factor)
        for question in [q for q in self.answers if q[0] == name and q[2] >= at]:
            del self.answers[question]  # the future of a growing book is open

    @invariant()
    def old_answers_stay(self) -> None:
        for (name, mode, at, prompt), answer in getattr(self, "answers", {}).items():
            now = asked(self.book, name, mode, at, prompt)
            assert _priced(now) == _priced(answer)


def _priced(answer: Answer) -> object:
    """What a bill depends on: prices, source and date. When a row ends may be learnt later."""
    if isinstance(answer, Unpriced):
        return answer.reason.id
    return answer.usd_per_mtok, answer.source, answer.as_of, answer.status, answer.valid_from


TestBook = Book.TestCase
TestBook.settings = settings(max_examples=25, stateful_step_count=25, deadline=None)


def test_a_new_row_does_change_the_answers_after_it() -> None:
    book = load_book()
    name = ("anthropic", "claude-opus-5")
    at = datetime(2027, 1, 1, tzinfo=UTC)
    later = grown(book, name, at, Decimal(2))
    before, after = at - timedelta(microseconds=1), at
    assert asked(later, name, None, before, 1).usd_per_mtok["uncached"] == 5  # type: ignore[union-attr]
    assert asked(later, name, None, after, 1).usd_per_mtok["uncached"] == 10  # type: ignore[union-attr]
