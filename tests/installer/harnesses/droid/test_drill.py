"""What needs no Droid; tests/live/test_droid_guard.py has the rest, with the real one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from runaway.installer.errors import Refusal
from runaway.installer.harnesses.droid.drill import Launch, again, drill, run

# Stands in for Droid: asks until the model is done, denies from the fourth call on, or from none, and
# ends the turn at the sixth where it denies.
STANDS_IN = f"""exec {sys.executable} -c '
import json, os, pathlib, sys, urllib.request
first, tool = int("FIRST"), "TOOL"
home = pathlib.Path(os.environ["FACTORY_HOME_OVERRIDE"], ".factory")
assert json.loads((home / "settings.json").read_text()) == {{"hooks": {{"Stop": []}}}}
model = json.load(open(sys.argv[sys.argv.index("--settings") + 1]))["customModels"][0]
assert model["id"] in sys.argv
log = home / "sessions/folder"
log.mkdir(parents=True)
conversation, calls, ran = [], 0, []
while not (calls == 6 and first < 6):
    body = {{"model": "m", "messages": conversation, "tools": [{{"name": tool}}]}}
    request = urllib.request.Request(model["baseUrl"] + "/v1/messages", json.dumps(body).encode())
    [block] = json.load(urllib.request.urlopen(request))["content"]
    if block["type"] != "tool_use":
        break
    calls += 1
    said = "Error: guard: no" if calls >= first else [{{"type": "text", "text": "ok"}}]
    result = {{"type": "tool_result", "tool_use_id": block["id"], "content": said}}
    conversation += [{{"role": "assistant", "content": [block]}}]
    conversation += [{{"role": "user", "content": [result]}}]
    ends = calls == 6 and first < 6
    printed = json.dumps({{"continue": False}}, separators=(",", ":")) if ends else ""
    ran.append({{"exitCode": 0, "stdout": printed, "stderr": ""}})
hooks = {{"hookEventName": "PreToolUse", "hookStatus": "completed", "hookResults": ran}}
(log / "s1.jsonl").write_text(json.dumps({{"type": "message", "message": hooks}}) + "\\n")
print(json.dumps({{"session_id": "s1", "result": ""}}))
' "$@\""""


def program(folder: Path, body: str) -> Path:
    path = folder / "droid"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def stand_in(folder: Path, first: int, tool: str = "Execute") -> Path:
    return program(folder, STANDS_IN.replace("FIRST", str(first)).replace("TOOL", tool))


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Droid's, as a person has it."""
    folder = tmp_path / "mine"
    folder.mkdir()
    settings = '// mine\n{"customModels": [{"apiKey": "secret"}], "hooks": {"Stop": []}}'
    (folder / "settings.json").write_text(settings)
    return folder


def test_a_program_that_cannot_be_started_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        run(Launch(tmp_path / "droid", tmp_path, tmp_path, {}), again("true"))
    assert refusal.value.code == "harness-not-started"


def test_a_program_that_never_asks_the_model_proves_nothing(tmp_path: Path, folder: Path) -> None:
    droid = program(tmp_path, "echo 'not signed in' >&2; exit 1")
    report = drill(droid, "guard: ", environment={}, folder=folder)
    assert (report.level, report.requests) == ("error", 0)
    assert report.message.endswith("(not signed in)")


def test_a_loop_that_is_denied_and_ended_passes_with_a_copy_of_the_hooks_alone(
    tmp_path: Path, folder: Path
) -> None:
    heard: list[int] = []
    report = drill(
        stand_in(tmp_path, 4), "guard: ", environment={}, folder=folder, on_progress=heard.append
    )
    assert (report.level, report.calls_before_stop) == ("ok", 3), report
    assert heard == [1, 2, 3, 4, 5, 6]
    assert [path.name for path in folder.iterdir()] == ["settings.json"]


def test_a_loop_that_nobody_denies_fails_and_tells_that_hooks_were_run(
    tmp_path: Path, folder: Path
) -> None:
    report = drill(stand_in(tmp_path, 999), "guard: ", environment={}, folder=folder)
    assert report.level == "error"
    assert "hooks were run" in report.message


def test_a_release_without_the_tool_proves_nothing(tmp_path: Path, folder: Path) -> None:
    report = drill(stand_in(tmp_path, 4, "Shell"), "guard: ", environment={}, folder=folder)
    assert report.level == "skipped"


@pytest.mark.parametrize("broken", ["{", "[]", '{"hooks": null}'])
def test_broken_settings_are_copied_as_broken_as_they_are(tmp_path: Path, broken: str) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    (bare / "settings.json").write_text(broken)
    (bare / "hooks.json").write_text("{")
    seen = tmp_path / "seen"
    droid = program(tmp_path, f'cp -r "$FACTORY_HOME_OVERRIDE/.factory" {seen}')
    drill(droid, "guard: ", environment={"PATH": "/usr/bin:/bin"}, folder=bare)
    assert (seen / "hooks.json").read_text() == "{"
    copied = (seen / "settings.json").read_text()
    assert copied in (broken, json.dumps({"hooks": None}))
