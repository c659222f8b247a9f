"""Own hardware through the shell's `report`: the same choice, every format, and what is refused."""

from __future__ import annotations

import csv
import re
from pathlib import Path

import pytest

from messages.catalogue import LANGUAGES
from settings import Settings, using
from tests import shell_shapes as shapes
from tests.shell import jsonl, report, shell

ROWS = [
    {"timestamp": 60_000 * n, "input_length": 1_536, "output_length": 20,
     "hash_ids": [n % 4, 100 + n % 4, 1_000 + n]}
    for n in range(40)
]  # fmt: skip
SMALL = ("--own-model", "llama-3.1-8b", "--own-device", "h100-sxm", "--own-tp", "1")


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """Forty requests of a trace with block ids."""
    return jsonl(tmp_path / "trace.jsonl", ROWS)


def test_without_a_flag_there_is_none_of_it(trace: Path) -> None:
    found = report(trace)
    shapes.REPORT(found)
    assert found["own_hardware"] is None


def test_model_and_device_are_chosen_and_the_same_choice_is_the_same_report(trace: Path) -> None:
    found = report(trace, *SMALL)
    shapes.REPORT(found)
    own = found["own_hardware"]
    assert (own["choice"]["fleet.model"], own["choice"]["fleet.device"]) == (
        "llama-3.1-8b", "h100-sxm"
    )  # fmt: skip
    sections = {figure["section"] for figure in own["figures"]}
    assert sections == {"memory", "speed", "fleet", "cost", "load", "curve", "tiers", "rent",
                        "hbm", "energy", "less_kv", "hybrid", "switch"}  # fmt: skip
    assert len(own["break_even"]) > 100
    assert report(trace, *SMALL)["report_id"] == found["report_id"]
    assert report(trace)["report_id"] != found["report_id"]


def test_a_serve_line_says_it_too(trace: Path) -> None:
    line = "vllm serve meta-llama/Llama-3.1-8B-Instruct -tp 1 --kv-cache-dtype fp8"
    found = report(trace, "--own-serve", line, "--own-device", "h100-sxm")
    choice = found["own_hardware"]["choice"]
    assert (choice["fleet.model"], choice["fleet.tensor_parallel"]) == ("llama-3.1-8b", "1")


@pytest.mark.parametrize("language", LANGUAGES)
def test_words_csv_and_paper_have_it_and_a_saved_one_is_shown_again(
    trace: Path, tmp_path: Path, language: str
) -> None:
    out, paper = tmp_path / "r.csv", tmp_path / "r.html"
    with using(Settings(data_dir=tmp_path / "ledger")):
        said = shell("report", trace, *SMALL, "--save", "--out", out, "--html", paper,
                     "--lang", language)  # fmt: skip
        assert said.status == 0, said.err
        (report_id,) = set(re.findall(r"[0-9a-f]{64}", said.err))
        again = shell("reports", "show", report_id, "--lang", language)
    assert "Llama 3.1 8B" in said.out
    assert "own_report." not in said.out
    assert "Llama 3.1 8B" in again.out
    assert "Llama 3.1 8B" in paper.read_text(encoding="utf-8")
    rows = list(csv.DictReader(out.read_text(encoding="utf-8-sig").splitlines()))
    assert {"own_memory", "own_api", "own_less_kv"} <= {row["section"] for row in rows}


def test_the_default_configuration_says_that_it_is_one(trace: Path) -> None:
    said = shell("report", trace, "--own", "--lang", "en")
    assert said.status == 0
    assert "the default configuration, Llama 3.1 70B on H200 SXM" in said.err


@pytest.mark.parametrize(
    ("flags", "named"),
    [
        (("--own-model", "nobody-knows"), "nobody-knows"),
        (("--own-device", "abacus"), "abacus"),
        (("--own-tp", "x"), "--own-tp"),
        (("--own-usd-per-gpu-hour", "much"), "--own-usd-per-gpu-hour"),
    ],
)
def test_what_cannot_be_is_refused_in_one_sentence(
    trace: Path, flags: tuple[str, str], named: str
) -> None:
    said = shell("report", trace, *flags, "--lang", "en")
    assert said.status in (1, 2)
    assert named in said.sentence
