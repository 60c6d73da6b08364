"""Tables of TOML that stays untouched, of TOML before and after, and the way back."""

from __future__ import annotations

import tomllib
from datetime import date

import pytest
import tomlkit

from runaway.installer.documents import toml_document as toml_documents
from runaway.installer.documents.toml_document import Rules, append, parse, remove, set_value
from runaway.installer.documents.values import Created, KeyPath, Number
from runaway.installer.errors import Refusal

EVENT = ("hooks", "PreToolUse")
FEATURE = ("features", "hooks")
STATE = ("hooks", "state", "/home/u/.codex/hooks.json:pre_tool_use:0:0")
CODEX = Rules("Codex", bom=True)
GROUP = {"hooks": [{"type": "command", "command": 'sh "x" \\ é', "timeout": 10}]}
BLOCK = """\
[[hooks.PreToolUse]]
[[hooks.PreToolUse.hooks]]
type = "command"
command = "sh \\"x\\" \\\\ é"
timeout = 10"""
INLINE = r'{ hooks = [{ type = "command", command = "sh \"x\" \\ é", timeout = 10 }] }'

REFUSED_ON_READING = [
    (b"a = \n", "toml-syntax", "not TOML 1.0 at 1:5 (Invalid value)"),
    (b"a = 1\nb\n", "toml-syntax", "not TOML 1.0 at 2:2"),
    (b'a = "x', "toml-syntax", "not TOML 1.0 at 1:7"),
    (b"[a]\n[a]\n", "toml-syntax", "not TOML 1.0 at 2:3"),
    (b"a = 1\ra = 2\n", "toml-syntax", "not TOML 1.0 at 1:6"),
    (b"a = { b = 1,\n c = 2 }\n", "toml-syntax", "so no edit of it can be proven right"),
    (b"a = " + b"[" * 5000 + b"]" * 5000, "toml-syntax", "nested too deeply"),
    (b'a = "\xff"', "not-utf8", "byte 0xff at offset 5"),
    (b" " * (16 * 1024 * 1024 + 1), "too-large", "over 16 MB"),
]
REFUSED_ON_EDITING = [
    ("hooks = 1\n", "toml-wrong-type", "hooks at 1:1 is a single value"),
    (
        'a = 1\nhooks = "x"\n',
        "toml-wrong-type",
        "hooks at 2:1 is a string, where Codex expects a table",
    ),
    ("hooks = []\n", "toml-wrong-type", "hooks at 1:1 is an array"),
    ("[[hooks]]\n", "toml-wrong-type", "hooks at 1:1 is an array"),
    ("[hooks]\n PreToolUse = {}\n", "toml-wrong-type", "hooks.PreToolUse at 2:2 is a table"),
    ("[hooks.PreToolUse]\n", "toml-wrong-type", "hooks.PreToolUse at 1:1 is a table"),
    ("hooks = { PreToolUse = 3 }\n", "toml-wrong-type", "hooks.PreToolUse is a single value"),
    ("hooks.PreToolUse = true\n", "toml-wrong-type", "where Codex expects an array"),
]


@pytest.mark.parametrize(("data", "code", "what"), REFUSED_ON_READING)
def test_what_tomllib_cannot_read_is_refused_and_not_called_broken(
    data: bytes, code: str, what: str
) -> None:
    with pytest.raises(Refusal) as caught:
        parse(data, CODEX, "config.toml")
    assert caught.value.code == code
    assert what in caught.value.text
    assert "broken" not in caught.value.text
    assert [finding.code for finding in toml_documents.findings(data, CODEX, "f")] == [code]


def test_a_newer_form_of_toml_is_refused_with_the_lines_to_paste() -> None:
    data = b"features = {\n  web = true,\n}\n"
    with pytest.raises(Refusal) as caught:
        parse(data, CODEX, "config.toml", toml_documents.snippet(EVENT, GROUP))
    assert caught.value.text.startswith("config.toml: not TOML 1.0 at 1:13 (")
    assert caught.value.fix == f"Put this in by hand:\n{BLOCK}\n"


