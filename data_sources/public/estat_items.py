"""Which e-Stat table has the indices of single products: found by name, because their ids are
published nowhere. Fails visibly where no table, or more than one, fits."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping

from data_sources.public.estat import Code, Table
from data_sources.public.hosts import ESTAT
from messages.errors import DataError, Message

SURVEY = "00550300"
WORDS = "品目別 AND 季節調整済"
TITLE_WORDS = ("品目別", "生産", "季節調整済")
BASE_YEAR = "2020年"
ITEMS: Mapping[str, str] = {
    "mos_memory": r"モス型.*(メモリ|記憶)",
    "mos_logic": r"モス型.*(ロジック|論理)",
    "semiconductor_equipment": r"半導体.*製造装置",
}


def candidates(tables: Iterable[Table]) -> list[Table]:
    """The monthly tables of production by product, base 2020, seasonally adjusted."""
    return [
        table
        for table in tables
        if all(word in _normal(table.title) for word in TITLE_WORDS)
        and BASE_YEAR in _normal(table.title)
        and table.cycle == "月次"
    ]


def matching(codes: Iterable[Code]) -> dict[str, str]:
    """Name of ours -> code of the first category. DataError where a name fits several codes."""
    found: dict[str, str] = {}
    for code in codes:
        if code.dimension != "cat01":
            continue
        for name, pattern in ITEMS.items():
            if re.search(pattern, _normal(code.name)):
                if found.get(name, code.code) != code.code:
                    raise not_one(name)
                found[name] = code.code
    return found


def not_one(what: str) -> DataError:
    """No table or code fits, or several do: nothing is guessed."""
    return DataError(Message("public.not_one", {"host": ESTAT, "what": what}))


def _normal(text: str) -> str:
    return unicodedata.normalize("NFKC", text)
