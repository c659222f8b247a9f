"""What the figures of one's own hardware assume, as messages: memory, queue, money, less KV."""

from __future__ import annotations

from collections.abc import Iterator

from econ.fleet_setup import FleetAsked
from econ.fleet_study import FleetStudy
from jobs.less_kv import LessKv
from messages.catalogue import t
from messages.errors import Message, Value
from messages.facts import key_of


def assumed(asked: FleetAsked, study: FleetStudy) -> Iterator[Message]:
    """Of the fleet and its times."""
    yield from study.said
    yield Message("own_report.assume_memory", {"percent": f"{float(asked.fraction) * 100:g}"})
    kind = study.memory.overhead_source.replace(" ", "_")
    yield Message(f"own_report.assume_overhead_{kind}")
    yield Message("own_report.assume_queue")
    yield Message("own_report.assume_hours")
    yield Message("own_report.assume_band")
    if asked.attention_copies > 1:
        yield Message("own_report.assume_copies", {"copies": asked.attention_copies})
    for name in sorted({name for view in study.speeds for name in view.outside}):
        what = Message(f"own_hardware_page.outside_{name}")
        yield Message("own_report.assume_outside", {"name": what})


def assumed_less(found: LessKv) -> Iterator[Message]:
    """Of less KV."""
    held, hbm = found.held, found.hbm
    stays = Message(f"less_kv.stays.{held.model}", {"lifetime": f"{held.lifetime_s} s"})
    yield Message("own_report.assume_residence", {"stays": stays}, len(held.tokens))
    yield Message("own_report.assume_devices", {"percent": f"{float(found.fraction) * 100:g}"})
    if found.spend is not None:
        share = hbm.newest_share()
        yield Message("own_report.assume_life", {"years": f"{found.asked.life_years:g}"})
        yield Message(
            "own_report.assume_shares",
            {
                "quarter": share.quarter,
                "total": f"{share.total:g}",
                "source": _spoken(share.source),
            },
        )
    if found.energy:
        yield Message("own_report.assume_energy")


def _spoken(source: str) -> Value:
    """A source of the tables of facts, in whatever language it is read."""
    key = key_of(source)
    return Message(key) if t("en", key) != key else source
