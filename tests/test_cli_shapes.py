"""What the shell prints with --json: exact keys, exact types, nothing else on standard output."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import settings
from tests import shell_shapes as shapes
from tests.price_tables.test_own import OWN_FILE
from tests.shell import ROOT, Said, plain_csv, process, report, shell

SONNET = {"model": "claude-sonnet-5", "input_tokens": 1000, "output_tokens": 10}
DAYS = ("2026-10-01", "2026-10-02", "2026-10-03", "2026-10-04")


@pytest.fixture
def usage(tmp_path: Path) -> Path:
    """Four days of one model with reads, a team and what the file says it cost; one bad row."""
    rows = [
        {
            **SONNET,
            "start_utc": f"{day}T09:00:00Z",
            "cached_read_tokens": 100 * n,
            "team": "search" if n % 2 else "",
            "observed_cost_usd": "0.002",
        }
        for n, day in enumerate(DAYS)
    ]
    bad = {**rows[0], "cached_read_tokens": 2000}
    return plain_csv(tmp_path / "usage.csv", [*rows, bad])


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    """No model, no cache columns, no dates."""
    rows = [{"start_s": n, "input_tokens": 1000, "output_tokens": 10} for n in range(3)]
    return plain_csv(tmp_path / "plain.csv", rows)


@pytest.fixture
def sums(tmp_path: Path) -> Path:
    """One row a day that is a sum over requests which nobody counted, across a price change."""
    rows = [
        {
            "start_utc": "2026-08-20T12:00:00Z",
            "bucket_end_utc": "2026-08-21T12:00:00Z",
            "granularity": "bucket",
            "model": "gpt-5.6-sol",
            "input_tokens": 100_000,
            "cached_read_tokens": 50_000,
            "output_tokens": 10,
        }
    ]
    return plain_csv(tmp_path / "sums.csv", rows)


def test_inspect_has_its_shape(usage: Path) -> None:
    found = shell("inspect", usage, "--json").json
    shapes.INSPECT(found)
    assert tuple(found["stats"]) == shapes.STATS
    assert found["files"][0]["path"] == str(usage)
    assert found["receipt"]["rows_read"] == 5
    assert [row["line"] for row in found["receipt"]["rejected"]] == [6]
    assert sum(found["receipt"]["rejected_by_reason"].values()) == 1
    assert found["stats"]["cache_write_5m_tokens"] is None
    assert found["stats"]["cached_read_tokens"] == 600


def test_inspect_of_block_ids_has_their_statistics(tmp_path: Path) -> None:
    trace = tmp_path / "trace.jsonl"
    rows = [
        {"timestamp": 1000 * n, "input_length": 1024, "output_length": 5, "hash_ids": [0, n]}
        for n in range(4)
    ]
    trace.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    found = shell("inspect", trace, "--json").json
    shapes.INSPECT(found)
    assert set(shapes.BLOCK_STATS) < set(found["stats"])


@pytest.mark.parametrize("name", ["usage", "plain", "sums"])
def test_report_has_its_shape(name: str, request: pytest.FixtureRequest) -> None:
    shapes.REPORT(report(request.getfixturevalue(name)))


def test_report_with_every_setting_has_its_shape(usage: Path) -> None:
    found = report(
        usage, "--model", "claude-opus-5", "--model", "gpt-5.6-sol", "--provider", "anthropic",
        "--at", "2026-10-10", "--by", "day,team,model", "--rate", "JPY=150", "--rate", "EUR=0.9",
        "--month-factor", "2.5", "--invoice-usd", "0.02", "--since", "2026-10-01",
        "--until", "2026-10-03", "--tz", "Asia/Tokyo", "--include-failed", "--name", "n",
        "--change", "2026-10-01..2026-10-02", "2026-10-03..2026-10-04",
    )  # fmt: skip
    shapes.REPORT(found)
    assert found["workload"]["name"] == "n"
    assert found["workload"]["requests"] == 3
    assert found["month"]["factor"] == 2.5
    assert [rate["currency"] for rate in found["rates"]] == ["JPY", "EUR"]
    assert {row["by"] for row in found["groups"]} == {"day", "team", "model"}
    assert found["change"]["from"] == "2026-10-01/2026-10-02"
    assert found["reconciliation"]["stated_usd"] == "0.02"


def test_the_four_parts_of_a_change_add_up_exactly(usage: Path) -> None:
    spans = ("2026-10-01..2026-10-02", "2026-10-03..2026-10-04")
    change = report(usage, "--change", *spans)["change"]
    parts = [change[f"{name}_usd"] for name in ("volume", "mix", "caching", "price")]
    assert sum(map(float, parts)) == pytest.approx(float(change["total_usd"]), abs=1e-12)


def test_what_the_file_says_it_cost_is_reconciled(usage: Path) -> None:
    found = report(usage)
    assert found["observed_cost_usd"] == "0.008"
    assert found["reconciliation"]["stated_usd"] == "0.008"


def test_a_table_without_cache_columns_says_so_and_shows_every_model(plain: Path) -> None:
    found = report(plain)
    assert found["baselines"]["billed_usd"] is None
    assert found["baselines"]["reasons"]["billed_usd"]
    assert found["month"] is None
    assert len({row["provider"] for row in found["rows"]}) == 16


def test_sums_without_a_count_have_no_number_of_requests(sums: Path) -> None:
    """Null, not zero and not one; the amounts that two prices may give are a range."""
    found = report(sums)
    assert found["workload"]["requests"] is None
    assert {row["requests"] for row in found["groups"]} == {None}
    assert found["baselines"]["billed_usd"]["value"] is None
    assert found["ratios"]["request_hit"] is None


def test_prices_show_has_its_shape() -> None:
    for words in (("claude-opus-5",), ("gpt-5.6-sol", "--at", "2026-08-01"), ("no-such-model",)):
        found = shell("prices", "show", *words, "--json").json
        shapes.PRICES_SHOW(found)
        assert bool(found["matches"]) is (found["unpriced_reason"] is None)


def test_prices_show_takes_its_flags() -> None:
    (row,) = shell(
        "prices", "show", "claude-opus-5", "--provider", "bedrock", "--surface", "in-region",
        "--mode", "batch", "--prompt-tokens", "1000", "--at", "2026-11-01", "--json",
    ).json["matches"]  # fmt: skip
    assert (row["provider"], row["surface"], row["mode"]) == ("bedrock", "in-region", "batch")
    assert row["usd_per_mtok"]["uncached"] == "2.75"  # 5 x 1.1 x 0.5


def test_prices_check_has_its_shape_and_finds_no_error() -> None:
    said = shell("prices", "check", "--json")
    shapes.PRICES_CHECK(said.json)
    assert said.status == 0
    assert len(said.json["tables"]) == 16
    assert sum(table["models"] for table in said.json["tables"]) == 225
    assert said.json["own"] is None


def test_prices_check_covers_the_file_of_own_prices(tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_bytes(OWN_FILE)
    with settings.using(settings.read_settings(price_overrides=path)):
        said = shell("prices", "check", "--json")
        assert "mine.yaml" in shell("prices", "check").out
        path.write_bytes(b"format: 2")
        broken = shell("prices", "check", "--json")
    shapes.PRICES_CHECK(said.json)
    assert (said.status, said.json["own"]["models"]) == (0, 2)
    assert broken.status == 1
    assert "mine.yaml" in broken.json["own"]["errors"][0]


@pytest.fixture
def own_ledger(tmp_path: Path) -> object:
    with settings.using(settings.read_settings(data_dir=tmp_path / "ledger")) as given:
        yield given


@pytest.mark.usefixtures("own_ledger")
def test_a_saved_report_is_listed_shown_again_and_deleted(usage: Path, tmp_path: Path) -> None:
    assert shell("reports", "list", "--json").json == {"reports": []}
    said = shell("report", usage, "--save", "--json", "--name", "October")
    identity = said.json["report_id"]
    assert identity in said.err
    listed = shell("reports", "list", "--json").json
    shapes.REPORTS_LIST(listed)
    assert [(row["report_id"], row["name"]) for row in listed["reports"]] == [(identity, "October")]
    out = tmp_path / "again.csv"
    again = shell("reports", "show", identity, "--json", "--out", out)
    shapes.REPORT(again.json)
    assert again.json == said.json
    assert out.read_bytes().startswith(b"\xef\xbb\xbf")
    assert shell("reports", "show", identity[:8], "--json").json == said.json
    assert shell("reports", "delete", identity, "--json").json == {"deleted": identity}
    assert shell("reports", "list", "--json").json == {"reports": []}
    gone = shell("reports", "show", identity, "--json")
    assert gone.status == 1
    assert identity[:8] in gone.sentence


@pytest.mark.usefixtures("own_ledger")
def test_a_report_that_is_not_there_cannot_be_deleted() -> None:
    said = shell("reports", "delete", "0" * 64)
    assert said.status == 1
    assert "0" * 8 in said.sentence


@pytest.mark.slow
@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_process_of_its_own_prints_the_same(usage: Path, language: str) -> None:
    words = ("report", usage, "--json", "--lang", language)
    said = process(*words)
    assert said == Said(0, said.out, "")
    here, there = shell(*words).json, said.json
    shapes.REPORT(there)
    assert there == here


@pytest.mark.slow
def test_a_process_refuses_in_one_sentence_without_a_traceback(tmp_path: Path) -> None:
    file = tmp_path / "empty.csv"
    file.touch()
    said = process("report", file, "--json")
    assert said.status == 1
    assert str(file) in said.sentence


@pytest.mark.slow
def test_a_console_without_japanese_letters_still_gets_its_report(usage: Path) -> None:
    said = process("report", usage, "--lang", "ja", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert (said.status, said.err) == (0, "")
    said = process("report", usage, "--lang", "ja", "--json", PYTHONIOENCODING="ascii")
    shapes.REPORT(said.json)


def test_the_shell_needs_no_folder_to_write_in_unless_it_saves(usage: Path) -> None:
    nowhere = settings.read_settings(data_dir=ROOT / "cli.py" / "no-folder")
    with settings.using(nowhere):
        assert shell("report", usage, "--json").status == 0
        assert shell("inspect", usage).status == 0
        assert shell("prices", "show", "claude-opus-5").status == 0
        refused = shell("reports", "list", "--json")
    assert refused.status == 1
    assert refused.sentence
