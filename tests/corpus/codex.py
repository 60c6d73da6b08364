"""Codex's hooks.json, and config.toml where somebody keeps all hooks there."""

from __future__ import annotations

from tests.corpus import placing
from tests.corpus.case import MINIFIED, ONE_LINE, Case, Harness

HANDLER = {
    "type": "command",
    "command": "COMMAND",
    "timeout": 10,
    "statusMessage": "runaway guard",
}
EVENTS = ("PreToolUse", "UserPromptSubmit", "PostModelRequest")
CODEX = Harness("codex", ".codex/hooks.json", HANDLER, EVENTS, word="codex")
CODEX_TOML = CODEX._replace(file=".codex/config.toml")
CHECK = '{"type": "command", "command": "check"}'
BASH = f'{{"matcher": "Bash", "hooks": [{CHECK}]}}'
OURS = '{"type": "command", "command": "COMMAND", "timeout": 10, "statusMessage": "runaway guard"}'
PLAIN = '{\n  "description": "mine"«,\n  HOOKS»\n}\n'
FILLED = "«{\n  HOOKS\n}\n»"
MORE = "".join(f',\n    "{name}": [\n      GROUP\n    ]' for name in EVENTS[1:])


def event(*groups: str) -> str:
    """A file with these groups for every tool call; setup adds the other events behind it."""
    inside = ",".join(f"\n      {group}" for group in groups)
    return f'{{\n  "hooks": {{\n    "PreToolUse": [{inside}\n    ]«{MORE}»\n  }}\n}}\n'


def left(*groups: str) -> str:
    return event(*groups).replace(f"«{MORE}»", "")


CASES = (
    Case("two blanks", PLAIN),
    Case("CRLF and tabs", '{\r\n\t"description": "mine"«,\r\n\tHOOKS»\r\n}', indent="\t"),
    Case("minified", '{"description":"mine"«,HOOKS»}', indent=MINIFIED),
    Case("one line", '{"description": "mine"«, HOOKS»}\n', indent=ONE_LINE),
    Case("an empty object", "{«\n  HOOKS\n»}\n"),
    Case("an empty file, which Codex does not read", FILLED),
    Case("no file", FILLED, placing.only_folder),
    Case("no file and no folder", FILLED, placing.nothing),
    Case("a group per line: ours comes last", event(BASH + "«,\n      GROUP»"), indent=ONE_LINE),
    Case(
        "an event nobody knows",
        '{"hooks": {"Later": 1«, ' + ", ".join(f"EVENT:{name}" for name in EVENTS) + "»}}\n",
        indent=ONE_LINE,
    ),
    Case(
        "an empty group at the end: filled, so that no place changes",
        event(BASH, '{"hooks": [«HANDLER»]}'),
        indent=ONE_LINE,
    ),
    Case(
        "our entry in front of others: an empty group keeps its place",
        event(f'{{"hooks": [{OURS}]}}', BASH),
        indent=ONE_LINE,
        left=left('{"hooks": []}', BASH),
    ),
    Case(
        "our entry in front, and a copy behind",
        event(
            f'{{"hooks": [{OURS.replace("10", "«5→10»")}]}}',
            BASH + f'«,\n      {{"hooks": [{OURS}]}}→»',
        ),
        indent=ONE_LINE,
        left=left('{"hooks": []}', BASH),
    ),
    Case(
        "our entry in front of another handler: an inert one keeps its place",
        event(f'{{"hooks": [{OURS}, {CHECK}]}}'),
        indent=ONE_LINE,
        left=left(f'{{"hooks": [{{"type": "command", "command": ""}}, {CHECK}]}}'),
    ),
    Case("a chain of three links", PLAIN, placing.chain),
    Case("a hard link", PLAIN, placing.hard_link),
    Case("a link into a Nix store", PLAIN, placing.store, "read-only", "is read-only"),
    Case("a comment", '{\n  // note\n  "hooks": {}\n}\n', code="json-comment", says="2:3"),
    Case("a trailing comma", '{"hooks": {},}', code="json-trailing-comma", says="1:13"),
    Case("a byte order mark", "\ufeff{}", code="json-bom", says="1:1"),
    Case("UTF-16 with a byte order mark", b"\xff\xfe{\0}\0", code="not-utf8", says="is UTF-16"),
    Case("cut off", '{"hooks": {', code="json-syntax", says="1:12"),
    *(
        Case(name, text, code="codex-drops-file", says=says)
        for name, text, says in (
            ("a key beside `hooks`", '{"model": "m"}', "model at 1:11"),
            ("`null`", "null", "the top level at 1:1"),
            ("a list", "[]", "the top level at 1:1"),
            ("`hooks` is a list", '{"hooks": []}', "hooks at 1:11"),
            ("`hooks` twice", '{"hooks": {}, "hooks": {}}', "at 1:15 stands already at 1:2"),
            ("a key twice anywhere", '{"hooks": {"Stop": [{"a": 1, "a": 2}]}}', "at 1:30"),
            ("the event is an object", '{"hooks": {"Stop": {}}}', "hooks.Stop at 1:20"),
            ("a group that is a text", '{"hooks": {"Stop": ["x"]}}', "hooks.Stop[0] at 1:21"),
            (
                "a timeout of half a second",
                '{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "timeout": 0.5}]}]}}',
                "timeout at 1:62",
            ),
        )
    ),
)


def tables(line_end: str = "\n", equals: str = " = ") -> str:
    """Our entry as tables of TOML, behind everything that is there."""
    lines = []
    for name in EVENTS:
        lines += ["", f"[[hooks.{name}]]", f"[[hooks.{name}.hooks]]", f'type{equals}"command"']
        lines += [f'command{equals}"COMMAND"', f"timeout{equals}10"]
        lines += [f'statusMessage{equals}"runaway guard"']
    return line_end.join(lines)


CRLF = "\r\n"
INLINE = ", ".join(
    f'{name} = [{{ hooks = [{{ type = "command", command = "COMMAND", timeout = 10,'
    ' statusMessage = "runaway guard" }] }]'
    for name in EVENTS
)
GROUP = (
    '[[hooks.PreToolUse]]\nmatcher = "x" # theirs\n\n[[hooks.PreToolUse.hooks]]\ntype = "prompt"\n'
)
TOML_CASES = (
    Case("groups as tables", f"# mine\nmodel = 'm'\n\n{GROUP}«{tables()}\n»"),
    Case(
        "CRLF, comments, no line feed at the end",
        f"# c\r\n[[hooks.Stop]]\r\nhooks = []\r\n\r\n[tail] # c\r\nb = 1«\r\n{tables(CRLF)}»",
    ),
    Case("a byte order mark", f"\ufeff{GROUP}«{tables()}\n»"),
    Case("groups apart from each other", f"{GROUP}\n[other]\na = 1_000\n\n{GROUP}«{tables()}\n»"),
    Case(
        "groups inline", f"hooks = {{ Stop = [{{ hooks = [] }}]«, {INLINE}» }} # mine\nb = 0x1F\n"
    ),
    Case(
        "dotted keys, no blanks",
        f"hooks.Stop=[{{hooks=[]}}]\nd=1979-05-27\n«{tables(equals='=')}\n»",
    ),
    Case(
        "a hook without a type",
        '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ncommand = "x"\n',
        code="codex-drops-file",
        says="hooks.Stop[0].hooks[0] at 2:1",
    ),
)
