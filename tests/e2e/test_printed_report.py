"""The page to send, printed by a real browser: two A4 sides, two more where own hardware was looked
at, no cut chart, no missing row."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from data_sources.store.engine import close_current_store
from data_sources.traces.base import ReadResult
from econ.own_tables import tables_of
from econ.report import CostReport, ReportParams
from econ.report_own import OwnPart, with_own
from econ.sheet_tables import LEFT_OUT
from jobs import flows, sheets
from jobs.fleet_flows import EXAMPLE_FLEET
from jobs.own_gather import of_files
from jobs.own_report import OwnChoice
from jobs.shelf import example as bundled
from messages.catalogue import sayer
from settings import Settings, using

A4_POINTS = (595, 842)
SHEET_PX = (695, 1047)  # 210 x 297 mm without the margins, at 96 to the inch
CUT = """() => {
  const sheet = document.body.getBoundingClientRect();
  const outside = (inner, outer) => inner.left < outer.left - 1 || inner.right > outer.right + 1
    || inner.top < outer.top - 1 || inner.bottom > outer.bottom + 1;
  const found = [];
  for (const drawing of document.querySelectorAll('figure svg')) {
    const frame = drawing.getBoundingClientRect();
    if (frame.left < sheet.left - 1 || frame.right > sheet.right + 1) found.push('svg');
    for (const part of drawing.querySelectorAll('text, rect, path'))
      if (outside(part.getBoundingClientRect(), frame)) found.push(part.outerHTML.slice(0, 80));
  }
  for (const cell of document.querySelectorAll('td, th'))
    if (cell.scrollWidth > cell.clientWidth + 1) found.push(cell.textContent);
  if (document.documentElement.scrollWidth > document.documentElement.clientWidth + 1)
    found.push('the page is wider than the paper');
  return found;
}"""


@pytest.fixture
def example(tmp_path: Path) -> Iterator[CostReport]:
    """The bundled example's report."""
    with using(Settings(data_dir=tmp_path / "ledger")):
        yield flows.report(flows.example_id(), ReportParams(), "")
        close_current_store()


def printed(page: Page, report: CostReport, language: str, folder: Path) -> tuple[Path, Path]:
    """The HTML file and the PDF that the browser prints of it."""
    file, pdf = folder / f"{language}.html", folder / f"{language}.pdf"
    file.write_bytes(sheets.report_html(report, language))
    page.set_viewport_size({"width": SHEET_PX[0], "height": SHEET_PX[1]})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(file.as_uri())
    assert asked == [file.as_uri()]  # nothing else is fetched
    page.pdf(path=pdf, prefer_css_page_size=True, print_background=True)
    return file, pdf


def sides(pdf: bytes) -> list[tuple[int, int]]:
    """Width and height of every page in points."""
    pages = len(re.findall(rb"/Type\s*/Page\b(?!s)", pdf))
    boxes = re.findall(rb"/MediaBox\s*\[\s*0 0 ([\d.]+) ([\d.]+)\s*\]", pdf)
    assert len(boxes) in (1, pages)
    return [(round(float(w)), round(float(h))) for w, h in boxes] * (pages // len(boxes))


@pytest.mark.parametrize("language", ["en", "ja"])
def test_the_example_prints_on_two_sides_of_a4(
    page: Page, example: CostReport, language: str, tmp_path: Path
) -> None:
    _, pdf = printed(page, example, language, tmp_path)
    assert sides(pdf.read_bytes()) == [A4_POINTS, A4_POINTS]


@pytest.mark.parametrize("language", ["en", "ja"])
def test_no_chart_and_no_cell_is_cut_on_paper(
    page: Page, example: CostReport, language: str, tmp_path: Path
) -> None:
    printed(page, example, language, tmp_path)
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == []
    assert page.locator("figure svg").count() == 3


@pytest.mark.parametrize("language", ["en", "ja"])
def test_every_row_stands_on_the_paper(
    page: Page, example: CostReport, language: str, tmp_path: Path
) -> None:
    _, pdf = printed(page, example, language, tmp_path)
    keys = [row.key for row in example.groups if row.by != LEFT_OUT and row.key]
    cells = page.locator("td:first-child").all_inner_texts()
    assert [key for key in keys if key not in cells] == []
    if shutil.which("pdftotext") is None:
        return
    done = subprocess.run(
        ["pdftotext", "-layout", str(pdf), "-"], capture_output=True, text=True, check=True
    )
    assert [key for key in keys if key not in done.stdout] == []
    assert example.report_id in re.sub(r"\s", "", done.stdout)


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> OwnPart:
    """Own hardware and less KV of the bundled example."""
    with using(Settings(data_dir=tmp_path_factory.mktemp("own"))):
        found = bundled()
        result = ReadResult(workload=found.workload, receipt=found.receipt)
        part = of_files(result, OwnChoice(fleet=EXAMPLE_FLEET))
        close_current_store()
        return part


@pytest.mark.parametrize("language", ["en", "ja"])
def test_own_hardware_takes_two_more_sides_with_every_row_and_no_cut_chart(
    page: Page, example: CostReport, own: OwnPart, language: str, tmp_path: Path
) -> None:
    _, pdf = printed(page, with_own(example, own), language, tmp_path)
    assert sides(pdf.read_bytes()) == [A4_POINTS] * 4
    page.emulate_media(media="print")
    assert page.evaluate(CUT) == []
    assert page.locator("figure svg").count() == 5
    cells = page.locator("td").all_text_contents()
    rows = [row for one in tables_of(own, sayer(language)) for row in one.rows]
    assert [cell for row in rows for cell in row if cell not in cells] == []
