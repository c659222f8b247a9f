"""Guide, chapter five: the same beginning again: rules, names, limits, trust, eviction."""

from __future__ import annotations

import numpy as np

from econ.guide_times import whole_request
from econ.prompt_cache_oracle import FIVE_MINUTES_S, ONE_HOUR_S, OracleRequest, simulate
from econ.replay_names import Policy
from econ.replay_oracle import oracle_hits
from econ.speed_features import datasheet_speeds, weights_of
from jobs import guide_facts
from kvcore.blocks.hashing import chain
from kvcore.blocks.identity import Identity
from ui import asked, components, guide_inputs
from ui.guide_frame import head, section, table
from ui.numerals import count, foreign, percent, seconds
from ui.time_lines import duration
from ui.words import t

SHARED, FRESH, MINIMUM = 4_096, 512, 1_024
MOST_TEXT, MOST_SALT, NAMED = 200, 40, 8
SALTS = ("team-a", "team-b")
REPLIES = (1, 16, 64, 256, 1_024, 4_096)
PROMPT = 32_768
POLICIES: tuple[Policy, ...] = ("lru-leaf", "lru", "fifo", "clairvoyant")
ROWS = ((1, 2, 3), (1, 2, 4), (5, 6), (1, 2, 3), (7, 8, 9), (1, 2, 4), (5, 6), (1, 2, 3))


def show() -> None:
    """All sections of the chapter."""
    prefix()
    identity()
    limits()
    share()
    evict()


def prefix() -> None:
    """Two requests with one beginning through the provider rules, by the gap between them."""
    with section("prefix"):
        gap = asked.whole("g_gap", t("guide.prefix.gap"), 1, 90, 4) * 60
        rows = []
        for name, ttl in (("5m", FIVE_MINUTES_S), ("1h", ONE_HOUR_S)):
            sent = [
                OracleRequest(
                    arrival_s=at, blocks=((1, SHARED), (number + 2, FRESH)),
                    breakpoints=((1, ttl),), min_cacheable_tokens=MINIMUM,
                )
                for number, at in enumerate((0.0, float(gap)))
            ]  # fmt: skip
            second = list(simulate(sent))[1]
            written = second.write_5m + second.write_1h
            rows.append([t(f"guide.prefix.life_{name}"), count(second.read), count(written),
                         count(second.uncached)])  # fmt: skip
        table("prefix", head("", "read", "written_tokens", "ordinary"), rows, "simulated")
        components.note(t("guide.prefix.note", gap=seconds(gap), shared=SHARED))


def _tokens(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.frombuffer(text[:MOST_TEXT].encode(), dtype=np.uint8).astype(np.uint32)


def _names(text: str, block_tokens: int, salt: str = "") -> list[str]:
    root = Identity(model="guide", kv_dtype="bf16", salt=salt).root()
    return [bytes(row).hex()[:8] for row in chain(root, _tokens(text), block_tokens)]


def identity() -> None:
    """A live chain of SHA-256 names over two texts."""
    with section("identity"):
        size = asked.stops("g_chain", t("guide.col.block_tokens"), (4, 8, 16), 8)
        first = asked.written(
            "g_a", t("guide.identity.first"), t("guide.identity.text_a"), MOST_TEXT
        )
        second = asked.written(
            "g_b", t("guide.identity.second"), t("guide.identity.text_b"), MOST_TEXT
        )
        a, b = _names(first, size), _names(second, size)
        same = next((n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y),
                    min(len(a), len(b)))  # fmt: skip
        rows = [
            [count(n + 1), foreign(_slice(first, n, size)), a[n] if n < len(a) else "–",
             b[n] if n < len(b) else "–", t("guide.identity.hit") if n < same else "–"]
            for n in range(min(max(len(a), len(b)), NAMED))
        ]  # fmt: skip
        if rows:
            table("identity", head("block", "text", "name_a", "name_b", "reused"), rows)
        components.note(t("guide.identity.note", blocks=same, tokens=same * size))


def _slice(text: str, block: int, size: int) -> str:
    return (
        text.encode()[block * size : (block + 1) * size]
        .decode(errors="replace")
        .replace("\ufffd", "·")
    )


def limits() -> None:
    """A whole request by the length of its answer: the same seconds saved, a smaller share."""
    model, device = guide_inputs.case()
    with section("limits", model=model.name, device=device.name, prompt=PROMPT):
        share_kept = asked.whole("g_limits", t("guide.limits.kept"), 0, 100, 90, 5, "%d%%")
        rows = []
        for reply in REPLIES:
            one = whole_request(
                model, datasheet_speeds(device, guide_inputs.WEIGHTS_DTYPE),
                guide_inputs.format_of("bf16"),
                weights_bytes=weights_of(model, guide_inputs.WEIGHTS_DTYPE),
                prompt_tokens=PROMPT, cached_tokens=PROMPT * share_kept // 100,
                reply_tokens=reply,
            )  # fmt: skip
            rows.append([count(reply), duration(one.cold_s), duration(one.warm_s),
                         percent(one.saved_share, 0)])  # fmt: skip
        table("limits", head("reply", "cold", "warm", "saved"), rows)


def share() -> None:
    """One prompt under two salts: other names, no hit, nothing to learn from the time."""
    with section("share"):
        mine = asked.written("g_salt_a", t("guide.share.mine"), SALTS[0], MOST_SALT)
        theirs = asked.written("g_salt_b", t("guide.share.theirs"), SALTS[1], MOST_SALT)
        prompt = t("guide.identity.text_a")
        rows = [
            [t("guide.share.mine"), foreign(mine), _names(prompt, 8, mine)[0]],
            [t("guide.share.theirs"), foreign(theirs), _names(prompt, 8, theirs)[0]],
        ]
        table("share", head("", "salt", "name_first"), rows)
        components.sentence(t("guide.share.hit" if mine == theirs else "guide.share.apart"))


def evict() -> None:
    """Four policies over one small trace, block by block."""
    with section("evict", hits=_printed("hit_rates"), radix=_printed("radix")):
        room = asked.whole("g_room", t("guide.evict.room"), 2, 9, 5)
        rows = []
        for policy in POLICIES:
            hits = oracle_hits(ROWS, [len(row) for row in ROWS], room, policy)
            total = sum(len(row) for row in ROWS)
            rows.append([t(f"guide.policy.{policy}"), " ".join(map(str, hits)),
                         percent(sum(hits) / total, 0)])  # fmt: skip
        table("evict", head("policy", "hits_each", "hit_ratio"), rows, "simulated")
        trace = ", ".join("".join(map(str, row)) for row in ROWS)
        components.note(t("guide.evict.note", trace=trace))


def _printed(figure: str) -> str:
    return guide_facts.printed_number(figure)
