"""Properties of all edits of all TOML; the tomllib proof inside runs along with every example."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from random import Random
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from runaway.installer.documents.toml_document import Rules, append, parse, remove, set_value
from runaway.installer.documents.values import Edited, KeyPath
from runaway.installer.errors import Refusal
from tests.installer.documents.random_json import paths
from tests.installer.documents.random_toml import TEXTS

EVENT = ("hooks", "PreToolUse")
CODEX = Rules("Codex", bom=True)
GROUP = {"hooks": [{"type": "command", "command": "guard", "timeout": 10}]}
NAMES = st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
SCALARS = st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False) | NAMES
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(NAMES, inner, max_size=2),
    max_leaves=5,
)
GROUPS = st.dictionaries(NAMES, VALUES, max_size=3)
BOMS = st.sampled_from([b"", b"\xef\xbb\xbf"])


def taken_back(edited: Edited[Any], path: KeyPath) -> bytes:
    return remove(parse(edited.data, CODEX, "f"), path, edited.created).data


@given(text=TEXTS, bom=BOMS, group=st.just(GROUP) | GROUPS)
def test_removal_is_the_inverse_of_appending(text: str, bom: bytes, group: dict[str, Any]) -> None:
    data = bom + text.encode()
    edited = append(parse(data, CODEX, "f"), EVENT, group)
    groups = tomllib.loads(edited.data.decode("utf-8-sig"))["hooks"]["PreToolUse"]
    before = tomllib.loads(text).get("hooks", {}).get("PreToolUse", [])
    assert groups == [*before, group]
    assert taken_back(edited, (*EVENT, len(before))) == data


@given(text=TEXTS, value=SCALARS)
def test_removal_is_the_inverse_of_a_new_key(text: str, value: Any) -> None:
    for path in (("features", "new"), ("new",), ("hooks", "state", "k:0", "new")):
        edited = set_value(parse(text.encode(), CODEX, "f"), path, value)
        assert taken_back(edited, path) == text.encode()


@given(text=TEXTS, name=NAMES, table=GROUPS)
def test_removal_is_the_inverse_of_a_new_table(text: str, name: str, table: dict[str, Any]) -> None:
    path = ("hooks", "state", "new" + name)
    edited = set_value(parse(text.encode(), CODEX, "f"), path, table)
    assert tomllib.loads(edited.data.decode())["hooks"]["state"]["new" + name] == table
    assert taken_back(edited, path) == text.encode()


@given(text=TEXTS)
def test_several_edits_come_out_in_the_reverse_order(text: str) -> None:
    first = append(parse(text.encode(), CODEX, "f"), EVENT, GROUP)
    second = set_value(first.document, ("features", "new"), True)
    third = append(second.document, EVENT, {"matcher": "x"})
    count = len(third.document.get(EVENT))
    assert taken_back(third, (*EVENT, count - 1)) == second.data
    assert taken_back(second, ("features", "new")) == first.data
    assert taken_back(first, (*EVENT, count - 2)) == text.encode()


@given(text=TEXTS)
def test_an_entry_comes_out_from_between_those_of_others(text: str) -> None:
    ours = append(parse(text.encode(), CODEX, "f"), EVENT, GROUP)
    theirs = append(ours.document, EVENT, {"matcher": "theirs"})
    index = len(theirs.document.get(EVENT)) - 2
    left = remove(theirs.document, (*EVENT, index), ours.created)
    alone = append(parse(text.encode(), CODEX, "f"), EVENT, {"matcher": "theirs"})
    assert left.document.value == alone.document.value


@given(text=TEXTS, choice=st.integers(0), value=VALUES)
def test_any_place_is_set_and_taken_out_or_refused(text: str, choice: int, value: Any) -> None:
    document = parse(text.encode(), CODEX, "f")
    found = paths(document.value)
    assume(found)
    path = found[choice % len(found)]
    for edited in (
        _or_unproven(set_value, document, path, value),
        _or_unproven(remove, document, path),
    ):
        assert edited is None or tomllib.loads(edited.data.decode()) is not None


def _or_unproven(edit: Callable[..., Edited[Any]], *arguments: Any) -> Edited[Any] | None:
    try:
        return edit(*arguments)
    except Refusal as refused:
        if refused.code != "toml-unproven":
            raise
        return None


@given(text=TEXTS, seed=st.integers(0, 2**32))
def test_damaged_texts_are_refused_or_edited_but_never_lost(text: str, seed: int) -> None:
    random, data = Random(seed), bytearray(text.encode() or b"a = 1")
    for _ in range(random.randint(1, 3)):
        data[random.randrange(len(data))] = random.choice(b"[]{}=.,\"'#\n\\ a1\r\xff")
    try:
        edited = append(parse(bytes(data), CODEX, "f"), EVENT, GROUP)
    except Refusal as refused:
        code = refused.code
    else:
        code = ""
        last = len(edited.document.get(EVENT)) - 1
        assert taken_back(edited, (*EVENT, last)) == bytes(data)
    assert code in ("", "toml-syntax", "not-utf8", "toml-wrong-type")
