"""Guide, chapter three: what attention's design keeps of a token, and where position goes."""

from __future__ import annotations

from math import atan2, degrees, pi

from econ.guide_position import meeting, turned
from econ.guide_sizes import Shape, dense_model, kept_bytes, shrunk
from econ.kv_formats import kv_format
from econ.kv_memory import mha_style_per_token
from price_tables.hardware import ModelSpec
from ui import asked, components, guide_inputs
from ui.byte_words import both, size
from ui.cell_pictures import Kind, Part, bar, cells, dials, square
from ui.guide_frame import Rows, drawn, head, section
from ui.numerals import MINUS, count
from ui.plain_table import cell
from ui.words import t

HEADS = (1, 2, 4, 8, 16, 32)
DIM, LAYERS = 128, 32
MLA_MODEL, KINDRED = "deepseek-v3", ("llama-2-7b", "mistral-7b", "llama-3.1-8b", "qwen3-8b")
ANGLE = pi / 16
KEY_POSITIONS, SAID_FROM = (0, 10, 100, 1000), 4
SHARING: tuple[tuple[Kind, str], ...] = (("plain", "query_head"), ("made", "kv_head"))
QUERY, KEY = (0.3, -1.0), (0.9, 0.2)


def _own(heads: int) -> ModelSpec:
    return dense_model(Shape(layers=LAYERS, kv_heads=heads, head_dim=DIM))


def _kv_heads(model: ModelSpec) -> int:
    return max((group.kv_heads for group in model.groups), default=0)


def mha() -> None:
    """Models of the tables that keep a key and value head for every query head."""
    everyone = guide_inputs.all_models()
    found = [m for m in everyone if _kv_heads(m) == m.query_heads and m.groups[0].kind == "full"]
    with section("mha"):
        rows = [[m.name, count(m.query_heads), count(_kv_heads(m)), _token(m)] for m in found[:5]]
        shown = min(found, key=lambda m: m.query_heads)
        drawn(
            "mha",
            _sharing(shown.query_heads, _kv_heads(shown)),
            keys=SHARING,
            as_table=(head("", "query_heads", "kv_heads", "per_token"), rows),
            model=shown.name,
            heads=shown.query_heads,
        )
        components.note(t("guide.mha.note", model=shown.name))


def mqa() -> None:
    """One KV head for all query heads: the ratio is arithmetic."""
    with section("mqa"):
        heads = asked.stops("g_mqa", t("guide.col.query_heads"), HEADS[1:], 32)
        many = kept_bytes(dense_model(Shape(layers=LAYERS, kv_heads=heads, head_dim=DIM)), 1)
        one = kept_bytes(_own(1), 1)
        rows = [["MHA", count(heads), size(many, "gib")], ["MQA", "1", size(one, "gib")]]
        drawn(
            "mqa",
            _sharing(heads, 1),
            keys=SHARING,
            as_table=(head("", "kv_heads", "per_token"), rows),
            heads=heads,
        )
        components.note(t("guide.mqa.note", ratio=f"{many / one:g}"))


def gqa() -> None:
    """From every head its own to one for all."""
    with section("gqa"):
        heads = asked.stops("g_gqa", t("guide.col.kv_heads"), HEADS, 8)
        found, whole = kept_bytes(_own(heads), 1), kept_bytes(_own(HEADS[-1]), 1)
        kind = "MHA" if heads == HEADS[-1] else "MQA" if heads == 1 else "GQA"
        components.sentence(
            t(
                "guide.gqa.result",
                kind=kind,
                heads=heads,
                group=HEADS[-1] // heads,
                size=size(found, "gib"),
                share=f"{found / whole:.1%}",
            )
        )
        drawn(
            "gqa",
            [
                *_sharing(HEADS[-1], heads),
                bar(
                    t("guide.col.per_token"),
                    [
                        Part(kind="made", share=found / whole),
                        Part(kind="free", share=1 - found / whole),
                    ],
                    size(found, "gib"),
                ),
            ],
            keys=SHARING,
            queries=HEADS[-1],
            heads=heads,
            group=HEADS[-1] // heads,
            share=f"{found / whole:.1%}",
        )


def _sharing(query_heads: int, kv_heads: int) -> list[str]:
    """Query heads above, and under each group the key and value head that it shares."""
    group = query_heads // kv_heads
    said = "" if group < SAID_FROM else t("guide.heads.shared_by", n=group)
    return [
        cells(t("guide.heads.queries", n=query_heads), [square("plain", "\u00a0")] * query_heads),
        cells(
            t("guide.heads.kv", n=kv_heads),
            [square("made", said if group > 1 else "\u00a0", span=group)] * kv_heads,
            query_heads,
        ),
    ]


