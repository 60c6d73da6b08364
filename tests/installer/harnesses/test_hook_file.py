from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.documents import json_document
from runaway.installer.errors import Refusal
from runaway.installer.harnesses import hook_file
from runaway.installer.harnesses.claude.validation import RULES
from runaway.installer.harnesses.hook_file import Shape
from runaway.installer.launch_command import command_for
from runaway.installer.plan import Rewrite
from tests.support.installer import hooks

LAUNCHER = Path("/d/runaway/launch")
COMMAND = command_for(LAUNCHER, "claude")
TEXT = json.dumps(COMMAND)  # as it stands in a file


def handler(command: str) -> dict[str, Any]:
    return {"type": "command", "command": command, "timeout": 10}


SHAPE = Shape("claude", "~/settings.json", RULES, ("PreToolUse",), handler)
OURS = {"hooks": [handler(COMMAND)]}
THEIRS = {"matcher": "Bash", "hooks": [{"type": "command", "command": "their-check"}]}


def wire(data: bytes | None, shape: Shape = SHAPE) -> Rewrite:
    return hook_file.install_entry(data, shape, COMMAND)


def groups(data: bytes | None, event: str = "PreToolUse") -> Any:
    assert data is not None
    return json.loads(data)["hooks"][event]


NORMAL = """{
  "hooks": {
    "PreToolUse": [
      {
        "hooks": [
          {
            "type": "command",
            "command": %s,
            "timeout": 10
          }
        ]
      }
    ]
  }
}
"""
SHORT = '{"type":"command","command":%s,"timeout":10}'
SPACED = '{"type": "command", "command": %s, "timeout": 10}'
# before, and exactly what it becomes: %s stands for our command
EDITS: dict[str, tuple[str, str]] = {
    "an empty file": ("", NORMAL),
    "a blank file": (" \n\n", NORMAL),
    "no settings": ("{}\n", NORMAL),
    "no settings, no final newline": ("{}", NORMAL.rstrip("\n")),
    "minified": (
        '{"model":"opus"}',
        '{"model":"opus","hooks":{"PreToolUse":[{"hooks":[' + SHORT + "]}]}}",
    ),
    "one line with blanks": (
        '{"hooks": {"PreToolUse": []}}\n',
        '{"hooks": {"PreToolUse": [{"hooks": [' + SPACED + "]}]}}\n",
    ),
    "tabs": (
        '{\n\t"hooks": {\n\t\t"PreToolUse": []\n\t}\n}',
        NORMAL.rstrip("\n").replace("  ", "\t"),
    ),
    "four blanks": (
        '{\n    "hooks": {\n        "PreToolUse": []\n    }\n}\n',
        NORMAL.replace("  ", "    "),
    ),
    "CRLF": (
        '{\r\n  "hooks": {}\r\n}\r\n',
        NORMAL.replace("\n", "\r\n"),
    ),
    "behind a group on one line": (
        '{"hooks": {"PreToolUse": [\n  { "hooks": [{ "type": "prompt" }] }\n]}}\n',
        '{"hooks": {"PreToolUse": [\n  { "hooks": [{ "type": "prompt" }] },\n  { "hooks": [{ '
        + SPACED.strip("{}")
        + " }] }\n]}}\n",
    ),
    "behind another event": (
        '{"hooks": {"Stop": []}, "z": 1}\n',
        '{"hooks": {"Stop": [], "PreToolUse": [{"hooks": [' + SPACED + ']}]}, "z": 1}\n',
    ),
    "an empty group stays": (
        '{"hooks":{"PreToolUse":[{"hooks":[]}]}}',
        '{"hooks":{"PreToolUse":[{"hooks":[]},{"hooks":[' + SHORT + "]}]}}",
    ),
}

