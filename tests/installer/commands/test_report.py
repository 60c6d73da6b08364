from __future__ import annotations

import json
import re
import time
from html.parser import HTMLParser
from pathlib import Path

import pytest

from runaway.guard.ledger import day_of
from runaway.installer.commands import report
from runaway.installer.errors import Refusal
from runaway.installer.machine import Machine
from tests.support.files import mode

NOW = time.mktime((2026, 11, 30, 12, 0, 0, 0, 0, -1))
HOSTILE = '/w/<script>alert("x")</script>'
DAY = 86400


def spend(machine: Machine, when: float, dollars: float, project: str, harness: str) -> None:
    path = machine.state / f"ledger/{day_of(when)}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    step = {"dollars": dollars, "harness": harness, "project": project, "session": "s"}
    with path.open("a") as file:
        file.write(json.dumps(step) + "\n")


def trip(machine: Machine, when: float, rule: str) -> None:
    told = {
        "time": when,
        "harness": "claude",
        "session": "s",
        "agent": "",
        "cwd": "/",
        "tool": "Bash",
    }
    told |= {"rule": rule, "count": 8, "level": "deny", "answered": True, "text": "…"}
    with (machine.state / "trips.jsonl").open("a") as file:
        file.write(json.dumps(told) + "\n")


@pytest.fixture
def used(bare: Machine) -> Machine:
    home = str(bare.home)
    spend(bare, NOW, 10, f"{home}/app", "claude")
    spend(bare, NOW, 2.5, HOSTILE, "codex")
    spend(bare, NOW - DAY, 5, f"{home}/app", "claude")
    spend(bare, NOW - 90 * DAY, 1, "/old", "claude")
    trip(bare, NOW, "loop.same_call")
    trip(bare, NOW, "loop.same_call")
    trip(bare, NOW - DAY, "spend.session")
    return bare


def test_sums_are_by_day_agent_project_and_rule(used: Machine) -> None:
    data = report.run(used, NOW, None).data
    assert (data["dollars"], data["trips"]) == (18.5, 3)
    assert data["harnesses"] == {"claude": 16, "codex": 2.5}
    assert data["projects"] == {f"{used.home}/app": 15, HOSTILE: 2.5, "/old": 1}
    assert data["rules"] == {"loop.same_call": 2, "spend.session": 1}
    assert len(data["days"]) == report.DAYS
    assert data["days"][-2:] == [
        {"day": "2026-11-29", "dollars": 5, "trips": 1},
        {"day": "2026-11-30", "dollars": 12.5, "trips": 2},
    ]


def test_a_terminal_gets_bars_in_proportion(used: Machine) -> None:
    lines = report.run(used, NOW, None).lines
    bars = {line.split()[0]: line.count("█") for line in lines if line.startswith("  2026")}
    assert bars == {"2026-11-29": report.BAR * 5 / 12.5, "2026-11-30": report.BAR}
    assert "  ~/app" in "\n".join(lines)
    assert all(len(line) <= 79 for line in lines)


BARS = [(0, 10, ""), (10, 10, "█" * 40), (5, 10, "█" * 20), (1e-9, 10, "▏"), (0, 0, "")]


@pytest.mark.parametrize(("value", "largest", "wanted"), BARS)
def test_a_bar(value: float, largest: float, wanted: str) -> None:
    assert report.bar(value, largest) == wanted


def test_nothing_seen_is_one_sentence(bare: Machine) -> None:
    assert len(report.run(bare, NOW, None).lines) == 1


class Page(HTMLParser):
    """Every tag in the order of their coming, and what a page could load something by."""

    VOID = ("meta",)

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.seen: list[str] = []
        self.links: list[str | None] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.seen.append(tag)
        self.links += [value for name, value in attributes if name in ("src", "href", "style")]
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_page_is_whole_loads_nothing_and_escapes_every_name(
    used: Machine, tmp_path: Path
) -> None:
    file = tmp_path / "page.html"
    result = report.run(used, NOW, file)
    text = file.read_text("utf-8")
    page = Page(text)
    assert page.open == []
    assert page.links == []
    assert "script" not in page.seen
    assert not re.search(r"url\(|@import|://", text)
    assert "&lt;script&gt;" in text
    assert page.seen.count("rect") == 2 * report.DAYS
    assert result.data["html"] == str(file)
    assert mode(file) == 0o600


def test_a_page_is_replaced_and_of_nothing_seen_made_too(bare: Machine, tmp_path: Path) -> None:
    file = tmp_path / "page.html"
    file.write_text("old")
    report.run(bare, NOW, file)
    assert Page(file.read_text()).seen.count("rect") == 2 * report.DAYS


def test_a_page_that_cannot_be_written_is_refused(used: Machine, tmp_path: Path) -> None:
    with pytest.raises(Refusal) as caught:
        report.run(used, NOW, tmp_path / "missing/page.html")
    assert "page.html" in caught.value.text
