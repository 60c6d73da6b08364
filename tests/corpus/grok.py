"""Grok Build's hooks/runaway.json: strict JSON, and one bad hook silences the whole file."""

from __future__ import annotations

from tests.corpus import placing
from tests.corpus.case import MINIFIED, ONE_LINE, Case, Harness

EVENTS = ("PreToolUse", "UserPromptSubmit")
HANDLER = {"type": "command", "command": "COMMAND", "timeout": 10}
GROK = Harness("grok", ".grok/hooks/runaway.json", HANDLER, EVENTS, word="grok")
FILLED = "«{\n  HOOKS\n}\n»"
CHECK = '{"hooks": [{"type": "command", "command": "check"}]}'
MORE = ',\n    "UserPromptSubmit": [\n      GROUP\n    ]'


def stop(group: str) -> str:
    return f'{{"hooks": {{"Stop": [{group}]}}}}'


CASES = (
    Case("no file", FILLED, placing.only_folder),
    Case("no file and no folder", FILLED, placing.nothing),
    Case("an empty file", FILLED),
    Case("an empty object", "{«\n  HOOKS\n»}\n"),
    Case("CRLF and tabs", '{\r\n\t"x": 1«,\r\n\tHOOKS»\r\n}', indent="\t"),
    Case("minified", '{"x":1«,HOOKS»}', indent=MINIFIED),
    Case(
        "a group per line",
        '{\n  "hooks": {\n    "PreToolUse": [\n      '
        + CHECK
        + "«,\n      GROUP»\n    ]«"
        + MORE
        + "»\n  }\n}\n",
        indent=ONE_LINE,
    ),
    Case("a comment", '// mine\n{"x": 1}', code="json-comment", says="1:1"),
    Case("a trailing comma", '{"x": 1,}', code="json-trailing-comma", says="1:8"),
    Case("a byte order mark", '\ufeff{"x": 1}', code="json-bom", says="1:1"),
    *(
        Case(name, text, code="grok-ignores-file", says=says)
        for name, text, says in (
            ("a list", "[]", "the top level at 1:1"),
            ("`hooks` is a list", '{"hooks": []}', "hooks at 1:11"),
            ("an event that is null", '{"hooks": {"Stop": null}}', "hooks.Stop at 1:20"),
            ("a group without hooks", stop("{}"), "hooks.Stop[0] at 1:21"),
            (
                "a matcher that is a number",
                stop('{"matcher": 5, "hooks": []}'),
                "hooks.Stop[0].matcher at 1:33",
            ),
            (
                "a hook without a type",
                stop('{"hooks": [{"command": "x"}]}'),
                "hooks.Stop[0].hooks[0] at 1:32",
            ),
            (
                "a command that is a number",
                stop('{"hooks": [{"type": "command", "command": 5}]}'),
                "hooks.Stop[0].hooks[0].command at 1:63",
            ),
            (
                "a timeout in text",
                stop('{"hooks": [{"type": "command", "timeout": "5"}]}'),
                "hooks.Stop[0].hooks[0].timeout at 1:63",
            ),
            (
                "a variable that is a number",
                stop('{"hooks": [{"type": "command", "env": {"A": 1}}]}'),
                "hooks.Stop[0].hooks[0].env at 1:59",
            ),
        )
    ),
)
