"""A real spreadsheet program opens our CSV: Japanese stays Japanese, nothing runs, numbers count.

LibreOffice Calc converts each file; what it understood is read from its xlsx, which is XML.
"""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
import zipfile
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest

from data_sources.store.engine import close_current_store
from data_sources.traces.base import ReadOptions
from econ.csv_safe import csv_bytes
from econ.report import ReportParams
from jobs import flows, sheets
from settings import Settings, using

SOFFICE = shutil.which("soffice")
pytestmark = pytest.mark.skipif(SOFFICE is None, reason="no LibreOffice (soffice) on this machine")

NAME = "契約書レビュー"
HOSTILE = ("=1+1", "+1", "-1+2", "@SUM(A1)", "\t=1", "\r=1", "＝1+1", " =1+1", "=HYPERLINK(A1)")
USAGE = (
    "start_utc,model,input_tokens,output_tokens,cached_read_tokens,cache_write_5m_tokens,team\n"
    f"2026-10-01T09:00:00Z,claude-opus-5,100000,1000,90000,0,{NAME}\n"
    "2026-10-02T09:00:00Z,claude-opus-5,100000,1000,0,90000,=1+1\n"
)
COMMA, QUOTE, UTF_8 = 44, 34, 76
XML = {"m": "http://schemas.openxmlformats.org/spreadsheetml/2006/main"}
Cell = tuple[str, str, bool]
"""Its type ('n', 's', ...), its value as shown, and whether it is a formula."""


@pytest.fixture(autouse=True)
def ledger(tmp_path: Path) -> Iterator[None]:
    with using(Settings(data_dir=tmp_path / "ledger")):
        yield
        close_current_store()


def opened(content: bytes, folder: Path) -> list[list[Cell]]:
    """The rows as the spreadsheet program understood them, empty cells left out."""
    assert SOFFICE is not None
    file = folder / "sent.csv"
    file.write_bytes(content)
    profile = (folder / "profile").as_uri()
    # UTF-8, as the import dialog chooses where a file begins with the mark; without the dialog the
    # mark is not looked at.
    kind = [
        f"--infilter=CSV:{COMMA},{QUOTE},{UTF_8},1",
        "--convert-to",
        "xlsx:Calc MS Excel 2007 XML",
        "--outdir",
        str(folder),
        str(file),
    ]
    subprocess.run(
        [SOFFICE, "--headless", "--norestore", f"-env:UserInstallation={profile}", *kind],
        check=True, capture_output=True, timeout=240,
    )  # fmt: skip
    with zipfile.ZipFile(folder / "sent.xlsx") as book:
        sheet = ElementTree.fromstring(book.read("xl/worksheets/sheet1.xml"))  # noqa: S314
        words = [
            "".join(part.itertext())
            for part in ElementTree.fromstring(  # noqa: S314
                book.read("xl/sharedStrings.xml")
            ).iterfind("m:si", XML)
        ]
    rows = sheet.iterfind(".//m:row", XML)
    return [
        [_cell(cell, words) for cell in row if cell.find("m:v", XML) is not None] for row in rows
    ]


def _cell(cell: ElementTree.Element, words: list[str]) -> Cell:
    kind, value = cell.get("t", "n"), cell.findtext("m:v", "", XML)
    text = words[int(value)] if kind == "s" else value
    return kind, text, cell.find("m:f", XML) is not None


def expected(content: bytes) -> list[list[str]]:
    rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    return [[cell for cell in row if cell] for row in rows]


def check(content: bytes, folder: Path) -> list[list[Cell]]:
    """No formula; every cell is there; what is a number in the file is a number in the sheet."""
    found = opened(content, folder)
    assert [cell for row in found for cell in row if cell[2]] == []
    for shown, meant in zip(found, expected(content), strict=True):
        assert len(shown) == len(meant)
        for (kind, text, _), raw in zip(shown, meant, strict=True):
            if re.fullmatch(r"-?\d+(\.\d+)?", raw):
                assert kind == "n"
                assert float(text) == pytest.approx(float(raw), rel=1e-12)
            elif kind == "s":
                assert text.replace("\n", "") in (raw, raw.replace("\r", ""), raw.removeprefix("'"))
    return found


@pytest.mark.parametrize("language", ["en", "ja"])
def test_a_report_opens_with_its_words_and_its_numbers(tmp_path: Path, language: str) -> None:
    (tmp_path / "usage.csv").write_text(USAGE, encoding="utf-8")
    result = flows.read_paths([tmp_path / "usage.csv"], ReadOptions(), lambda *_: None, NAME)
    params = ReportParams()
    report = flows.report_of(result, params)
    rows = check(flows.report_csv(report, language), tmp_path)
    texts = {text for row in rows for _, text, _ in row}
    assert NAME in texts
    assert {"'=1+1", "=1+1"} & texts  # a text, with or without its apostrophe
    lines = check(sheets.focus_of(result.workload, params, report), tmp_path)
    assert len(lines) > 4


def test_hostile_texts_stay_texts_and_losses_stay_numbers(tmp_path: Path) -> None:
    rows = [{"名前": text, "usd": -1.5} for text in HOSTILE]
    found = check(csv_bytes(["名前", "usd"], rows), tmp_path)
    assert found[0][0][1] == "名前"
    assert [row[-1][:2] for row in found[1:]] == [("n", "-1.5")] * len(HOSTILE)
    assert {row[0][0] for row in found[1:]} == {"s"}
