"""What Cursor takes from Claude Code's files; the same rows are asked of its own loader in tests/live."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runaway.installer.harnesses.cursor.third_party import Hook, taken, without_doubles
from tests.installer.harnesses.cursor.tables import FOREIGN, group


def data(hooks: dict[str, Any]) -> bytes:
    return json.dumps({"hooks": hooks}).encode()


@pytest.mark.parametrize(("hooks", "expected"), FOREIGN.values(), ids=FOREIGN)
def test_what_is_taken(hooks: dict[str, Any], expected: list[Hook]) -> None:
    assert list(taken(data(hooks)).hooks) == expected


NOTHING = {
    "no hooks": (b"{}", "holds no hooks"),
    "a list": (b"[]", "holds no hooks"),
    "hooks null": (b'{"hooks": null}', "holds no hooks"),
    "a comment": (b"// x\n" + data({"PreToolUse": [group("")]}), "plain JSON"),
    "a mark": (b"\xef\xbb\xbf" + data({"PreToolUse": [group("")]}), "plain JSON"),
    "no text": (b"\xff", "plain JSON"),
    "no matcher": (data({"PreToolUse": [group()]}), "`matcher`"),
    "no group": (data({"PreToolUse": [group(""), 5]}), "shape"),
    "a bad timeout": (data({"PreToolUse": [group("", timeout=0)]}), "seconds"),
}


@pytest.mark.parametrize(("text", "why"), NOTHING.values(), ids=NOTHING)
def test_why_nothing_is_taken_is_told(text: bytes, why: str) -> None:
    found = taken(text)
    assert found.hooks == ()
    assert why in found.reason


def test_only_a_hook_of_claude_codes_with_the_same_event_and_command_is_a_double() -> None:
    native = [Hook("preToolUse", "", "x"), Hook("preToolUse", "", "x")]
    foreign = [
        Hook("preToolUse", "Shell", "x"),
        Hook("preToolUse", "", "x "),
        Hook("stop", "", "x"),
        Hook("stop", "", "x"),
    ]
    assert without_doubles(native, foreign) == (*native, *foreign[1:])
