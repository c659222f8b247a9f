"""Guide, chapter seven: hybrids, machines apart, a second model, and power."""

from __future__ import annotations

from decimal import Decimal

from econ.energy import rebounds
from econ.guide_delta import Write, remembered
from econ.guide_sizes import kept_bytes
from econ.hybrid_gain import (
    CURVE_CONTEXTS,
    FULL_MS,
    HYBRID_MS,
    TIMED_CONTEXT,
    all_full,
    gain_curve,
    kv_saving,
    overall_gain,
)
from econ.kv_memory import per_sequence
from econ.speed_features import datasheet_speeds, weights_of
from jobs import guide_facts
from price_tables.model_switch import Pair
from ui import asked, components, guide_inputs
from ui.byte_words import size
from ui.cell_pictures import Part, bar, cells, note_row, square, titles
from ui.guide_frame import Rows, drawn, head, section, table
from ui.numerals import count, percent
from ui.plain_table import cell
from ui.words import t

HYBRID = "kimi-linear-48b-a3b"
WRITES = (Write(key=0, value=3.0), Write(key=1, value=5.0), Write(key=0, value=7.0))
BATCHES = (1, 4, 16, 64)
SAME = 0.005


def _printed(figure: str) -> str:
    return guide_facts.printed_number(figure)


def _whole(figure: str) -> str:
    return guide_facts.articles().figure(figure).printed


def hybrid() -> None:
    """Three linear layers to one full: bytes and floors over the context."""
    model = guide_inputs.by_id(HYBRID)
    whole = None if model is None else all_full(model)
    if model is None or whole is None:
        return
    _, device = guide_inputs.case()
    saving = percent(kv_saving(model) or 0.0)
    with section("hybrid", model=model.name, saving=saving, printed=_printed("kimi_saving")):
        batch = asked.stops("g_hybrid", t("guide.batch"), BATCHES, BATCHES[3])
        curve = gain_curve(
            model,
            datasheet_speeds(device, "bf16"),
            guide_inputs.format_of("bf16"),
            weights_of(model, "bf16"),
            batch,
            CURVE_CONTEXTS[::2] + CURVE_CONTEXTS[-1:],
        )
        rows = [
            [
                count(point.context_tokens),
                size(kept_bytes(whole, point.context_tokens), "gib"),
                size(kept_bytes(model, point.context_tokens), "gib"),
                f"{point.gain:.2f} ×",
                "–" if point.published is None else f"{point.published:.2f} ×",
            ]
            for point in curve
        ]
        state, most = per_sequence(model), kept_bytes(whole, curve[-1].context_tokens)
        lines = []
        for point in curve:
            tokens, ours = point.context_tokens, kept_bytes(model, point.context_tokens)
            lines += [
                note_row(t("guide.at", tokens=tokens)),
                bar(
                    t("guide.col.all_full"),
                    [Part(kind="plain", share=kept_bytes(whole, tokens) / most)],
                    size(kept_bytes(whole, tokens), "gib"),
                ),
                bar(
                    t("guide.col.hybrid"),
                    [
                        Part(kind="shared", share=state / most),
                        Part(kind="made", share=max(0, ours - state) / most),
                    ],
                    size(ours, "gib"),
                ),
            ]
        drawn(
            "hybrid",
            lines,
            keys=(("plain", "grows_full"), ("made", "grows_hybrid"), ("shared", "constant")),
            as_table=(head("context", "all_full", "hybrid", "gain_floor", "gain_said"), rows),
            tokens=curve[-1].context_tokens,
            full=size(most, "gib"),
            hybrid=size(kept_bytes(model, curve[-1].context_tokens), "gib"),
        )
        components.note(
            t(
                "guide.hybrid.note",
                state=size(per_sequence(model), "gib"),
                device=device.name,
                tokens=TIMED_CONTEXT,
                full=f"{FULL_MS}",
                hybrid=f"{HYBRID_MS}",
                ratio=f"{FULL_MS / HYBRID_MS:.2f}",
            )
        )


def delta() -> None:
    """Three rules over the same three writes."""
    with section("delta"):
        strength = float(_share("g_beta", "guide.delta.strength", Decimal(1)))
        decay = float(_share("g_alpha", "guide.delta.decay", Decimal("0.8")))
        found = remembered(WRITES, 2, strength=strength, decay=decay)
        rows = [
            [t(f"guide.delta.{name}"), *(f"{value:.2f}" for value in values)]
            for name, values in (
                ("plain", found.plain),
                ("rule", found.delta),
                ("gated", found.gated),
            )
        ]
        newest = {write.key: write.value for write in WRITES}
        lines = [titles(head("at_key_1", "at_key_2"))] + [
            cells(
                t(f"guide.delta.{name}"),
                [
                    square("made" if abs(value - newest[at]) < SAME else "lost", f"{value:.2f}")
                    for at, value in enumerate(values)
                ],
            )
            for name, values in (
                ("plain", found.plain),
                ("rule", found.delta),
                ("gated", found.gated),
            )
        ]
        drawn(
            "delta",
            lines,
            keys=(("made", "newest"), ("lost", "other_value")),
            as_table=(head("", "at_key_1", "at_key_2"), rows),
            plain=rows[0][1],
            rule=rows[1][1],
            gated=rows[2][1],
        )
        said = ", ".join(
            t("guide.delta.write", key=w.key + 1, value=f"{w.value:g}") for w in WRITES
        )
        components.note(t("guide.delta.note", writes=said))


