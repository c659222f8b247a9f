"""How large a cache is said to be: the unit, bytes a token, dollars an hour, and where you are."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal

import streamlit as st

from econ.cache_study import CacheStudy
from econ.curve import Curve
from econ.replay_memory import (
    DEFAULT_BYTES_PER_TOKEN,
    MOST_BYTES_PER_TOKEN,
    SHAPES,
    UNITS,
    Scale,
    Unit,
)
from ui import components, controls, refused
from ui.numerals import SPACE, compact, count, md, percent, usd
from ui.typed import WIDTH_PX, asked, keep, number, plain
from ui.words import t

URL_BYTES, URL_PRICE, URL_HERE = "kv_bytes", "usd_gb_hour", "here"
MOST_USD_PER_GB_HOUR = Decimal(1_000)
MOST_BLOCKS = 10**12
_HERE = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)(blocks|tokens|gb)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Here:
    """The capacity that the reader has typed, and what it hits there: a curve of one point."""

    blocks: int
    curve: Curve


def unit() -> Unit:
    """Blocks, tokens or GB; in the URL as `size_unit`."""
    name = controls.choice(
        t("cache_page.size_unit"),
        UNITS,
        "size_unit",
        lambda unit: t(f"cache_page.size_unit_{unit}"),
    )
    return UNITS[UNITS.index(name)]


def scale(found: CacheStudy, chosen: Unit) -> Scale:
    """Asks for bytes and dollars where the unit is GB."""
    if chosen != "gb":
        return Scale(block_tokens=found.block_tokens, unit=chosen)
    _shape()
    each = number(
        URL_BYTES,
        Decimal(DEFAULT_BYTES_PER_TOKEN),
        label=t("cache_page.kv_bytes"),
        low=1.0,
        high=float(MOST_BYTES_PER_TOKEN),
        step=1024.0,
        form="%.0f",
    )
    price = number(
        URL_PRICE,
        None,
        label=t("cache_page.usd_gb_hour"),
        low=0.0,
        high=float(MOST_USD_PER_GB_HOUR),
        step=0.001,
        form="%.4f",
    )
    return Scale(
        block_tokens=found.block_tokens,
        unit="gb",
        bytes_per_token=int(each or DEFAULT_BYTES_PER_TOKEN),
        usd_per_gb_hour=price or None,
    )


def _shape() -> None:
    """Named examples that fill in the bytes."""
    names = {f"{s.name}: {count(s.bytes_per_token)}": s.bytes_per_token for s in SHAPES}
    each = asked(URL_BYTES, Decimal(MOST_BYTES_PER_TOKEN)) or DEFAULT_BYTES_PER_TOKEN
    known = next((name for name, value in names.items() if value == each), None)
    st.session_state["kv_shape"] = known

    def chosen() -> None:
        name = st.session_state["kv_shape"]
        if name is not None:
            keep(URL_BYTES, str(names[name]))

    st.selectbox(
        t("cache_page.kv_shape"),
        list(names),
        key="kv_shape",
        on_change=chosen,
        placeholder=t("cache_page.kv_shape_own"),
        help=t("cache_page.kv_shape_help", formulas=_formulas()),
        width=260,
    )


def _formulas() -> str:
    return "\n".join(
        f"- {s.name}: {s.formula} = {count(s.bytes_per_token)}".replace("×", "\\×") for s in SHAPES
    )


def typed_here(of: Scale) -> int | None:
    """The reader's own capacity in whole blocks; None where none is typed. In the URL with the
    unit that it was typed in, so that another unit does not round it."""
    said = st.query_params.get(URL_HERE) or st.session_state.get(f"_{URL_HERE}") or ""
    match = _HERE.fullmatch(said)
    blocks = None if match is None else _blocks(of, match)
    if match is None:
        refused.value(URL_HERE, "")
        keep(URL_HERE, None)
    elif blocks is not None:
        keep(URL_HERE, said)
    same = match is not None and match[2] == of.unit
    shown = None if blocks is None or match is None else float(match[1] if same else of.of(blocks))
    st.session_state[URL_HERE] = shown

    def chosen() -> None:
        value = st.session_state[URL_HERE]
        keep(URL_HERE, f"{plain(Decimal(str(value)))}{of.unit}" if value else None)

    st.number_input(
        t("cache_page.here_input", unit=t(f"cache_page.size_unit_{of.unit}")),
        min_value=0.0,
        max_value=float(of.of(MOST_BLOCKS)),
        step=1.0,
        format="%.3f" if of.unit == "gb" else "%.0f",
        placeholder=t("ui.control.none_typed"),
        key=URL_HERE,
        on_change=chosen,
        width=WIDTH_PX,
    )
    return blocks


def _blocks(of: Scale, match: re.Match[str]) -> int | None:
    size = Decimal(match[1])
    units: dict[str, Unit] = {name: name for name in UNITS}
    return min(of.blocks(size, units[match[2]]), MOST_BLOCKS) if size > 0 else None


def short(of: Scale, blocks: int) -> str:
    """'5,859 blocks', '3 M tokens', '393 GB', in the unit of the axis."""
    if of.unit == "blocks":
        return t("cache_page.blocks", blocks)
    if of.unit == "tokens":
        return t("cache_page.tokens_size", tokens=compact(of.of(blocks)))
    return gb_words(of.gb(blocks))


def words(of: Scale, blocks: int) -> str:
    """The same, and dollars an hour where memory has a price: '393 GB, $1.57/h'."""
    price, said = of.usd_per_hour(blocks), short(of, blocks)
    if price is None or of.unit != "gb":
        return said
    return f"{said}, {t('cache_page.usd_hour', usd=usd(price))}"


def gb_words(gb: float) -> str:
    """'393 GB', '1.2 TB', '45 MB': three digits, decimal prefixes."""
    for size, name in ((1_000, "TB"), (1, "GB"), (0.001, "MB")):
        if gb >= size:
            return f"{gb / size:.3g}{SPACE}{name}"
    return f"{gb * 1e6:.3g}{SPACE}kB"


def heading(of: Scale, blocks: int) -> str:
    """'38,874 blocks (2.61 TB, $10.44/h)' as Markdown; blocks alone where the axis has them."""
    said = t("cache_page.blocks", blocks)
    return said if of.unit == "blocks" else f"{said} ({md(words(of, blocks))})"


def tick(of: Scale, size: float) -> str:
    """A size on the axis; dollars an hour under it where memory has a price."""
    if of.unit != "gb":
        return compact(size)
    text = gb_words(size)
    if of.usd_per_gb_hour is None:
        return text
    price = usd(Decimal(str(size)) * of.usd_per_gb_hour)
    return f"{text}<br>{t('cache_page.usd_hour', usd=price)}"


def axis(of: Scale) -> str:
    """The axis' title with its unit."""
    return t(f"cache_page.size_axis_{of.unit}")


def say_here(found: Here, of: Scale, block_tokens_equal: bool) -> None:
    """Where the reader is: the size in all units and the three ratios, exact."""
    ratios = {m: percent(float(found.curve.ratios(m)[-1])) for m in ("token", "block", "request")}
    tokens = compact(round(found.blocks * of.block_tokens))
    size = t("cache_page.tokens_size", tokens=tokens)
    about = size if block_tokens_equal else t("cache_page.about", size=size)
    sizes = [t("cache_page.blocks", found.blocks), about]
    if of.unit == "gb":
        sizes.append(words(of, found.blocks))
    components.sentence(t("cache_page.here_sentence", sizes=md(", ".join(sizes)), **ratios))
