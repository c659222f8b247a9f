"""Guide, chapter five: the same beginning again: rules, names, limits."""

from __future__ import annotations

import numpy as np

from econ.guide_times import whole_request
from econ.prompt_cache_oracle import FIVE_MINUTES_S, ONE_HOUR_S, OracleRequest, simulate
from econ.speed_features import datasheet_speeds, weights_of
from kvcore.blocks.hashing import chain
from kvcore.blocks.identity import Identity
from ui import asked, components, guide_inputs
from ui.cell_pictures import Kind, Part, bar, cells, note_row, square
from ui.guide_frame import drawn, head, section
from ui.numerals import MINUS, count, foreign, percent, seconds
from ui.time_lines import duration
from ui.words import t

SHARED, FRESH, MINIMUM = 4_096, 512, 1_024
MOST_TEXT, NAMED = 200, 8
SHORT_NAME = 4
REPLIES = (1, 16, 64, 256, 1_024, 4_096)
PROMPT = 32_768


def prefix() -> None:
    """Two requests with one beginning through the provider rules, by the gap between them."""
    with section("prefix"):
        gap = asked.whole("g_gap", t("guide.prefix.gap"), 1, 90, 4) * 60
        rows, lines, hits = [], [], {}
        for name, ttl in (("5m", FIVE_MINUTES_S), ("1h", ONE_HOUR_S)):
            sent = [
                OracleRequest(
                    arrival_s=at,
                    blocks=((1, SHARED), (number + 2, FRESH)),
                    breakpoints=((1, ttl),),
                    min_cacheable_tokens=MINIMUM,
                )
                for number, at in enumerate((0.0, float(gap)))
            ]
            both = list(simulate(sent))
            for number, one in enumerate(both):
                written = one.write_5m + one.write_1h
                parts: tuple[tuple[Kind, int], ...] = (
                    ("read", one.read),
                    ("made", written),
                    ("plain", one.uncached),
                )
                words = t(f"guide.prefix.life_{name}")
                if not number:
                    lines.append(note_row(words))
                lines.append(
                    bar(
                        t(f"guide.prefix.request_{number + 1}"),
                        [
                            Part(kind=kind, share=tokens / (SHARED + FRESH), text=count(tokens))
                            for kind, tokens in parts
                        ],
                    )
                )
            hits[name] = one.read
            rows.append([words, count(one.read), count(written), count(one.uncached)])
        drawn(
            "prefix",
            lines,
            keys=(("read", "from_cache"), ("made", "written_to_cache"), ("plain", "ordinary")),
            as_table=(head("", "read", "written_tokens", "ordinary"), rows),
            known="simulated",
            gap=seconds(gap),
            short=hits["5m"],
            long=hits["1h"],
        )
        components.note(t("guide.prefix.note", gap=seconds(gap), shared=SHARED))


def _tokens(text: str) -> np.ndarray[tuple[int], np.dtype[np.uint32]]:
    return np.frombuffer(text[:MOST_TEXT].encode(), dtype=np.uint8).astype(np.uint32)


def names_of(text: str, block_tokens: int, salt: str = "") -> list[str]:
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
        a, b = names_of(first, size), names_of(second, size)
        same = next(
            (n for n, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
        )
        rows = [
            [
                count(n + 1),
                foreign(_slice(first, n, size)),
                a[n] if n < len(a) else "–",
                b[n] if n < len(b) else "–",
                t("guide.identity.hit") if n < same else "–",
            ]
            for n in range(min(max(len(a), len(b)), NAMED))
        ]
        if rows:
            drawn(
                "identity",
                [
                    *_chain(t("guide.identity.first"), first, a, size, len(a)),
                    *_chain(t("guide.identity.second"), second, b, size, same),
                ],
                keys=(("kept", "same_name"), ("lost", "other_name"), ("free", "no_name")),
                as_table=(head("block", "text", "name_a", "name_b", "reused"), rows),
                side_rem=4.5,
                blocks=same,
                of=max(len(a), len(b)),
            )
        components.note(t("guide.identity.note", blocks=same, tokens=same * size))


def _chain(label: str, text: str, names: list[str], size: int, same: int) -> list[str]:
    """A text in blocks, and under each the beginning of its name. From block `same` on the names
    are others than those of the text it is compared with."""
    pieces = min(-(-len(text.encode()) // size), NAMED)
    if not pieces:
        return []
    said = [foreign(_slice(text, n, size)) for n in range(pieces)]
    return [
        cells(label, [square("plain", part, hover=part) for part in said], NAMED),
        cells(
            "\u00a0",
            [
                square("kept" if n < same else "lost", names[n][:SHORT_NAME], hover=names[n])
                if n < len(names)
                else square("free")
                for n in range(pieces)
            ],
            NAMED,
        ),
    ]


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
        rows, lines = [], []
        for reply in REPLIES:
            one = whole_request(
                model,
                datasheet_speeds(device, guide_inputs.WEIGHTS_DTYPE),
                guide_inputs.format_of("bf16"),
                weights_bytes=weights_of(model, guide_inputs.WEIGHTS_DTYPE),
                prompt_tokens=PROMPT,
                cached_tokens=PROMPT * share_kept // 100,
                reply_tokens=reply,
            )
            rows.append(
                [
                    count(reply),
                    duration(one.cold_s),
                    duration(one.warm_s),
                    percent(one.saved_share, 0),
                ]
            )
            lines.append(
                bar(
                    t("guide.limits.reply", n=reply),
                    [
                        Part(kind="off", share=one.saved_share),
                        Part(kind="made", share=one.warm_prefill_s / one.cold_s),
                        Part(kind="read", share=one.decode_s / one.cold_s),
                    ],
                    f"{MINUS}{percent(one.saved_share, 0)}",
                )
            )
        drawn(
            "limits",
            lines,
            keys=(("off", "prefill_spared"), ("made", "prefill_left"), ("read", "decode")),
            as_table=(head("reply", "cold", "warm", "saved"), rows),
            side_rem=8.5,
            short=REPLIES[0],
            short_saved=rows[0][3],
            long=REPLIES[-1],
            long_saved=rows[-1][3],
        )


PARTS = {
    "prefix": prefix,
    "identity": identity,
    "limits": limits,
}
"""The first sections of the chapter, by name."""
