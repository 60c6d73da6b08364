"""Tables of inputs that stay untouched, of inputs before and after, and the way back."""

from __future__ import annotations

import pytest

from runaway.installer.documents import json_document as json_documents
from runaway.installer.documents.json_document import Rules, append, parse, remove, set_value
from runaway.installer.documents.values import Created, Number, VerificationError
from runaway.installer.errors import Refusal

EVENT = ("hooks", "PreToolUse")
STRICT = Rules("Claude Code", bom=True, utf16=True)
STRICTEST = Rules("Codex", empty_file=False, effect="rejects this whole file")
LENIENT = Rules("OpenCode", comments=True, trailing_commas=True)
HANDLER = {"type": "command", "command": "guard", "timeout": 10}
GROUP = {"hooks": [HANDLER]}
ONE_LINE = '{"hooks": [{"type": "command", "command": "guard", "timeout": 10}]}'
MINIFIED = '{"hooks":[{"type":"command","command":"guard","timeout":10}]}'

REFUSED_ON_READING = [
    (b'{ // my note\n "theme":"dark" }', STRICT, "json-comment", "comment at 1:3"),
    (b'{\n  "a": 1 /* b */\n}', STRICT, "json-comment", "comment at 2:10"),
    (b'{\n  "a": [1,]\n}', STRICT, "json-trailing-comma", "trailing comma at 2:10"),
    (b'{"a": 1,\n}', STRICT, "json-trailing-comma", "trailing comma at 1:8"),
    (b'{"a": 1, // b\n}', STRICT, "json-trailing-comma", "trailing comma at 1:8"),
    (b"\xef\xbb\xbf{}", STRICTEST, "json-bom", "a byte order mark at 1:1"),
    (
        b'{\n  "a": 1\n',
        STRICT,
        "json-syntax",
        "the file ends where a comma or } should follow at 3:1",
    ),
    (b"{\r\n  'a': 1\r\n}", STRICT, "json-syntax", "only double quotes count) at 2:3"),
    (b'{"a": 1}\n{"b": 2}', STRICT, "json-syntax", "'{' instead of the end of the file at 2:1"),
    (
        b'{"a": 1}\0\0',
        STRICT,
        "json-syntax",
        "a NUL byte (an interrupted write leaves them) at 1:9",
    ),
    (b'{\n<<<<<<< HEAD\n"a": 1\n', STRICT, "json-syntax", "a merge conflict marker at 2:1"),
    (b'{"a": Infinity}', STRICT, "json-syntax", "'Infinity' instead of the member's value at 1:7"),
    (
        b"// nothing else",
        LENIENT,
        "json-syntax",
        "the file ends where a value should follow at 1:16",
    ),
    (b'{"a": "\xe9"}', STRICT, "not-utf8", "byte 0xe9 at offset 7"),
    (b"\xff\xfe{\x00}\x00", STRICTEST, "not-utf8", "is UTF-16"),
    (b"\xfe\xff\x00{\x00}", STRICT, "not-utf8", "is UTF-16"),
    (b" " * (16 * 1024 * 1024) + b"{}", STRICT, "too-large", "over 16 MB"),
]
REFUSED_ON_EDITING = [
    (
        b"[]",
        "json-wrong-type",
        "the top level at 1:1 is an array, where Claude Code expects an object",
    ),
    (b"null", "json-wrong-type", "the top level at 1:1 is null"),
    (b"\n 42", "json-wrong-type", "the top level at 2:2 is a number"),
    (b'"text"', "json-wrong-type", "the top level at 1:1 is a string"),
    (b'{"hooks": []}', "json-wrong-type", "hooks at 1:11 is an array"),
    (b'{"hooks": null}', "json-wrong-type", "hooks at 1:11 is null"),
    (b'{\n  "hooks": 1.5\n}', "json-wrong-type", "hooks at 2:12 is a number"),
    (b'{"hooks": true}', "json-wrong-type", "hooks at 1:11 is true"),
    (b'{"hooks": {"PreToolUse": {}}}', "json-wrong-type", "hooks.PreToolUse at 1:26 is an object"),
    (b'{"hooks": {"PreToolUse": null}}', "json-wrong-type", "hooks.PreToolUse at 1:26 is null"),
    (b'{"hooks": {"PreToolUse": "x"}}', "json-wrong-type", "hooks.PreToolUse at 1:26 is a string"),
    (
        b'{"hooks": {},\n "hooks": {}}',
        "json-duplicate-key",
        "the key 'hooks' at 2:2 stands already at 1:2; Claude Code uses at most one of them",
    ),
    (
        b'{"hooks": {"PreToolUse": [],\n"PreTool\\u0055se": []}}',
        "json-duplicate-key",
        "the key 'PreToolUse' at 2:1 stands already at 1:12",
    ),
]


