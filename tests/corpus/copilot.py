"""Copilot's hooks/runaway.json: a file of our own, in which people may have written all the same."""

from __future__ import annotations

from tests.corpus import placing
from tests.corpus.case import MINIFIED, ONE_LINE, Case, Harness

EVENTS = ("PreToolUse", "UserPromptSubmit")
HANDLER = {"type": "command", "command": "COMMAND", "timeout": 10}
COPILOT = Harness(
    "copilot", ".copilot/hooks/runaway.json", HANDLER, EVENTS, word="copilot", flat=True
)
FILLED = "«{\n  HOOKS\n}\n»"
OURS = '{"type": "command", "command": "COMMAND", "timeout": 10}'
CHECK = '{"command": "check"}'
MORE = ',\n    "UserPromptSubmit": [\n      GROUP\n    ]'


def event(*entries: str) -> str:
    """A file with these entries for every tool call; setup adds the other event behind it."""
    inside = "".join(f"\n      {entry}" for entry in entries)
    return f'{{\n  "hooks": {{\n    "PreToolUse": [{inside}\n    ]«{MORE}»\n  }}\n}}\n'


CASES = (
    Case("no file", FILLED, placing.only_folder),
    Case("no file and no folder", FILLED, placing.nothing),
    Case("an empty file", FILLED),
    Case("an empty object", "{«\n  HOOKS\n»}\n"),
    Case("a version", '{\n  "version": 1«,\n  HOOKS»\n}\n'),
    Case("CRLF and tabs", '{\r\n\t"version": 1«,\r\n\tHOOKS»\r\n}', indent="\t"),
    Case("minified", '{"version":1.0«,HOOKS»}', indent=MINIFIED),
    Case("an entry per line", event(CHECK + "«,", "GROUP»"), indent=ONE_LINE),
    Case(
        "our command for one tool only, by the user",
        event('{"command": "COMMAND", "matcher": "Bash"}«,', "GROUP»"),
        indent=ONE_LINE,
    ),
    Case(
        "our entry with another timeout, in front",
        event(OURS.replace("10", "«5→10»") + ",", CHECK),
        indent=ONE_LINE,
        left=event(CHECK).replace(f"«{MORE}»", ""),
    ),
    Case("a chain of three links", '{\n  "version": 1«,\n  HOOKS»\n}\n', placing.chain),
    Case("a comment", '// mine\n{"version": 1}', code="json-comment", says="1:1"),
    Case("a trailing comma", '{"version": 1,}', code="json-trailing-comma", says="1:14"),
    Case("a byte order mark", '\ufeff{"version": 1}', code="json-bom", says="1:1"),
    Case("half a file", '{"version": 1', code="json-syntax", says="1:14"),
    *(
        Case(name, text, code="copilot-ignores-file", says=says)
        for name, text, says in (
            ("a list", "[]", "the top level at 1:1"),
            ("another version", '{"version": 2}', "version at 1:13"),
            ("a version in text", '{"version": "1"}', "version at 1:13"),
            ("`hooks` is a list", '{"hooks": []}', "hooks at 1:11"),
            ("switched off", '{"disableAllHooks": true}', "disableAllHooks at 1:21"),
            ("switched off in text", '{"disableAllHooks": "true"}', "disableAllHooks at 1:21"),
        )
    ),
)