# Only that the way there and back gives the same bytes.
STYLES: dict[str, bytes] = {
    "CRLF beside others": b'{\r\n    "model": "opus",\r\n    "hooks": {}\r\n}\r\n',
    "mixed line ends": b'{\n  "a": 1,\r\n  "b": 2\r\n}\n',
    "old Mac line ends": b'{\r  "a": 1\r}\r',
    "BOM": b'\xef\xbb\xbf{"a": 1}\n',
    "UTF-16": b"\xff\xfe" + '{\n  "ü": "日本"\n}\n'.encode("utf-16-le"),
    "blank lines": b'\n\n{\n\n  "a": 1\n\n}\n\n\n',
    "odd spacing": b'{ "a" :1 ,"hooks":{ "PreToolUse":[ ] } }',
    "numbers no parser gives back": b'{"a": 1.10, "b": 1e400, "c": -0, "d": 12345678901234567890123}\n',
    "escapes": b'{"a": "\\u00e9 \\/ \\ud800", "\\u0062": "\xf0\x9f\xa6\x8a"}\n',
    "a key that is no attribute": b'{"__proto__": {"hooks": 1}, "constructor": []}\n',
    "duplicate keys elsewhere": b'{"a": 1, "a": 2, "hooks": {}}\n',
    "deep": b'{"deep": ' + b"[" * 20_000 + b"]" * 20_000 + b"}\n",
    "many groups": hooks(*[THEIRS] * 50),
    "other events": b'{"hooks": {"Stop": null, "Later": 5, "PreToolUse": []}}\n',
    "a group of a wrong type beside": b'{"hooks": {"PreToolUse": [5, null, {"hooks": 1}]}}\n',
}


@pytest.mark.parametrize(("before", "after"), EDITS.values(), ids=EDITS.keys())
def test_our_entry_is_put_in_as_its_surroundings_are_written(before: str, after: str) -> None:
    wanted = after.replace("%s", TEXT)
    assert wire(before.encode()).data == wanted.encode()


ALL = {**{name: before.encode() for name, (before, _) in EDITS.items()}, **STYLES}


@pytest.mark.parametrize("before", ALL.values(), ids=ALL.keys())
def test_wiring_and_unwiring_gives_back_every_byte(before: bytes) -> None:
    wired = wire(before)
    assert wired.data is not None
    assert hook_file.remove_entry(wired.data, wired.created, SHAPE).data == before


@pytest.mark.parametrize("before", ALL.values(), ids=ALL.keys())
def test_wiring_twice_changes_nothing(before: bytes) -> None:
    wired = wire(before).data
    assert wire(wired) == (wired, ())


def test_a_missing_file_is_made_and_stays_missing_when_unwired() -> None:
    assert wire(None).data == NORMAL.replace("%s", TEXT).encode()
    assert hook_file.remove_entry(None, (), SHAPE).data is None


def test_a_change_made_meanwhile_stays() -> None:
    wired = wire(b'{"model": "opus"}\n')
    assert wired.data is not None
    changed = wired.data.replace(b'"opus"', b'"sonnet", "theme": "dark"')
    back = hook_file.remove_entry(changed, wired.created, SHAPE).data
    assert back == b'{"model": "sonnet", "theme": "dark"}\n'


def test_without_a_receipt_the_containers_stay() -> None:
    wired = wire(b'{"model":"opus"}').data
    assert (
        hook_file.remove_entry(wired, (), SHAPE).data
        == b'{"model":"opus","hooks":{"PreToolUse":[]}}'
    )


def test_our_entry_is_the_last_and_the_others_keep_their_places() -> None:
    """Some harnesses tell hooks apart by position (eneskirca/nodeterm#51)."""
    assert groups(wire(hooks(THEIRS, THEIRS)).data) == [THEIRS, THEIRS, OURS]


def test_where_we_stand_already_we_stay() -> None:
    data = hooks(OURS, THEIRS)
    assert wire(data).data == data


# -- renewing


OLD: dict[str, dict[str, Any]] = {
    "timeout": {"timeout": 60},
    "no timeout": {"timeout": None},
    "async": {"async": True},
    "an older launcher": {"command": command_for(Path("/old/runaway/launch"), "claude")},
}


@pytest.mark.parametrize("change", OLD.values(), ids=OLD.keys())
def test_an_old_entry_is_renewed_in_place(change: dict[str, Any]) -> None:
    old = {key: value for key, value in (handler(COMMAND) | change).items() if value is not None}
    assert groups(wire(hooks(THEIRS, {"hooks": [old]}, THEIRS)).data) == [THEIRS, OURS, THEIRS]


