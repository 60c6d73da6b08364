"""Where words of a call lead."""

from __future__ import annotations

from pathlib import Path

import pytest

from runaway.guard.tampering.places import ABOVE, ELSEWHERE, FILE, OWN, Places, glob
from tests.support.homes import furnish

HITS = {
    "~/.claude/settings.json": FILE,
    "../.claude/x/.././/settings.json": FILE,
    "c/settings.json": FILE,
    "~/.cl*/sett*.json": FILE,
    "~/.claude/settings.json.bak": ELSEWHERE,
    "~/.claude": ABOVE,
    "~/.local/share": ABOVE,
    "~/.local/share/*": OWN,
    "~/.local/share/runaway-other": ELSEWHERE,
    "~/.local/share/runaway/frozen/x": OWN,
    ".claude/settings.json": ELSEWHERE,
    "~/*": ELSEWHERE,
    "/": ABOVE,
    "/somebody/.codex/hooks.json": ELSEWHERE,
    "/home/somebody/.codex/hooks.json": FILE,
    "/etc/claude-code/managed-settings.json": FILE,
}


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Places:
    monkeypatch.setenv("HOME", str(tmp_path))
    return Places(furnish(tmp_path))


@pytest.mark.parametrize(("word", "kind"), HITS.items(), ids=HITS)
def test_a_word_leads_where_a_shell_would_find_it(places: Places, word: str, kind: str) -> None:
    assert places.hit(places.at(word, places.home + "/proj")) == kind


def test_a_projects_file_counts_while_it_holds_our_entry(places: Places) -> None:
    file = Path(places.home) / "proj/.claude/settings.json"
    file.parent.mkdir()
    file.write_text('{"hooks": "runaway/launch"}')
    assert places.hit(str(file)) == FILE
    file.write_text("{}")
    assert places.hit(str(file)) == ELSEWHERE


def test_a_link_may_be_meant_itself(places: Places) -> None:
    cwd = places.home + "/proj"
    assert places.hit(places.at("c", cwd)) == ABOVE
    assert places.hit(places.at("c", cwd, itself=True)) == ELSEWHERE


def test_links_that_lead_to_each_other_end_somewhere(places: Places, tmp_path: Path) -> None:
    (tmp_path / "a").symlink_to("b")
    (tmp_path / "b").symlink_to("a")
    assert places.hit(places.at("~/a/settings.json", "/")) == ELSEWHERE


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("*.json", "a.json", True),
        ("a?[bc]d", "axbd", True),
        ("a*b*c", "aXbYc", True),
        ("a*b*c", "acb", False),
        ("ab*ba", "aba", False),
        ("[", "[", True),
        ("*", "", True),
        ("a*b*b", "abxab", True),
        ("[]x]" * 2000, "x" * 2000, True),
    ],
)
def test_patterns_are_those_of_a_shell(pattern: str, name: str, matches: bool) -> None:
    assert glob(pattern, name) is matches