def test_a_byte_order_mark_is_refused_where_the_reader_rejects_it() -> None:
    with pytest.raises(Refusal) as caught:
        parse(b"\xef\xbb\xbfa = 1", Rules("Codex"), "config.toml")
    assert caught.value.text == (
        "config.toml: Codex does not start with this file: a byte order mark at 1:1"
    )
    assert toml_documents.findings(b"a = 1", CODEX, "f") == ()


@pytest.mark.parametrize(("text", "code", "what"), REFUSED_ON_EDITING)
def test_wrong_types_on_the_path_are_refused(text: str, code: str, what: str) -> None:
    with pytest.raises(Refusal) as caught:
        append(parse(text.encode(), CODEX, "config.toml"), EVENT, GROUP)
    assert caught.value.code == code
    assert what in caught.value.text


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("[hooks]\n", EVENT, "not a table"),
        ("[[hooks.PreToolUse]]\nx.y = 1\n", (*EVENT, 0, "x", "list"), {"a": None}),
        ("[hooks]\n", EVENT, {"command": "\udcff"}),
    ],
)
def test_what_cannot_be_proven_is_refused_with_the_lines_to_paste(
    text: str, path: tuple[str | int, ...], value: object
) -> None:
    document = parse(text.encode(), CODEX, "config.toml")
    with pytest.raises(Refusal) as caught:
        append(document, path, value)
    assert caught.value.code == "toml-unproven"
    assert "Put this in by hand:\n" in caught.value.fix