@pytest.mark.parametrize(("data", "rules", "code", "what"), REFUSED_ON_READING)
def test_what_the_harness_would_reject_is_refused(
    data: bytes, rules: Rules, code: str, what: str
) -> None:
    with pytest.raises(Refusal) as caught:
        parse(data, rules, "settings.json")
    assert caught.value.code == code
    assert caught.value.text.startswith("settings.json")
    assert what in caught.value.text
    assert caught.value.fix


def test_a_refusal_says_what_the_harness_makes_of_the_file() -> None:
    with pytest.raises(Refusal) as caught:
        parse(b'{\n  "a": 1,\n    // b\n}', STRICT, "~/.claude/settings.json")
    assert caught.value.text == (
        "~/.claude/settings.json: Claude Code ignores this whole file: trailing comma at 2:9"
    )
    with pytest.raises(Refusal) as caught:
        parse(b"{\n    // b\n}", STRICTEST, "hooks.json")
    assert caught.value.text == "hooks.json: Codex rejects this whole file: comment at 2:5"


@pytest.mark.parametrize(("data", "code", "what"), REFUSED_ON_EDITING)
def test_wrong_types_and_doubled_keys_on_the_path_are_refused(
    data: bytes, code: str, what: str
) -> None:
    document = parse(data, STRICT, "settings.json")
    with pytest.raises(Refusal) as caught:
        append(document, EVENT, GROUP)
    assert caught.value.code == code
    assert what in caught.value.text
    assert caught.value.fix


def test_doubled_keys_elsewhere_are_left_alone() -> None:
    data = b'{"env": 1, "env": 2, "hooks": {"Stop": [], "Stop": []}}'
    edited = append(parse(data, STRICT, "f"), EVENT, GROUP)
    assert edited.data.startswith(data[:-2])
    assert edited.document.get(EVENT) == [GROUP]


def test_doubled_keys_are_refused_where_they_are_asked_for() -> None:
    document = parse(b'{"a": 1, "a": 2}', STRICT, "f")
    with pytest.raises(Refusal):
        document.get(("a",))
    assert document.value == {"a": 2}


def test_findings_list_everything_without_raising() -> None:
    data = b'\xef\xbb\xbf{ // one\n "a": 1, "a": [2,], /* two */\n}'
    found = json_documents.findings(data, STRICTEST, "f")
    assert [(one.code, one.line, one.column) for one in found] == [
        ("json-bom", 1, 1),
        ("json-comment", 1, 3),
        ("json-trailing-comma", 2, 17),
        ("json-trailing-comma", 2, 19),
        ("json-comment", 2, 21),
        ("json-duplicate-key", 2, 10),
    ]
    assert found[1].sentence == "Codex rejects this whole file: comment at 1:3"
    assert json_documents.findings(b"{}", STRICTEST, "f") == ()
    assert [one.code for one in json_documents.findings(b" ", STRICTEST, "f")] == ["json-empty"]
    assert json_documents.findings(b" ", STRICT, "f") == ()
    assert [one.code for one in json_documents.findings(b"\xff", STRICT, "f")] == ["not-utf8"]
    assert [one.code for one in json_documents.findings(b"// a\n{", STRICT, "f")] == [
        "json-comment",
        "json-syntax",
    ]


