"""In the engine's place: says what the engine says, and ends as `--only` asks."""

from __future__ import annotations

import json
import os
import resource
import sys
import time
from pathlib import Path

from kvcore import profile_json
from tests.econ.test_device_cases import LONG


def say(**event: object) -> None:
    print(json.dumps(event), file=sys.stderr, flush=True)


def main(words: list[str]) -> int:
    only = words[words.index("--only") + 1]
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
    say(fraction=0.25, stage="ttft_cold")
    while only == "sleep":
        time.sleep(0.05)
    if only == "refuse":
        say(error="kvcore.x", values={}, text="This device is not here.")
        return 1
    if only == "fall":
        return 7
    if only == "half":
        Path(words[words.index("--json") + 1]).write_text('{"profile_version": 1', encoding="utf-8")
    if only == "whole":
        text = profile_json.dumps(LONG)
        Path(words[words.index("--json") + 1]).write_text(text, encoding="utf-8")
    say(fraction=0.9, stage="decode")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv))