def _share(name: str, label: str, first: Decimal) -> Decimal:
    return asked.slider(name, t(label), Decimal(0), Decimal(1), first, Decimal("0.05"))


def second() -> None:
    """The same prompt twice: both times as printed, the ratio by us."""
    with section("second"):
        rows: Rows = [
            [t("guide.second.first"), _whole("twice_cold")],
            [t("guide.second.again"), _whole("twice_warm")],
            [cell(t("guide.second.ratio"), tone="muted"), _printed("twice_ratio")],
        ]
        table("second", head("", "printed"), rows, "published")


def switch() -> None:
    """The six pairs, failed ones included."""
    facts = guide_facts.switch_facts()
    timing, works = facts.timing, sum(pair.state == "works" for pair in facts.pairs)
    with section(
        "switch",
        prefill=timing.prefill_ms,
        map=timing.map_ms,
        tokens=timing.tokens,
        works=works,
        all=len(facts.pairs),
    ):
        rows: Rows = []
        for pair in facts.pairs:
            state = cell(
                t(f"guide.switch.{pair.state}"), tone="bold" if pair.state == "fails" else "plain"
            )
            rows.append([cell(_pair(pair)), _retention(pair), state])
        lines = [
            bar(
                _pair(pair),
                [
                    Part(
                        kind="made" if pair.state == "works" else "again", share=_kept_share(pair)
                    ),
                    Part(kind="kept", share=_range_share(pair)),
                    Part(kind="free", share=1 - _kept_share(pair) - _range_share(pair)),
                ],
                _retention(pair),
            )
            for pair in facts.pairs
        ]
        drawn(
            "switch",
            lines,
            keys=(("made", "works"), ("kept", "range"), ("again", "fails")),
            as_table=(head("", "retention", "state"), rows),
            known="published",
            side_rem=10,
            works=works,
            all=len(facts.pairs),
        )
        components.note(
            t(
                "guide.switch.note",
                cosine=f"{facts.signs.output_cosine:+}",
                r2=f"{facts.signs.key_r2:+}".replace("-", "\u2212"),
            )
        )


def _pair(pair: Pair) -> str:
    if pair.sender is None or pair.receiver is None:
        return t("guide.switch.unnamed")
    return f"{pair.sender} → {pair.receiver}"


def _retention(pair: Pair) -> str:
    if pair.retention is not None:
        return percent(pair.retention)
    return f"{percent(pair.retention_low or 0, 0)} – {percent(pair.retention_high or 0, 0)}"


def _kept_share(pair: Pair) -> float:
    """Accuracy kept, 0..1; the lower end where a range is published."""
    found = pair.retention if pair.retention is not None else pair.retention_low
    return min(1.0, max(0.0, float(found or 0.0)))


def _range_share(pair: Pair) -> float:
    """How far a published range goes on from its lower end; 0 where one number is published."""
    if pair.retention is not None:
        return 0.0
    return max(0.0, min(1.0, float(pair.retention_high or 0.0)) - _kept_share(pair))


def power() -> None:
    """A gain, its share of the work, and how demand answers."""
    with section("power"):
        share = asked.whole("g_share", t("guide.power.share"), 0, 100, 30, 5, "%d%%")
        gain = overall_gain(share / 100, FULL_MS / HYBRID_MS)
        rows = [
            [f"{one.elasticity:g}", f"{one.demand:.2f} ×", percent(one.energy_ratio, 0)]
            for one in rebounds(gain)
        ]
        found = list(rebounds(gain))
        most = max(1.0, *(one.energy_ratio for one in found))
        lines = [
            bar(t("guide.power.before"), [Part(kind="plain", share=1 / most)], percent(1.0, 0)),
            *(
                bar(
                    t("guide.power.elastic", e=f"{one.elasticity:g}"),
                    [
                        Part(
                            kind="again" if one.energy_ratio > 1 else "made",
                            share=one.energy_ratio / most,
                        )
                    ],
                    percent(one.energy_ratio, 0),
                )
                for one in found
            ),
        ]
        drawn(
            "power",
            lines,
            keys=(("made", "less_energy"), ("again", "more_energy")),
            as_table=(head("elasticity", "demand", "energy"), rows),
            energies=", ".join(
                f"{one.elasticity:g}: {percent(one.energy_ratio, 0)}" for one in found
            ),
        )
        components.note(t("guide.power.note", gain=f"{gain:.2f}"))


PARTS = {
    "hybrid": hybrid,
    "delta": delta,
    "second": second,
    "switch": switch,
    "power": power,
}
"""The sections of the chapter, by name."""