def test_findings_end_after_a_hundred() -> None:
    assert len(json_documents.findings(b"// a\n" * 500 + b"{}", STRICT, "f")) == 100


PRETTY_GROUP = """\
{
        "hooks": [
          {
            "type": "command",
            "command": "guard",
            "timeout": 10
          }
        ]
      }"""
PRETTY_HOOKS = f"""\
"hooks": {{
    "PreToolUse": [
      {PRETTY_GROUP}
    ]
  }}"""
NORMAL_FORM = f"{{\n  {PRETTY_HOOKS}\n}}"


def tabbed(text: str) -> str:
    return "\n".join(
        "\t" * ((len(line) - len(line.lstrip(" "))) // 2) + line.lstrip(" ")
        for line in text.split("\n")
    )


BEFORE_AFTER = {
    "empty file": ("", NORMAL_FORM + "\n"),
    "blank file": (" \n\n", NORMAL_FORM + "\n"),
    "blank file with CRLF": ("\r\n", (NORMAL_FORM + "\n").replace("\n", "\r\n")),
    "empty object": ("{}", NORMAL_FORM),
    "empty object and line end": ("{}\n", NORMAL_FORM + "\n"),
    "spaced empty object": ("{ }\n", NORMAL_FORM + "\n"),
    "empty object on two lines": ("{\n}\n", NORMAL_FORM + "\n"),
    "pretty": ('{\n  "a": 1\n}\n', f'{{\n  "a": 1,\n  {PRETTY_HOOKS}\n}}\n'),
    "no final line end": ('{\n  "a": 1\n}', f'{{\n  "a": 1,\n  {PRETTY_HOOKS}\n}}'),
    "blank lines": ('\n{\n\n  "a": 1\n\n}\n\n', f'\n{{\n\n  "a": 1,\n  {PRETTY_HOOKS}\n\n}}\n\n'),
    "four spaces": (
        '{\n    "z": "a — b",\n    "a": []\n}',
        '{\n    "z": "a — b",\n    "a": [],\n    ' + PRETTY_HOOKS.replace("  ", "    ") + "\n}",
    ),
    "tabs": ('{\n\t"a": 1\n}\n', tabbed(f'{{\n  "a": 1,\n  {PRETTY_HOOKS}\n}}\n')),
    "CRLF": (
        '{\r\n  "a": 1\r\n}\r\n',
        f'{{\n  "a": 1,\n  {PRETTY_HOOKS}\n}}\n'.replace("\n", "\r\n"),
    ),
    "old Mac line ends": (
        '{\r  "a": 1\r}\r',
        f'{{\n  "a": 1,\n  {PRETTY_HOOKS}\n}}\n'.replace("\n", "\r"),
    ),
    "CRLF in this place only": (
        '{\n  "b": 0,\r\n  "a": 1\n}\n',
        '{\n  "b": 0,\r\n  "a": 1,\r\n  ' + PRETTY_HOOKS.replace("\n", "\r\n") + "\n}\n",
    ),
    "minified": ('{"a":1}', f'{{"a":1,"hooks":{{"PreToolUse":[{MINIFIED}]}}}}'),
    "one line": ('{"a": 1}', f'{{"a": 1, "hooks": {{"PreToolUse": [{ONE_LINE}]}}}}'),
    "one line with pads": (
        '{ "a": 1 }\n',
        (
            '{ "a": 1, "hooks": { "PreToolUse": [{ "hooks": [{ "type": "command",'
            ' "command": "guard", "timeout": 10 }] }] } }\n'
        ),
    ),
    "blanks around the colon": (
        '{"a" : 1}',
        f'{{"a" : 1, "hooks" : {{"PreToolUse" : [{ONE_LINE.replace(":", " :")}]}}}}',
    ),
    "empty event on one line": (
        '{"hooks":{"PreToolUse":[]}}',
        f'{{"hooks":{{"PreToolUse":[{MINIFIED}]}}}}',
    ),
    "empty event": (
        '{\n  "hooks": {\n    "PreToolUse": [ ]\n  }\n}\n',
        NORMAL_FORM + "\n",
    ),
    "empty hooks": ('{\n  "hooks": {}\n}\n', NORMAL_FORM + "\n"),
    "other event": (
        '{\n  "hooks": {\n    "Stop": []\n  }\n}\n',
        '{\n  "hooks": {\n    "Stop": [],\n    "PreToolUse": [\n      '
        + PRETTY_GROUP
        + "\n    ]\n  }\n}\n",
    ),
    "brackets on lines of their own": (
        '{\n  "hooks":\n  {\n    "Stop": []\n  }\n}\n',
        '{\n  "hooks":\n  {\n    "Stop": [],\n    "PreToolUse": [\n      '
        + PRETTY_GROUP
        + "\n    ]\n  }\n}\n",
    ),
    "sibling group on several lines": (
        (
            '{"hooks": {\n  "PreToolUse": [\n    {\n      "hooks": [\n'
            '        { "type": "command", "command": "x" }\n      ]\n    }\n  ]\n}}'
        ),
        (
            '{"hooks": {\n  "PreToolUse": [\n    {\n      "hooks": [\n'
            '        { "type": "command", "command": "x" }\n      ]\n    },\n    {\n      "hooks": [\n'
            '        { "type": "command", "command": "guard", "timeout": 10 }\n      ]\n    }\n  ]\n}}'
        ),
    ),
    "sibling groups on one line each": (
        (
            '{\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "A", "hooks": []},\n'
            '      {"matcher": "B", "hooks": []}\n    ]\n  }\n}'
        ),
        '{\n  "hooks": {\n    "PreToolUse": [\n      {"matcher": "A", "hooks": []},\n'
        '      {"matcher": "B", "hooks": []},\n      ' + ONE_LINE + "\n    ]\n  }\n}",
    ),
    "sibling group that shares its bracket's line": (
        '{\n  "hooks": {\n    "PreToolUse": [{\n      "matcher": "A"\n    }]\n  }\n}',
        (
            '{\n  "hooks": {\n    "PreToolUse": [{\n      "matcher": "A"\n    }, {\n      "hooks": [\n'
            '        {\n          "type": "command",\n          "command": "guard",\n'
            '          "timeout": 10\n        }\n      ]\n    }]\n  }\n}'
        ),
    ),
    "numbers, escapes and separators": (
        '{"n": [1e400, 12345678901234567890, 1.10, 1E+2, -0.0],\n "s": "\\ud800 \\u00e9\\/ \u2028"}',
        (
            '{"n": [1e400, 12345678901234567890, 1.10, 1E+2, -0.0],\n "s": "\\ud800 \\u00e9\\/ \u2028",\n'
            ' "hooks": {\n  "PreToolUse": [\n   {\n    "hooks": [\n     {\n      "type": "command",\n'
            '      "command": "guard",\n      "timeout": 10\n     }\n    ]\n   }\n  ]\n }}'
        ),
    ),
    "keys of JavaScript": (
        '{"__proto__":{"x":1},"constructor":0}',
        f'{{"__proto__":{{"x":1}},"constructor":0,"hooks":{{"PreToolUse":[{MINIFIED}]}}}}',
    ),
}
BEFORE_AFTER_WITH_COMMENTS = {
    "comments": (
        '{ // note\n  "theme": "dark" // dark\n  // end\n}',
        f'{{ // note\n  "theme": "dark", // dark\n  // end\n  {PRETTY_HOOKS}\n}}',
    ),
    "comment with blanks behind it": (
        '{\n  "a": 1 // b  \n}',
        f'{{\n  "a": 1, // b  \n  {PRETTY_HOOKS}\n}}',
    ),
    "trailing comma": ('{\n  "a": 1,\n}\n', f'{{\n  "a": 1,\n  {PRETTY_HOOKS},\n}}\n'),
    "trailing comma and comment": (
        '{\n  "a": 1, // b\n}\n',
        f'{{\n  "a": 1, // b\n  {PRETTY_HOOKS},\n}}\n',
    ),
    "comma on the next line": (
        '{\n  "a": 1 // b\n  , "c": 2 /* d */}',
        '{\n  "a": 1 // b\n  , "c": 2, /* d */ "hooks": {"PreToolUse": [' + ONE_LINE + "]}}",
    ),
    "comment in an empty object": ("{ // c\n}", f"{{ // c\n  {PRETTY_HOOKS}\n}}"),
    "comment in an empty array": (
        '{"hooks": {"PreToolUse": [ // c\n]}}',
        '{"hooks": {"PreToolUse": [ // c\n  ' + PRETTY_GROUP.replace("\n    ", "\n") + "\n]}}",
    ),
    "line comment on the last line of one-line items": (
        '{"hooks": {"PreToolUse": [1 // c\n]}}',
        '{"hooks": {"PreToolUse": [1, // c\n' + ONE_LINE + "\n]}}",
    ),
    "trailing commas of a sibling": (
        (
            '{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "A",\n      },\n'
            "    ],\n  },\n}\n"
        ),
        (
            '{\n  "hooks": {\n    "PreToolUse": [\n      {\n        "matcher": "A",\n      },\n      {\n'
            '        "hooks": [\n          {\n            "type": "command",\n'
            '            "command": "guard",\n            "timeout": 10\n          }\n        ],\n'
            "      },\n    ],\n  },\n}\n"
        ),
    ),
}
ALL_CASES = [
    *(pytest.param(*case, STRICT, id=name) for name, case in BEFORE_AFTER.items()),
    *(pytest.param(*case, LENIENT, id=name) for name, case in BEFORE_AFTER_WITH_COMMENTS.items()),
]


@pytest.mark.parametrize(("before", "after", "rules"), ALL_CASES)
def test_a_group_is_appended_in_the_style_around_it(before: str, after: str, rules: Rules) -> None:
    edited = append(parse(before.encode(), rules, "f"), EVENT, GROUP)
    assert edited.data.decode() == after
    assert edited.document.get(EVENT)[-1] == GROUP


@pytest.mark.parametrize(("before", "after", "rules"), ALL_CASES)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_removing_what_was_appended_gives_the_original_bytes(
    before: str, after: str, rules: Rules, encoding: str
) -> None:
    data = (
        b"\xff\xfe" + before.encode("utf-16-le")
        if encoding == "utf-16"
        else before.encode(encoding)
    )
    rules = rules._replace(bom=True, utf16=True)
    edited = append(parse(data, rules, "f"), EVENT, GROUP)
    start, end, replacement = edited.splice
    assert edited.data == data[:start] + replacement + data[end:]
    later = parse(edited.data, rules, "f")
    last = len(later.get(EVENT)) - 1
    assert remove(later, (*EVENT, last), edited.created).data == data


@pytest.mark.parametrize(("before", "after", "rules"), ALL_CASES)
def test_other_edits_in_between_survive_the_removal(before: str, after: str, rules: Rules) -> None:
    edited = append(parse(before.encode(), rules, "f"), EVENT, GROUP)
    other = set_value(edited.document, ("model",), "opus")
    ours = (*EVENT, len(other.document.get(EVENT)) - 1)
    removed = remove(other.document, ours, edited.created)
    assert removed.document.get(("model",)) == "opus"
    if before.strip() in ("", "{}", "{ }", "{\n}", "{ // c\n}"):
        assert removed.document.get(("hooks",)) is None
    elif not before.endswith("[ // c\n]}}"):
        assert (
            removed.data == set_value(parse(before.encode(), rules, "f"), ("model",), "opus").data
        )


def test_a_blank_file_can_be_edited_even_if_its_reader_rejects_it_as_it_is() -> None:
    edited = append(parse(b"", STRICTEST, "f"), EVENT, GROUP)
    assert edited.data.decode() == NORMAL_FORM + "\n"
    assert remove(edited.document, (*EVENT, 0), edited.created).data == b""


def test_created_names_what_was_missing_and_what_was_empty() -> None:
    edited = append(parse(b'{"hooks": { }}', STRICT, "f"), EVENT, GROUP)
    assert edited.created == (Created(("hooks",), "{ }"), Created(EVENT))
    assert append(parse(b'{"hooks": {"PreToolUse": [1]}}', STRICT, "f"), EVENT, 2).created == ()


def test_a_container_of_the_user_stays_when_it_is_empty_again() -> None:
    document = parse(b'{"hooks": {"PreToolUse": [ 1 ]}}', STRICT, "f")
    assert remove(document, (*EVENT, 0)).data == b'{"hooks": {"PreToolUse": []}}'


def test_a_created_container_stays_while_others_use_it() -> None:
    first = append(parse(b'{"a": 1}', STRICT, "f"), EVENT, 1)
    second = append(first.document, ("hooks", "Stop"), 2)
    assert (
        remove(second.document, (*EVENT, 0), first.created).data
        == b'{"a": 1, "hooks": {"Stop": [2]}}'
    )


def test_a_comment_in_a_created_container_keeps_it() -> None:
    first = append(parse(b'{"a": 1}', LENIENT, "f"), EVENT, 1)
    commented = first.data.replace(b"[1]", b"[/* mine */ 1]")
    removed = remove(parse(commented, LENIENT, "f"), (*EVENT, 0), first.created)
    assert removed.data == b'{"a": 1, "hooks": {"PreToolUse": [/* mine */]}}'


@pytest.mark.parametrize(
    ("before", "index", "after"),
    [
        ("[1, 2, 3]", 2, "[1, 2]"),
        ("[1, 2, 3]", 1, "[1, 3]"),
        ("[1, 2, 3]", 0, "[2, 3]"),
        ("[\n  1,\n  2,\n  3\n]", 1, "[\n  1,\n  3\n]"),
        ("[\n  1,\n  2\n]", 0, "[\n  2\n]"),
        ("[1, 2,]", 1, "[1,]"),
        ("[\n  1, // a\n  2, // b\n  3 // c\n]", 1, "[\n  1, // a\n   // b\n  3 // c\n]"),
        ("[\n  1, // a\n  2 // b\n]", 1, "[\n  1 // a\n   // b\n]"),
        ("[1 // a\n, 2, 3]", 1, "[1 // a\n, 3]"),
        ("[1, // a\n2, 3]", 1, "[1, // a\n 3]"),
        ("[1, // a\n2]", 1, "[1 // a\n]"),
        ("[1 /* a */, 2 /* b */, 3]", 1, "[1 /* a */, /* b */ 3]"),
        ("[// a\n1, /* b */ 2]", 0, "[// a\n /* b */ 2]"),
    ],
)
def test_removal_takes_one_comma_and_no_comment(before: str, index: int, after: str) -> None:
    removed = remove(parse(before.encode(), LENIENT, "f"), (index,))
    assert removed.data.decode() == after


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ('{"a": 1}', ("a",), 2, '{"a": 2}'),
        ('{"a": 1}', ("b",), {"c": []}, '{"a": 1, "b": {"c": []}}'),
        ('{"a":1}', ("b", "c", "d"), True, '{"a":1,"b":{"c":{"d":true}}}'),
        ("", ("version",), 1, '{\n  "version": 1\n}\n'),
        ('{"a": [1, 2, 3]}', ("a", 1), "x", '{"a": [1, "x", 3]}'),
        (
            '{"h": [ {"command": "old",\n "timeout" : 1.10} ]}',
            ("h", 0),
            {"command": "new", "timeout": Number("1.10")},
            '{"h": [ {"command": "new",\n "timeout" : 1.10} ]}',
        ),
        (
            '{\n  "h": {\n    "a": 1\n  }\n}',
            ("h",),
            {"a": 1, "b": [2]},
            '{\n  "h": {\n    "a": 1,\n    "b": [\n      2\n    ]\n  }\n}',
        ),
        ('{"a": {"b": 1}}', ("a",), {"c": 1}, '{"a": {"c": 1}}'),
        ('{"a": {"b": 1}}', ("a",), {"b": 1}, '{"a": {"b": 1}}'),
        ('{\n  "a": 1\n}', ("a",), {"b": 1}, '{\n  "a": {\n    "b": 1\n  }\n}'),
    ],
)
def test_values_are_set_in_place_with_the_least_change(
    before: str, path: tuple[str | int, ...], value: object, after: str
) -> None:
    edited = set_value(parse(before.encode(), STRICT, "f"), path, value)
    assert edited.data.decode() == after


