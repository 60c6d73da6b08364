from __future__ import annotations

import json

import pytest

from runaway.installer.documents.json_scanner import scan
from runaway.installer.documents.json_values import value_of
from runaway.installer.documents.values import Number

DEEP = 100_000


@pytest.mark.parametrize(
    ("text", "offset", "what"),
    [
        ("{", 1, "the file ends where a key or } should follow"),
        ('{"a"', 4, "the file ends where a colon should follow"),
        ('{"a": 1', 7, "the file ends where a comma or } should follow"),
        ("[1,", 3, "the file ends where another item should follow"),
        ("// only a comment", 17, "the file ends where a value should follow"),
        ('{"a" 1}', 5, "'1' instead of a colon"),
        ("[1 2]", 3, "'2' instead of a comma or ]"),
        ("[1}", 2, "'}' instead of a comma or ]"),
        ("{]", 1, "']' instead of a key or }"),
        ("[,]", 1, "',' instead of an item or ]"),
        ("[1,,2]", 3, "',' instead of another item"),
        ("{} {}", 3, "'{' instead of the end of the file"),
        ("]", 0, "']' instead of a value"),
        ("{a: 1}", 1, "'a' instead of a key or }"),
        ("{1: 1}", 1, "'1' instead of a key or }"),
        ("[nul]", 1, "'nul' instead of an item or ]"),
        ("[True]", 1, "'True' instead of an item or ]"),
        ("[NaN]", 1, "'NaN' instead of an item or ]"),
        ("[01]", 1, "'01' instead of an item or ]"),
        ("[+1]", 1, "'+1' instead of an item or ]"),
        ("[1.]", 1, "'1.' instead of an item or ]"),
        ("[.5]", 1, "'.5' instead of an item or ]"),
        ("[0x1F]", 1, "'0x1F' instead of an item or ]"),
        ("['a']", 1, "a single quote (only double quotes count)"),
        ('["a]', 1, "a string that is not closed, holds a control character or a wrong escape"),
        ('["a\tb"]', 1, "a string that is not closed, holds a control character or a wrong escape"),
        (r'["\x"]', 1, "a string that is not closed, holds a control character or a wrong escape"),
        (
            r'["\u12"]',
            1,
            "a string that is not closed, holds a control character or a wrong escape",
        ),
        ("[1] /* a", 4, "a comment that is not closed"),
        ("{}\0\0", 2, "a NUL byte (an interrupted write leaves them)"),
        ("{\n<<<<<<< ours\n", 2, "a merge conflict marker"),
        ("{\n=======\n", 2, "a merge conflict marker"),
        ("[1\n>>>>>>> theirs\n", 3, "a merge conflict marker"),
        ("[\u00a01]", 1, r"'\xa0' instead of an item or ]"),
        ("{} // a\u2028", 7, r"'\u2028' instead of the end of the file"),
        ("# a\n{}", 0, "'#' instead of a value"),
    ],
)
def test_the_first_error_is_found_where_it_stands(text: str, offset: int, what: str) -> None:
    assert scan(text).error == (offset, what)


@pytest.mark.parametrize("blank", ["", " ", "\n\r\n\t"])
def test_a_blank_text_is_no_error(blank: str) -> None:
    assert (scan(blank).error, scan(blank).tokens) == (None, [])


def test_comments_and_trailing_commas_are_reported_and_not_in_the_way() -> None:
    text = '// one\n{"a": [1, /* two */ 2,], "b": {"//": "/*",},} // three'
    found = scan(text)
    assert [text[start:end] for start, end in found.comments] == ["// one", "/* two */", "// three"]
    assert found.trailing_commas() == [text.index(",]"), text.index(",}"), text.rindex(",}")]
    assert value_of(found.tokens) == {"a": [1, 2], "b": {"//": "/*"}}


@pytest.mark.parametrize(
    ("lexeme", "value"),
    [
        ("0", 0),
        ("-1", -1),
        ("12345678901234567", 12345678901234567),
        ("123456789012345678901", Number("123456789012345678901")),
        ("1e400", Number("1e400")),
        ("1.10", Number("1.10")),
        ("1E+2", Number("1E+2")),
        ("-0", Number("-0")),
        ("-0.0", Number("-0.0")),
        ('"1.10"', "1.10"),
        ('"\\ud800"', "\ud800"),
        ('"\\ud83d\\ude00"', "😀"),
        ('"\\u0041\\/"', "A/"),
        ('"\u2028\x7f"', "\u2028\x7f"),
        ("true", True),
        ("null", None),
        ("[]", []),
        ('{"__proto__": {}}', {"__proto__": {}}),
    ],
)
def test_values_keep_what_distinguishes_them(lexeme: str, value: object) -> None:
    read = value_of(scan(lexeme).tokens)
    assert read == value
    assert type(read) is type(value)


def test_numbers_with_other_letters_are_other_numbers() -> None:
    assert Number("1.1") != Number("1.10")
    assert Number("1.1") not in ["1.1", 1.1]
    assert float(Number("1.10")) == 1.1


def test_of_doubled_keys_the_last_one_counts_and_escapes_do_not_hide_them() -> None:
    assert value_of(scan('{"a": 1, "\\u0061": 2}').tokens) == {"a": 2}


@pytest.mark.parametrize(
    "text",
    ["[" * DEEP + "]" * DEEP, '{"a":' * DEEP + "1" + "}" * DEEP],
    ids=["arrays", "objects"],
)
def test_a_hundred_thousand_levels_are_scanned_without_recursion(text: str) -> None:
    found = scan(text)
    assert found.error is None
    assert found.root.end == len(text)
    value = value_of(found.tokens)
    for _ in range(DEEP - 1):
        value = value[0] if isinstance(value, list) else value["a"]
    assert value in ([], {"a": 1})


def test_what_is_cut_off_a_hundred_thousand_levels_deep_is_an_error() -> None:
    assert scan("[" * DEEP).error == (DEEP, "the file ends where an item or ] should follow")


def test_the_scan_agrees_with_the_standard_library() -> None:
    value = {"a": [1, 2.5, "x\n\u2028", None, True, {}], "b c": {"d": [[], [[]]]}}
    for layout in (json.dumps(value), json.dumps(value, indent=3, ensure_ascii=False)):
        assert value_of(scan(layout.replace("2.5", "25")).tokens) == json.loads(
            layout.replace("2.5", "25")
        )
