"""What needs no Codex; tests/live/test_codex_guard.py has the rest, with the real one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.codex.app_server import inherited
from runaway.installer.harnesses.codex.drill import Launch, drill, run

LOOP = looping(ToolUse("exec_command", {"cmd": "true"}))
# Stands in for Codex: asks until the model is done, and denies from the fourth call on, or from none.
STANDS_IN = f"""exec {sys.executable} -c '
import json, re, sys, urllib.request
[provider] = [word for word in sys.argv if word.startswith("model_providers.")]
url = re.search(r"base_url=\\"([^\\"]+)\\"", provider)[1]
first, tool = int("FIRST"), "TOOL"
conversation, calls = [], 0
while True:
    body = {{"model": "m", "input": conversation, "tools": [{{"type": "function", "name": tool}}]}}
    request = urllib.request.Request(url + "/responses", json.dumps(body).encode())
    [item] = json.load(urllib.request.urlopen(request))["output"]
    if item["type"] != "function_call":
        break
    calls += 1
    said = "Command blocked by PreToolUse hook: guard: no. Command: true" if calls >= first else "ok"
    output = {{"type": "function_call_output", "call_id": item["call_id"], "output": said}}
    conversation += [item, output]
    print("hook: PreToolUse Completed", file=sys.stderr)
' "$@\""""


def program(folder: Path, body: str) -> Path:
    path = folder / "codex"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def stand_in(folder: Path, first: int, tool: str = "exec_command") -> Path:
    return program(folder, STANDS_IN.replace("FIRST", str(first)).replace("TOOL", tool))


def test_a_program_that_cannot_be_started_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        run(Launch(tmp_path / "codex", tmp_path, {}), LOOP)
    assert refusal.value.code == "harness-not-started"


def test_a_program_that_never_asks_the_model_proves_nothing(tmp_path: Path) -> None:
    codex = program(tmp_path, "echo 'Error loading config.toml' >&2; exit 1")
    report = drill(codex, "guard: ", environment={})
    assert (report.level, report.requests) == ("error", 0)
    assert report.message.endswith("(Error loading config.toml)")


def test_a_loop_that_is_denied_for_good_passes(tmp_path: Path) -> None:
    heard: list[int] = []
    report = drill(stand_in(tmp_path, 4), "guard: ", environment={}, on_progress=heard.append)
    assert (report.level, report.calls_before_stop) == ("ok", 3), report
    assert heard[:3] == [1, 2, 3]


def test_a_loop_that_nobody_denies_fails(tmp_path: Path) -> None:
    report = drill(stand_in(tmp_path, 999), "guard: ", environment={})
    assert report.level == "error"
    assert "hooks were run, but" in report.message


def test_a_denial_of_somebody_else_is_none_of_ours(tmp_path: Path) -> None:
    assert drill(stand_in(tmp_path, 4), "another: ", environment={}).level == "error"


def test_it_says_so_where_the_tool_is_missing(tmp_path: Path) -> None:
    report = drill(stand_in(tmp_path, 4, "shell"), "guard: ", environment={})
    assert report.level == "skipped"


def test_no_key_of_the_users_environment_is_handed_on(tmp_path: Path) -> None:
    told = inherited({"HOME": "/h", "CODEX_HOME": "/c", "OPENAI_API_KEY": "secret", "FOO": "1"})
    assert told == {"HOME": "/h", "CODEX_HOME": "/c"}
    tell = "import json, os; print(json.dumps(dict(os.environ)))"
    codex = program(tmp_path, f"exec {sys.executable} -c '{tell}'")
    seen = json.loads(run(Launch(codex, tmp_path, told), LOOP).text)
    assert "secret" not in seen.values()
    assert seen["NO_PROXY"] == "127.0.0.1"
