"""What needs no Qwen Code; tests/live/test_qwen_guard.py has the rest, with the real one."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.drill.outcome import DrillReport
from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.qwen.drill import Launch, drill, run

# Stands in for Qwen Code: asks until the model is done, denies from the fourth call on, or from none,
# and says nothing more after the sixth or never.
STANDS_IN = f"""exec {sys.executable} -c '
import json, os, sys, urllib.request
url = os.environ["ANTHROPIC_BASE_URL"] + "/v1/messages"
first, last, tool = int("FIRST"), int("LAST"), "TOOL"
conversation, calls = [], 0
while True:
    body = {{"model": "m", "messages": conversation, "tools": [{{"name": tool}}]}}
    request = urllib.request.Request(url, json.dumps(body).encode())
    [block] = json.loads(urllib.request.urlopen(request).read())["content"]
    if block["type"] != "tool_use":
        print("Done.")
        break
    calls += 1
    if calls >= last:
        break
    denied = calls >= first
    done = {{"type": "tool_result", "tool_use_id": block["id"], "is_error": denied,
            "content": "guard: no" if denied else [{{"type": "text", "text": "ok"}}]}}
    conversation += [{{"role": "assistant", "content": [block]}}, {{"role": "user", "content": [done]}}]
' "$@\""""


def program(folder: Path, body: str) -> Path:
    path = folder / "qwen"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def drilled(
    folder: Path, first: int, last: int, tool: str = "run_shell_command", **options: Any
) -> DrillReport:
    body = STANDS_IN.replace("FIRST", str(first)).replace("LAST", str(last)).replace("TOOL", tool)
    none = folder / "none"
    return drill(
        program(folder, body), "guard: ", settings=none, environment={"PATH": "/bin"}, **options
    )


def test_a_loop_that_is_denied_and_ended_passes(tmp_path: Path) -> None:
    heard: list[int] = []
    report = drilled(tmp_path, 4, 6, on_progress=heard.append)
    assert (report.level, report.calls_before_stop, report.requests) == ("ok", 3, 6), report
    assert heard == [1, 2, 3, 4, 5, 6]


def test_a_loop_that_is_only_denied_fails(tmp_path: Path) -> None:
    report = drilled(tmp_path, 4, 999)
    assert report.level == "error"
    assert "but the model was asked again" in report.message


def test_a_loop_that_nobody_denies_fails(tmp_path: Path) -> None:
    report = drilled(tmp_path, 999, 999)
    assert report.message == "not protected: 30 equal calls went through"


def test_it_says_so_where_the_tool_is_missing(tmp_path: Path) -> None:
    assert drilled(tmp_path, 4, 6, "search").level == "skipped"


def test_a_program_that_never_asks_the_model_proves_nothing(tmp_path: Path) -> None:
    qwen = program(tmp_path, "echo 'Cannot read settings.json' >&2; exit 1")
    report = drill(qwen, "guard: ", settings=tmp_path / "none", environment={})
    assert (report.level, report.requests) == ("error", 0)
    assert report.message.endswith("(Cannot read settings.json)")


def test_the_settings_are_copied_and_no_key_is_handed_on(tmp_path: Path) -> None:
    seen, file = tmp_path / "seen", tmp_path / "settings.json"
    file.write_bytes(b"// mine\n{,}")
    tell = "import json, os; print(json.dumps(dict(os.environ)))"
    body = f"cat $QWEN_HOME/settings.json > {seen}.json; {sys.executable} -c '{tell}' > {seen}"
    environment = {"PATH": "/bin", "ANTHROPIC_API_KEY": "secret", "HOME": "/h"}
    drill(program(tmp_path, body), "guard: ", settings=file, environment=environment)
    assert Path(f"{seen}.json").read_bytes() == file.read_bytes() == b"// mine\n{,}"
    told = json.loads(seen.read_text())
    assert "secret" not in told.values()
    assert (told["HOME"], told["NO_PROXY"]) == ("/h", "127.0.0.1")


def test_a_program_that_cannot_be_started_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        run(Launch(tmp_path / "qwen", tmp_path, {}), looping(ToolUse("glob", {})))
    assert refusal.value.code == "harness-not-started"
