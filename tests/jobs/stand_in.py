"""In the engine's place: says what the engine says, and ends as `--only` or BENCH_MODE asks."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from kvcore import profile_json
from kvcore.profile import STOPPED, CaseResult
from tests.econ.test_device_cases import LONG


def say(**event: object) -> None:
    print(json.dumps(event), file=sys.stderr, flush=True)


def missing(case: str, reason: str) -> CaseResult:
    return CaseResult(
        case=case, params={"not_measured": reason}, unit="s", median=None, spread=None, n=0,
        cpu_share=None, contended=None,
    )  # fmt: skip


def now() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def main(words: list[str]) -> int:
    only = words[words.index("--only") + 1] if "--only" in words else os.environ["BENCH_MODE"]
    place = Path(os.environ["BENCH_STAND_IN"])
    known = {name: value for name, value in os.environ.items() if name.startswith("KVLEDGER_")}
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    facts = {
        "pid": os.getpid(),
        "settings": known,
        "nice": os.nice(0),
        "words": words,
        "limited": soft != hard,
    }
    (place / "facts.json").write_text(json.dumps(facts), encoding="utf-8")
    print("Loading, and a warning that is no JSON", file=sys.stderr)
    say(case="load", i=0, n=0, elapsed_s=0.1)
    say(case="ttft", i=2, n=4, elapsed_s=0.2)
    result = Path(words[words.index("--json") + 1])
    if only == "begun":
        stopped = [missing(row.case, STOPPED) for row in LONG.cases[1:]]
        cut = replace(LONG, cases=(LONG.cases[0], *stopped), created_utc=now())
        result.write_text(profile_json.dumps(cut), encoding="utf-8")
    if only == "unbegun":
        nothing = tuple(missing(row.case, STOPPED) for row in LONG.cases)
        result.write_text(profile_json.dumps(replace(LONG, cases=nothing)), encoding="utf-8")
    (place / "ready").touch()
    while only in ("sleep", "begun", "unbegun"):
        time.sleep(0.05)
    if only == "refuse":
        say(error="kvcore.device_missing", values={"kind": "cuda", "torch": "2"}, text="English")
        return 1
    if only == "bug":
        raise RuntimeError("with words that no page may show")
    if only == "fall":
        return 7
    if only == "half":
        result.write_text('{"profile_version": 1', encoding="utf-8")
    if only == "whole":
        result.write_text(profile_json.dumps(LONG), encoding="utf-8")
    say(case="done", i=5, n=4, elapsed_s=0.3)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
