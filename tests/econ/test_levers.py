"""Other levers beside caching, and how far assumptions move a cost: figures worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pytest

from econ.billing import BillingOptions, Pricing
from econ.cards import ModelRef, cards_of
from econ.levers import Lever, levers
from econ.money import usd_from_e13
from econ.report import PolicyRow, ReportParams
from econ.report_store import parts_from_store, parts_to_store
from econ.sensitivity import Swing, swings
from econ.simulated_rows import rows_of_candidates
from econ.workload import Workload
from price_tables.load import load_book

BOOK = load_book()
OPUS = ModelRef("anthropic", None, "claude-opus-5", None)
LUNA = ModelRef("openai", None, "gpt-5.6-sol", None)
D19 = Workload(
    name="d19",
    format="test",
    rows=3,
    columns={
        "input_tokens": np.array([20_500, 20_500, 20_500]),
        "output_tokens": np.array([500, 500, 500]),
        "shared_prefix_tokens": np.array([20_000, 20_000, 20_000]),
        "arrival_s": np.array([0.0, 200.0, 900.0]),
    },
)
"""Three requests with one prefix of 20,000 tokens, the last 700 seconds after the second."""


def pricing() -> Pricing:
    options = BillingOptions(default_model="claude-opus-5")
    return Pricing(cards=cards_of(BOOK), options=options, default_at=BOOK.as_of)


def found(ref: ModelRef, smaller: str | None = None, **factors: Decimal) -> dict[str, Lever]:
    made = levers(D19, BOOK, pricing(), ref, smaller, factors)
    return {lever.kind: lever for lever in made}


def row(policy: str, placement: str | None, model: str = "claude-opus-5") -> PolicyRow:
    asked = ReportParams(models=(model,), policies=("none", policy))
    rows = rows_of_candidates(D19, BOOK, pricing(), asked)
    return next(r for r in rows if (r.policy, r.placement) == (policy, placement))


def moved(looked_at: PolicyRow, workload: Workload = D19, **more: object) -> dict[str, Swing]:
    made = swings(workload, BOOK, pricing(), looked_at, Decimal(1), more.get("published"))  # type: ignore[arg-type]
    return {swing.name: swing for swing in made}


def test_caching_batch_and_the_smaller_model_are_priced_on_the_same_requests() -> None:
    known = found(OPUS, "claude-sonnet-5")
    assert set(known) == {"cache", "batch", "smaller"}
    usd = {kind: lever.none.usd.high_usd for kind, lever in known.items() if lever.none.usd}
    assert usd == {
        "cache": Decimal("0.345"),
        "batch": Decimal("0.1725"),
        "smaller": Decimal("0.138"),
    }
    cache = known["cache"]
    assert (cache.best.policy, cache.best.placement) == ("1h", "shared")
    assert cache.best.usd is not None
    assert cache.best.usd.high_usd == Decimal("0.265")
    assert cache.saving_best.low_usd == Decimal("0.08")
    assert known["smaller"].saving_none.low_usd == Decimal("0.207")
    assert known["smaller"].none.model == "claude-sonnet-5"


def test_flex_is_a_lever_only_where_it_is_sold() -> None:
    assert "flex" not in found(OPUS)
    flex = found(LUNA)["flex"]
    assert flex.none.usd is not None
    assert flex.none.usd.high_usd == Decimal("0.138")
    assert flex.none.mode == "flex"


def test_a_dearer_smaller_model_shows_a_signed_loss() -> None:
    factor = {"claude-sonnet-5": Decimal(10)}
    dear = levers(D19, BOOK, pricing(), OPUS, "claude-sonnet-5", factor)[-1]
    assert dear.saving_none.low_usd == Decimal("0.345") - Decimal("1.38")


def test_an_entry_that_lives_on_saves_the_rewrite_of_the_third_request() -> None:
    lifetime = moved(row("5m", "shared"))["lifetime"]
    assert (lifetime.low_end, lifetime.high_end) == ("longer", "exact")
    assert usd_from_e13(lifetime.high_e13 or 0) == Decimal("0.305")
    # 20,000 tokens read at 0.50 instead of written at 6.25.
    assert usd_from_e13(lifetime.low_e13 or 0) == Decimal("0.305") - Decimal("0.115")


def test_the_end_of_every_prompt_is_the_dearer_placement() -> None:
    placement = moved(row("5m", "shared"))["placement"]
    assert (placement.low_end, placement.high_end) == ("shared", "end")
    assert usd_from_e13(placement.high_e13 or 0) == Decimal("0.421875")


def test_what_nothing_promises_runs_from_every_hit_to_none() -> None:
    routing = moved(row("implicit", None, "gemini-3.1-pro-preview"))["routing"]
    ends = [usd_from_e13(e13 or 0) for e13 in (routing.low_e13, routing.high_e13)]
    assert ends == [Decimal("0.069"), Decimal("0.141")]
    assert moved(row("5m", "shared"))["routing"].reason == "promised"


def test_answers_that_take_time_move_the_cost_only_where_the_file_times_them() -> None:
    assert moved(row("5m", "shared"))["response"].reason == "not_in_file"
    columns = {**D19.columns, "response_s": np.array([250.0, 1.0, 1.0])}
    response = moved(row("5m", "shared"), replace(D19, columns=columns))["response"]
    assert (response.low_end, response.high_end) == ("at_once", "as_given")
    assert (response.low_e13 or 0) < (response.high_e13 or 0)


def test_a_published_factor_is_shown_and_none_is_made_up() -> None:
    base = row("5m", "shared")
    assert moved(base)["tokenizer"].reason == "not_published"
    swing = moved(base, published=Decimal("1.3"))["tokenizer"]
    assert usd_from_e13(swing.high_e13 or 0) == Decimal("0.305") * Decimal("1.3")


def test_a_row_without_caching_rests_on_no_such_assumption() -> None:
    assert moved(row("none", None)) == {}


@pytest.mark.parametrize("ref", [OPUS, LUNA])
def test_levers_and_swings_are_kept_without_loss(ref: ModelRef) -> None:
    parts = (*levers(D19, BOOK, pricing(), ref, None, {}), *moved(row("5m", "shared")).values())
    assert parts_from_store(parts_to_store(parts)) == parts
