"""Droid's settings.json, where comments are welcome and one bad hook silences all."""

from __future__ import annotations

from tests.corpus import placing
from tests.corpus.case import MINIFIED, ONE_LINE, Case, Harness

HANDLER = {"type": "command", "command": "COMMAND", "timeout": 10}
DROID = Harness("droid", ".factory/settings.json", HANDLER, ("PreToolUse",), word="droid")
PLAIN = '{\n  "model": "x"«,\n  HOOKS»\n}\n'
FILLED = "«{\n  HOOKS\n}\n»"
CHECK = '{"hooks": [{"type": "command", "command": "check"}]}'


def event(*groups: str) -> str:
    """A file with these groups for every tool call."""
    inside = "".join(f"\n      {group}" for group in groups)
    return f'{{\n  "hooks": {{\n    "PreToolUse": [{inside}\n    ]\n  }}\n}}\n'


def refused(name: str, text: str, says: str) -> Case:
    return Case(name, text, code="droid-drops-hooks", says=says)


CASES = (
    Case("two blanks", PLAIN),
    Case("CRLF and tabs", '{\r\n\t"model": "x"«,\r\n\tHOOKS»\r\n}', indent="\t"),
    Case("minified", '{"model":"x"«,HOOKS»}', indent=MINIFIED),
    Case("an empty object", "{«\n  HOOKS\n»}\n"),
    Case("an empty file", FILLED),
    Case("no file", FILLED, placing.only_folder),
    Case("no file and no folder", FILLED, placing.nothing),
    Case("comments around", '// mine\n{\n  "model": "x"«,\n  HOOKS»\n}\n/* end */\n'),
    Case("a group per line", event(CHECK + "«,", "GROUP»"), indent=ONE_LINE),
    Case(
        "our command for some commands only, by the user",
        event(
            '{"commandRegex": "x", "hooks": [{"type": "command", "command": "COMMAND"}]}«,',
            "GROUP»",
        ),
        indent=ONE_LINE,
    ),
    Case("a chain of three links", PLAIN, placing.chain),
    Case("a trailing comma", '{"model": "x",}', code="json-trailing-comma", says="1:14"),
    Case("a byte order mark", '\ufeff{"model": "x"}', code="json-bom", says="1:1"),
    Case("half a file", '{"model": "x"', code="json-syntax", says="1:14"),
    refused("a list", "[]", "the top level at 1:1"),
    refused("`hooks` is null", '{"hooks": null}', "hooks at 1:11"),
    refused("an event that is no list", '{"hooks": {"Stop": {}}}', "hooks.Stop at 1:20"),
    refused(
        "a hook in the list of an event",
        '{"hooks": {"Stop": [{"type": "command", "command": "x"}]}}',
        "hooks.Stop[0] at 1:21",
    ),
    refused(
        "a timeout in text",
        '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x", "timeout": "1"}]}]}}',
        "hooks.Stop[0].hooks[0].timeout at 1:79",
    ),
)
