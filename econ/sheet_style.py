"""The look of the printed report: A4, two sides, ink on white. Nothing is fetched."""

from __future__ import annotations

STYLE = """
@page { size: A4; margin: 12mm 13mm 13mm;
  @bottom-right { content: counter(page) " / " counter(pages);
    font: 7.5pt sans-serif; color: #56626D; } }
* { box-sizing: border-box; }
html { color: #1A2128; background: #fff;
  font: 8.6pt/1.36 "Source Sans 3", "Noto Sans JP", "Noto Sans CJK JP", "Hiragino Sans",
    "Yu Gothic UI", Meiryo, "Helvetica Neue", Arial, sans-serif;
  -webkit-print-color-adjust: exact; print-color-adjust: exact; }
body { margin: 0 auto; max-width: 184mm; }
h1 { font-size: 15pt; line-height: 1.25; margin: 0 0 1mm; overflow-wrap: anywhere; }
h2 { font-size: 10pt; line-height: 1.3; margin: 0 0 .6mm; break-after: avoid; }
p { margin: 0 0 1.2mm; }
.quiet { color: #56626D; font-size: 7.8pt; }
.number { font-size: 24pt; font-weight: 600; line-height: 1.15; margin: 0; }
.lost { color: #A8480A; }
section { margin: 3.4mm 0 0; padding-top: 2mm; border-top: .3mm solid #DCE2E7; }
.three { display: grid; grid-template-columns: repeat(3, 1fr); gap: 6mm; }
.three b { display: block; font-size: 13pt; line-height: 1.25; }
figure { margin: 0; break-inside: avoid; }
svg { display: block; width: 100%; height: auto; overflow: hidden; }
.back { break-before: page; border-top: 0; margin-top: 0; padding-top: 0; }
.tables { columns: 2; column-gap: 7mm; }
.block { margin: 0 0 2.6mm; }
.short { break-inside: avoid; }
table { border-collapse: collapse; width: 100%; font-size: 7.4pt; line-height: 1.25;
  font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; font-size: 8.4pt; padding: 0 0 .4mm; }
th { text-align: right; font-weight: 400; color: #56626D; vertical-align: bottom; }
td { text-align: right; border-top: .2mm solid #E6EAEE; vertical-align: top; }
th, td { padding: .28mm 0 .28mm 2mm; }
th:first-child, td:first-child { text-align: left; padding-left: 0; overflow-wrap: anywhere; }
td.words, th.words { text-align: left; overflow-wrap: anywhere; }
td.day { white-space: nowrap; }
tr { break-inside: avoid; }
ul { margin: 0; padding: 0 0 0 4mm; }
li { margin: 0 0 .4mm; break-inside: avoid; overflow-wrap: anywhere; }
.ids { overflow-wrap: anywhere; }
.rests { columns: 2; column-gap: 7mm; font-size: 7pt; }
.rests .quiet, .own .tables .quiet { font-size: 6.6pt; line-height: 1.28; }
.own figure h2, .rests h2 { font-size: 9pt; }
.own .block { break-inside: avoid; margin-bottom: 1.6mm; }
.own section { margin-top: 1.6mm; padding-top: 1.1mm; }
.own table { font-size: 7.1pt; line-height: 1.2; }
.own caption { font-size: 8pt; }
.own th, .own td { padding-top: .18mm; padding-bottom: .18mm; }
@media screen { body { padding: 8mm 4mm; max-width: 192mm; } .back { margin-top: 8mm; } }
"""
