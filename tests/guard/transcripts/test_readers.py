"""What every reader of this package has, so that the guard and replay can use any of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from runaway.guard import transcripts
from runaway.guard.spending import reader_of
from runaway.guard.transcripts.records import parse
from tests.guard.transcripts.records import CODEX, COPILOT, DROID, GEMINI, GROK, QWEN, VSCODE

SUBAGENT = "agent-general-purpose-toolu_46d2eab4462a43e4916aadd6"


def test_the_list_of_readers_is_that_of_the_modules_which_tell_events() -> None:
    folder = Path(str(transcripts.__file__)).parent
    modules = {path.stem for path in folder.glob("*.py") if "\ndef events(" in path.read_text()}
    assert modules == set(transcripts.READERS)


@pytest.mark.parametrize("name", transcripts.READERS)
def test_a_record_that_says_nothing_has_no_owner(name: str) -> None:
    odd: dict[str, object] = {"type": None, "message": [], "sessionId": 5, "id": 5}
    for record in (odd, {"type": "other"}, {}):
        assert reader_of(name).owner(record, "/s.jsonl") is None


@pytest.mark.parametrize(
    ("name", "folder", "file", "session", "agent"),
    [
        ("copilot", COPILOT, "plain/events.jsonl", "f0d673d6", ""),
        ("droid", DROID, "session.jsonl", "17f479da", ""),
        ("vscode", VSCODE, "*.jsonl", "eff2078d", ""),
        ("grok", GROK, "plain/*/updates.jsonl", "01a23186-7281", ""),
        ("gemini", GEMINI, "0.61-subagent/session-*.jsonl", "2f7bd001", ""),
        ("gemini", GEMINI, "0.61-subagent/*/*.jsonl", "2f7bd001", "2377a776"),
        ("codex", CODEX, "0.171-subagent/2026/11/30/*b2fe*.jsonl", "01a22cb8-b2fe", ""),
        (
            "codex",
            CODEX,
            "0.171-subagent/2026/11/30/*b3b3*.jsonl",
            "01a22cb8-b2fe",
            "01a22cb8-b3b3",
        ),
        (
            "codex",
            CODEX,
            "0.130-subagent/2026/11/30/*ebca*.jsonl",
            "01a22cc1-eb23",
            "01a22cc1-ebca",
        ),
        ("qwen", QWEN, "0.24-subagent/chats/*.jsonl", "0dc99e60", ""),
        (
            "qwen",
            QWEN,
            f"0.24-subagent/subagents/*/{SUBAGENT}.jsonl",
            "0dc99e60",
            "general-purpose",
        ),
    ],
)
def test_the_first_record_tells_whose_log_it_is(
    name: str, folder: Path, file: str, session: str, agent: str
) -> None:
    [path] = folder.glob(file)
    first = parse(path.read_bytes().partition(b"\n")[0])
    owners = {each: reader_of(each).owner(first, str(path)) for each in transcripts.READERS}
    found = {each: owner for each, owner in owners.items() if owner}
    assert found.keys() == {name}
    assert found[name][0].startswith(session)
    assert found[name][1].startswith(agent)
    assert bool(found[name][1]) == bool(agent)
