"""Files as people write them, with what we say of them; tests/live asks Cursor's own engine the same."""

from __future__ import annotations

import json
from typing import Any

from runaway.installer.harnesses.cursor.third_party import EVENTS, Hook


def own(entry: Any = None, *, event: str = "stop", **rest: Any) -> str:
    return json.dumps({"version": 1, "hooks": {event: [entry or {"command": "x"}]}, **rest})


def command(**changes: Any) -> str:
    return own({"command": "x", **changes})


LOADED = {
    "plain": own(),
    "comments": "/* a */ " + own() + " // b",
    "unknown keys": own({"command": "x", "id": 1, "timeoutSec": 0}, other=1),
    "a prompt": own({"type": "prompt", "prompt": "p"}),
    "an empty command": command(command=""),
    "every tool": command(matcher="*"),
    "a named group": command(matcher="(?<a>b)"),
    "no limit": command(loop_limit=None),
    "half a second": command(timeout=0.5),
    "failClosed": command(failClosed=True),
    "version 2": own(version=2),
    "an empty event": '{"version": 1, "hooks": {"stop": []}}',
    "a star in a string": command(command="ls a/*"),
    "stars in one string": command(command="ls a/* b*/"),
    "an empty file": "",
}
FIRST = "hooks.stop[0]"
IGNORED = {  # name -> (text, the place we tell)
    "an address in a string": (command(command="curl http://x"), f"{FIRST}.command"),
    "an address in a key": ('{"version": 1, "hooks": {}, "http://x": 1}', "the top level"),
    "a comment with an address": ("/* http://x */ " + own(), "the top level"),
    "no version": ('{"hooks": {"stop": [{"command": "x"}]}}', "the top level"),
    "version 0": (own(version=0), "version"),
    "version 1.5": (own(version=1.5), "version"),
    "version as text": (own(version="1"), "version"),
    "a list of hooks": ('{"version": 1, "hooks": []}', "hooks"),
    "an unknown event": (own(event="onStop"), "hooks.onStop"),
    "an event of Claude Code": (own(event="PreToolUse"), "hooks.PreToolUse"),
    "an event that is null": ('{"version": 1, "hooks": {"stop": null}}', "hooks.stop"),
    "a group of Claude Code": (own({"hooks": [{"type": "command", "command": "x"}]}), FIRST),
    "no command": (own({"timeout": 1}), FIRST),
    "a text for a hook": (own("x"), FIRST),
    "an unknown type": (command(type="http"), f"{FIRST}.type"),
    "type null": (command(type=None), f"{FIRST}.type"),
    "an empty prompt": (own({"type": "prompt", "prompt": " "}), FIRST),
    "a model that is no text": (
        own({"type": "prompt", "prompt": "p", "model": 1}),
        f"{FIRST}.model",
    ),
    "timeout 0": (command(timeout=0), f"{FIRST}.timeout"),
    "timeout as text": (command(timeout="1"), f"{FIRST}.timeout"),
    "a glob": (command(matcher="*.ts"), f"{FIRST}.matcher"),
    "an open group": (command(matcher="(a"), f"{FIRST}.matcher"),
    "a matcher that is no text": (command(matcher=1), f"{FIRST}.matcher"),
    "loop limit 0": (command(loop_limit=0), f"{FIRST}.loop_limit"),
    "failClosed as text": (command(failClosed="yes"), f"{FIRST}.failClosed"),
    "no object": ("[]", "the top level"),
}
REFUSED = {  # name -> (text, code); already by the rules of reading
    "a byte order mark": ("\ufeff" + own(), "json-bom"),
    "a trailing comma": (own()[:-1] + ",}", "json-trailing-comma"),
    "half a file": (own()[:-1], "json-syntax"),
}


def group(matcher: Any = ..., **handler: Any) -> dict[str, Any]:
    """Of Claude Code's settings."""
    one = {"hooks": [{"type": "command", "command": "x", **handler}]}
    return one if matcher is ... else {"matcher": matcher, **one}


PRE = Hook("preToolUse", "", "x")
FOREIGN: dict[str, tuple[dict[str, Any], list[Hook]]] = {  # hooks -> what Cursor takes of them
    "no matcher": ({"PreToolUse": [group()]}, []),
    "an empty matcher": ({"PreToolUse": [group("")]}, [PRE]),
    "a star": ({"PreToolUse": [group("*")]}, [PRE]),
    "a matcher elsewhere": (
        {"PreToolUse": [group()], "PostToolUse": [group("Bash", command="y")]},
        [PRE, Hook("postToolUse", "Shell", "y")],
    ),
    "a matcher of an event that is never run": (
        {"Notification": [group("")], "PreToolUse": [group()]},
        [PRE],
    ),
    "a matcher of an event that Cursor has not": (
        {"PostToolBatch": [group("")], "PreToolUse": [group()]},
        [],
    ),
    "tools": (
        {"PreToolUse": [group("Bash|Edit|Write|Glob| Read |mcp__s__t|mcp__s|Other")]},
        [Hook("preToolUse", "Shell|Write|Read|MCP:t|mcp__s|Other", "x")],
    ),
    "no tool left": (
        {"PreToolUse": [group("Glob"), group("Bash")]},
        [Hook("preToolUse", "Shell", "x")],
    ),
    "matchers of other events": (
        {"SessionStart": [group("startup")], "Stop": [group("a")]},
        [Hook("sessionStart", "", "x"), Hook("stop", "", "x")],
    ),
    "every event": (
        {event: [group("")] for event in [*EVENTS, "SubagentStart"]},
        [Hook(event, "", "x") for event in EVENTS.values() if event],
    ),
    "no command": ({"PreToolUse": [group("", command="")]}, []),
    "a bad timeout": ({"PreToolUse": [group("", timeout=-1)]}, []),
    "a bad pattern": ({"PreToolUse": [group("(")]}, []),
    "a group without handlers": ({"PreToolUse": [group(""), {"matcher": ""}]}, []),
    "an event that is no list": ({"PreToolUse": [group("")], "Stop": {}}, [PRE]),
    "nothing": ({}, []),
}
