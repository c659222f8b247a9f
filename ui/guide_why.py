"""Guide, chapter one: why there is a cache. A small transformer is watched at work."""

from __future__ import annotations

from econ import guide_attention as small
from ui import asked, components
from ui.cell_pictures import Kind, Part, bar, cells, square, titles
from ui.guide_frame import drawn, head, section, table
from ui.numerals import count
from ui.plain_table import cell
from ui.words import t

PROMPT = (5, 17, 3, 44, 9, 28)
LATER = (61, 2, 33)
WRITTEN, TALKATIVE_SEED = 6, 4
"""With these weights it does not fall into repeating one token at once."""
MOST_STEPS, MOST_LINES = 24, 12


def next_token() -> None:
    """The same prompt but for its first token: everything that is written may change."""
    weights = small.small_weights(TALKATIVE_SEED)
    with section("next"):
        first = asked.whole(
            "g_next", t("guide.next.slider"), 0, small.VOCABULARY - 1, PROMPT[0] + 1
        )
        prompts = ((first, *PROMPT[1:]), PROMPT)
        said = [(*prompt, *small.write(weights, prompt, WRITTEN)) for prompt in prompts]
        rows, lines = [], [titles([str(n + 1) for n in range(len(said[0]))])]
        for at, (prompt, tokens, other) in enumerate(zip(prompts, said, said[::-1], strict=True)):
            lines.append(
                cells(
                    t(f"guide.next.prompt_{at + 1}"),
                    [
                        square(_token_kind(n, token != other[n]), str(token))
                        for n, token in enumerate(tokens)
                    ],
                )
            )
            chances = small.next_scores(weights, small.run(weights, prompt).out[-1])
            best = int(chances.argmax())
            rows.append(
                [
                    " ".join(map(str, prompt)),
                    f"{best}: {chances[best]:.1%}",
                    " ".join(map(str, tokens[len(PROMPT) :])),
                ]
            )
        other_tokens = sum(a != b for a, b in zip(*said, strict=True))
        drawn(
            "next",
            lines,
            keys=(("plain", "prompt"), ("made", "written"), ("lost", "other")),
            as_table=(head("prompt", "likely", "written"), rows),
            side_rem=5,
            other=other_tokens,
            all=len(said[0]),
        )
        components.note(t("guide.next.note"))


def _token_kind(place: int, differs: bool) -> Kind:
    if differs:
        return "lost"
    return "plain" if place < len(PROMPT) else "made"


def repeats() -> None:
    """Projections by step, with and without a cache, counted while running."""
    weights = small.small_weights()
    with section("repeats"):
        steps = asked.whole("g_repeats", t("guide.repeats.slider"), 2, MOST_STEPS, 12)
        tokens = [(7 * n + 3) % small.VOCABULARY for n in range(steps)]
        naive = small.naive_projections(weights, tokens)
        kept_run = small.run_cached(weights, tokens).projections
        own = kept_run // steps
        lines = [
            bar(
                t("guide.repeats.step", n=n),
                [
                    Part(kind="made", share=own / naive[-1]),
                    Part(kind="again", share=(done - own) / naive[-1]),
                ],
                count(done),
            )
            for n, done in enumerate(naive, 1)
            if n in _shown_steps(steps)
        ]
        rows = [
            [t("guide.col.without"), count(naive[-1]), count(sum(naive))],
            [t("guide.col.with"), count(own), count(kept_run)],
        ]
        times = f"{sum(naive) / kept_run:.1f}"
        drawn(
            "repeats",
            lines,
            keys=(("made", "new_position"), ("again", "past_again")),
            as_table=(head("", "last_step", "all_steps"), rows),
            side_rem=4.5,
            times=times,
        )
        components.note(t("guide.repeats.note", times=times))


def _shown_steps(steps: int) -> tuple[int, ...]:
    """Every step while they are few, then every third and the last."""
    every = 1 if steps <= MOST_LINES else 3
    return (*range(1, steps, every), steps)


