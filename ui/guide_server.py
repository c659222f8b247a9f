"""Guide, chapter four: many requests in one memory: lengths, holes, blocks and their table."""

from __future__ import annotations

import numpy as np

from econ.guide_waste import BLOCK_SIZES, holes, paged_waste, reserved_waste
from jobs import guide_facts
from ui import asked, components, pool_view
from ui.guide_frame import Rows, head, section, table
from ui.numerals import count, percent
from ui.plain_table import cell
from ui.words import t

PLACES, LENGTHS, LEAVE = 100, (30, 20, 30, 20), (0, 2)
RESERVES = (32_768, 65_536, 131_072, 262_144)
USUAL_BLOCK = 16


def show() -> None:
    """All sections of the chapter."""
    requests()
    fragments()
    paged()
    length()


def requests() -> None:
    """How different the example's requests are."""
    lengths = guide_facts.example_lengths()
    shares = (0.05, 0.5, 0.95, 1.0)
    found = [int(np.quantile(lengths, share)) for share in shares]
    with section("requests", requests=len(lengths)):
        names = [t(f"guide.requests.q{round(share * 100)}") for share in shares]
        table("requests", head("", "tokens"),
              [[name, count(value)] for name, value in zip(names, found, strict=True)],
              "simulated")  # fmt: skip


def fragments() -> None:
    """Reserved and never reached; free and yet too small."""
    lengths = guide_facts.example_lengths()
    with section("fragments"):
        most = asked.stops("g_reserve", t("guide.fragments.reserve"), RESERVES, RESERVES[-1], count)
        rows = [
            [t("guide.fragments.reserved", tokens=most), percent(reserved_waste(lengths, most))],
            [t("guide.fragments.blocks", tokens=USUAL_BLOCK),
             percent(paged_waste(lengths, USUAL_BLOCK), 2)],
        ]  # fmt: skip
        table("fragments", head("", "unused"), rows)
        wanted = asked.whole("g_hole", t("guide.fragments.ask"), 10, 60, 40)
        found = holes(PLACES, LENGTHS, LEAVE, wanted)
        key = "fits" if found.fits else "hole" if found.free >= wanted else "full"
        components.sentence(
            t(f"guide.fragments.{key}", places=found.places, free=found.free,
              largest=found.largest, asked=found.asked)
        )  # fmt: skip


def paged() -> None:
    """The engine's own pool, step by step."""
    with section(
        "paged",
        before=guide_facts.printed_number("paged_old"),
        after=guide_facts.printed_number("paged_waste"),
        gain=guide_facts.printed_number("paged_gain"),
    ):
        components.note(t("guide.paged.below"))
    pool_view.step_through()


def length() -> None:
    """Waste at the tail by block length."""
    lengths = guide_facts.example_lengths()
    with section("length"):
        rows: Rows = [
            [cell(count(size), tone="bold" if size == USUAL_BLOCK else "plain"),
             percent(paged_waste(lengths, size), 2),
             count(int((-(-lengths // size)).sum()))]
            for size in BLOCK_SIZES
        ]  # fmt: skip
        table("length", head("block_tokens", "unused", "blocks"), rows)
