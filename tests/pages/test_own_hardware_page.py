"""The Own hardware page: what fits, how fast, saturation, pasted lines, and what is missing."""

from __future__ import annotations

import json
import re

import pytest

from messages.catalogue import LANGUAGES, t
from tests.data_sources.results.test_readers import VLLM
from tests.pages.test_accuracy_page import uploaded
from tests.pages.test_pages import asked, calm, dropped, opened, plain, words

ROWS = "".join(
    json.dumps({"timestamp": 1000 * n, "input_length": 1_536, "output_length": 20,
                "hash_ids": [n % 4, 100 + n % 4, 1_000 + n]}) + "\n"
    for n in range(40)
)  # fmt: skip
UNFOLDED = dict.fromkeys(
    ("more_fleets", "more_cost", "more_curve", "more_tiers", "more_rent"), "true"
)
SMALL = {"hw_model": "llama-3.1-8b", "hw_device": "h100-sxm", "hw_tp": "1"}


def charts(at: object) -> list[str]:
    """The figures of the page as JSON text."""
    found = at.get("plotly_chart")  # type: ignore[attr-defined]
    return [json.dumps(json.loads(chart.proto.spec), ensure_ascii=False) for chart in found]


def press(at: object, key: str) -> None:
    """Press the button of this key."""
    (button,) = [b for b in at.button if b.key == key]  # type: ignore[attr-defined]
    button.click().run()
    calm(at)  # type: ignore[arg-type]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_example_has_memory_both_times_fleets_money_and_a_curve(language: str) -> None:
    at = opened("own_hardware", lang=language, **UNFOLDED)
    shown = plain(words(at))
    assert at.metric[0].value == "28"
    for key in ("how_formula", "memory_unit", "fleets_unit", "cost_unit"):
        head = re.split(r"[{]", t(language, f"own_hardware_page.{key}"))[0].strip()
        assert head[:12] in shown or key == "how_formula"
    assert "own_hardware_page." not in shown
    assert "{" not in shown
    assert len(at.dataframe) >= 1


def test_the_first_screen_holds_all_four_answers_and_folds_the_rest() -> None:
    at = opened("own_hardware")
    shown = plain(words(at))
    for head in ("hold KV", "First token after", "A cache pays up to", "cheaper than"):
        assert head in shown
    assert "Lost hits" not in shown
    assert "computing again" not in shown


def test_an_uploaded_trace_is_served_as_a_job_and_shown() -> None:
    at = dropped(opened("workload"), "trace.jsonl", ROWS)
    at.switch_page("../pages/own_hardware.py").run()
    calm(at)
    shown = plain(words(at))
    assert "One replica keeps up" in shown
    assert "Sequences of 1,556 tokens at once" in at.metric[0].label


def test_a_fleet_that_is_offered_too_much_says_so_and_shows_no_latency() -> None:
    at = opened("own_hardware", hw_tflops="0.5", hw_tp="1", hw_model="llama-3.1-8b")
    shown = plain(words(at))
    assert "the queue grows without bound" in shown
    assert "There is no latency to speak of" in shown
    assert "No latency to speak of" in shown


def test_a_model_that_does_not_fit_says_so_and_the_page_goes_on() -> None:
    at = opened("own_hardware", hw_model="llama-3.1-405b", hw_tp="1", hw_weights="checkpoint")
    assert at.metric[0].value == "does not fit"
    assert "leave no room for a block of KV" in plain(words(at))


def test_choices_lie_in_the_url_and_nonsense_in_it_does_no_harm() -> None:
    at = opened("own_hardware")
    (device,) = [box for box in at.selectbox if box.key == "hw_device"]
    device.set_value("b200-sxm").run()
    calm(at)
    assert asked(at, "hw_device") == "b200-sxm"
    wild = opened("own_hardware", hw_device="abacus", hw_tp="-3", hw_kv="int3", hw_replicas="1e9",
                  hw_percentile="12", hw_fraction="NaN", hw_log_blocks="x")  # fmt: skip
    assert wild.metric[0].value == "28"