def test_setting_what_is_there_changes_no_byte() -> None:
    data = b'{ "a" :[ 1,{"b":"\\u0041"} ] }'
    edited = set_value(parse(data, STRICT, "f"), ("a",), [1, {"b": "A"}])
    assert (edited.data, edited.splice) == (data, (0, 0, b""))


@pytest.mark.parametrize("path", [("b",), ("a", 1), ("a", -1), ("a", "b"), ("a", 0, "b")])
def test_what_is_not_there_can_be_neither_replaced_nor_removed(path: tuple[str | int, ...]) -> None:
    document = parse(b'{"a": [1]}', STRICT, "f")
    with pytest.raises(Refusal) as on_replacing:
        json_documents.replace(document, path, 1)
    with pytest.raises(Refusal) as on_removing:
        remove(document, path)
    codes = {on_replacing.value.code, on_removing.value.code}
    assert codes == {"json-missing"}


def test_an_item_that_is_not_there_is_appended_and_not_set() -> None:
    with pytest.raises(Refusal) as caught:
        set_value(parse(b'{"a": []}', STRICT, "f"), ("a", 0), 1)
    assert caught.value.text == "f has nothing at a[0]"


def test_values_are_read_by_path() -> None:
    document = parse(b'{"a": [1, {"b": null}], "n": 1.0}', STRICT, "f")
    assert document.get(("a", 1)) == {"b": None}
    assert document.get(("a", 1, "b"), 7) is None
    assert document.get(("a", 2), 7) == 7
    assert document.get(("a", "b")) is None
    assert document.get(()) == document.value
    assert document.get(("n",)) == Number("1.0")
    assert parse(b" ", STRICT, "f").get(("a",), 7) == 7
    assert parse(b" ", STRICT, "f").value == parse(b"", STRICT, "f").get(()) == {}


