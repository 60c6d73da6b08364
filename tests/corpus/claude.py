"""Claude Code's settings.json as people, editors and other installers leave it."""

from __future__ import annotations

from tests.corpus import placing
from tests.corpus.case import MINIFIED, ONE_LINE, Case, Harness

CLAUDE = Harness(
    "claude",
    ".claude/settings.json",
    {"type": "command", "command": "COMMAND", "timeout": 10},
    ("PreToolUse",),
)
PLAIN = '{\n  "model": "opus"«,\n  HOOKS»\n}\n'
FILLED = "«{\n  HOOKS\n}\n»"
FOUR = " " * 4
LONG_LINE = f'    "{"word " * 20}",\n'
OURS = '{"type": "command", "command": "COMMAND", "timeout": 10}'
CHECK = '{"type": "command", "command": "check"}'
BASH = f'{{"matcher": "Bash", "hooks": [{CHECK}]}}'
OLD = """sh -c 'command . \\"$0\\" 2>/dev/null || true' \\"/old/runaway/launch\\" claude"""


def event(*groups: str, name: str = "PreToolUse") -> str:
    """A file with these groups, each on a line of its own; the first mark brings its own."""
    inside = ",".join(f"\n      {group}" for group in groups)
    return f'{{\n  "hooks": {{\n    "{name}": [{inside}\n    ]\n  }}\n}}\n'


def group(*handlers: str) -> str:
    return f'{{"hooks": [{", ".join(handlers)}]}}'


def runs(command: str) -> str:
    return f'{{"type": "command", "command": "{command}"}}'


def then_ours(*groups: str) -> str:
    """What setup makes of these groups."""
    *others, last = groups
    return event(*others, last + "«,\n      GROUP»")


