"""The only outside hosts that are ever asked, and how often each source may be."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Source = Literal["sec", "fred", "edinet", "estat"]
SOURCES: tuple[Source, ...] = ("sec", "fred", "edinet", "estat")

SEC_DATA = "data.sec.gov"
SEC_FILES = "www.sec.gov"
FRED_API = "api.stlouisfed.org"
FRED_CSV = "fred.stlouisfed.org"
EDINET = "api.edinet-fsa.go.jp"
ESTAT = "api.e-stat.go.jp"

HOSTS: frozenset[str] = frozenset({SEC_DATA, SEC_FILES, FRED_API, FRED_CSV, EDINET, ESTAT})

SOURCE_OF: dict[str, Source] = {
    SEC_DATA: "sec",
    SEC_FILES: "sec",
    FRED_API: "fred",
    FRED_CSV: "fred",
    EDINET: "edinet",
    ESTAT: "estat",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Pace:
    """Hosts of one `group` share one allowance: at least `interval_s` between two requests."""

    group: str
    interval_s: float


PACES: dict[str, Pace] = {
    # https://www.sec.gov/about/developer-resources: 10 a second over all of its hosts
    SEC_DATA: Pace(group="sec", interval_s=1 / 8),
    SEC_FILES: Pace(group="sec", interval_s=1 / 8),
    # 120 a minute for a key; the CSV is the download of a chart, promised to nobody
    FRED_API: Pace(group="fred", interval_s=0.6),
    FRED_CSV: Pace(group="fred_csv", interval_s=2.0),
    # not published; one a second is what its public clients keep to
    EDINET: Pace(group="edinet", interval_s=1.0),
    ESTAT: Pace(group="estat", interval_s=1.0),
}