APPENDED = {
    "empty": ("", f"{BLOCK}\n"),
    "blank": (" \n\n", f"{BLOCK}\n"),
    "comment only": ("# hi", f"# hi\n\n{BLOCK}"),
    "final line end": ("a = 1\n", f"a = 1\n\n{BLOCK}\n"),
    "no final line end": ("a = 1", f"a = 1\n\n{BLOCK}"),
    "blank lines at the end": ("a = 1\n\n\n", f"a = 1\n\n{BLOCK}\n\n\n"),
    "CRLF": ("a = 1\r\n", f"a = 1\n\n{BLOCK}\n".replace("\n", "\r\n")),
    "no blanks around equals": ("a=1\n", f"a=1\n\n{BLOCK}\n".replace(" = ", "=")),
    "other tables": ("[a]\n[[b]]\nc = 1\n", f"[a]\n[[b]]\nc = 1\n\n{BLOCK}\n"),
    "table hooks": ("[hooks]\nx = 1\n[z]\n", f"[hooks]\nx = 1\n[z]\n\n{BLOCK}\n"),
    "state only": ("[hooks.state.k]\nx = 1\n", f"[hooks.state.k]\nx = 1\n\n{BLOCK}\n"),
    "dotted hooks": ("hooks.x = 1\n", f"hooks.x = 1\n\n{BLOCK}\n"),
    "behind the last group": (
        '[[hooks.PreToolUse]]\nmatcher = "x"\n# timeout = 3\n\n# other\n[z]\n',
        f'[[hooks.PreToolUse]]\nmatcher = "x"\n# timeout = 3\n\n{BLOCK}\n\n# other\n[z]\n',
    ),
    "comment of the next table": (
        '[[hooks.PreToolUse]]\nmatcher = "x" # y\n# other\n[z]\n',
        f'[[hooks.PreToolUse]]\nmatcher = "x" # y\n\n{BLOCK}\n# other\n[z]\n',
    ),
    "groups split around another table": (
        '[[hooks.PreToolUse]]\nmatcher = "a"\n[z]\n[[hooks.PreToolUse]]\nmatcher = "b"\n[y]\n',
        (
            '[[hooks.PreToolUse]]\nmatcher = "a"\n[z]\n[[hooks.PreToolUse]]\nmatcher = "b"\n'
            f"\n{BLOCK}\n[y]\n"
        ),
    ),
    "handlers apart from their group": (
        "[[hooks.PreToolUse]]\n[z]\n[[hooks.PreToolUse.hooks]]\na = 1\n",
        f"[[hooks.PreToolUse]]\n[z]\n[[hooks.PreToolUse.hooks]]\na = 1\n\n{BLOCK}\n",
    ),
    "indented groups": (
        "  [[hooks.PreToolUse]]\n  a = 1\n",
        "  [[hooks.PreToolUse]]\n  a = 1\n\n"
        + BLOCK.replace("[[h", "  [[h")
        .replace("type", "  type")
        .replace("command = ", "  command = ")
        .replace("timeout", "  timeout")
        + "\n",
    ),
    "multi-line strings with headers in them": (
        'a = \'\'\'\n[[hooks.PreToolUse]]\n\'\'\'\nb = """\n[x]\\"""\n"""\n',
        'a = \'\'\'\n[[hooks.PreToolUse]]\n\'\'\'\nb = """\n[x]\\"""\n"""\n\n' + BLOCK + "\n",
    ),
    "inline array": (
        "[hooks]\nPreToolUse = [ { hooks = [] } ] # c\n",
        f"[hooks]\nPreToolUse = [ {{ hooks = [] }}, {INLINE} ] # c\n",
    ),
    "inline array with a trailing comma": (
        "[hooks]\nPreToolUse = [\n  { hooks = [] }, # a\n  # b\n]\n",
        f"[hooks]\nPreToolUse = [\n  {{ hooks = [] }}, # a\n  # b\n  {INLINE},\n]\n",
    ),
    "comment behind the last item": (
        "hooks.PreToolUse = [ 1 # a\n]\n",
        f"hooks.PreToolUse = [ 1, # a\n{INLINE}\n]\n",
    ),
    "empty inline array": (
        "[hooks]\nPreToolUse = []\n",
        f"[hooks]\nPreToolUse = [{INLINE}]\n",
    ),
    "empty inline array on two lines": (
        "[hooks]\nPreToolUse = [ # a\n]\n",
        f"[hooks]\nPreToolUse = [ # a\n  {INLINE}\n]\n",
    ),
    "inline table": (
        "hooks = { Stop = [] }\n",
        f"hooks = {{ Stop = [], PreToolUse = [{INLINE}] }}\n",
    ),
    "empty inline table": ("hooks = {}", f"hooks = {{ PreToolUse = [{INLINE}] }}"),
}
FEATURE_SET = {
    "empty": ("", "[features]\nhooks = true\n"),
    "no table": ("a = 1\n", "a = 1\n\n[features]\nhooks = true\n"),
    "table in the middle": (
        "a = 1\n[features]\nweb = true # keep\n\n[z]\n",
        "a = 1\n[features]\nweb = true # keep\nhooks = true\n\n[z]\n",
    ),
    "empty table": ("[features] # f\n[z]\n", "[features] # f\nhooks = true\n[z]\n"),
    "indented table": ("[features]\n\tweb=true\n", "[features]\n\tweb=true\n\thooks=true\n"),
    "CRLF": ("[features]\r\nweb = true\r\n", "[features]\r\nweb = true\r\nhooks = true\r\n"),
    "dotted": (
        "features.web = true\nz = 1\n",
        "features.web = true\nfeatures.hooks = true\nz = 1\n",
    ),
    "inline": ("features = {web = true}\n", "features = {web = true, hooks = true}\n"),
    "empty inline": ("features = {}\n", "features = { hooks = true }\n"),
    "split": (
        "[features.sub]\nx = 1\n[z]\n",
        "[features.sub]\nx = 1\n[z]\n\n[features]\nhooks = true\n",
    ),
    "table behind its child": (
        "[features.sub]\nx = 1\n[features]\n[z]\n",
        "[features.sub]\nx = 1\n[features]\nhooks = true\n[z]\n",
    ),
    "quoted header": ('["features"]\n', '["features"]\nhooks = true\n'),
}
STATE_SET = {
    "no state": (
        "a = 1\n",
        f'a = 1\n\n[hooks.state."{STATE[-1]}"]\nenabled = true\ntrusted_hash = "h"\n',
    ),
    "other state": (
        '[hooks.state."k"]\nenabled = true\n\n[z]\n',
        (
            '[hooks.state."k"]\nenabled = true\n\n'
            f'[hooks.state."{STATE[-1]}"]\nenabled = true\ntrusted_hash = "h"\n\n[z]\n'
        ),
    ),
}
ROOT_SET = {
    "empty": ("", 'model = "m"\n'),
    "comment only": ("# a\n", '# a\nmodel = "m"\n'),
    "behind the last pair": ("a = 1\n\n[z]\n", 'a = 1\nmodel = "m"\n\n[z]\n'),
    "tables only": ("[z]\n", 'model = "m"\n\n[z]\n'),
    "blank line and tables": ("\n[z]\n", 'model = "m"\n\n\n[z]\n'),
}
EDITS = [
    *(("append", EVENT, GROUP, *case) for case in APPENDED.values()),
    *(("set", FEATURE, True, *case) for case in FEATURE_SET.values()),
    *(("set", STATE, {"enabled": True, "trusted_hash": "h"}, *case) for case in STATE_SET.values()),
    *(("set", ("model",), "m", *case) for case in ROOT_SET.values()),
]
IDS = [
    *(f"append, {name}" for name in APPENDED),
    *(f"feature, {name}" for name in FEATURE_SET),
    *(f"state, {name}" for name in STATE_SET),
    *(f"root, {name}" for name in ROOT_SET),
]


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"], ids=["", "BOM"])
@pytest.mark.parametrize(("edit", "path", "value", "before", "after"), EDITS, ids=IDS)
def test_edits_go_where_they_belong_and_come_out_again(
    edit: str, path: KeyPath, value: object, before: str, after: str, bom: bytes
) -> None:
    data = bom + before.encode()
    document = parse(data, CODEX, "f")
    edited = (append if edit == "append" else set_value)(document, path, value)
    assert edited.data == bom + after.encode()
    start, end, replacement = edited.splice
    assert data[:start] + replacement + data[end:] == edited.data
    ours = (*path, len(edited.document.get(path)) - 1) if edit == "append" else path
    assert remove(parse(edited.data, CODEX, "f"), ours, edited.created).data == data


