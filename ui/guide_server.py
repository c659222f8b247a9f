"""Guide, chapter four: many requests in one memory: lengths, holes, blocks and their table."""

from __future__ import annotations

from econ.guide_blocks import BLOCK_TOKENS, Moment, story
from econ.guide_waste import BLOCK_SIZES, holes, reserved_waste
from jobs import guide_facts
from jobs.guide_facts import Lengths
from ui import asked, components, pool_view, state
from ui.cell_pictures import Kind, Part, Square, bar, cells, note_row, square, titles
from ui.guide_frame import Rows, drawn, head, section
from ui.numerals import count, foreign, md, percent
from ui.plain_table import cell
from ui.words import t

PLACES, LENGTHS, LEAVE = 100, (30, 20, 30, 20), (0, 2)
RESERVES = (32_768, 65_536, 131_072, 262_144)
USUAL_BLOCK = 16
COPY = 3  # the event of the story that is shown first: a shared block is written


def _lengths() -> Lengths:
    return guide_facts.lengths(state.chosen_workload(), state.owner())


def _whose(found: Lengths) -> str:
    """Which workload the figures are of."""
    return t(f"guide.whose.{found.whose}", name=md(foreign(found.name)), requests=found.requests)


def _known(found: Lengths) -> str:
    return "observed" if found.whose == "own" else "simulated"


def requests() -> None:
    """How different the requests of the workload are."""
    found = _lengths()
    with section("requests", whose=_whose(found)):
        names = [t(f"guide.requests.q{round(share * 100)}") for share, _ in found.quantiles]
        most = found.quantiles[-1][1] or 1
        lines = [
            bar(name, [Part(kind="made", share=value / most)], count(value))
            for name, (_, value) in zip(names, found.quantiles, strict=True)
        ]
        rows = [
            [name, count(value)] for name, (_, value) in zip(names, found.quantiles, strict=True)
        ]
        drawn(
            "requests",
            lines,
            as_table=(head("", "tokens"), rows),
            known=_known(found),
            side_rem=10,
            median=found.quantiles[1][1],
            longest=most,
        )


def fragments() -> None:
    """Reserved and never reached; free and yet too small."""
    found = _lengths()
    with section("fragments", whose=_whose(found)):
        most = asked.stops("g_reserve", t("guide.fragments.reserve"), RESERVES, RESERVES[-1], count)
        reserved, paged = reserved_waste(found.tokens, most), found.waste_of(USUAL_BLOCK)
        names = (
            t("guide.fragments.reserved", tokens=most),
            t("guide.fragments.blocks", tokens=USUAL_BLOCK),
        )
        rows = [[names[0], percent(reserved)], [names[1], percent(paged, 2)]]
        lines = [
            bar(name, [Part(kind="made", share=1 - waste), Part(kind="off", share=waste)], said)
            for name, waste, said in zip(
                names, (reserved, paged), (rows[0][1], rows[1][1]), strict=True
            )
        ]
        drawn(
            "fragments",
            lines,
            keys=(("made", "filled"), ("off", "unused")),
            as_table=(head("", "unused"), rows),
            known=_known(found),
            side_rem=9,
            reserved=rows[0][1],
            paged=rows[1][1],
        )
        wanted = asked.whole("g_hole", t("guide.fragments.ask"), 10, 60, 40)
        _holes(wanted)


def _holes(wanted: int) -> None:
    """A memory with holes, the request that asks, and the same memory in blocks."""
    found = holes(PLACES, LENGTHS, LEAVE, wanted)
    key = "fits" if found.fits else "hole" if found.free >= wanted else "full"
    memory = [
        Part(
            kind="free" if number is None else "kept",
            share=length / found.places,
            text=count(length),
        )
        for _, length, number in found.pieces
    ]
    goes: Kind = "made" if found.fits else "lost"
    lines = [
        bar(t("guide.fragments.memory"), memory),
        bar(
            t("guide.fragments.asks"),
            [
                Part(kind=goes, share=found.asked / found.places, text=count(found.asked)),
            ],
        ),
        bar(t("guide.fragments.scattered"), list(_in_blocks(found.pieces, found.places, wanted))),
    ]
    drawn(
        "holes",
        lines,
        keys=(("kept", "held"), ("free", "free"), ("made", "placed"), ("lost", "no_room")),
        free=found.free,
        largest=found.largest,
        asked=found.asked,
    )
    components.sentence(
        t(
            f"guide.fragments.{key}",
            places=found.places,
            free=found.free,
            largest=found.largest,
            asked=found.asked,
        )
    )


