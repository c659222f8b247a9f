"""The articles' figures in tables: as printed, ours, the verdict, its reason and source."""

from __future__ import annotations

import html
from collections.abc import Sequence

import streamlit as st

from econ.articles_checked import VERDICTS, Checked
from econ.articles_csv import articles_csv
from jobs import guide_facts
from ui import byte_words, components, controls, downloads
from ui.components import MARKS, Explanation
from ui.numerals import SPACE, md
from ui.spoken import spoken
from ui.words import known, t

ARTICLES = ("A", "B", "C")
ALL = "all"
COLUMNS = ("figure", "printed", "ours", "verdict", "source")
SIZES = ("KB", "MB", "GB", "KiB", "MiB", "GiB")
GLYPHS = {
    "reproduced": MARKS["computed"], "confirmed": MARKS["published"],
    "differs": "▼", "published": MARKS["datasheet"],
}  # fmt: skip
WHOLE_WORDS = '<span style="word-break:keep-all">'
"""A verdict in Japanese breaks at its bracket, not inside a word."""


def first_screen(rows: Sequence[Checked]) -> None:
    """How many hold, of all."""
    tally = {verdict: sum(row.verdict == verdict for row in rows) for verdict in VERDICTS}
    holding = sum(row.holds for row in rows)
    components.hero(
        t("articles.hero"),
        t("articles.hero_value", held=holding, all=len(rows)),
        t("articles.hero_beneath", **tally),
    )


def how() -> None:
    """When a figure holds, and what each computation is."""
    names = dict.fromkeys(row.figure.by for row in guide_facts.checked() if row.figure.by)
    components.how(
        Explanation(
            formula=t("articles.how_formula"),
            sums=(
                t("articles.how_table"),
                t("articles.how_range"),
                *(f"- {md(t(f'articles.by.{name}'))}" for name in names),
            ),
            sources=(("published", t("articles.how_articles")),),
        ),
        "how_articles_checked",
    )


def choice() -> tuple[str, str]:
    """The filters: (article or all, verdict or all); both in the URL."""
    article = controls.choice(t("articles.by_article"), (ALL, *ARTICLES), "article", _article_word)
    verdict = controls.choice(t("articles.by_verdict"), (ALL, *VERDICTS), "verdict", _verdict_word)
    return article, verdict


def subject(rows: Sequence[Checked]) -> str:
    """Which of the rows' subjects is read, or all; in the URL as `subject`."""
    found = tuple(dict.fromkeys(row.figure.subject for row in rows))
    return controls.choice(t("articles.by_subject"), (*found, ALL), "subject", _subject_word)


def _subject_word(name: str) -> str:
    return t("articles.all") if name == ALL else t(f"articles.subject.{name}")


def _article_word(name: str) -> str:
    return t("articles.all") if name == ALL else t(f"articles.article.{name}")


def _verdict_word(name: str) -> str:
    return t("articles.all") if name == ALL else t(f"articles.verdict.{name}")


def chosen(
    rows: Sequence[Checked], article: str = ALL, verdict: str = ALL, about: str = ALL
) -> list[Checked]:
    """The rows that the filters leave."""
    return [
        row
        for row in rows
        if article in (ALL, row.figure.article)
        and verdict in (ALL, row.verdict)
        and about in (ALL, row.figure.subject)
    ]


def tables(rows: Sequence[Checked]) -> None:
    """A table a subject; a sentence where the filters leave nothing."""
    if not rows:
        st.info(t("articles.empty"), icon=":material/info:")
    for subject in dict.fromkeys(row.figure.subject for row in rows):
        mine = [row for row in rows if row.figure.subject == subject]
        with components.rule(f"articles_{subject}"):
            unit = t("articles.group", held=sum(row.holds for row in mine), all=len(mine))
            components.answer(t(f"articles.subject.{subject}"), unit)
            with st.container(key=f"plain_wide_{subject}"):
                st.html(markup(mine, t(f"articles.subject.{subject}")))


