"""D31: a hand-off of keys and values is not free. D34: saturation and small samples are said."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from econ.fleet import serve, table_for
from econ.fleet_input import requests_of
from econ.fleet_pools import handoff
from econ.fleet_setup import FleetAsked
from econ.kv_formats import kv_format
from econ.own_runs import OwnRun
from jobs import fleet_flows
from price_tables.hardware_load import load_hardware
from tests.demands.test_d20_d25_kv_size import kv
from tests.econ_fleet.made import BLOCK, steady, workload
from tests.econ_fleet.test_fleet import ONE_BY_ONE
from tests.pages.conftest import _own_ledger  # noqa: F401 (pages need a ledger of their own)
from tests.pages.test_own_hardware_page import ROWS, SMALL
from tests.pages.test_pages import dropped, opened, plain, words

LINK_BYTES_PER_S = 50e9


def test_d31_a_prompt_of_4096_tokens_moves_288_mb_in_576_hundredths_of_a_ms() -> None:
    model = load_hardware().models["deepseek-v3"]
    moved = handoff(
        model, kv_format("bf16"), prompt_tokens=4_096, link_bytes_per_s=LINK_BYTES_PER_S,
        latency_s=0.0, ttft_s=1.0, decode_sequences=10,
    )  # fmt: skip
    assert moved.bytes == 287_834_112
    assert moved.transfer_s * 1000 == pytest.approx(5.76, abs=0.005)
    assert moved.share_of_ttft == pytest.approx(0.00576, abs=0.00001)
    assert moved.max_in_decode == 10
    assert kv("deepseek-v3", "--context", "4096")["bytes_min"] == moved.bytes


@pytest.mark.parametrize("device", ["rubin-cpx-original", "rubin-cpx-revised"])
def test_d31_both_variants_of_rubin_cpx_read_prompts_and_say_that_they_are_not_sold(
    device: str,
) -> None:
    asked = replace(fleet_flows.EXAMPLE_FLEET, prefill_device=device)
    assert fleet_flows.checked_setup(asked).asked.prefill_device == device
    shown = plain(words(opened("own_hardware", hw_second=device)))
    assert "the hand-off takes" in shown
    assert "the hand-off is" in shown


def test_d34_arrivals_faster_than_service_are_saturation_and_not_a_latency() -> None:
    made = workload([0.8 * n for n in range(50)], [100] * 50, [1] * 50)
    requests = requests_of(made, BLOCK)
    table = table_for(requests, steady(0.01), ONE_BY_ONE)
    found = serve(requests, table, ONE_BY_ONE)
    assert found.utilisation == pytest.approx(1.25)
    assert found.saturated
    assert found.ttft.p50 is None
    twice = serve(requests, table, ONE_BY_ONE, replicas=2)
    assert not twice.saturated
    assert twice.ttft.p99 is None
    assert twice.ttft.at(99) == twice.ttft.max
    assert twice.ttft.n == 50


def test_d34_a_page_says_maximum_with_its_n_below_a_hundred_requests() -> None:
    at = dropped(opened("workload", hw_percentile="99", **SMALL), "trace.jsonl", ROWS)
    at.switch_page("../pages/own_hardware.py").run()
    shown = plain(words(at))
    assert "maximum" in shown
    assert "n = 40" in shown


def test_a_question_survives_the_way_to_the_job_with_runs_of_ones_own() -> None:
    asked: FleetAsked = replace(
        fleet_flows.EXAMPLE_FLEET, runs=(OwnRun(8.0, 1_024.0, 512.0, 0.26, None),)
    )
    text = json.dumps(fleet_flows.asked_to_json(asked))
    assert fleet_flows.asked_from_json(json.loads(text)) == asked
