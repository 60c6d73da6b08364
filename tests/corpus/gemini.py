"""Gemini CLI's settings.json, where comments are welcome and timeouts are milliseconds."""

from __future__ import annotations

from tests.corpus import placing
from tests.corpus.case import MINIFIED, ONE_LINE, Case, Harness

EVENTS = ("BeforeTool", "BeforeAgent")
HANDLER = {"type": "command", "name": "runaway", "command": "COMMAND", "timeout": 10000}
GEMINI = Harness("gemini", ".gemini/settings.json", HANDLER, EVENTS, word="gemini")
PLAIN = '{\n  "theme": "GitHub"«,\n  HOOKS»\n}\n'
FILLED = "«{\n  HOOKS\n}\n»"
OURS = '{"type": "command", "name": "runaway", "command": "COMMAND", "timeout": 10000}'
CHECK = '{"hooks": [{"type": "command", "command": "check"}]}'
MORE = ',\n    "BeforeAgent": [\n      GROUP\n    ]'


def event(*groups: str) -> str:
    """A file with these groups for every tool call; setup adds the other event behind it."""
    inside = "".join(f"\n      {group}" for group in groups)
    return f'{{\n  "hooks": {{\n    "BeforeTool": [{inside}\n    ]«{MORE}»\n  }}\n}}\n'


CASES = (
    Case("two blanks", PLAIN),
    Case("CRLF and tabs", '{\r\n\t"theme": "GitHub"«,\r\n\tHOOKS»\r\n}', indent="\t"),
    Case("minified", '{"theme":"GitHub"«,HOOKS»}', indent=MINIFIED),
    Case("one line", '{"theme": "GitHub"«, HOOKS»}\n', indent=ONE_LINE),
    Case("an empty object", "{«\n  HOOKS\n»}\n"),
    Case("an empty file, with which it does not start", FILLED),
    Case("no file", FILLED, placing.only_folder),
    Case("no file and no folder", FILLED, placing.nothing),
    Case("comments around", '// mine\n{\n  "theme": "GitHub"«,\n  HOOKS»\n}\n/* end */\n'),
    Case("a comment behind the last member", '{\n  "theme": "x"«,» // one«\n  HOOKS»\n}\n'),
    Case("a group per line", event(CHECK + "«,", "GROUP»"), indent=ONE_LINE),
    Case(
        "hooks of others that it warns about and skips",
        '{"hooks": {"PreToolUse": [], "AfterTool": 5«, '
        + ", ".join(f"EVENT:{name}" for name in EVENTS)
        + "»}}\n",
        indent=ONE_LINE,
    ),
    Case(
        "our command for one tool only, by the user",
        event(f'{{"matcher": "glob", "hooks": [{OURS}]}}«,', "GROUP»"),
        indent=ONE_LINE,
    ),
    Case(
        "our entry with seconds for milliseconds, in front",
        event('{"hooks": [' + OURS.replace("10000", "«10→10000»") + "]},", CHECK),
        indent=ONE_LINE,
        left=event(CHECK).replace(f"«{MORE}»", ""),
    ),
    Case("a chain of three links", PLAIN, placing.chain),
    Case("a hard link", PLAIN, placing.hard_link),
    Case("a link into a Nix store", PLAIN, placing.store, "read-only", "is read-only"),
    Case("a trailing comma", '{"theme": "x",}', code="json-trailing-comma", says="1:14"),
    Case("a byte order mark", "\ufeff{}", code="json-bom", says="1:1"),
    Case("UTF-16", '\ufeff{"theme": "x"}', encoding="utf-16-le", code="not-utf8"),
    *(
        Case(name, text, code="gemini-silences-hooks", says=says)
        for name, text, says in (
            ("`null`", "null", "the top level at 1:1"),
            ("a list", "[]", "the top level at 1:1"),
            ("`hooks` is a list", '{"hooks": []}', "hooks at 1:11"),
            ("`hooks` is `null`", '{"hooks": null}', "hooks at 1:11"),
            ("switches that are `null`", '{"hooksConfig": null}', "hooksConfig at 1:17"),
            (
                "a matcher that is a number",
                '{"hooks": {"BeforeTool": [{"matcher": 5, "hooks": [{}]}]}}',
                "hooks.BeforeTool[0].matcher at 1:39",
            ),
        )
    ),
    Case("`hooks` twice", '{"hooks": {}, "hooks": {}}', code="json-duplicate-key", says="1:15"),
)
