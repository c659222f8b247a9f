"""Guide, chapter five, second half: trust and eviction."""

from __future__ import annotations

from econ.replay_names import Policy
from econ.replay_oracle import oracle_steps
from jobs import guide_facts
from ui import asked, components
from ui.cell_pictures import Kind, Square, below, cells, square
from ui.guide_frame import drawn, head, section
from ui.guide_reuse import SHORT_NAME, names_of
from ui.numerals import foreign, percent
from ui.words import t

MOST_SALT, SALTED = 40, 3
SALTS = ("team-a", "team-b")
POLICIES: tuple[Policy, ...] = ("lru-leaf", "lru", "fifo", "clairvoyant")
ROWS = ((1, 2, 3), (1, 2, 4), (5, 6), (1, 2, 3), (7, 8, 9), (1, 2, 4), (5, 6), (1, 2, 3))


def share() -> None:
    """One prompt under two salts: other names, no hit, nothing to learn from the time."""
    with section("share"):
        mine = asked.written("g_salt_a", t("guide.share.mine"), SALTS[0], MOST_SALT)
        theirs = asked.written("g_salt_b", t("guide.share.theirs"), SALTS[1], MOST_SALT)
        prompt = t("guide.identity.text_a")
        ours, others = names_of(prompt, 8, mine), names_of(prompt, 8, theirs)
        rows = [
            [t("guide.share.mine"), foreign(mine), ours[0]],
            [t("guide.share.theirs"), foreign(theirs), others[0]],
        ]
        kind: Kind = "kept" if mine == theirs else "lost"
        stored: Kind = "kept"
        lines = [
            cells(
                who,
                [
                    square("shared", foreign(salt) or "–", hover=foreign(salt)),
                    *(square(how, f"→ {name[:SHORT_NAME]}", hover=name) for name in names[:SALTED]),
                ],
            )
            for who, salt, names, how in (
                (rows[0][0], mine, ours, stored),
                (rows[1][0], theirs, others, kind),
            )
        ]
        drawn(
            "share",
            lines,
            keys=(("shared", "salt"), ("kept", "stored_name"), ("lost", "other_name")),
            as_table=(head("", "salt", "name_first"), rows),
            side_rem=6,
            hits=SALTED if mine == theirs else 0,
        )
        components.sentence(t("guide.share.hit" if mine == theirs else "guide.share.apart"))


def evict() -> None:
    """Four policies over one small trace, block by block."""
    with section("evict", hits=_printed("hit_rates"), radix=_printed("radix")):
        room = asked.whole("g_room", t("guide.evict.room"), 2, 9, 5)
        at = asked.whole("g_evict", t("guide.evict.request"), 1, len(ROWS), 6)
        now, look = ROWS[at - 1], [len(row) for row in ROWS]
        rows, lines = (
            [],
            [
                cells(t("guide.evict.asks"), [square("plain", str(block)) for block in now], room),
            ],
        )
        for policy in POLICIES:
            steps = list(oracle_steps(ROWS, look, room, policy))
            hits = [hit for hit, _ in steps]
            ratio = percent(sum(hits) / sum(look), 0)
            rows.append([t(f"guide.policy.{policy}"), " ".join(map(str, hits)), ratio])
            before = steps[at - 2][1] if at > 1 else ()
            lines.append(
                cells(
                    t(f"guide.policy.{policy}"),
                    [_resident(block, now[: hits[at - 1]], before) for block in steps[at - 1][1]]
                    + [square("free")] * (room - len(steps[at - 1][1])),
                    room,
                )
            )
            gone = [block for block in (*before, *now) if block not in steps[at - 1][1]]
            lines.append(
                below(
                    t(
                        "guide.evict.step",
                        hits=hits[at - 1],
                        of=len(now),
                        gone=", ".join(map(str, dict.fromkeys(gone))) or "–",
                        ratio=ratio,
                    )
                )
            )
        drawn(
            "evict",
            lines,
            keys=(
                ("read", "hit"),
                ("made", "computed_now"),
                ("kept", "kept_before"),
                ("free", "free"),
            ),
            as_table=(head("policy", "hits_each", "hit_ratio"), rows),
            known="simulated",
            request=at,
            blocks=", ".join(map(str, now)),
            hits=", ".join(f"{row[0]} {row[1].split()[at - 1]}" for row in rows),
        )
        trace = ", ".join("".join(map(str, row)) for row in ROWS)
        components.note(t("guide.evict.note", trace=trace))


def _resident(block: int, hit: tuple[int, ...], before: tuple[int, ...]) -> Square:
    """A resident block: hit by this request, computed for it, or left from before."""
    if block in hit:
        return square("read", str(block))
    return square("kept" if block in before else "made", str(block))


def _printed(figure: str) -> str:
    return guide_facts.printed_number(figure)


PARTS = {"share": share, "evict": evict}
"""The last sections of the chapter, by name."""
