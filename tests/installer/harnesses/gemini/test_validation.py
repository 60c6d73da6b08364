"""Files as Gemini CLI was seen to take them; tests/live/test_gemini_settings.py asks it again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runaway.installer.documents import json_document
from runaway.installer.documents.values import name_of
from runaway.installer.harnesses.gemini.validation import RULES, problems

NO_MATCHERS: tuple[Any, ...] = (None, False, 0, "", "*", "[")
ODD_MATCHERS: tuple[Any, ...] = (5, 1.5, True, [], {})
RUNS = {
    "nothing": {},
    "other settings": {"security": {"folderTrust": {"enabled": False}}, "hooksConfig": {}},
    "an unknown event": {"hooks": {"PreToolUse": []}},
    "an event that is no list": {"hooks": {"AfterTool": 5, "BeforeTool": {}}},
    "groups that are none": {"hooks": {"BeforeTool": [None, "x", {"matcher": 5}]}},
    "an empty group with an odd matcher": {"hooks": {"BeforeTool": [{"matcher": 5, "hooks": []}]}},
    "handlers that are none": {"hooks": {"BeforeTool": [{"hooks": [None, 5, {"command": "x"}]}]}},
    "switches of another type": {"hooksConfig": "x"},
    "an odd matcher of an event that has none": {
        "hooks": {"BeforeAgent": [{"matcher": 5, "hooks": [{}]}]}
    },
    **{
        f"the matcher {matcher!r}": {"hooks": {"BeforeTool": [{"matcher": matcher, "hooks": [{}]}]}}
        for matcher in NO_MATCHERS
    },
}
FAULTY: dict[str, tuple[Any, str]] = {
    "a list": ([], "the top level"),
    "null": (None, "the top level"),
    "hooks as a list": ({"hooks": []}, "hooks"),
    "hooks as null": ({"hooks": None}, "hooks"),
    "switches as null": ({"hooksConfig": None}, "hooksConfig"),
    **{
        f"the matcher {matcher!r}": (
            {"hooks": {"BeforeTool": [{}, {"matcher": matcher, "hooks": [{}]}]}},
            "hooks.BeforeTool[1].matcher",
        )
        for matcher in ODD_MATCHERS
    },
}


def found(value: Any) -> list[str]:
    document = json_document.parse(json.dumps(value).encode(), RULES, "settings.json")
    return [name_of(fault.path) for fault in problems(document)]


@pytest.mark.parametrize("value", RUNS.values(), ids=RUNS.keys())
def test_what_it_only_warns_about_is_no_fault(value: Any) -> None:
    assert found(value) == []


@pytest.mark.parametrize(("value", "place"), FAULTY.values(), ids=FAULTY.keys())
def test_what_keeps_hooks_from_running_is_named(value: Any, place: str) -> None:
    assert found(value) == [place]