def markup(rows: Sequence[Checked], caption: str) -> str:
    """The table as HTML; every text is escaped, every link leads to an https address."""
    heads = "".join(
        f'<th scope="col" class="words">{html.escape(t(f"articles.column_{name}"))}</th>'
        for name in COLUMNS
    ).replace(' class="words"', "", 1)
    body = "".join(f"<tr>{_cells(row)}</tr>" for row in rows)
    title = html.escape(caption, quote=True)
    return (
        f'<table aria-label="{title}"><thead><tr>{heads}</tr></thead><tbody>{body}</tbody></table>'
    )


def _cells(row: Checked) -> str:
    figure = row.figure
    place = t("articles.place", article=figure.article, item=figure.item)
    name = (
        f"{html.escape(t(f'articles.figure.{figure.id}'))}<br><small>{html.escape(place)}</small>"
    )
    verdict = f"{GLYPHS[row.verdict]}{SPACE}{t(f'articles.verdict.{row.verdict}')}"
    marks = " ".join(_mark(name) for name in figure.marks)
    parts = (
        html.escape(_said("printed", figure.id, figure.printed).replace(" ", SPACE)),
        _ours(row),
        f"{WHOLE_WORDS}{html.escape(verdict)}</span>"
        + (f"<br><small>{marks}</small>" if marks else ""),
        f"<small>{_source(figure.source)}</small>",
    )
    cells = "".join(
        f'<td class="words" data-title="{html.escape(t(f"articles.column_{title}"))}">{part}</td>'
        for title, part in zip(COLUMNS[1:], parts, strict=True)
    )
    return f'<th scope="row">{name}</th>{cells}'


def _mark(name: str) -> str:
    why = html.escape(t(f"articles.k.{name}"), quote=True)
    return f'<abbr tabindex="0" title="{why}">{name}</abbr>'


def _ours(row: Checked) -> str:
    """Our value; under it all bytes in both units where it is a size, and what explains it."""
    below = []
    if row.ours is not None and row.figure.unit in SIZES:
        below.append(byte_words.both(round(row.ours)))
    if row.holds_in_binary is not None and row.figure.unit is not None:
        below.append(t("articles.binary", unit=row.figure.unit, binary=row.holds_in_binary))
    small = "".join(f"<br><small>{html.escape(line)}</small>" for line in below)
    return html.escape(ours(row)) + small


def ours(row: Checked) -> str:
    """Our value in the unit in which the article prints, or what its source says."""
    if row.in_unit is None or row.figure.unit is None:
        return _said("found", row.figure.id, row.figure.found or "–")
    unit = "" if row.figure.unit == "count" else row.figure.unit
    words = t(f"articles.unit.{unit}") if known(f"articles.unit.{unit}") else unit
    return f"{_digits(row.in_unit)}{SPACE}{words}".strip()


def _said(kind: str, figure: str, text: str) -> str:
    """`text`, in the reader's language where it has words."""
    key = f"articles.{kind}.{figure}"
    return t(key) if known(key) else text


def _digits(value: float) -> str:
    """Four significant digits, all of them before the point."""
    places = max(0, 4 - len(f"{abs(value):.0f}"))
    text = f"{value:,.{places if abs(value) >= 1 else 4}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _source(source: str) -> str:
    if source.startswith("https://"):
        address = html.escape(source, quote=True)
        host = html.escape(source.split("/")[2].removeprefix("www."))
        return f'<a href="{address}" target="_blank" rel="noopener noreferrer">{host}</a>'
    return html.escape(spoken(source))


def marks(rows: Sequence[Checked]) -> None:
    """What to mind: every mark that stands in the tables, in words."""
    used = dict.fromkeys(mark for row in rows for mark in row.figure.marks)
    if not used:
        return
    with components.rule("articles_marks"):
        components.answer(t("articles.marks"), t("articles.marks_unit"))
        for mark in sorted(used, key=lambda name: int(name[1:])):
            st.markdown(f"**{mark}**{SPACE} {md(t(f'articles.k.{mark}'))}")


def download(rows: Sequence[Checked]) -> None:
    """The rows that are shown as CSV."""
    kept = list(rows)
    downloads.csv_button(
        t("articles.download"), lambda: articles_csv(kept), "kvledger-articles.csv", "articles_csv"
    )
