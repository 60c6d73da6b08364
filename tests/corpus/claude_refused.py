"""What setup refuses of Claude Code's settings.json, with the reason."""

from __future__ import annotations

from tests.corpus import placing
from tests.corpus.case import Case
from tests.corpus.claude import BASH, CHECK, PLAIN, event, group, runs

PLACED = (
    Case("a read-only file (0444)", PLAIN, placing.with_mode(0o444), "read-only", "is read-only"),
    Case(
        "a read-only folder", PLAIN, placing.in_folder_with_mode(0o555), "read-only", "The folder"
    ),
    Case("a link into a Nix store", PLAIN, placing.store, "read-only", "is read-only"),
    Case(
        "a link into a read-only folder",
        PLAIN,
        placing.link_into_read_only_folder,
        "read-only",
        "The folder",
    ),
    Case(
        "a folder where everybody may write",
        PLAIN,
        placing.in_folder_with_mode(0o777),
        "unsafe-folder",
        "Everybody may replace files",
    ),
    Case("a link to nothing", "", placing.dangling, "dangling-link", "dots/not-there"),
    Case("a link to no folder", "", placing.dangling_folder, "dangling-link", "dots/not-there"),
    Case("links in a circle", "", placing.circle, "link-loop", "in a circle"),
    Case("a folder in its place", "", placing.folder_there, "not-a-file", "is a folder"),
    Case("a named pipe", "", placing.pipe, "not-a-file", "not a regular file"),
    Case("a link to a device", "", placing.device, "not-a-file", "not a regular file"),
    Case("a file in place of the folder", "", placing.file_for_a_folder, "not-a-folder", "folder"),
)
BROKEN = (
    Case("a line comment", '{\n  // note\n  "a": 1\n}\n', code="json-comment", says="2:3"),
    Case("a block comment", '{\n  "a": 1 /* note */\n}\n', code="json-comment", says="2:10"),
    Case("a comment at the end", '{"a": 1}\n// note\n', code="json-comment", says="2:1"),
    Case("a trailing comma", '{\n  "a": 1,\n}\n', code="json-trailing-comma", says="2:9"),
    Case("a trailing comma in a list", '{"a": [1,]}', code="json-trailing-comma", says="1:9"),
    Case("cut off", '{\n  "model": "opus",\n  "a": [1', code="json-syntax", says="3:10"),
    Case("cut off in a text", '{"model": "op', code="json-syntax", says="1:11"),
    Case("a bracket too many", '{"a": 1}}', code="json-syntax", says="1:9"),
    Case("two documents", '{"a": 1}\n{"b": 2}\n', code="json-syntax", says="2:1"),
    Case("NUL bytes at the end", '{"a": 1}\n' + "\0" * 512, code="json-syntax", says="2:1"),
    Case("nothing but NUL bytes", "\0" * 64, code="json-syntax", says="1:1"),
    Case(
        "a merge conflict",
        '{\n<<<<<<< HEAD\n  "a": 1\n=======\n  "a": 2\n>>>>>>> other\n}\n',
        code="json-syntax",
        says="2:1",
    ),
    Case("single quotes", "{'a': 1}", code="json-syntax", says="1:2"),
    Case("a key without quotes", "{a: 1}", code="json-syntax", says="1:2"),
    Case("a missing comma", '{"a": 1\n "b": 2}', code="json-syntax", says="2:2"),
    Case("NaN", '{"a": NaN}', code="json-syntax", says="1:7"),
    Case("a number with a leading zero", '{"a": 01}', code="json-syntax", says="1:7"),
    Case("a tab inside a text", '{"a": "\t"}', code="json-syntax", says="1:7"),
    Case("a wrong escape", '{"a": "\\x41"}', code="json-syntax", says="1:7"),
    Case("YAML", "model: opus\nhooks: []\n", code="json-syntax", says="1:1"),
    Case(
        "a no-break space between members", '{"a": 1,\u00a0"b": 2}', code="json-syntax", says="1:9"
    ),
    Case("100,000 brackets that never close", "[" * 100_000, code="json-syntax", says="1:100001"),
    Case("Latin-1", b'{"a": "\xe9"}', code="not-utf8", says="byte 0xe9 at offset 7"),
    Case("a raw surrogate", b'{"a": "\xed\xa0\x80"}', code="not-utf8", says="at offset 7"),
    Case("UTF-16 the other way round", b"\xfe\xff\0{\0}", code="not-utf8", says="is UTF-16"),
    Case("UTF-16 without its mark", b"{\0}\0", code="json-syntax", says="1:2"),
    Case("UTF-16 cut in half", b'\xff\xfe{\0"', code="not-utf8", says="is UTF-16"),
    Case("a compressed file", b"\x1f\x8b\x08\0\0\0\0\0", code="not-utf8", says="offset 1"),
    Case("over 16 MB", b"{}", placing.huge, code="too-large", says="16,777,217 bytes"),
)
WRONG = (
    Case("`null`", "null", code="claude-drops-file", says="the top level at 1:1"),
    Case("a list", "[]", code="claude-drops-file", says="the top level at 1:1"),
    Case("a number", "\n42\n", code="claude-drops-file", says="the top level at 2:1"),
    Case("a text", '"x"', code="claude-drops-file", says="the top level at 1:1"),
    Case("`hooks` twice", '{"hooks": {},\n "hooks": {}}', code="json-duplicate-key", says="2:2"),
    Case(
        "the event twice, once with an escape",
        '{"hooks": {"PreToolUse": [],\n"Pre\\u0054oolUse": []}}',
        code="json-duplicate-key",
        says="2:1",
    ),
    *(
        Case(
            f"`hooks` is `{value}`",
            f'{{"hooks": {value}}}',
            code="json-wrong-type",
            says="hooks at 1:11",
        )
        for value in ("null", "[]", '"x"', "42", "true")
    ),
    *(
        Case(
            f"the event is `{value}`",
            f'{{"hooks": {{"PreToolUse": {value}}}}}',
            code="json-wrong-type",
            says="hooks.PreToolUse at 1:26",
        )
        for value in ("null", "{}", '"x"', "42")
    ),
    *(
        Case(
            f"a hook that is {what}",
            event(BASH, found),
            code="claude-drops-file",
            says=f"PreToolUse[1]{at}",
        )
        for what, found, at in (
            ("a text", '"check"', " at 5:7"),
            ("`null`", "null", " at 5:7"),
            ("flat, without a group", runs("check"), " at 5:7"),
            ("a group without `hooks`", '{"matcher": "Bash"}', " at 5:7"),
            (
                "a group with a matcher that is a number",
                '{"matcher": 1, "hooks": []}',
                ".matcher at 5:19",
            ),
            ("without a type", group('{"command": "x"}'), ".hooks[0] at 5:18"),
            ("of an unknown type", group('{"type": "shell", "command": "x"}'), ".hooks[0] at 5:18"),
            ("without a command", group('{"type": "command"}'), ".hooks[0] at 5:18"),
            (
                "with a timeout of 0",
                group(CHECK[:-1] + ', "timeout": 0}'),
                ".hooks[0].timeout at 5:",
            ),
            (
                "with a timeout in text",
                group(CHECK[:-1] + ', "timeout": "10"}'),
                ".hooks[0].timeout at 5:",
            ),
        )
    ),
    Case("a switch in text", '{"disableAllHooks": "true"}', code="claude-drops-file", says="1:21"),
    Case("a count of 0 days", '{"cleanupPeriodDays": 0}', code="claude-drops-file", says="1:23"),
)
CASES = (*PLACED, *BROKEN, *WRONG)
