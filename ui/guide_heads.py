"""Guide, chapter three: what attention's design keeps of a token, and where position goes."""

from __future__ import annotations

from math import pi

import streamlit as st

from econ.guide_position import meeting
from econ.guide_sizes import Shape, dense_model, kept_bytes, shrunk
from econ.kv_formats import kv_format
from econ.kv_memory import mha_style_per_token
from price_tables.hardware import ModelSpec
from ui import asked, components, guide_inputs
from ui.byte_words import both, size
from ui.guide_frame import Rows, head, section, table
from ui.numerals import count
from ui.plain_table import cell
from ui.words import t

HEADS = (1, 2, 4, 8, 16, 32)
DIM, LAYERS = 128, 32
MLA_MODEL, KINDRED = "deepseek-v3", ("llama-2-7b", "mistral-7b", "llama-3.1-8b", "qwen3-8b")
ANGLE = pi / 16
QUERY, KEY = (0.3, -1.0), (0.9, 0.2)


def show() -> None:
    """All sections of the chapter."""
    mha()
    mqa()
    gqa()
    models()
    mla()
    position()


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
        table("mha", head("", "query_heads", "kv_heads", "per_token"), rows)


def mqa() -> None:
    """One KV head for all query heads: the ratio is arithmetic."""
    with section("mqa"):
        heads = asked.stops("g_mqa", t("guide.col.query_heads"), HEADS[1:], 32)
        many = kept_bytes(dense_model(Shape(layers=LAYERS, kv_heads=heads, head_dim=DIM)), 1)
        one = kept_bytes(_own(1), 1)
        rows = [["MHA", count(heads), size(many, "gib")], ["MQA", "1", size(one, "gib")]]
        table("mqa", head("", "kv_heads", "per_token"), rows)
        components.note(t("guide.mqa.note", ratio=f"{many / one:g}"))


def gqa() -> None:
    """From every head its own to one for all."""
    with section("gqa"):
        heads = asked.stops("g_gqa", t("guide.col.kv_heads"), HEADS, 8)
        found, whole = kept_bytes(_own(heads), 1), kept_bytes(_own(HEADS[-1]), 1)
        kind = "MHA" if heads == HEADS[-1] else "MQA" if heads == 1 else "GQA"
        components.sentence(
            t("guide.gqa.result", kind=kind, heads=heads, group=HEADS[-1] // heads,
              size=size(found, "gib"), share=f"{found / whole:.1%}")
        )  # fmt: skip
        st.progress(found / whole)


def models() -> None:
    """Models of like size side by side, least first."""
    found = [m for name in KINDRED if (m := guide_inputs.by_id(name)) is not None]
    with section("models"):
        rows = [
            [m.name, f"{(m.parameters_total or 0) / 1e9:.1f}", count(_kv_heads(m)), _token(m)]
            for m in sorted(found, key=lambda m: kept_bytes(m, 1))
        ]
        table("models", head("", "parameters", "kv_heads", "per_token"), rows)


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
            [cell(t("guide.mla.kept"), tone="bold"), count(group.latent + group.rope),
             cell(size(kept, "gib"), both(kept))],
            [t("guide.mla.heads"), count(model.query_heads),
             "" if whole is None else size(whole, "gib")],
        ]  # fmt: skip
        table("mla", head("", "elements", "per_token"), rows)
        times = shrunk(model)
        if times is not None:
            components.note(t("guide.mla.note", times=f"{times:.0f}"))


def position() -> None:
    """The product of a turned query and a turned key knows the distance alone."""
    with section("position"):
        distance = asked.whole("g_distance", t("guide.position.distance"), 0, 16, 3)
        rows = []
        for at in (0, 10, 100, 1000):
            one = meeting(QUERY, KEY, at + distance, at, ANGLE)
            rows.append([count(one.query_position), count(one.key_position), f"{one.product:.6f}"])
        table("position", head("at_query", "at_key", "product"), rows)