def test_renewing_touches_nothing_but_what_differs() -> None:
    before = hooks(THEIRS, {"hooks": [handler(COMMAND) | {"timeout": 60}]})
    assert wire(before).data == before.replace(b'"timeout": 60', b'"timeout": 10')


def test_copies_collapse_into_one_in_the_place_of_the_first() -> None:
    """microsoft/apm#708: each run appended one more."""
    doubled = {"hooks": [handler(COMMAND), *THEIRS["hooks"], handler(COMMAND)]}
    before = hooks(THEIRS, doubled, THEIRS, OURS)
    single = {"hooks": [handler(COMMAND), *THEIRS["hooks"]]}
    assert groups(wire(before).data) == [THEIRS, single, THEIRS]


def test_three_copies_of_different_forms_become_one_that_is_right() -> None:
    quoted = COMMAND.replace("'/d/runaway/launch'", '"/d/runaway/launch"')
    old = {"hooks": [handler(quoted) | {"timeout": 5}]}
    assert groups(wire(hooks(old, OURS, THEIRS, old)).data) == [OURS, THEIRS]


# -- what is not ours

LOOK_ALIKES: dict[str, dict[str, Any]] = {
    "our words in another command": {
        "hooks": [{"type": "command", "command": f"log-and-run {TEXT}"}]
    },
    "our words in a comment": {"hooks": [{"type": "command", "command": f"true # {COMMAND}"}]},
    "our command and more": {"hooks": [{"type": "command", "command": f"{COMMAND} --loud"}]},
    "a script of a like name": {
        "hooks": [{"type": "command", "command": "/home/me/runaway/launch claude"}]
    },
    "for a narrower matcher": {"matcher": "Bash", "hooks": [handler(COMMAND)]},
    "for another harness": {"hooks": [handler(command_for(LAUNCHER, "codex"))]},
    "no command at all": {"hooks": [{"type": "prompt", "prompt": COMMAND}]},
}


@pytest.mark.parametrize("group", LOOK_ALIKES.values(), ids=LOOK_ALIKES.keys())
def test_what_only_looks_like_ours_is_neither_taken_for_it_nor_touched(
    group: dict[str, Any],
) -> None:
    before = hooks(group, THEIRS)
    wired = wire(before)
    assert groups(wired.data) == [group, THEIRS, OURS]
    assert hook_file.remove_entry(wired.data, wired.created, SHAPE).data == before


@pytest.mark.parametrize("matcher", ["", "*", None])
def test_an_entry_for_every_tool_is_ours_however_that_is_said(matcher: str | None) -> None:
    group: dict[str, Any] = {"matcher": matcher, "hooks": [handler(COMMAND)]}
    before = hooks(group)
    assert wire(before).data == before
    assert groups(hook_file.remove_entry(before, (), SHAPE).data) == [
        {"matcher": matcher, "hooks": []}
    ]


def test_of_a_shared_group_only_our_handler_goes() -> None:
    """rtk-ai/rtk#3036: another guard was deleted with the group it shared."""
    shared = {"hooks": [*THEIRS["hooks"], handler(COMMAND), *THEIRS["hooks"]]}
    left = groups(hook_file.remove_entry(hooks(shared), (), SHAPE).data)
    assert left == [{"hooks": [*THEIRS["hooks"], *THEIRS["hooks"]]}]


def test_of_a_group_with_more_to_say_only_our_handler_goes() -> None:
    noted = {"description": "mine", "hooks": [handler(COMMAND)]}
    left = groups(hook_file.remove_entry(hooks(noted), (), SHAPE).data)
    assert left == [{"description": "mine", "hooks": []}]


def test_in_an_event_we_never_bind_our_command_is_the_users_own() -> None:
    data = json.dumps({"hooks": {"Stop": [OURS], "PreToolUse": [OURS]}}).encode()
    left = json.loads(hook_file.remove_entry(data, (), SHAPE).data or b"")
    assert left == {"hooks": {"Stop": [OURS], "PreToolUse": []}}