@pytest.mark.parametrize(("edit", "path", "value", "before", "after"), EDITS, ids=IDS)
def test_tomlkit_reads_the_same(
    edit: str, path: tuple[str, ...], value: object, before: str, after: str
) -> None:
    if "[z]\n[[hooks.PreToolUse.hooks]]" in after:
        # One more reason not to edit with tomlkit: it cannot read groups whose parts are apart.
        with pytest.raises(tomlkit.exceptions.ParseError):
            tomlkit.parse(after)
    else:
        assert tomlkit.parse(after).unwrap() == tomllib.loads(after)


@pytest.mark.parametrize(
    ("before", "path", "value", "after"),
    [
        ("a = 1 # c\n", ("a",), 2, "a = 2 # c\n"),
        ("a = { b = [1, 2] }\n", ("a", "b", 1), "x", 'a = { b = [1, "x"] }\n'),
        ("[a]\nb = 1\nc = 2\n", ("a",), {"c": 3, "d": 4}, "[a]\nc = 3\nd = 4\n"),
        ("[[a]]\nb = 1\n[[a]]\nb = 2\n", ("a", 0, "b"), 3, "[[a]]\nb = 3\n[[a]]\nb = 2\n"),
        (
            "[[a]]\nb = 1\n[[a.h]]\nx = 1\n[[a]]\n",
            ("a", 0),
            {"b": 1, "h": []},
            "[[a]]\nb = 1\nh = []\n[[a]]\n",
        ),
        ("a = 1.50\n", ("a",), Number("1.50"), "a = 1.50\n"),
        ("a = 1\n", ("a",), 1.5, "a = 1.5\n"),
        ("a = 1\n", ("a",), True, "a = true\n"),
        ("a = 1\n", ("b",), {}, "a = 1\nb = {}\n"),
        ("a = 1\n", ("b",), [date(1979, 5, 27)], "a = 1\nb = [1979-05-27]\n"),
    ],
)
def test_values_are_set_in_place(
    before: str, path: tuple[str | int, ...], value: object, after: str
) -> None:
    assert set_value(parse(before.encode(), CODEX, "f"), path, value).data.decode() == after