def models() -> None:
    """Models of like size side by side, least first."""
    found = [m for name in KINDRED if (m := guide_inputs.by_id(name)) is not None]
    with section("models"):
        rows = [
            [m.name, f"{(m.parameters_total or 0) / 1e9:.1f}", count(_kv_heads(m)), _token(m)]
            for m in sorted(found, key=lambda m: kept_bytes(m, 1))
        ]
        ordered = sorted(found, key=lambda m: kept_bytes(m, 1))
        most = kept_bytes(ordered[-1], 1)
        lines = [
            bar(
                f"{m.name} · {t('guide.heads_n', heads=_kv_heads(m))}",
                [Part(kind="made", share=kept_bytes(m, 1) / most)],
                _token(m),
            )
            for m in ordered
        ]
        drawn(
            "models",
            lines,
            as_table=(head("", "parameters", "kv_heads", "per_token"), rows),
            side_rem=10.5,
            least=f"{ordered[0].name} {_token(ordered[0])}",
            most=f"{ordered[-1].name} {_token(ordered[-1])}",
        )


def _token(model: ModelSpec) -> str:
    return size(kept_bytes(model, 1), "gib")


def mla() -> None:
    """One latent vector and one for position, against heads of their own."""
    model = guide_inputs.by_id(MLA_MODEL)
    if model is None:
        return
    group = model.groups[0]
    whole = mha_style_per_token(model, kv_format("bf16"))
    with section("mla", model=model.name):
        kept = kept_bytes(model, 1)
        rows: Rows = [
            [t("guide.mla.latent"), count(group.latent), ""],
            [t("guide.mla.position"), count(group.rope), ""],
            [
                cell(t("guide.mla.kept"), tone="bold"),
                count(group.latent + group.rope),
                cell(size(kept, "gib"), both(kept)),
            ],
            [
                t("guide.mla.heads"),
                count(model.query_heads),
                "" if whole is None else size(whole, "gib"),
            ],
        ]
        times = shrunk(model)
        if whole is not None and times is not None:
            latent, rope = group.latent, group.rope
            kept_share = kept / float(whole)
            lines = [
                bar(t("guide.mla.heads"), [Part(kind="plain", share=1.0)], size(whole, "gib")),
                bar(
                    t("guide.mla.kept"),
                    [
                        Part(kind="made", share=kept_share * latent / (latent + rope)),
                        Part(kind="shared", share=kept_share * rope / (latent + rope)),
                    ],
                    size(kept, "gib"),
                ),
                bar(
                    t("guide.mla.larger"),
                    [
                        Part(kind="made", share=latent / (latent + rope), text=count(latent)),
                        Part(kind="shared", share=rope / (latent + rope), text=count(rope)),
                    ],
                ),
            ]
            drawn(
                "mla",
                lines,
                keys=(("made", "latent"), ("shared", "rope")),
                as_table=(head("", "elements", "per_token"), rows),
                side_rem=9,
                latent=latent,
                rope=rope,
                times=f"{times:.0f}",
            )
        if times is not None:
            components.note(t("guide.mla.note", times=f"{times:.0f}"))


def position() -> None:
    """The product of a turned query and a turned key knows the distance alone."""
    with section("position"):
        distance = asked.whole("g_distance", t("guide.position.distance"), 0, 16, 3)
        found = [meeting(QUERY, KEY, at + distance, at, ANGLE) for at in KEY_POSITIONS]
        rows = [
            [count(one.query_position), count(one.key_position), f"{one.product:.6f}"]
            for one in found
        ]
        lines = [
            dials(
                [
                    (
                        t("guide.position.pair", q=one.query_position, k=one.key_position),
                        _degrees(QUERY, one.query_position),
                        _degrees(KEY, one.key_position),
                        f"{one.product:.3f}".replace("-", MINUS),
                    )
                    for one in found
                ]
            )
        ]
        drawn(
            "position",
            lines,
            keys=(("made", "query"), ("lost", "key")),
            as_table=(head("at_query", "at_key", "product"), rows),
            distance=distance,
            product=f"{found[0].product:.3f}".replace("-", MINUS),
        )


def _degrees(pair: tuple[float, float], position: int) -> float:
    """Where the pair points after its turns, counted from the right, upwards."""
    x, y = turned(pair, position, ANGLE)
    return degrees(atan2(y, x))


PARTS = {"mha": mha, "mqa": mqa, "gqa": gqa, "models": models, "mla": mla, "position": position}
"""The sections of the chapter, by name."""
