"""What needs no OpenCode; tests/live/test_opencode_guard.py has the rest, with the real one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.opencode.drill import Launch, drill, inherited, redirected, run

LOOP = looping(ToolUse("read", {"filePath": "/x"}))
# Stands in for OpenCode: asks until the model is done, denies from call FIRST on, ends at call LAST.
STANDS_IN = f"""exec {sys.executable} -c '
import json, os, sys, urllib.request
config = json.loads(os.environ["OPENCODE_CONFIG_CONTENT"])
provider, _, model = config["model"].partition("/")
url = config["provider"][provider]["options"]["baseURL"]
messages, calls = [{{"role": "user", "content": "x"}}], 0
while True:
    body = {{"model": model, "messages": messages, "tools": [{{"name": "TOOL"}}]}}
    headers = {{"x-session-id": "ses_1"}}
    request = urllib.request.Request(url + "/messages", json.dumps(body).encode(), headers)
    [block] = json.load(urllib.request.urlopen(request))["content"]
    if block["type"] != "tool_use":
        break
    calls += 1
    if calls >= LAST:
        sys.stderr.write("\\033[91m\\033[1mError: \\033[0mAborted\\n")
        sys.exit(1)
    denied = calls >= FIRST
    result = {{"type": "tool_result", "tool_use_id": block["id"], "is_error": denied}}
    result["content"] = "guard: no" if denied else "not there"
    messages += [{{"role": "assistant", "content": [block]}}, {{"role": "user", "content": [result]}}]
' "$@\""""


def program(folder: Path, body: str) -> Path:
    path = folder / "opencode"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def stand_in(folder: Path, first: int, last: int, tool: str = "read") -> Path:
    body = STANDS_IN.replace("FIRST", str(first)).replace("LAST", str(last))
    return program(folder, body.replace("TOOL", tool))


@pytest.mark.parametrize(
    ("first", "last", "level", "requests", "words"),
    [
        (4, 7, "ok", 7, "denied after 3 repeats and the turn ended after 7 requests"),
        (4, 99, "error", 31, "denied after 3 repeats, but the model was asked again, 31 times"),
        (99, 99, "error", 31, "not protected: 30 equal calls went through"),
    ],
)
def test_a_loop_must_be_denied_and_ended(
    tmp_path: Path, first: int, last: int, level: str, requests: int, words: str
) -> None:
    report = drill(stand_in(tmp_path, first, last), "guard: ", environment={})
    assert (report.level, report.requests) == (level, requests)
    assert words in report.message
    assert "hook" not in report.message


def test_without_the_tool_nothing_is_proven(tmp_path: Path) -> None:
    report = drill(stand_in(tmp_path, 4, 7, tool="other"), "guard: ", environment={})
    assert report.level == "skipped"


def test_a_program_that_cannot_be_started_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        run(Launch(tmp_path / "opencode", tmp_path, {}), LOOP)
    assert refusal.value.code == "harness-not-started"


def test_a_program_that_never_asks_the_model_proves_nothing(tmp_path: Path) -> None:
    opencode = program(tmp_path, "echo 'Configuration is invalid' >&2; exit 1")
    report = drill(opencode, "guard: ", environment={})
    assert (report.level, report.requests) == ("error", 0)
    assert report.message.endswith("(Configuration is invalid)")


def test_progress_is_told_request_by_request(tmp_path: Path) -> None:
    heard: list[int] = []
    drill(stand_in(tmp_path, 2, 4), "guard: ", environment={}, on_progress=heard.append)
    assert heard == [1, 2, 3, 4]


def test_no_key_goes_into_the_drill_and_no_price_into_the_bill() -> None:
    assert inherited({"HOME": "/h", "ANTHROPIC_API_KEY": "k", "OPENCODE_PURE": "1"}) == {
        "HOME": "/h",
        "OPENCODE_PURE": "1",
    }
    assert "cost" not in redirected("http://127.0.0.1:1", {}, {})["OPENCODE_CONFIG_CONTENT"]
