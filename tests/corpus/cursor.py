"""Cursor's hooks.json, where comments are welcome and a version must be."""

from __future__ import annotations

from tests.corpus import placing
from tests.corpus.case import MINIFIED, ONE_LINE, Case, Harness

EVENTS = (
    "preToolUse",
    "postToolUse",
    "postToolUseFailure",
    "beforeSubmitPrompt",
    "afterAgentResponse",
    "stop",
)
HANDLER = {"command": "COMMAND", "timeout": 10}
CURSOR = Harness("cursor", ".cursor/hooks.json", HANDLER, EVENTS, flat=True)
PLAIN = '{\n  "version": 1«,\n  HOOKS»\n}\n'
FILLED = '«{\n  "version": 1,\n  HOOKS\n}\n»'
OURS = '{"command": "COMMAND", "timeout": 10}'
CHECK = '{"command": "check"}'
MORE = "".join(f',\n    "{name}": [\n      GROUP\n    ]' for name in EVENTS[1:])


def event(*entries: str) -> str:
    """A file with these entries for every tool call; setup adds the other events behind it."""
    inside = "".join(f"\n      {entry}" for entry in entries)
    return f'{{\n  "version": 1,\n  "hooks": {{\n    "preToolUse": [{inside}\n    ]«{MORE}»\n  }}\n}}\n'


CASES = (
    Case("two blanks", PLAIN),
    Case("CRLF and tabs", '{\r\n\t"version": 1«,\r\n\tHOOKS»\r\n}', indent="\t"),
    Case("minified", '{"version":1«,HOOKS»}', indent=MINIFIED),
    Case("one line", '{"version": 1«, HOOKS»}\n', indent=ONE_LINE),
    Case("an empty object", '{«\n  "version": 1,\n  HOOKS\n»}\n'),
    Case("an empty file", FILLED),
    Case("no file", FILLED, placing.only_folder),
    Case("no file and no folder", FILLED, placing.nothing),
    Case("comments around", '// mine\n{\n  "version": 1«,\n  HOOKS»\n}\n/* end */\n'),
    Case("a comment behind the last member", '{\n  "version": 1«,» // one«\n  HOOKS»\n}\n'),
    Case(
        "nothing but a comment in `hooks`",
        '{\n  "version": 1,\n  "hooks": {\n    /* none */«'
        + ",".join(f"\n    EVENT:{name}" for name in EVENTS)
        + "»\n  }\n}\n",
    ),
    Case("an entry per line", event(CHECK + "«,", "GROUP»"), indent=ONE_LINE),
    Case(
        "comments behind the entries",
        event(f"{CHECK}, // one", f"{CHECK}«,» // two", "// end«", "GROUP»"),
        indent=ONE_LINE,
    ),
    Case(
        "our command for one tool only, by the user",
        event('{"command": "COMMAND", "matcher": "Shell"}«,', "GROUP»"),
        indent=ONE_LINE,
    ),
    Case(
        "our entry with another timeout, in front",
        event(OURS.replace("10", "«5→10»") + ",", CHECK),
        indent=ONE_LINE,
        left=event(CHECK).replace(f"«{MORE}»", ""),
    ),
    Case("a chain of three links", PLAIN, placing.chain),
    Case("a hard link", PLAIN, placing.hard_link),
    Case("a link into a Nix store", PLAIN, placing.store, "read-only", "is read-only"),
    Case("a trailing comma", '{"version": 1,}', code="json-trailing-comma", says="1:14"),
    Case("a byte order mark", '\ufeff{"version": 1}', code="json-bom", says="1:1"),
    Case("nothing but a comment", "// mine\n", code="json-syntax", says="2:1"),
    Case("a comment that never ends", '{"version": 1} /* x', code="json-syntax", says="1:16"),
    *(
        Case(name, text, code="cursor-ignores-file", says=says)
        for name, text, says in (
            ("`null`", "null", "the top level at 1:1"),
            ("hooks without a version", '{"hooks": {"stop": []}}', 'no `"version": 1`'),
            ("a version in text", '{"version": "1"}', "version at 1:13"),
            ("`hooks` is a list", '{"version": 1, "hooks": []}', "hooks at 1:25"),
            (
                "an event of Claude Code's",
                '{"version": 1, "hooks": {"PreToolUse": []}}',
                "it spells it `preToolUse`",
            ),
            (
                "a group of Claude Code's",
                '{"version": 1, "hooks": {"stop": [{"hooks": []}]}}',
                "hooks.stop[0] at 1:35",
            ),
            (
                "an address in a command",
                '{"version": 1, "hooks": {"stop": [{"command": "curl http://x"}]}}',
                "hooks.stop[0].command at 1:47",
            ),
        )
    ),
    Case(
        "`hooks` twice",
        '{"version": 1, "hooks": {}, "hooks": {}}',
        code="json-duplicate-key",
        says="1:29",
    ),
)
