"""The report as one HTML page: no script, nothing loaded from elsewhere, every name escaped."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from html import escape
from typing import TYPE_CHECKING

from ..printable import printable

if TYPE_CHECKING:
    from ..commands.report import Day, Report

WIDTH, HEIGHT, GAP = 720, 160, 4  # of a chart, in pixels
STYLE = """\
:root { color-scheme: light dark; --bar: #2f6fde; --trip: #c4432b; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 760px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
svg { width: 100%; height: auto; } rect.spend { fill: var(--bar); } rect.trips { fill: var(--trip); }
text { font-size: 11px; fill: currentColor; }
table { border-collapse: collapse; width: 100%; }
td { border-top: 1px solid #8884; padding: .25rem .5rem .25rem 0; overflow-wrap: anywhere; }
td:last-child { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
"""


def page(report: Report, today: str) -> str:
    """A whole document; `today` is the day it was made."""
    spent = [day.dollars for day in report.days]
    trips = [float(day.trips) for day in report.days]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en"><head><meta charset="utf-8"><title>runaway report</title>',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f"<style>\n{STYLE}</style></head><body>",
            "<h1>runaway: spending and trips</h1>",
            f"<p>Made on {escape(today)}: ${report.dollars:.2f} and {report.trips} trips.</p>",
            "<h2>Dollars per day</h2>",
            _chart(report.days, spent, "spend", "${:.2f}"),
            "<h2>Trips per day</h2>",
            _chart(report.days, trips, "trips", "{:.0f}"),
            *_table("By agent", report.harnesses, "${:.2f}"),
            *_table("By project", report.projects, "${:.2f}"),
            *_table("Trips by rule", report.rules, "{:.0f}"),
            *_table("Trips by answer", report.levels, "{:.0f}"),
            "</body></html>\n",
        ]
    )


def _chart(days: tuple[Day, ...], values: list[float], kind: str, form: str) -> str:
    """Bars with a tooltip each; the axis names the first and the last day and the largest value."""
    largest, step = max(values) or 1.0, WIDTH / len(days)
    bars = [
        f'<rect class="{kind}" x="{index * step:.1f}" y="{HEIGHT - value / largest * HEIGHT:.1f}" '
        f'width="{step - GAP:.1f}" height="{value / largest * HEIGHT:.1f}">'
        f"<title>{escape(day.day)}: {form.format(value)}</title></rect>"
        for index, (day, value) in enumerate(zip(days, values, strict=True))
    ]
    box = f'viewBox="0 -16 {WIDTH} {HEIGHT + 36}" role="img" aria-label="{kind} per day"'
    labels = (
        f'<text x="0" y="-4">{form.format(max(values))}</text>'
        f'<text x="0" y="{HEIGHT + 16}">{escape(days[0].day)}</text>'
        f'<text x="{WIDTH}" y="{HEIGHT + 16}" text-anchor="end">{escape(days[-1].day)}</text>'
    )
    return f"<svg {box}>{''.join(bars)}{labels}</svg>"


def _table(title: str, rows: Mapping[str, float], form: str) -> Iterator[str]:
    if rows:
        yield f"<h2>{title}</h2><table>"
        for name, value in rows.items():
            yield f"<tr><td>{escape(printable(name))}</td><td>{form.format(value)}</td></tr>"
        yield "</table>"