def test_places_are_those_of_values_or_of_the_last_container_on_the_way() -> None:
    document = parse(b'{\n  "a": [1,\n 2]\n}', STRICT, "f")
    assert str(document.place(("a", 1))) == "3:2"
    assert str(document.place(("a", 2))) == "2:8"
    assert str(parse(b"\n", STRICT, "f").place(("a",))) == "1:1"


def test_a_hundred_thousand_levels_elsewhere_do_not_hinder_an_edit() -> None:
    data = b'{"deep":' + b"[" * 100_000 + b"]" * 100_000 + b"}"
    edited = append(parse(data, STRICT, "f"), EVENT, GROUP)
    assert edited.data.startswith(data[:-1] + b',"hooks"')
    assert remove(edited.document, (*EVENT, 0), edited.created).data == data


def test_a_file_of_just_16_megabytes_can_still_be_edited() -> None:
    data = b'{"a":"' + b"x" * (16 * 1024 * 1024 - 8) + b'"}'
    edited = append(parse(data, STRICT, "f"), EVENT, GROUP)
    assert remove(edited.document, (*EVENT, 0), edited.created).data == data


def test_the_snippet_is_a_whole_file_in_the_normal_form() -> None:
    assert json_documents.snippet(EVENT, GROUP) == NORMAL_FORM + "\n"


def test_a_wrong_edit_fails_its_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    document = parse(b'{"a": 1}', STRICT, "f")
    for wrong in ('"x":2', '"x"', "/* x */"):
        monkeypatch.setattr(json_documents, "member_text", lambda *_, wrong=wrong: wrong)
        with pytest.raises(VerificationError):
            append(document, EVENT, GROUP)
