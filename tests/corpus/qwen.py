"""Qwen Code's settings.json: that of Gemini CLI with Claude Code's events, and a mark is welcome."""

from __future__ import annotations

from tests.corpus import placing
from tests.corpus.case import MINIFIED, ONE_LINE, Case, Harness

EVENTS = ("PreToolUse", "UserPromptSubmit")
HANDLER = {"type": "command", "name": "runaway", "command": "COMMAND", "timeout": 10000}
QWEN = Harness("qwen", ".qwen/settings.json", HANDLER, EVENTS, word="qwen")
PLAIN = '{\n  "$version": 4«,\n  HOOKS»\n}\n'
FILLED = "«{\n  HOOKS\n}\n»"
CHECK = '{"hooks": [{"type": "command", "command": "check"}]}'
MORE = ',\n    "UserPromptSubmit": [\n      GROUP\n    ]'

CASES = (
    Case("two blanks", PLAIN),
    Case("CRLF and tabs", '{\r\n\t"$version": 4«,\r\n\tHOOKS»\r\n}', indent="\t"),
    Case("minified", '{"$version":4«,HOOKS»}', indent=MINIFIED),
    Case("an empty object", "{«\n  HOOKS\n»}\n"),
    Case("an empty file, with which it does not start", FILLED),
    Case("no file and no folder", FILLED, placing.nothing),
    Case("comments around", '// mine\n{\n  "$version": 4«,\n  HOOKS»\n}\n/* end */\n'),
    Case("a byte order mark", "\ufeff" + PLAIN),
    Case(
        "a group per line",
        '{\n  "hooks": {\n    "PreToolUse": [\n      '
        + CHECK
        + "«,\n      GROUP»\n    ]«"
        + MORE
        + "»\n  }\n}\n",
        indent=ONE_LINE,
    ),
    Case("a trailing comma", '{"a": "x",}', code="json-trailing-comma", says="1:10"),
    *(
        Case(name, text, code="qwen-silences-hooks", says=says)
        for name, text, says in (
            ("a list", "[]", "the top level at 1:1"),
            ("`hooks` is a list", '{"hooks": []}', "hooks at 1:11"),
            (
                "a matcher that is a number",
                '{"hooks": {"PreToolUse": [{"matcher": 5, "hooks": [{}]}]}}',
                "hooks.PreToolUse[0].matcher at 1:39",
            ),
        )
    ),
    Case("`hooks` twice", '{"hooks": {}, "hooks": {}}', code="json-duplicate-key", says="1:15"),
)
