"""What makes Cursor ignore a file as a whole; each row was measured on its own loader."""

from __future__ import annotations

import pytest

from runaway.installer.documents import json_document
from runaway.installer.documents.values import name_of
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.cursor.validation import RULES, problems
from tests.installer.harnesses.cursor.tables import IGNORED, LOADED, REFUSED, own


def found(text: str) -> list[str]:
    document = json_document.parse(text.encode(), RULES, "hooks.json")
    return [name_of(fault.path) for fault in problems(document)]


@pytest.mark.parametrize("text", LOADED.values(), ids=LOADED)
def test_a_file_that_cursor_loads_has_no_fault(text: str) -> None:
    assert found(text) == []


@pytest.mark.parametrize(("text", "place"), IGNORED.values(), ids=IGNORED)
def test_a_file_that_cursor_ignores_has_one_at_its_place(text: str, place: str) -> None:
    assert found(text)[0] == place


@pytest.mark.parametrize(("text", "code"), REFUSED.values(), ids=REFUSED)
def test_what_its_parser_rejects_is_refused_while_reading(text: str, code: str) -> None:
    with pytest.raises(Refusal) as refusal:
        found(text)
    assert refusal.value.code == code
    assert refusal.value.text.startswith("hooks.json: Cursor ignores this whole file")


@pytest.mark.parametrize("text", ["{}", '{"version": 1}', '{"hooks": {}}', '{"other": 1}'])
def test_a_file_without_hooks_is_unfinished_and_not_at_fault(text: str) -> None:
    assert found(text) == []


def test_a_comment_that_swallows_a_hook_is_a_fault() -> None:
    text = own({"command": "ls a/*"}, after="*/")
    assert found(text) == ["hooks.stop[0].command"]


def test_the_right_spelling_of_an_event_is_told() -> None:
    document = json_document.parse(own(event="PreToolUse").encode(), RULES, "hooks.json")
    [fault] = problems(document)
    assert "`preToolUse`" in fault.reason


def test_nesting_beyond_all_measure_is_no_trouble() -> None:
    deep = "[" * 50_000 + '"http://x"' + "]" * 50_000
    assert found(own()[:-1] + f', "x": {deep}}}') != []
