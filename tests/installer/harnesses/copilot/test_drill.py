"""What needs no Copilot; tests/live/test_copilot_guard.py has the rest, with the real one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.copilot.drill import Launch, drill, run

LOOP = looping(ToolUse("bash", {"command": "true"}))
# Stands in for Copilot: asks until the model is done, and denies from the fourth call on, or from none.
STANDS_IN = f"""exec {sys.executable} -c '
import json, os, urllib.request
first, tool = int("FIRST"), "TOOL"
home = os.environ["COPILOT_HOME"]
config = json.load(open(home + "/config.json"))
assert config == {{"trustedFolders": ["/mine"]}}, config
assert sorted(os.listdir(home)) == ["config.json", "hooks", "settings.json"]
log = home + "/session-state/s1"
os.makedirs(log)
ended = {{"type": "hook.end", "data": {{"hookType": "preToolUse", "success": True}}}}
open(log + "/events.jsonl", "w").write(json.dumps(ended) + "\\n")
conversation, calls = [], 0
while True:
    body = {{"model": "m", "messages": conversation, "tools": [{{"name": tool}}]}}
    url = os.environ["COPILOT_PROVIDER_BASE_URL"] + "/v1/messages"
    request = urllib.request.Request(url, json.dumps(body).encode())
    [block] = json.load(urllib.request.urlopen(request))["content"]
    if block["type"] != "tool_use":
        break
    calls += 1
    ran = [{{"type": "text", "text": "ok"}}]
    said = "Denied by preToolUse hook: guard: no" if calls >= first else ran
    result = {{"type": "tool_result", "tool_use_id": block["id"], "content": said}}
    conversation += [{{"role": "assistant", "content": [block]}}]
    conversation += [{{"role": "user", "content": [result]}}]
print("Resume     copilot --resume=s1", file=__import__("sys").stderr)
' "$@\""""


def program(folder: Path, body: str) -> Path:
    path = folder / "copilot"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def stand_in(folder: Path, first: int, tool: str = "bash") -> Path:
    return program(folder, STANDS_IN.replace("FIRST", str(first)).replace("TOOL", tool))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Copilot's, as a person has it."""
    folder = tmp_path / "mine"
    (folder / "hooks").mkdir(parents=True)
    (folder / "hooks/runaway.json").write_text("{}")
    (folder / "settings.json").write_text("{}")
    config = '// managed\n{"trustedFolders": ["/mine"], "token": "secret",}'
    (folder / "config.json").write_text(config)
    (folder / "session-store.db").write_text("private")
    return folder


def test_a_program_that_cannot_be_started_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        run(Launch(tmp_path / "copilot", tmp_path, {}), LOOP)
    assert refusal.value.code == "harness-not-started"


def test_a_program_that_never_asks_the_model_proves_nothing(tmp_path: Path, folder: Path) -> None:
    copilot = program(tmp_path, "echo 'not signed in' >&2; exit 1")
    report = drill(copilot, "guard: ", environment={}, folder=folder)
    assert (report.level, report.requests) == ("error", 0)
    assert report.message.endswith("(not signed in)")


def test_a_loop_that_is_denied_for_good_passes_in_a_copy_of_the_folder(
    tmp_path: Path, folder: Path
) -> None:
    heard: list[int] = []
    report = drill(
        stand_in(tmp_path, 4), "guard: ", environment={}, folder=folder, on_progress=heard.append
    )
    assert (report.level, report.calls_before_stop) == ("ok", 3), report
    assert heard[:3] == [1, 2, 3]
    assert not (folder / "session-state").exists()


def test_a_loop_that_nobody_denies_fails_and_tells_that_hooks_were_run(
    tmp_path: Path, folder: Path
) -> None:
    report = drill(stand_in(tmp_path, 999), "guard: ", environment={}, folder=folder)
    assert report.level == "error"
    assert "hooks were run" in report.message


def test_a_release_without_the_tool_proves_nothing(tmp_path: Path, folder: Path) -> None:
    report = drill(stand_in(tmp_path, 4, "shell"), "guard: ", environment={}, folder=folder)
    assert report.level == "skipped"


@pytest.mark.parametrize("config", [None, "", "{}", "[]", '{"trustedFolders": 1}'])
def test_a_folder_without_trust_is_copied_all_the_same(tmp_path: Path, config: str | None) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    if config is not None:
        (bare / "config.json").write_text(config)
    seen = tmp_path / "seen"
    copilot = program(tmp_path, f'cp "$COPILOT_HOME/config.json" {seen}')
    drill(copilot, "guard: ", environment={"PATH": "/usr/bin:/bin"}, folder=bare)
    assert json.loads(seen.read_text()) == {"trustedFolders": []}