def mask() -> None:
    """The bits of each position's keys and values, alone, with more behind, and unmasked."""
    weights = small.small_weights()
    more = PROMPT + LATER
    alone = small.names_of_bits(small.run(weights, PROMPT), len(PROMPT))
    longer = small.names_of_bits(small.run(weights, more), len(PROMPT))
    cached = small.names_of_bits(small.run_cached(weights, more), len(PROMPT))
    unmasked = small.names_of_bits(small.run(weights, more, masked=False), len(PROMPT))
    with section("mask", later=len(LATER)):
        at = asked.whole("g_mask", t("guide.four.slider"), 1, len(PROMPT), 4)
        seen = small.mask(len(PROMPT))
        lines = [titles([count(n + 1) for n in range(len(PROMPT))])] + [
            cells(
                t("guide.mask.row", n=n + 1),
                [square(_mask_kind(n, k, at - 1, bool(seen[n, k]))) for k in range(len(PROMPT))],
            )
            for n in range(len(PROMPT))
        ]
        drawn(
            "mask",
            lines,
            keys=(
                ("made", "computed_now"),
                ("read", "read_now"),
                ("kept", "done_before"),
                ("free", "not_yet"),
                ("off", "masked"),
            ),
            side_rem=6,
            at=at,
            read=at - 1,
            hidden=int((~seen).sum()),
        )
        rows = [
            [cell(count(n + 1)), cell(a), cell(b), cell(c), cell(d, tone="struck")]
            for n, (a, b, c, d) in enumerate(zip(alone, longer, cached, unmasked, strict=True))
        ]
        table("mask", head("position", "alone", "longer", "cached", "unmasked"), rows)
        components.note(t("guide.mask.equal" if alone == longer == cached else "guide.mask.differ"))


def _mask_kind(row: int, column: int, at: int, seen: bool) -> Kind:
    if not seen:
        return "off"
    if row > at:
        return "free"
    if row < at:
        return "kept"
    return "made" if column == at else "read"


def kept() -> None:
    """What one step adds to what is kept."""
    weights = small.small_weights()
    with section("kept"):
        at = asked.whole("g_kept", t("guide.kept.slider"), 1, len(PROMPT), 3)
        found = small.run_cached(weights, PROMPT[:at])
        layers, stored = found.keys.shape[0], found.keys.shape[1]
        lines = [titles([count(n + 1) for n in range(len(PROMPT))])]
        for layer in range(layers):
            for name in ("K", "V"):
                lines.append(
                    cells(
                        t("guide.kept.row", name=name, layer=layer + 1),
                        [
                            square(
                                "made" if n == stored - 1 else "kept" if n < stored else "free",
                                name if n < stored else "",
                            )
                            for n in range(len(PROMPT))
                        ],
                    )
                )
        lines.append(
            cells(
                t("guide.kept.query"),
                [square("off" if n < stored else "free") for n in range(len(PROMPT))],
            )
        )
        rows = [
            ["K", " × ".join(map(str, found.keys.shape)), count(found.keys.size)],
            ["V", " × ".join(map(str, found.values.shape)), count(found.values.size)],
        ]
        drawn(
            "kept",
            lines,
            keys=(("kept", "stored"), ("made", "appended"), ("off", "gone"), ("free", "empty")),
            as_table=(head("", "shape", "numbers"), rows),
            layers=layers,
            tokens=stored,
            numbers=found.keys.size + found.values.size,
        )
        components.note(t("guide.kept.note"))


def query() -> None:
    """In which step each position's query, key and value are used."""
    used = small.reads(len(PROMPT))
    seen = small.mask(len(PROMPT))
    with section("query"):
        lines = [titles([t("guide.query.step", n=n + 1) for n in range(len(PROMPT))])] + [
            cells(
                t("guide.four.position", n=n + 1),
                [
                    square("made", "q k v")
                    if step == n
                    else square("read", "k v")
                    if seen[step, n]
                    else square("free")
                    for step in range(len(PROMPT))
                ],
            )
            for n in range(len(PROMPT))
        ]
        rows = [[count(n + 1), count(q), count(k), count(k)] for n, (q, k) in enumerate(used)]
        drawn(
            "query",
            lines,
            keys=(("made", "computed_and_used"), ("read", "read_again"), ("free", "not_there_yet")),
            as_table=(head("position", "uses_q", "uses_k", "uses_v"), rows),
            side_rem=5,
            once=used[0][0],
            often=used[0][1],
        )


PARTS = {
    "next": next_token,
    "repeats": repeats,
    "mask": mask,
    "kept": kept,
    "query": query,
}
"""The first sections of the chapter, by name."""
