"""Guide, chapter six: more room: slower memory, and fewer bits."""

from __future__ import annotations

from decimal import Decimal

import streamlit as st

from econ.guide_quant import KINDS, example_vector, quantise
from econ.guide_sizes import kept_bytes, scale_share
from econ.kv_formats import FORMATS
from econ.offload import LOAD, Link, break_even_bytes_per_s, choose
from econ.roofline import prefill
from econ.speed_features import datasheet_speeds
from jobs import guide_facts
from ui import asked, components, guide_inputs
from ui.byte_words import both, size
from ui.cell_pictures import Part, bar
from ui.guide_frame import Rows, drawn, head, section, table
from ui.numerals import MINUS, count, percent
from ui.plain_table import cell
from ui.quant_chart import GROUPS, error_chart
from ui.time_lines import duration
from ui.words import t

SHOWN = ("bf16", "fp8", "int8", "q8_0", "q4_0", "kivi4", "k8v4")
DIM = 128


def offload() -> None:
    """Load or compute again, by place."""
    model, device = guide_inputs.case()
    with section("offload", model=model.name, device=device.name):
        tokens = guide_inputs.tokens("g_offload", 8_192)
        kept = kept_bytes(model, tokens)
        again = prefill(
            model, datasheet_speeds(device, guide_inputs.WEIGHTS_DTYPE), prompt_tokens=tokens
        ).prefill_s
        rows, ways = [], []
        for tier in guide_facts.links():
            link = Link(
                tier=tier.id,
                bytes_per_s=float(tier.bytes_per_s or 0),
                latency_s=float(tier.latency_s),
            )
            found = choose(link, kv_bytes=kept, recompute_s=again)
            rows.append(
                [
                    t(f"guide.tier.{tier.id}"),
                    f"{found.bytes_per_s / 1e9:g}",
                    duration(found.transfer_s),
                    duration(again),
                    t(f"guide.offload.{found.choice}"),
                ]
            )
            ways.append((t(f"guide.tier.{tier.id}"), found.transfer_s, found.choice))
        longest = max(again, *(took for _, took, _ in ways))
        lines = [
            bar(
                t("guide.offload.again"),
                [Part(kind="made", share=again / longest)],
                duration(again),
            ),
            *(
                bar(
                    t("guide.offload.from", place=place),
                    [Part(kind="read" if choice == LOAD else "again", share=took / longest)],
                    duration(took),
                )
                for place, took, choice in ways
            ),
        ]
        drawn(
            "offload",
            lines,
            keys=(("made", "prefill"), ("read", "quicker"), ("again", "slower")),
            as_table=(head("", "gb_s", "load", "again", "choice"), rows),
            side_rem=9,
            again=duration(again),
            loads=", ".join(f"{place} {duration(took)}" for place, took, _ in ways),
        )
        even = break_even_bytes_per_s(kept, again) or 0.0
        components.note(t("guide.offload.note", kv=size(kept, "gb"), even=f"{even / 1e9:.2f}"))


def formats() -> None:
    """Bytes a token of one model in every format, scales included."""
    with section("formats"):
        model = guide_inputs.model("g_formats")
        plain = kept_bytes(model, 1024)
        rows: Rows = []
        lines = []
        dim = next((g.key_dim or g.latent for g in model.groups if g.key_dim or g.latent), DIM)
        for name in SHOWN:
            found = kept_bytes(model, 1024, FORMATS[name])
            each = found / 1024
            rows.append([name, cell(size(each, "gib"), both(each)), percent(found / plain, 1)])
            share, extra = found / plain, scale_share(FORMATS[name], dim)
            lines.append(
                bar(
                    name,
                    [
                        Part(kind="made", share=share * (1 - extra)),
                        Part(kind="again", share=share * extra),
                    ],
                    percent(share, 1),
                )
            )
        drawn(
            "formats",
            lines,
            keys=(("made", "elements"), ("again", "scales")),
            as_table=(head("format", "per_token", "of_16"), rows),
            side_rem=4,
            model=model.name,
            shares=", ".join(f"{row[0]} {row[2]}" for row in rows),
        )


def price() -> None:
    """A small vector, stored and read back."""
    with section("price"):
        left, right = st.columns(2)
        with left:
            kind = KINDS[KINDS.index(asked.picked("g_kind", t("guide.format"), KINDS, KINDS[2]))]
        with right:
            group = asked.stops("g_group", t("guide.price.group"), GROUPS, GROUPS[-1])
        outlier = asked.slider(
            "g_outlier",
            t("guide.price.outlier"),
            Decimal(1),
            Decimal(12),
            Decimal(6),
            Decimal("0.5"),
        )
        values = example_vector(outlier=float(outlier))
        found = quantise(values, kind, group)
        rows = [
            [
                count(n + 1),
                *(
                    _signed(text)
                    for text in (
                        f"{values[n]:.2f}",
                        f"{found.codes[n] + 0.0:g}",
                        f"{round(found.back[n], 2) + 0.0:.2f}",
                        f"{round(found.back[n] - values[n], 3) + 0.0:+.3f}",
                    )
                ),
            ]
            for n in range(8)
        ]
        components.chart(error_chart(values, kind, group), "guide_price")
        table("price", head("element", "value", "stored", "back", "error"), rows)
        components.note(
            t(
                "guide.price.note",
                bits=f"{found.bits:g}",
                worst=f"{found.worst:.3f}",
                rms=percent(found.relative_rms, 2),
                of=len(values),
            )
        )


def _signed(text: str) -> str:
    return text.replace("-", MINUS)


PARTS = {"offload": offload, "formats": formats, "price": price}
"""The sections of the chapter, by name."""