@pytest.mark.parametrize(
    ("before", "path", "after"),
    [
        ("a = 1\nb = 2\n", ("a",), "b = 2\n"),
        ("a = 1\nb = 2\n", ("b",), "a = 1\n"),
        ("x = 0\n\n[a]\nb = 1\n\n[c]\n", ("a",), "x = 0\n\n[c]\n"),
        ("x = 0\n[a]\nb = 1\n[c]\n[a.d]\ne = 1\n[f]\n", ("a",), "x = 0\n[c]\n[f]\n"),
        ("a.b = 1\nx = 0\na.c = 2\n", ("a",), "x = 0\n"),
        (
            "[[a]]\nb = 1\n\n[[a]]\nb = 2\n\n[[a]]\nb = 3\n",
            ("a", 1),
            "[[a]]\nb = 1\n\n[[a]]\nb = 3\n",
        ),
        ("x = 0\n[a]\n# kept\nb = 1\n", ("a",), "x = 0\n# kept\n"),
        ("a = [1, 2, 3]\n", ("a", 1), "a = [1, 3]\n"),
        ("a = { b = 1, c = 2 }\n", ("a", "b"), "a = { c = 2 }\n"),
        ("a = [\n  1, # one\n  2, # two\n]\n", ("a", 1), "a = [\n  1, # one\n   # two\n]\n"),
    ],
)
def test_removal_takes_lines_and_no_comment_of_their_own(
    before: str, path: tuple[str | int, ...], after: str
) -> None:
    assert remove(parse(before.encode(), CODEX, "f"), path).data.decode() == after


def test_a_created_table_goes_in_whatever_form_it_is_now() -> None:
    created = set_value(parse(b"a = 1\n", CODEX, "f"), FEATURE, True).created
    rewritten = parse(b"a = 1\nfeatures = { hooks = true }\n", CODEX, "f")
    assert remove(rewritten, FEATURE, created).data == b"a = 1\n"
    dotted = parse(b"a = 1\nfeatures.hooks = true\n", CODEX, "f")
    assert remove(dotted, FEATURE, created).data == b"a = 1\n"


def test_a_created_table_stays_while_others_use_it() -> None:
    first = set_value(parse(b"a = 1\n", CODEX, "f"), FEATURE, True)
    assert first.created == (Created(("features",)),)
    second = set_value(first.document, ("features", "web"), True)
    removed = remove(second.document, FEATURE, first.created)
    assert removed.data == b"a = 1\n\n[features]\nweb = true\n"


@pytest.mark.parametrize("path", [("b",), ("a", 0), ("t", "x")])
def test_what_is_not_there_can_be_neither_replaced_nor_removed(path: tuple[str | int, ...]) -> None:
    document = parse(b"a = 1\n[t]\n", CODEX, "f")
    with pytest.raises(Refusal) as on_replacing:
        toml_documents.replace(document, path, 1)
    with pytest.raises(Refusal) as on_removing:
        remove(document, path)
    codes = {on_replacing.value.code, on_removing.value.code}
    assert codes == {"toml-missing"}


def test_an_item_that_is_not_there_is_appended_and_not_set() -> None:
    with pytest.raises(Refusal) as caught:
        set_value(parse(b"a = []\n", CODEX, "f"), ("a", 0), 1)
    assert caught.value.text == "f has nothing at a[0]"


def test_values_are_read_by_path_and_numbers_keep_their_letters() -> None:
    document = parse(b"a = 1.10\n[[b]]\nc = 1\n", CODEX, "f")
    assert document.get(("a",)) == Number("1.10")
    assert document.get(("b", 0, "c")) == 1
    assert document.get(("b", 1), 7) == 7
    assert document.value["b"] == [{"c": 1}]


def test_the_snippet_is_what_would_be_appended() -> None:
    assert toml_documents.snippet(EVENT, GROUP) == BLOCK + "\n"
