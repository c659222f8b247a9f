"""`replay` and `curve` through the shell: exact keys, what is refused, what a person reads."""

from __future__ import annotations

from pathlib import Path

import pytest

from messages.catalogue import LANGUAGES
from tests.shell import Said, jsonl, plain_csv, shell
from tests.shell_shapes import count, each, maybe, ratio, shape, text

REPLAY = shape(
    policy=text,
    rules=text,
    ttl_s=maybe(ratio),
    block_tokens=maybe(count),
    results=each(
        shape(
            capacity_blocks=maybe(count),
            hit_blocks=count,
            total_blocks=count,
            hit_tokens=count,
            total_tokens=count,
            requests=count,
            block_hit_ratio=maybe(ratio),
            token_hit_ratio=maybe(ratio),
            mean_request_hit_ratio=maybe(ratio),
        )
    ),
)
CURVE = {
    "policy",
    "rules",
    "footprint_blocks",
    "exact_from_blocks",
    "knee_blocks",
    "total_blocks",
    "total_tokens",
    "columns",
    "points",
}


@pytest.fixture
def trace(tmp_path: Path) -> Path:
    """D29: six one-block requests A B C A B C, a second apart."""
    rows = [
        {"timestamp": 1000 * n, "input_length": 512, "output_length": 1, "hash_ids": [n % 3]}
        for n in range(6)
    ]
    return jsonl(tmp_path / "abc.jsonl", rows)


@pytest.fixture
def usage(tmp_path: Path) -> Path:
    """A usage file: it does not say which prompts start alike."""
    row = {"start_s": 0, "input_tokens": 1000, "output_tokens": 10}
    return plain_csv(tmp_path / "usage.csv", [row])


def wrong_usage(said: Said) -> str:
    """Exit 2, nothing on standard output."""
    assert said.status == 2
    assert said.out == ""
    return said.err


def test_d29_by_replay(trace: Path) -> None:
    for policy, ratios in (("lru", [0, 0, 0.5]), ("clairvoyant", [0, 0.333333, 0.5])):
        asked = ("--capacity-blocks", "1,2,3", "--policy", policy, "--block-size", 512)
        found = shell("replay", trace, *asked, "--json").json
        REPLAY(found)
        assert [row["block_hit_ratio"] for row in found["results"]] == ratios
        assert [row["token_hit_ratio"] for row in found["results"]] == ratios
        assert [row["capacity_blocks"] for row in found["results"]] == [1, 2, 3]
        assert found["block_tokens"] == 512


def test_d29_by_curve(trace: Path) -> None:
    found = shell("curve", trace, "--block-size", 512, "--json").json
    assert set(found) == CURVE
    assert found["policy"] == "lru-leaf"
    assert found["columns"][0] == "capacity_blocks"
    assert found["points"] == [[1, 0, 0, 0.0], [2, 0, 0, 0.0], [3, 3, 1536, 0.5]]
    assert (found["footprint_blocks"], found["exact_from_blocks"], found["knee_blocks"]) == (
        3,
        1,
        3,
    )
    asked = shell("curve", trace, "--block-size", 512, "--at-blocks", "2,9", "--json").json
    assert asked["points"] == [[2, 0, 0, 0.0], [9, 3, 1536, 0.5]]
    assert asked["knee_blocks"] == 3


def test_a_lifetime_and_the_rules_are_said_back(trace: Path) -> None:
    asked = ("--capacity-blocks", "unlimited", "--ttl-s", "3", "--rules", "engine")
    found = shell("replay", trace, *asked, "--block-size", 512, "--json").json
    assert (found["ttl_s"], found["rules"]) == (3, "engine")
    assert found["results"][0]["capacity_blocks"] is None
    assert found["results"][0]["hit_blocks"] == 0  # a whole prompt is never read from the cache
    asked = ("--capacity-blocks", "unlimited", "--ttl-s", "2.5")
    late = shell("replay", trace, *asked, "--block-size", 512, "--json").json
    assert (late["ttl_s"], late["results"][0]["hit_blocks"]) == (2.5, 0)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("command", ["replay", "curve"])
def test_a_file_without_blocks_is_refused_in_one_sentence_that_names_others(
    command: str, language: str, usage: Path
) -> None:
    flags = ("--capacity-blocks", 10) if command == "replay" else ()
    for json in ((), ("--json",)):
        said = shell(command, usage, *flags, *json, "--lang", language)
        assert said.status == 1
        assert "usage.csv" in said.sentence
        assert "Mooncake" in said.sentence


@pytest.mark.parametrize(
    "flags",
    [
        (),
        ("--capacity-blocks", "0"),
        ("--capacity-blocks", "-3"),
        ("--capacity-blocks", "1,,2"),
        ("--capacity-blocks", "many"),
        ("--capacity-blocks", "1" * 30),
        ("--capacity-blocks", "1", "--ttl-s", "-1"),
        ("--capacity-blocks", "1", "--ttl-s", "soon"),
        ("--capacity-blocks", "1", "--policy", "magic"),
        ("--capacity-blocks", "1", "--rules", "none"),
        ("--capacity-blocks", "1", "--scope", "planet"),
    ],
)
def test_wrong_usage_of_replay(flags: tuple[str, ...], trace: Path) -> None:
    assert wrong_usage(shell("replay", trace, *flags))


@pytest.mark.parametrize("flags", [("--at-blocks", "0"), ("--at-blocks", "x"), ("--ttl-s", "5")])
def test_wrong_usage_of_curve(flags: tuple[str, ...], trace: Path) -> None:
    assert wrong_usage(shell("curve", trace, *flags))


def test_a_scope_that_the_file_has_no_column_for_is_refused(trace: Path) -> None:
    asked = ("--capacity-blocks", 1, "--scope", "team", "--block-size", 512)
    said = shell("replay", trace, *asked)
    assert said.status == 1
    assert "team" in said.sentence


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_person_reads_all_three_ratios_and_the_knee(language: str, trace: Path) -> None:
    common = ("--block-size", 512, "--lang", language)
    replayed = shell("replay", trace, "--capacity-blocks", "2,unlimited", *common).out
    assert "0.500000" in replayed
    assert "3,072" in replayed  # prompt tokens of all requests
    drawn = shell("curve", trace, *common).out
    assert drawn.count("\n") >= 6
    assert "{" not in replayed + drawn


def test_rows_that_were_rejected_are_said_beside_the_result(tmp_path: Path) -> None:
    rows = [
        {"timestamp": n, "input_length": length, "output_length": 1, "hash_ids": [0]}
        for n, length in enumerate([512, 512, -4])
    ]
    said = shell("curve", jsonl(tmp_path / "t.jsonl", rows), "--block-size", 512, "--json")
    assert said.status == 0
    assert said.json["total_blocks"] == 2
    assert "1" in said.err
    assert "3" in said.err