def test_entries_in_events_we_no_longer_use_are_found_and_removed() -> None:
    data = json.dumps({"hooks": {"PostToolUse": [OURS], "PreToolUse": [OURS]}}).encode()
    left = json.loads(
        hook_file.remove_entry(data, (), SHAPE._replace(once=("PostToolUse",))).data or b""
    )
    assert left == {"hooks": {"PostToolUse": [], "PreToolUse": []}}


def test_each_wanted_event_gets_its_own_entry() -> None:
    two = SHAPE._replace(events=("PreToolUse", "PostToolBatch"))
    wired = wire(b"{}", two)
    assert groups(wired.data) == groups(wired.data, "PostToolBatch") == [OURS]
    assert hook_file.remove_entry(wired.data, wired.created, two).data == b"{}"


# -- refusals

REFUSED: dict[str, tuple[bytes, str, str]] = {
    "a comment": (b'{\n  // mine\n  "a": 1\n}', "json-comment", "2:3"),
    "a block comment": (b'{"a": /* mine */ 1}', "json-comment", "1:7"),
    "a trailing comma": (b'{"a": 1,\n}', "json-trailing-comma", "1:8"),
    "cut off": (b'{"a": {', "json-syntax", "1:"),
    "single quotes": (b"{'a': 1}", "json-syntax", "1:2"),
    "a merge conflict": (b'{\n<<<<<<< HEAD\n"a": 1\n}', "json-syntax", "2:1"),
    "NUL padding": (b'{"a": 1}\n\0\0\0\0', "json-syntax", "2:1"),
    "two documents": (b"{}\n{}", "json-syntax", "2:1"),
    "no UTF-8": (b'{"a": "\xff"}', "not-utf8", "offset 7"),
    "hooks twice": (b'{"hooks": {},\n "hooks": {}}', "json-duplicate-key", "2:2"),
    "the event twice": (
        b'{"hooks": {"PreToolUse": [],\n"PreToolUse": []}}',
        "json-duplicate-key",
        "2:1",
    ),
    "hooks is a list": (b'{"hooks": []}', "json-wrong-type", "1:11"),
    "hooks is null": (b'{"hooks": null}', "json-wrong-type", "1:11"),
    "hooks is a number": (b'{"hooks": 42}', "json-wrong-type", "1:11"),
    "the event is an object": (b'{"hooks": {"PreToolUse": {}}}', "json-wrong-type", "1:26"),
    "the event is null": (b'{"hooks": {"PreToolUse": null}}', "json-wrong-type", "1:26"),
    "the event is text": (b'{"hooks": {"PreToolUse": "x"}}', "json-wrong-type", "1:26"),
    "the top level is a list": (b"[]", "json-wrong-type", "1:1"),
    "the top level is null": (b"null", "json-wrong-type", "1:1"),
}


@pytest.mark.parametrize(("data", "code", "place"), REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_edited_without_harm_is_refused_with_its_place(
    data: bytes, code: str, place: str
) -> None:
    with pytest.raises(Refusal) as caught:
        wire(data)
    assert caught.value.code == code
    assert caught.value.text.startswith("~/settings.json")
    assert place in caught.value.text


# -- finding


def test_an_entry_is_told_with_its_place_its_event_and_what_it_names() -> None:
    document = json_document.parse(hooks(THEIRS, OURS), RULES, "x")
    [entry] = hook_file.entries(document, "claude")
    assert entry.path == ("hooks", "PreToolUse", 1, "hooks", 0)
    assert (entry.event, entry.handler) == ("PreToolUse", handler(COMMAND))
    assert entry.registered == (LAUNCHER, "claude")


@pytest.mark.parametrize(
    "data", [b"[]", b"null", b"5", b'{"hooks": 5}', b'{"hooks": {"PreToolUse": 5}}', b""]
)
def test_nothing_is_found_where_nothing_can_be(data: bytes) -> None:
    document = json_document.parse(data, RULES, "x")
    assert list(hook_file.entries(document, "claude")) == []


def test_the_snippet_is_a_whole_file_that_needs_no_change() -> None:
    snippet = hook_file.snippet(SHAPE, COMMAND).encode()
    assert groups(snippet) == [OURS]
    assert wire(snippet).data == snippet