def _in_blocks(
    pieces: tuple[tuple[int, int, int | None], ...], places: int, wanted: int
) -> list[Part]:
    """The same holes where a request may lie scattered: filled one after another."""
    left = wanted if wanted <= sum(size for _, size, n in pieces if n is None) else 0
    made: list[Part] = []
    for _, length, number in pieces:
        taken = min(left, length) if number is None else 0
        left -= taken
        if number is not None:
            made.append(Part(kind="kept", share=length / places, text=count(length)))
            continue
        if taken:
            made.append(Part(kind="made", share=taken / places, text=count(taken)))
        if length > taken:
            made.append(Part(kind="free", share=(length - taken) / places))
    return made


def paged() -> None:
    """A block table event by event, then the engine's own pool."""
    moments = story()
    with section(
        "paged",
        before=guide_facts.printed_number("paged_old"),
        after=guide_facts.printed_number("paged_waste"),
        gain=guide_facts.printed_number("paged_gain"),
    ):
        at = asked.whole("g_paged", t("guide.paged.slider"), 1, len(moments), COPY)
        now = moments[at - 1]
        components.sentence(
            t(
                f"guide.paged.{now.event}",
                name=now.sequence,
                **_copied(now),
                tokens=now.tokens.get(now.sequence, 0),
            )
        )
        widest = max(len(blocks) for moment in moments for blocks in moment.tables.values())
        lines = [
            note_row(t("guide.paged.logical")),
            titles([t("guide.paged.block", n=n + 1) for n in range(widest)]),
        ]
        for name in ("A", "B"):
            lines.append(cells(t("guide.paged.sequence", name=name), _table(now, name, widest)))
        lines += [
            note_row(t("guide.paged.physical")),
            titles([f"#{n}" for n in range(len(now.holders))]),
            cells(
                t("guide.paged.memory"),
                [_physical(now, block) for block in range(len(now.holders))],
            ),
        ]
        drawn(
            "paged",
            lines,
            keys=(
                ("kept", "held_by_one"),
                ("shared", "held_by_two"),
                ("made", "written_now"),
                ("free", "free"),
            ),
            side_rem=5.5,
            tables="; ".join(
                f"{name}: {', '.join(f'#{b}' for b in blocks)}"
                for name, blocks in now.tables.items()
            ),
            shared=sum(holders > 1 for holders in now.holders),
        )
        components.note(t("guide.paged.tokens", tokens=BLOCK_TOKENS))
        components.note(t("guide.paged.below"))
    pool_view.step_through()


def _copied(now: Moment) -> dict[str, int]:
    return {} if now.copied is None else {"old": now.copied[0], "new": now.copied[1]}


def _table(now: Moment, name: str, widest: int) -> list[Square]:
    blocks = now.tables.get(name, ())
    return [
        square(_block_kind(now, blocks[n]), f"→ #{blocks[n]}")
        if n < len(blocks)
        else square("free")
        for n in range(widest)
    ]


def _block_kind(now: Moment, block: int) -> Kind:
    if block in now.touched:
        return "made"
    holders = now.holders[block]
    return "shared" if holders > 1 else "kept" if holders else "free"


def _physical(now: Moment, block: int) -> Square:
    names = "+".join(name for name, blocks in now.tables.items() if block in blocks)
    return square(_block_kind(now, block), names)


def length() -> None:
    """Waste at the tail by block length."""
    found = _lengths()
    with section("length", whose=_whose(found)):
        most = max(waste for _, waste, _ in found.blocks) or 1.0
        lines = [
            bar(
                t("guide.at", tokens=size),
                [Part(kind="made" if size == USUAL_BLOCK else "plain", share=waste / most)],
                percent(waste, 2),
            )
            for size, waste, _ in found.blocks
        ]
        rows: Rows = [
            [
                cell(count(size), tone="bold" if size == USUAL_BLOCK else "plain"),
                percent(waste, 2),
                count(blocks),
            ]
            for size, waste, blocks in found.blocks
        ]
        drawn(
            "length",
            lines,
            keys=(("made", "usual"), ("plain", "other_lengths")),
            as_table=(head("block_tokens", "unused", "blocks"), rows),
            known=_known(found),
            usual=USUAL_BLOCK,
            waste=percent(found.waste_of(USUAL_BLOCK), 2),
            longest=BLOCK_SIZES[-1],
            most=percent(most, 2),
        )


PARTS = {"requests": requests, "fragments": fragments, "paged": paged, "length": length}
"""The sections of the chapter, by name."""