LAYOUT = (
    Case("two blanks", PLAIN),
    Case(
        "four blanks",
        '{\n    "z": [\n        1\n    ],\n    "a": 1«,\n    HOOKS»\n}\n',
        indent=FOUR,
    ),
    Case("one blank", '{\n "model": "opus"«,\n HOOKS»\n}\n', indent=" "),
    Case("tabs", '{\n\t"model": "opus"«,\n\tHOOKS»\n}\n', indent="\t"),
    Case("no indentation", '{\n"a": {\n"b": 1\n}«,\nHOOKS»\n}\n'),
    Case("minified", '{"model":"opus","z":{}«,HOOKS»}', indent=MINIFIED),
    Case("minified, with a line feed at the end", '{"model":"opus"«,HOOKS»}\n', indent=MINIFIED),
    Case("one line", '{"model": "opus", "a": 1«, HOOKS»}\n', indent=ONE_LINE),
    Case(
        "one line with blanks inside the brackets",
        '{ "a": [ 1 ]«, "hooks": { "PreToolUse": [ { "hooks": [ { "type": "command",'
        ' "command": "COMMAND", "timeout": 10 } ] } ] }» }\n',
    ),
    Case(
        "blanks on both sides of colons",
        '{"a" : 1«, "hooks" : {"PreToolUse" : [{"hooks" : [{"type" : "command",'
        ' "command" : "COMMAND", "timeout" : 10}]}]}»}\n',
    ),
    Case("CRLF", '{\r\n  "model": "opus"«,\r\n  HOOKS»\r\n}\r\n'),
    Case("CR alone", '{\r  "model": "opus"«,\r  HOOKS»\r}\r'),
    Case("mixed line ends", '{\r\n  "a": 1,\n  "b": 2«,\n  HOOKS»\r\n}\r\n'),
    Case("no line feed at the end", '{\n  "model": "opus"«,\n  HOOKS»\n}'),
    Case("blank lines at the end", '{\n  "model": "opus"«,\n  HOOKS»\n}\n\n\n'),
    Case("blank lines and blanks in front", '\n\n  {\n  "model": "opus"«,\n  HOOKS»\n}\n'),
    Case("blank lines inside", '{\n\n  "a": 1,\n\n\n  "b": 2«,\n  HOOKS»\n\n}\n'),
    Case("blanks at the ends of lines", '{  \n  "a": 1,\t\n  "b": 2«,\n  HOOKS»  \n}  \n'),
    Case("commas at the starts of lines", '{"a": 1\n, "b": 2«, HOOKS»\n}\n', indent=ONE_LINE),
    Case("members beside the brackets", '{"a": 1,\n "b": 2«,\n HOOKS»}\n', indent=" "),
    Case("two members on a line", '{\n  "a": 1, "b": 2,\n  "c": 3«,\n  HOOKS»\n}\n'),
    Case("an empty object", "{«\n  HOOKS\n»}"),
    Case("an empty object with a blank inside", "{« →\n  HOOKS\n»}\n"),
    Case("an empty object on two lines", "{\n«  HOOKS\n»}\n"),
    Case("an empty file", FILLED),
    Case("nothing but blanks", "«\n \t\n→{\n  HOOKS\n}\n»"),
    Case("nothing but a CRLF", "«\r\n→{\r\n  HOOKS\r\n}\r\n»"),
)
ENCODING = (
    Case("a byte order mark", "\ufeff" + PLAIN),
    Case("nothing but a byte order mark", "\ufeff" + FILLED),
    Case("UTF-16 with a byte order mark", "\ufeff" + PLAIN, encoding="utf-16-le"),
    Case("UTF-16 in CRLF", '\ufeff{\r\n  "ä": "日"«,\r\n  HOOKS»\r\n}', encoding="utf-16-le"),
    Case("emoji and other letters as keys", '{\n  "👩‍💻": "ß",\n  "日本": "é"«,\n  HOOKS»\n}\n'),
    Case("escapes", '{\n  "a\\u0062\\/": "\\u00e9\\n\\\\ \\"x\\""«,\n  HOOKS»\n}\n'),
    Case("lone surrogates as escapes", '{\n  "a": "\\ud800 and \\udc00"«,\n  HOOKS»\n}\n'),
    Case("U+2028, U+0085, U+FEFF in a text", '{\n  "a": "\u2028\x85\ufeff"«,\n  HOOKS»\n}\n'),
    Case("U+007F and U+10FFFF in a text", '{\n  "a": "\x7f\U0010ffff"«,\n  HOOKS»\n}\n'),
)
CONTENT = (
    Case(
        "numbers that parsers change (1e400, 1.10, -0.0)",
        '{\n  "a": [1e400, 12345678901234567890, 1.10, 1E+2, -0.0]«,\n  HOOKS»\n}\n',
    ),
    Case("a key twice, elsewhere", '{\n  "a": {"b": 1, "b": 2},\n  "a": 3«,\n  HOOKS»\n}\n'),
    Case("`__proto__` and an empty key", '{\n  "__proto__": {"a": 1},\n  "": 0«,\n  HOOKS»\n}\n'),
    Case(
        "keys that look like our path", '{\n  "hooks.PreToolUse": 1,\n  "Hooks": 2«,\n  HOOKS»\n}\n'
    ),
    Case("`hooks` spelled with an escape", '{\n  "h\\u006foks": {«\n    EVENT\n  »}\n}\n'),
    Case("texts with `//` and `/*`", '{\n  "//": "a // b",\n  "u": "http://x/*"«,\n  HOOKS»\n}\n'),
    Case("texts with brackets and commas", '{\n  "a": "}],{[\\"",\n  "b": ",}"«,\n  HOOKS»\n}\n'),
    Case("a line of 200,000 letters", f'{{\n  "a": "{"x" * 200_000}"«,\n  HOOKS»\n}}\n'),
    Case("1.5 MB", f'{{\n  "a": [\n{LONG_LINE * 15_000}    1\n  ]«,\n  HOOKS»\n}}\n'),
    Case("100,000 brackets deep", f'{{\n  "a": {"[" * 100_000}{"]" * 100_000}«,\n  HOOKS»\n}}\n'),
    Case("all hooks switched off", '{\n  "disableAllHooks": true«,\n  HOOKS»\n}\n'),
    Case(
        "settings as Claude Code writes them",
        '{\n  "permissions": {\n    "allow": [\n      "Bash(npm test:*)",\n      "Read"\n    ],\n'
        '    "deny": []\n  },\n  "hooks": {\n    "Stop": [\n      {\n        "hooks": [\n'
        '          {\n            "type": "command",\n            "command": "say"\n          }\n'
        '        ]\n      }\n    ]«,\n    EVENT»\n  },\n  "model": "opus"\n}\n',
    ),
)
THEIR_HOOKS = (
    Case("hooks without an event", '{\n  "hooks": {«\n    EVENT\n  »}\n}\n'),
    Case(
        "an event without groups",
        event("GROUP").replace("[", "[«", 1).replace("\n    ]", "\n    »]"),
    ),
    Case(
        "minified, an event without groups",
        '{"hooks":{"PreToolUse":[«GROUP»]}}',
        indent=MINIFIED,
    ),
    Case(
        "`hooks` on one line",
        '{\n  "a": 1,\n  "hooks": {"Stop": []«, EVENT»}\n}\n',
        indent=ONE_LINE,
    ),
    Case("an event nobody knows", '{\n  "hooks": {\n    "Later": 1«,\n    EVENT»\n  }\n}\n'),
    Case("a group per line", then_ours(BASH), indent=ONE_LINE),
    Case(
        "groups on one line",
        f'{{"hooks": {{"PreToolUse": [{BASH}, {BASH}«, GROUP»]}}}}',
        indent=ONE_LINE,
    ),
    Case(
        "groups, minified",
        '{"hooks":{"PreToolUse":[{"matcher":"Bash","hooks":[]}«,GROUP»]}}',
        indent=MINIFIED,
    ),
    Case(
        "groups in CRLF and four blanks",
        '{\r\n    "hooks": {\r\n        "PreToolUse": [\r\n            {\r\n                "matcher":'
        ' "Bash",\r\n                "hooks": []\r\n            }«,\r\n            GROUP»\r\n'
        "        ]\r\n    }\r\n}\r\n",
        indent=FOUR,
    ),
    Case(
        "groups of every matcher",
        then_ours(*(f'{{"matcher": "{one}", "hooks": []}}' for one in ("", "*", "A|B", "mcp__.*"))),
        indent=ONE_LINE,
    ),
    Case(
        "handlers of every type",
        then_ours(
            group('{"type": "prompt", "prompt": "p"}', '{"type": "http", "url": "https://x"}'),
            group('{"type": "agent"}', '{"type": "mcp_tool", "timeout": 0.5, "unknown": null}'),
        ),
        indent=ONE_LINE,
    ),
    Case(
        "commands that hold the same words",
        then_ours(
            group(runs("/home/me/my-runaway/launch claude")),
            group(runs("echo runaway launch claude")),
            group(runs("/opt/self-heal-db.sh")),
        ),
        indent=ONE_LINE,
    ),
    Case(
        "our command, for one tool only, by the user",
        then_ours(f'{{"matcher": "Bash", "hooks": [{OURS}]}}'),
        indent=ONE_LINE,
    ),
)
OURS_BEFORE = (
    Case("our entry already", event(BASH, group(OURS)), left=event(BASH)),
    Case("our entry, not the last", event(group(OURS), BASH), left=event(BASH)),
    Case(
        "our entry with the keys in another order",
        event(BASH, group('{"timeout": 10, "command": "COMMAND", "type": "command"}')),
        left=event(BASH),
    ),
    Case(
        "our entry beside another handler",
        event(group(CHECK, OURS)),
        left=event(group(CHECK)),
    ),
    Case(
        "our entry in a group for `*`",
        event(f'{{"matcher": "*", "hooks": [{OURS}]}}'),
        left=event('{"matcher": "*", "hooks": []}'),
    ),
    Case(
        "our entry with an older timeout",
        event(BASH, group(OURS.replace("10", "«60→10»")), BASH),
        left=event(BASH, BASH),
    ),
    Case(
        "our entry in another place and quoting",
        event(
            f'{{"hooks": [{{"type": "command", "command": "«{OLD}→COMMAND»"«→, "timeout": 10»}}]}}'
        ),
        left='{\n  "hooks": {\n    "PreToolUse": []\n  }\n}\n',
    ),
    Case(
        "three copies of our entry",
        event(group(OURS.replace("10", "«5→10»")), BASH).replace(
            BASH, f"{BASH}«,\n      {group(OURS)}→»«,\n      {group(runs(OLD))}→»"
        ),
        left=event(BASH),
    ),
)
PLACED = (
    Case("no file", FILLED, placing.only_folder),
    Case("no file and no folder", FILLED, placing.nothing),
    *(
        Case(f"mode {mode:04o}", PLAIN, placing.with_mode(mode))
        for mode in (0o600, 0o640, 0o664, 0o755)
    ),
    Case("a private folder", PLAIN, placing.in_folder_with_mode(0o700)),
    Case("a link into a dotfiles folder", PLAIN, placing.linked_to("../dots/claude.json")),
    Case("an absolute link", PLAIN, placing.linked_to("~/dots/claude.json")),
    Case(
        "a link to a name with blanks, quotes, umlauts",
        PLAIN,
        placing.linked_to('../it\'s "mine" (1) & übrig/a $x \\ b.json'),
    ),
    Case("a link to a name with a line feed", PLAIN, placing.linked_to("../dots/one\ntwo")),
    Case("a chain of three links", PLAIN, placing.chain),
    Case("a link for the folder", PLAIN, placing.linked_folder),
    Case("a link through `..` behind a link", PLAIN, placing.linked_up_and_down),
    Case("a hard link", PLAIN, placing.hard_link),
    Case("a link to a hard link", PLAIN, placing.link_to_a_hard_link),
)
CASES = (*LAYOUT, *ENCODING, *CONTENT, *THEIR_HOOKS, *OURS_BEFORE, *PLACED)
