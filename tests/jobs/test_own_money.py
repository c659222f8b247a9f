"""Services of the money sections: bills kept beside the workload, spans, and values of a hit."""

from __future__ import annotations

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from data_sources.store.computed import keep_computed
from data_sources.store.engine import current_store
from econ.own_break_even import OwnRate
from econ.report_params import ReportParams
from jobs import flows, own_money, shelf
from jobs.devices import device_of
from jobs.shelf import example
from jobs.tiering import TiersAsked, gb_hours, tiers_found
from jobs.tiers_json import usd_text
from messages.errors import NotFoundError

OWN = OwnRate(usd_per_hour=Decimal(2), tokens_per_s=Decimal(2500))
PARAMS = ReportParams()


def test_bills_are_made_once_and_kept_beside_the_workload() -> None:
    where = (flows.example_id(), ReportParams(at=datetime(2026, 11, 3, tzinfo=UTC)), "")
    shelf.close(example().key)
    assert own_money.api_bills(*where) is None
    own_money.start_bills(*where)
    made = own_money.api_bills(*where)
    assert made
    shelf.close(example().key)
    assert own_money.api_bills(*where) == made
    rows = own_money.own_rows_at(made, OWN)
    ratios = [row.point.utilisation_ratio for row in rows]
    assert ratios == sorted(ratios)
    assert len({(row.provider, row.surface, row.model) for row in rows}) == len(rows)


def test_half_a_file_of_bills_is_made_again() -> None:
    where = (flows.example_id(), PARAMS, "")
    shelf.close(example().key)
    name = own_money._name(PARAMS)
    keep_computed(current_store(), example().id, name, '[{"provider": "anthr')
    assert own_money.api_bills(*where) is None


def test_the_rate_at_full_load_is_what_the_load_says() -> None:
    hours = own_money.hours_of(flows.example_id(), "")
    assert hours is not None
    workload = example().workload
    tokens = workload.counts("input_tokens").sum() + workload.counts("output_tokens").sum()
    half = own_money.served_per_s(flows.example_id(), 0.5, "")
    assert half is not None
    assert float(half) == pytest.approx(2 * tokens / (hours * 3600))
    assert own_money.served_per_s(flows.example_id(), 0.0, "") is None


def test_a_hit_is_worth_its_prefill_or_the_apis_discount() -> None:
    asked = flows.StudyParams(rules="engine")
    flows.start_study(flows.example_id(), asked, "")
    study = flows.cache_study(flows.example_id(), asked, "")
    assert study is not None
    found = tiers_found(TiersAsked())
    model = "claude-opus-5"
    one, two = (
        own_money.hit_value(flows.example_id(), study, found, Decimal(usd), model, "")
        for usd in (1, 2)
    )
    assert two.recompute_usd_per_mtok == 2 * one.recompute_usd_per_mtok > 0
    assert one.api_usd_per_mtok == Decimal("4.5")  # 5 - 0.50
    assert own_money.api_saving("our-own-7b") is None
    fine = own_money.fine_curve(flows.example_id(), study, "")
    assert fine.capacity_blocks[0] == 1
    assert fine.hit_tokens[-1] == study.main.hit_tokens[-1]


def test_devices_are_found_by_id_or_name_and_places_priced() -> None:
    assert device_of("H200 SXM").id == device_of("h200-sxm").id
    with pytest.raises(NotFoundError, match="h200-sxm"):
        device_of("h201")
    prices = gb_hours(device_of("h200-sxm"))
    assert set(prices) == {"hbm", "dram", "ssd", "network", "gddr7"}
    assert round(prices["hbm"][0], 4) == Decimal("0.0035")
    assert "hbm" not in gb_hours(device_of("rubin-r200"))
    assert usd_text(Decimal("1E-7")) == "0.0000001"
