"""Properties of all edits of all documents; the proofs inside run along with every example."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import json5
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from runaway.installer.documents.json_document import (
    Document,
    Rules,
    append,
    parse,
    remove,
    set_value,
)
from runaway.installer.documents.json_document import findings as find
from runaway.installer.documents.values import KeyPath
from runaway.installer.errors import Refusal
from tests.installer.documents import random_json

EVENT = ("hooks", "PreToolUse")
STRICT = Rules("Claude Code", bom=True, utf16=True)
LENIENT = STRICT._replace(comments=True, trailing_commas=True)
GROUP = {"hooks": [{"type": "command", "command": "guard", "timeout": 10}]}
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16"])
TEXTS = random_json.texts() | random_json.texts(comments=True)


def encoded(text: str, encoding: str) -> bytes:
    return b"\xff\xfe" + text.encode("utf-16-le") if encoding == "utf-16" else text.encode(encoding)


def reread(document: Document, data: bytes) -> Document:
    return parse(data, document.rules, "f")


@given(text=TEXTS, encoding=ENCODINGS, value=random_json.VALUES)
def test_removal_is_the_inverse_of_appending(text: str, encoding: str, value: Any) -> None:
    data = encoded(text, encoding)
    document = parse(data, LENIENT, "f")
    edited = append(document, EVENT, value)
    start, end, replacement = edited.splice
    assert data[:start] + replacement + data[end:] == edited.data
    last = len(edited.document.get(EVENT)) - 1
    assert remove(reread(document, edited.data), (*EVENT, last), edited.created).data == data


@given(text=TEXTS, value=random_json.VALUES, key=st.text(max_size=3))
def test_removal_is_the_inverse_of_a_new_member(text: str, value: Any, key: str) -> None:
    document = parse(text.encode(), LENIENT, "f")
    path = ("hooks", "new" + key)
    edited = set_value(document, path, value)
    assert remove(reread(document, edited.data), path, edited.created).data == text.encode()


@given(text=TEXTS, value=random_json.VALUES)
def test_several_appended_values_come_out_in_the_reverse_order(text: str, value: Any) -> None:
    first = append(parse(text.encode(), LENIENT, "f"), EVENT, value)
    second = append(first.document, EVENT, GROUP)
    count = len(second.document.get(EVENT))
    once = remove(second.document, (*EVENT, count - 1), second.created)
    assert once.data == first.data
    assert remove(once.document, (*EVENT, count - 2), first.created).data == text.encode()


@given(text=TEXTS, value=random_json.VALUES)
def test_what_others_add_in_between_stays(text: str, value: Any) -> None:
    document = parse(text.encode(), LENIENT, "f")
    ours = append(document, EVENT, GROUP)
    index = len(ours.document.get(EVENT)) - 1
    theirs = append(ours.document, EVENT, value).document
    theirs = set_value(theirs, ("other",), value).document
    left = remove(theirs, (*EVENT, index), ours.created)
    alone = set_value(append(document, EVENT, value).document, ("other",), value)
    assert left.document.value == alone.document.value


@given(text=random_json.texts(), value=random_json.VALUES)
def test_the_standard_library_reads_the_same_and_our_value(text: str, value: Any) -> None:
    before = random_json.plain(text)
    edited = append(parse(text.encode(), STRICT, "f"), EVENT, value)
    after = random_json.plain(edited.data.decode())
    assert after["hooks"]["PreToolUse"].pop() == random_json.plain(_dumped(value))
    if not after["hooks"]["PreToolUse"] and "PreToolUse" not in before.get("hooks", {}):
        del after["hooks"]["PreToolUse"]
    if not after["hooks"] and "hooks" not in before:
        del after["hooks"]
    assert after == before


def _dumped(value: Any) -> str:
    return json.dumps(value)


@given(text=random_json.texts(comments=True))
def test_json5_reads_the_same_with_comments_and_trailing_commas(text: str) -> None:
    assume("\\ud800" not in text)
    before = json5.loads(text)
    edited = append(parse(text.encode(), LENIENT, "f"), EVENT, GROUP)
    after = json5.loads(edited.data.decode())
    assert after["hooks"]["PreToolUse"] == [*before.get("hooks", {}).get("PreToolUse", []), GROUP]


@given(text=TEXTS, choice=st.integers(0), value=random_json.VALUES)
def test_any_place_can_be_set_and_taken_out(text: str, choice: int, value: Any) -> None:
    document = parse(text.encode(), LENIENT, "f")
    paths = random_json.paths(document.value)
    assume(paths)
    path = paths[choice % len(paths)]
    if _passes_doubled_keys(document, path):
        return
    edited = set_value(document, path, value)
    assert edited.document.get(path) == parse(_dumped(value).encode(), STRICT, "f").value
    assert set_value(edited.document, path, value).data == edited.data
    assert len(remove(document, path).data) < len(text.encode())


def _passes_doubled_keys(document: Document, path: KeyPath) -> bool:
    try:
        document.get(path)
    except Refusal as refused:
        return refused.code == "json-duplicate-key"
    return False


@given(text=TEXTS, seed=st.integers(0, 2**32))
def test_damaged_texts_are_refused_or_edited_but_never_lost(text: str, seed: int) -> None:
    data, random = bytearray(text.encode()), Random(seed)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(data))
        if random.random() < 0.5:
            del data[at : at + random.randint(1, 4)]
            data = data or bytearray(b"{")
        else:
            data[at] = random.choice(b'{}[],:"\\/*\n\0a1\xff')
    broken = bytes(data)
    reasons = {finding.code for finding in find(broken, STRICT, "f")} | {"json-wrong-type"}
    try:
        edited = append(parse(broken, STRICT, "f"), EVENT, GROUP)
    except Refusal as refused:
        left, reason = broken, refused.code
    else:
        last = len(edited.document.get(EVENT)) - 1
        left = remove(edited.document, (*EVENT, last), edited.created).data
        reason = "json-wrong-type"
    assert reason in reasons
    assert left == broken


@given(st.text(alphabet='{}[],:"\\/* \n\r\t1eE+-.ntfalsru\ud800\u2028', max_size=30))
def test_the_scanner_accepts_exactly_what_the_standard_library_accepts(text: str) -> None:
    assume("\ud800" not in text)
    try:
        expected = random_json.plain(text)
    except ValueError:
        accepted = False
    else:
        accepted = True
    if not text.strip(" \t\r\n"):
        return
    if not accepted:
        with pytest.raises(Refusal):
            parse(text.encode(), STRICT, "f")
    else:
        assert _letters(parse(text.encode(), STRICT, "f").value) == expected


def _letters(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _letters(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_letters(item) for item in value]
    if isinstance(value, str | bool | None):
        return value
    return ("number", getattr(value, "lexeme", str(value)))
