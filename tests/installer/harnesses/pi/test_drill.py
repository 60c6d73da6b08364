"""What needs no Pi; tests/live/test_pi.py has the rest, with the real one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.pi.drill import Launch, drill, run

# Stands in for Pi: asks until the model is done, denies from call FIRST on, ends at call LAST.
STANDS_IN = f"""exec {sys.executable} -c '
import json, sys, urllib.request
given = open(sys.argv[sys.argv.index("-e") + 1]).read()
url = json.loads(given[given.index("{{") : given.rindex(")")])["baseUrl"]
messages, calls = [{{"role": "user", "content": "x"}}], 0
while True:
    body = {{"model": "m", "messages": messages, "tools": [{{"name": "TOOL"}}]}}
    request = urllib.request.Request(url + "/v1/messages", json.dumps(body).encode())
    [block] = json.load(urllib.request.urlopen(request))["content"]
    if block["type"] != "tool_use":
        break
    calls += 1
    if calls >= LAST:
        sys.exit("This operation was aborted")
    denied = calls >= FIRST
    result = {{"type": "tool_result", "tool_use_id": block["id"], "is_error": denied}}
    result["content"] = "guard: no" if denied else "not there"
    messages += [{{"role": "assistant", "content": [block]}}, {{"role": "user", "content": [result]}}]
' "$@\""""


def stand_in(folder: Path, first: int, last: int, tool: str = "read") -> Path:
    body = STANDS_IN.replace("FIRST", str(first)).replace("LAST", str(last))
    path = folder / "pi"
    path.write_text(f"#!/bin/sh\n{body.replace('TOOL', tool)}\n")
    path.chmod(0o755)
    return path


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
    assert report.session


def test_without_the_tool_nothing_is_proven(tmp_path: Path) -> None:
    report = drill(stand_in(tmp_path, 4, 7, tool="other"), "guard: ", environment={})
    assert report.level == "skipped"


def test_a_program_that_cannot_be_started_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        run(Launch(tmp_path / "pi", tmp_path, {}), looping(ToolUse("read", {"path": "/x"})))
    assert refusal.value.code == "harness-not-started"
