"""A home in which the guard is registered with some harnesses, for tests of what would disarm it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from runaway.guard.policy import Policy
from runaway.guard.tampering.facts import Facts
from runaway.installer.machine import scratch_machine
from runaway.installer.tamper_policy import compiled

OWN = (".local/share/runaway", ".config/runaway", ".local/state/runaway")
SCRIPT = "sh -c 'command . \"$0\" 2>/dev/null || true'"


def command(home: Path, harness: str) -> str:
    return f"{SCRIPT} '{home}/.local/share/runaway/launch' {harness}"


def handler(home: Path, harness: str, **more: Any) -> dict[str, Any]:
    return {"type": "command", "command": command(home, harness), "timeout": 10, **more}


def nested(home: Path, harness: str, *events: str, **more: Any) -> dict[str, Any]:
    groups = {event: [{"hooks": [handler(home, harness, **more)]}] for event in events}
    return {"hooks": groups}


def settings(home: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Of each harness: path below the home -> contents, as setup leaves them."""
    claude = nested(home, "claude", "PreToolUse", "PostToolBatch")
    codex = nested(home, "codex", "PreToolUse", "UserPromptSubmit", statusMessage="runaway guard")
    flat = {"command": command(home, "claude"), "timeout": 10}
    return {
        "claude": {".claude/settings.json": {**claude, "permissions": {"allow": []}}},
        "codex": {".codex/hooks.json": codex},
        "gemini": {".gemini/settings.json": {"theme": "x", **nested(home, "gemini", "BeforeTool")}},
        "qwen": {".qwen/settings.json": {"theme": "x", **nested(home, "qwen", "PreToolUse")}},
        "droid": {".factory/settings.json": {"model": "a", **nested(home, "droid", "PreToolUse")}},
        "cursor": {
            ".cursor/hooks.json": {"version": 1, "hooks": {"preToolUse": [flat], "stop": [flat]}}
        },
        "copilot": {
            ".copilot/hooks/runaway.json": {"hooks": {"PreToolUse": [handler(home, "copilot")]}}
        },
    }


EVERY = ("claude", "codex", "gemini", "qwen", "droid", "cursor", "copilot")


def put(home: Path, name: str, text: str) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def furnish(home: Path, harnesses: tuple[str, ...] = EVERY) -> Policy:
    """Put the files there, a project with a link to Claude Code's folder, and give the policy."""
    wired = []
    for harness in harnesses:
        for name, values in settings(home)[harness].items():
            put(home, name, json.dumps(values, indent=2))
            wired.append(str(home / name))
    if "codex" in harnesses:
        trust = (
            f'[hooks.state."{home}/.codex/hooks.json:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"'
        )
        put(home, ".codex/config.toml", f'model = "gpt-5"\n\n{trust}\n')
    put(home, ".config/opencode/plugin/runaway.js", "// deny\n")
    put(home, ".local/share/runaway/launch", "#!/bin/sh\n")
    put(home, ".local/state/runaway/health.log", "")
    (home / "proj").mkdir()
    (home / "proj/c").symlink_to(home / ".claude")
    protected = [spelled for name in OWN for spelled in (str(home / name), f"~/{name}")]
    return Policy({"protected": protected, "wired": wired, "tamper": tamper(home)}, "/nowhere")


def tamper(home: Path) -> dict[str, Any]:
    """What setup would tell the guard there."""
    return compiled(scratch_machine(home)._replace(root=Path("/")), ())


def facts(home: Path) -> Facts:
    return Facts(Policy({"tamper": tamper(home)}, "/nowhere"))
