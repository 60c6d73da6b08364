"""What needs no Gemini CLI; tests/live/test_gemini_guard.py has the rest, with the real one."""

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
from runaway.installer.harnesses.gemini.drill import Launch, drill, run

# Stands in for Gemini CLI: asks until the model is done, denies from the fourth call on, or from none,
# and ends the turn at the sixth or never.
STANDS_IN = f"""exec {sys.executable} -c '
import json, os, sys, urllib.request
home = os.environ["GEMINI_CLI_HOME"] + "/.gemini/settings.json"
print(open(home).read().replace("\\n", " "))
url = os.environ["GOOGLE_GEMINI_BASE_URL"] + "/v1beta/models/m:streamGenerateContent"
first, last, tool = int("FIRST"), int("LAST"), "TOOL"
conversation, calls = [], 0
while True:
    body = {{"contents": conversation, "tools": [{{"functionDeclarations": [{{"name": tool}}]}}]}}
    request = urllib.request.Request(url, json.dumps(body).encode())
    told = json.loads(urllib.request.urlopen(request).read()[6:])
    [part] = told["candidates"][0]["content"]["parts"]
    if "functionCall" not in part:
        break
    calls += 1
    if calls >= last:
        sys.exit("Agent execution stopped: guard: over")
    said = {{"error": "Tool execution blocked: guard: no"}} if calls >= first else {{"output": "ok"}}
    part["functionCall"]["id"] = str(calls)
    response = {{"id": str(calls), "name": tool, "response": said}}
    conversation += [{{"parts": [part]}}, {{"parts": [{{"functionResponse": response}}]}}]
' "$@\""""


def program(folder: Path, body: str) -> Path:
    path = folder / "gemini"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def drilled(
    folder: Path, first: int, last: int, tool: str = "glob", settings: str = "{}", **options: Any
) -> DrillReport:
    body = STANDS_IN.replace("FIRST", str(first)).replace("LAST", str(last)).replace("TOOL", tool)
    file = folder / "settings.json"
    file.write_text(settings)
    return drill(
        program(folder, body), "guard: ", settings=file, environment={"PATH": "/bin"}, **options
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
    assert report.level == "error"
    assert report.message == "not protected: 30 equal calls went through"


def test_a_denial_of_somebody_else_is_none_of_ours(tmp_path: Path) -> None:
    body = STANDS_IN.replace("FIRST", "4").replace("LAST", "6").replace("TOOL", "glob")
    gemini = program(tmp_path, body)
    report = drill(gemini, "another: ", settings=tmp_path / "none", environment={"PATH": "/bin"})
    assert report.level == "error"


def test_it_says_so_where_the_tool_is_missing(tmp_path: Path) -> None:
    assert drilled(tmp_path, 4, 6, "search").level == "skipped"


def test_settings_that_choose_the_sign_in_leave_nothing_to_drill(tmp_path: Path) -> None:
    gemini = program(tmp_path, "exit 41")
    report = drill(gemini, "guard: ", settings=tmp_path / "none", environment={})
    assert (report.level, report.requests) == ("skipped", 0)


def test_a_program_that_never_asks_the_model_proves_nothing(tmp_path: Path) -> None:
    gemini = program(tmp_path, "echo 'Error in settings.json' >&2; exit 52")
    report = drill(gemini, "guard: ", settings=tmp_path / "none", environment={})
    assert (report.level, report.requests) == ("error", 0)
    assert report.message.endswith("(Error in settings.json)")


@pytest.mark.parametrize(
    ("settings", "kept"),
    [
        ('{"hooks": {"BeforeTool": []}, "model": {"name": "x"}}', True),
        ('{// mine\n"security": {"auth": {"selectedType": "oauth-personal"}}}', True),
        ('{"security": 5}', False),
        ("{,}", False),
    ],
)
def test_the_settings_are_copied_and_the_users_own_stay(
    tmp_path: Path, settings: str, kept: bool
) -> None:
    seen = tmp_path / "seen"
    file = tmp_path / "settings.json"
    file.write_text(settings)
    body = f'cat "$GEMINI_CLI_HOME/.gemini/settings.json" > {seen}'
    drill(program(tmp_path, body), "guard: ", settings=file, environment={"PATH": "/bin"})
    assert file.read_text() == settings
    copied = seen.read_text()
    assert ('"selectedType": "gemini-api-key"' in copied) is kept
    assert ('"disableLoopDetection": true' in copied) is kept
    assert kept or copied == settings


def test_a_program_that_cannot_be_started_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        run(Launch(tmp_path / "gemini", tmp_path, {}), looping(ToolUse("glob", {})))
    assert refusal.value.code == "harness-not-started"


def test_no_key_of_the_users_environment_is_handed_on(tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    tell = "import json, os; print(json.dumps(dict(os.environ)))"
    gemini = program(tmp_path, f"exec {sys.executable} -c '{tell}' > {seen}")
    environment = {"HOME": "/h", "GEMINI_API_KEY": "secret", "FOO": "1"}
    drill(gemini, "guard: ", settings=tmp_path / "none", environment=environment)
    told = json.loads(seen.read_text())
    assert "secret" not in told.values()
    assert (told["HOME"], told["NO_PROXY"]) == ("/h", "127.0.0.1")