def test_a_pasted_serve_line_fills_the_form_and_the_flags_say_the_same() -> None:
    at = opened("own_hardware")
    (line,) = [area for area in at.text_area if area.key == "hw_serve_line"]
    line.set_value(
        "vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 1 --max-num-seqs 64 --kv-cache-dtype fp8"
    )
    press(at, "hw_fill")
    assert asked(at, "hw_model") == "llama-3.1-8b"
    assert asked(at, "hw_seqs") == "64"
    (flags,) = at.code
    assert "--max-num-seqs 64" in flags.value
    assert "--tensor-parallel-size 1" in flags.value


def test_a_line_that_cannot_be_read_says_what_was_expected() -> None:
    at = opened("own_hardware")
    (line,) = [area for area in at.text_area if area.key == "hw_serve_line"]
    line.set_value("docker compose up")
    (button,) = [b for b in at.button if b.key == "hw_fill"]
    button.click().run()
    assert not at.exception
    assert any("vllm serve MODEL" in plain(error.value) for error in at.error)


def test_a_log_line_calibrates_the_overhead_and_can_be_forgotten() -> None:
    at = opened("own_hardware", **SMALL)
    (line,) = [area for area in at.text_area if area.key == "hw_log_line"]
    line.set_value("INFO: GPU KV cache size: 400,000 tokens")
    press(at, "hw_calibrate")
    assert asked(at, "hw_log_blocks") == "25000"
    assert "implied by your log" in plain(words(at))
    press(at, "hw_forget")
    assert "implied by a published vLLM log" in plain(words(at))


@pytest.mark.parametrize("device", ["rubin-cpx-original", "rubin-cpx-revised"])
def test_prefill_on_a_device_that_is_not_sold_says_so_and_what_the_hand_off_takes(
    device: str,
) -> None:
    at = opened("own_hardware", hw_second=device)
    shown = plain(words(at))
    assert "the hand-off takes" in shown
    assert "not confirmed" in shown or "taken off the roadmap" in shown
    assert "the only rate that is stated is that of FP4" in shown


def test_the_overview_has_a_line_for_own_hardware() -> None:
    at = opened("overview")
    assert "On your own hardware" in words(at)


def test_runs_of_ones_own_are_a_third_source_with_its_own_mark() -> None:
    at = opened("own_hardware", hw_speed="measured")
    assert "No file yet" in plain(words(at))
    uploaded(at, "own_results", "bench.json", json.dumps(VLLM).encode())
    calm(at)
    shown = plain(words(at))
    assert "1 run of yours is used" in shown
    (times,) = [chart for chart in charts(at) if "first token" in chart]
    for mark in ("◇ datasheet", "◆ published", "● measured here"):
        assert mark in times
    assert "from one run of yours" in times


def test_runs_of_another_model_are_not_used_and_the_page_says_so() -> None:
    at = opened("own_hardware", hw_speed="measured", hw_model="qwen3-32b")
    uploaded(at, "own_results", "bench.json", json.dumps(VLLM).encode())
    assert any("The file names Llama 3.1 70B" in plain(box.value) for box in at.warning)
    assert "● measured here" not in "".join(charts(at))


def test_a_pasted_config_is_a_model_to_choose_once_its_parameters_are_typed() -> None:
    at = opened("own_hardware")
    config = {"model_type": "llama", "architectures": ["LlamaForCausalLM"], "hidden_size": 4096,
              "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
              "torch_dtype": "bfloat16"}  # fmt: skip
    (name,) = [box for box in at.text_input if box.key == "own_name"]
    name.set_value("our-8b")
    (text,) = [area for area in at.text_area if area.key == "own_text"]
    text.set_value(json.dumps(config))
    (button,) = [b for b in at.button if b.key == "own_take"]
    button.click().run()
    assert not at.exception
    assert any("give the bytes of the weights" in plain(box.value) for box in at.error)
    (field,) = [field for field in at.number_input if field.key == "hw_params_b"]
    field.set_value(8.03).run()
    calm(at)
    (own,) = [box for box in at.selectbox if box.key == "hw_model"]
    assert own.value.startswith("own:")
    assert "our-8b" in own.options[0]
    assert "First token after" in plain(words(at))
