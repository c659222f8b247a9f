"""One's own hardware as tables of words: what the page, the paper and the shell draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from econ.own_break_even import ApiRow
from econ.own_words import DASH, energy_name, figure, fleet_name, money, number, row_name, with_band
from econ.report_own import OwnLine, OwnPart, Section
from econ.sheet_text import percent
from messages.errors import Message, Value

Say = Callable[[Message], str]
LATENCIES = ("ttft", "tpot")
CURVE = ("gb", "hit_ratio", "saved_usd_per_hour", "rent_usd_per_hour", "net_usd_per_hour",
         "next_gb_usd_per_hour")  # fmt: skip
LESS = ("bytes_per_token", "bytes_p95", "peak_bytes", "sequences_p95", "devices", "hbm_usd")
OTHER_MODELS = ("gain_by_floor", "gain_by_published", "switch_prefill_s", "switch_map_s")
"""The rest of hybrids and switches stands in the CSV and the JSON."""
SPENT = ("kv_gb_hours", "weights_gb_hours", "kv_usd", "weights_usd", "peak_usd")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnTable:
    """One table in words. `name` is stable; `note` stands below it. `wide`: needs the whole
    width of a page."""

    name: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    note: str = ""
    wide: bool = False


def tables_of(own: OwnPart, say: Say) -> tuple[OwnTable, ...]:
    """Every table that the part has figures for."""
    made = (
        _less(own, say), _speed(own, say), _fleets(own, say), _listed(own, "pools", say),
        _cost(own, say), _apis(own, say), _curve(own, say), _tiers(own, say), _rent(own, say),
        _hbm(own, say), _energy(own, say), _models(own, say),
    )  # fmt: skip
    return tuple(table for table in made if table is not None and table.rows)


def _say(say: Say, name: str, n: int | None = None, /, **values: Value) -> str:
    return say(Message(f"own_report.{name}", values, n))


def _keys(own: OwnPart, section: Section) -> list[str]:
    return [k for k in dict.fromkeys(line.key for line in own.section(section)) if k]


def _of(own: OwnPart, section: Section, item: str, key: str = "") -> OwnLine | None:
    found = own.section(section)
    return next((line for line in found if (line.item, line.key) == (item, key)), None)


def _table(
    say: Say, name: str, head: Sequence[str], rows: Iterator[tuple[str, ...]], note: str = "",
    *, wide: bool = False,
) -> OwnTable:  # fmt: skip
    caption = _say(say, f"table.{name}")
    titles = tuple(_say(say, f"head.{one}") for one in head)
    return OwnTable(name=name, caption=caption, head=titles, rows=tuple(rows), note=note,
                    wide=wide)  # fmt: skip


def _less(own: OwnPart, say: Say) -> OwnTable:
    rows = (
        (row_name(key, say), *(_less_cell(own, item, key, say) for item in LESS))
        for key in _keys(own, "less_kv")
    )
    head = ("representation", *LESS)
    asked = own.choice.get("less_kv.model", ""), own.choice.get("less_kv.device", "")
    note = _say(say, "less_note", model=own.less_model or asked[0],
                device=own.less_device or asked[1])  # fmt: skip
    return _table(say, "less_kv", head, rows, note, wide=True)


def _less_cell(own: OwnPart, item: str, key: str, say: Say) -> str:
    line = _of(own, "less_kv", item, key)
    return with_band(line, say) if item == "hbm_usd" else figure(line, say)


def _speed(own: OwnPart, say: Say) -> OwnTable:
    kinds = _keys(own, "speed")
    items = dict.fromkeys(
        line.item for line in own.section("speed") if line.item.startswith(LATENCIES)
    )
    rows = (
        (_say(say, f"item.{item}"),
         *(with_band(_of(own, "speed", item, kind), say) for kind in kinds))
        for item in items
    )  # fmt: skip
    return _table(say, "speed", ("time", *kinds), rows)


def _fleets(own: OwnPart, say: Say) -> OwnTable:
    keys = [key for key in _keys(own, "fleet") if " " in key]
    alone = [key for key in keys if key.startswith("1 ")][1:]  # one replica has nothing to route
    keys = [key for key in keys if key not in alone]
    items = list(dict.fromkeys(line.item for line in own.section("fleet") if " " in line.key))
    shown = [item for item in items if item != "lost_hit_tokens"]
    rows = (
        (fleet_name(key, say), *(figure(_of(own, "fleet", item, key), say) for item in shown))
        for key in keys
    )
    best = next((line for line in own.section("fleet") if line.item == "smallest_replicas"), None)
    if best is None or not own.promised:
        note = ""
    elif best.value is None:
        note = _say(say, "smallest_none")
    else:
        routing = Message(f"own_hardware_page.routing_{best.key}")
        note = _say(say, "smallest", int(best.value), routing=routing)
    return _table(say, "fleet", ("replicas", *shown), rows, note)


def _listed(own: OwnPart, section: Section, say: Say) -> OwnTable:
    """Figures under each other, each by its name, of one device."""
    lines = own.section(section)
    rows = ((_say(say, f"item.{line.item}"), with_band(line, say)) for line in lines)
    note = _say(say, f"{section}_note", name=lines[0].key) if lines else ""
    return _table(say, section, ("what", "figure"), rows, note)


def _models(own: OwnPart, say: Say) -> OwnTable:
    """What a hybrid model gains, and what handing the cache to another model takes."""
    lines = [line for name in ("hybrid", "switch") for line in own.section(name)]
    known = {line.item: line for line in lines}
    shown = [known[item] for item in OTHER_MODELS if item in known]
    rows = (
        (f"{line.key}: {_say(say, f'item.{line.item}')}", with_band(line, say)) for line in shown
    )
    return _table(say, "models", ("what", "figure"), rows)


def _cost(own: OwnPart, say: Say) -> OwnTable:
    def rows() -> Iterator[tuple[str, ...]]:
        for line in own.section("cost"):
            yield _say(say, f"item.{line.item}"), figure(line, say)
        for line in own.section("load"):
            if line.value is None or line.key == "1":  # full load stands there already
                continue
            share = percent(float(line.key), 0) if line.key else ""
            yield _say(say, f"item.{line.item}", load=share), figure(line, say)

    return _table(say, "cost", ("what", "figure"), rows())


def _apis(own: OwnPart, say: Say) -> OwnTable:
    every, short = own.api_rows, own.short_rows
    left = len(every) - len(short)
    note = _say(say, "apis_left", left) if left else ""
    if own.load is not None and own.load <= 1 and every:
        dearer = sum(float(row.point.utilisation_ratio) < own.load for row in every)
        load = percent(own.load)
        note = " ".join([_say(say, "apis_here", load=load, n=dearer, total=len(every)), note])
    head = ("api", "api_usd_per_mtok", "break_even_load", "break_even_tokens_per_day")
    return _table(say, "apis", head, (_api(row, say) for row in short), note)


def _api(row: ApiRow, say: Say) -> tuple[str, ...]:
    point = row.point
    name = f"{row.model or DASH} ({row.provider or DASH})"
    if not point.reachable:
        return name, money(point.api_usd_per_mtok), _say(say, "never"), DASH
    share = percent(float(point.utilisation_ratio))
    per_day = number(float(point.tokens_per_day), "tokens", say)
    return name, money(point.api_usd_per_mtok), share, per_day


def _curve(own: OwnPart, say: Say) -> OwnTable:
    places = [p for p in ("knee", "here") if _of(own, "curve", f"{p}_gb")]
    rows = (
        (_say(say, f"item.{item}"),
         *(figure(_of(own, "curve", f"{place}_{item}"), say) for place in places))
        for item in CURVE
        if any(_of(own, "curve", f"{place}_{item}") for place in places)
    )  # fmt: skip
    value = next((line for line in own.section("curve") if line.item == "hit_usd_per_mtok"), None)
    note = ""
    if value is not None:
        rent = figure(_of(own, "curve", "rent_usd_per_gb_hour"), say)
        nothing = own.line("knee_gb")
        if nothing is not None and not nothing.value:
            note = say(Message("hardware_money.nothing_pays")) + " "
        note += _say(say, "curve_note", usd=figure(value, say), rent=rent)
    return _table(say, "curve", ("cache", *places), rows, note)


def _tiers(own: OwnPart, say: Say) -> OwnTable:
    def rows() -> Iterator[tuple[str, ...]]:
        for key in _keys(own, "tiers"):
            moved = _of(own, "tiers", "transfer_s", key)
            choice = "" if moved is None else moved.state
            yield (
                say(Message(f"hardware_money.tier_{key}")),
                figure(_of(own, "tiers", "bytes_per_s", key), say),
                figure(moved, say),
                say(Message(f"hardware_money.{choice}")) if choice else DASH,
                figure(_of(own, "tiers", "usd_per_gb_hour", key), say),
            )

    head = ("place", "bytes_per_s", "transfer_s", "quicker", "usd_per_gb_hour")
    again = _of(own, "tiers", "recompute_s")
    note = ""
    if again is not None:
        prefix, edge = (_of(own, "tiers", n) for n in ("prefix_tokens", "break_even_bytes_per_s"))
        note = _say(say, "tiers_note", tokens=figure(prefix, say), seconds=figure(again, say),
                    edge=figure(edge, say))  # fmt: skip
    return _table(say, "tiers", head, rows(), note)


def _rent(own: OwnPart, say: Say) -> OwnTable:
    def rows() -> Iterator[tuple[str, ...]]:
        for line in own.section("rent"):
            if line.item == "rent_usd_per_gb_hour":
                yield say(Message(f"hardware_money.rent_{line.key}")), figure(line, say)
        for line in own.section("rent"):
            if line.item == "implied_usd_per_gb_hour":
                kind = say(Message(f"hardware_money.premium_{line.key}"))
                yield f"{line.model}, {kind}", figure(line, say)

    ends = _of(own, "rent", "implied_bytes_per_token")
    note = "" if ends is None else _say(say, "rent_note", bytes=figure(ends, say))
    return _table(say, "rent", ("rent", "usd_per_gb_hour"), rows(), note)


def _hbm(own: OwnPart, say: Say) -> OwnTable:
    names = [n for n in ("as_is", "chosen") if _of(own, "hbm", "kv_usd", n)]
    makers = [k.partition(" ")[2] for k in _keys(own, "hbm") if k.startswith("as_is ")]

    def rows() -> Iterator[tuple[str, ...]]:
        for item in SPENT:
            cells = (with_band(_of(own, "hbm", item, name), say) for name in names)
            yield (_say(say, f"item.{item}"), *cells)
        for maker in makers:
            share = figure(_of(own, "hbm", "share_percent", f"as_is {maker}"), say)
            cells = (with_band(_of(own, "hbm", "maker_usd", f"{n} {maker}"), say) for n in names)
            name = say(Message(f"less_kv.maker.{maker}"))
            yield (f"{name} ({share})", *cells)

    return _table(say, "hbm", ("spent", *names), rows())


def _energy(own: OwnPart, say: Say) -> OwnTable:
    rows = (
        (energy_name(key, say),
         *(with_band(_of(own, "energy", item, key), say)
           for item in ("device_j_per_token", "all_in_j_per_token")))
        for key in _keys(own, "energy")
    )  # fmt: skip
    head = ("step", "device_j_per_token", "all_in_j_per_token")
    return _table(say, "energy", head, rows)
