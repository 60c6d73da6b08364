"""The C scanner and encoder, used directly, do what the module json does."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runaway.guard import fastjson
from runaway.guard.fastjson import decode, dumps, loads

TEXT = st.text(st.characters(codec=None))  # lone surrogates too
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXT,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(TEXT, inner, max_size=5),
    max_leaves=30,
)
# Near-JSON: what a document is made of, in any order.
NEARLY = st.lists(
    st.sampled_from(
        ["{", "}", "[", "]", ",", ":", '"a"', '"', "\\", "\\u0041", "\\ud83d", "1", "-", "0.5", "1e9",
         "01", "NaN", "Infinity", "-Infinity", "true", "null", "nul", " ", "\t", "\r\n", "\x0b", "\xa0",
         "\ufeff", "\x00", "\u2028", "'a'", "//", "é"]
    ),
    max_size=12,
).map("".join)  # fmt: skip


def outcome(parse: Any, text: str) -> Any:
    """The value, or the class of failure; NaN is told by its name."""
    try:
        value = parse(text)
    except ValueError:
        return "refused"
    except RecursionError:
        return "too deep"
    return repr(value)


def standard(text: str) -> Any:
    return json.loads(text, strict=False)


@pytest.mark.hypothesis
@given(VALUES)
def test_what_is_written_is_what_json_would_write(value: Any) -> None:
    assert dumps(value) == json.dumps(value, sort_keys=True, separators=(",", ":"))
    assert loads(dumps(value)) == value


@pytest.mark.hypothesis
@given(VALUES, st.sampled_from([None, 1, "\t"]), st.booleans())
def test_what_is_read_is_what_json_would_read(value: Any, indent: Any, ascii_only: bool) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
    assert loads(text) == standard(text)


@pytest.mark.hypothesis
@given(NEARLY)
def test_near_json_is_read_or_refused_as_json_does(text: str) -> None:
    expected = "refused" if text.startswith("\ufeff") else outcome(standard, text)
    assert outcome(loads, text) == expected


@pytest.mark.parametrize(
    "text",
    ["", " ", "1 2", "[1] x", "[1]\x0b", '{"a":1}}', "\ufeff{}", '{"a":1,"a":2}', '"\n\t\x00"',
     " \t\r\n7\n", "1" * 5000, "[" * 99_999, '{"a":' * 99_999, "1e999", "-0",
     '"\\ud83d\\ude00"', '"\\ud83d"', "NaN"],
)  # fmt: skip
def test_edges_are_those_of_json(text: str) -> None:
    assert outcome(loads, text) == outcome(standard, text)


def test_what_json_cannot_write_is_refused_alike() -> None:
    for value in (object(), b"x", {1, 2}):
        with pytest.raises(TypeError):
            dumps(value)
    assert dumps([math.nan, math.inf]) == "[NaN,Infinity]"


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"{}", "{}"),
        (b"\xef\xbb\xbf{}", "{}"),
        (b"\xff", "\udcff"),
        ("é\u2028".encode(), "é\u2028"),
        (b"", ""),
    ],
)
def test_bytes_become_text_without_a_mark_and_without_failing(data: bytes, text: str) -> None:
    assert decode(data) == text


@pytest.mark.parametrize("value", [{"b": [1, None, "é\ud83d"], "a": 1.5}, [], "x"])
def test_without_the_c_parts_the_module_json_does_it(
    monkeypatch: pytest.MonkeyPatch, value: Any
) -> None:
    text = dumps(value)
    monkeypatch.setattr(fastjson, "_scan", None)
    monkeypatch.setattr(fastjson, "_encode", None)
    assert dumps(value) == text
    assert loads(text) == value
    with pytest.raises(ValueError, match="Expecting"):
        loads("nonsense")
