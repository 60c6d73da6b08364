from __future__ import annotations

import json

import pytest

from runaway.installer.result import SCHEMA, Message, Result, as_json


def test_the_object_has_exactly_the_keys_of_the_contract() -> None:
    told = json.loads(as_json(Result("setup", "ok")))
    assert list(told) == ["schema", "command", "status", "exit_code", "data", "messages"]
    assert told["schema"] == SCHEMA == "runaway/1"
    assert told == {**told, "command": "setup", "status": "ok", "exit_code": 0, "data": {}}
    assert told["messages"] == []


def test_a_message_has_exactly_the_keys_of_the_contract() -> None:
    message = Message("error", "some-id", "A sentence.", "claude", "~/x", "Do this.")
    [told] = json.loads(as_json(Result("setup", "failed", 1, messages=(message,))))["messages"]
    assert told == {
        "level": "error",
        "code": "some-id",
        "harness": "claude",
        "path": "~/x",
        "text": "A sentence.",
        "fix": "Do this.",
    }


def test_what_a_message_does_not_know_is_null() -> None:
    result = Result("setup", "ok", messages=(Message("info", "some-id", "A sentence."),))
    [told] = json.loads(as_json(result))["messages"]
    assert (told["harness"], told["path"], told["fix"]) == (None, None, None)


@pytest.mark.parametrize("text", ["ünï 日本 🦊", "\udcff no text", "\x00\n\u2028 controls", '"\\'])
def test_any_text_survives_in_plain_ascii(text: str) -> None:
    written = as_json(Result("setup", "ok", data={"path": text}))
    assert written.isascii()
    assert json.loads(written)["data"]["path"] == text


def test_the_lines_for_people_are_not_in_the_object() -> None:
    assert "only for people" not in as_json(Result("setup", "ok", lines=("only for people",)))
