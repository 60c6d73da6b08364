"""What needs no Grok Build; tests/live/test_grok.py has the rest, with the real one."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from runaway.installer.drill.outcome import DrillReport
from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.errors import Refusal
from runaway.installer.harnesses.grok.drill import Launch, drill, run

# Stands in for Grok: asks for a title first, and until the model is done; denies from the fourth call
# on, or from none.
STANDS_IN = f"""exec {sys.executable} -c '
import json, os, pathlib, sys, tomllib, urllib.request
home = pathlib.Path(os.environ["GROK_HOME"])
model = tomllib.loads((home / "config.toml").read_text())["model"]["drill"]
def ask(messages, **headers):
    body = {{"model": "m", "messages": messages, "tools": [{{"name": "TOOL"}}]}}
    url, data = model["base_url"] + "/messages", json.dumps(body).encode()
    answer = urllib.request.urlopen(urllib.request.Request(url, data, headers))
    return json.loads(answer.read())["content"][0]
assert ask([])["type"] == "text"
(home / "sessions/folder/s1").mkdir(parents=True)
(home / "sessions/folder/s1/updates.jsonl").write_text("")
conversation, calls = [], 0
while (block := ask(conversation, **{{"x-grok-turn-idx": "1"}}))["type"] == "tool_use":
    calls += 1
    said = "Hook denied: guard: no" if calls >= int("FIRST") else "exit: 0"
    done = {{"type": "tool_result", "tool_use_id": block["id"], "content": said}}
    conversation += [{{"role": "assistant", "content": [block]}}, {{"role": "user", "content": [done]}}]
' "$@\""""


def program(folder: Path, body: str) -> Path:
    path = folder / "grok"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o755)
    return path


def drilled(folder: Path, first: int, tool: str = "run_terminal_command") -> DrillReport:
    body = STANDS_IN.replace("FIRST", str(first)).replace("TOOL", tool)
    none = folder / "none"
    return drill(program(folder, body), "guard: ", folder=none, environment={"PATH": "/bin"})


def test_a_loop_whose_every_further_call_is_denied_passes(tmp_path: Path) -> None:
    report = drilled(tmp_path, 4)
    assert (report.level, report.calls_before_stop, report.session) == ("ok", 3, "s1"), report


def test_a_loop_that_nobody_denies_fails(tmp_path: Path) -> None:
    assert drilled(tmp_path, 999).message.startswith("not protected: ")


def test_it_says_so_where_the_tool_is_missing(tmp_path: Path) -> None:
    assert drilled(tmp_path, 4, "search").level == "skipped"


def test_a_program_that_never_asks_the_model_proves_nothing(tmp_path: Path) -> None:
    grok = program(tmp_path, "echo 'Not signed in' >&2; exit 1")
    report = drill(grok, "guard: ", folder=tmp_path / "none", environment={})
    assert (report.level, report.requests) == ("error", 0)
    assert report.message.endswith("(Not signed in)")


def test_hooks_and_switches_are_copied_and_no_key_is_handed_on(tmp_path: Path) -> None:
    mine, seen = tmp_path / "mine", tmp_path / "seen"
    (mine / "hooks").mkdir(parents=True)
    for name in ("hooks/runaway.json", "disabled-hooks", "requirements.toml"):
        (mine / name).write_text(name)
    (mine / "config.toml").write_text('api_key = "secret"')
    tell = "import json, os; print(json.dumps(dict(os.environ)))"
    body = f"cp -R $GROK_HOME {seen}; {sys.executable} -c '{tell}' > {seen}.json"
    environment = {"PATH": "/bin:/usr/bin", "XAI_API_KEY": "secret", "HOME": "/h"}
    drill(program(tmp_path, body), "guard: ", folder=mine, environment=environment)
    for name in ("hooks/runaway.json", "disabled-hooks", "requirements.toml"):
        assert (seen / name).read_text() == name
    told = json.loads(Path(f"{seen}.json").read_text())
    assert "secret" not in (seen / "config.toml").read_text() + "".join(told.values())
    assert (told["HOME"], told["NO_PROXY"]) == ("/h", "127.0.0.1")


def test_a_program_that_cannot_be_started_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Refusal) as refusal:
        run(Launch(tmp_path / "grok", tmp_path, tmp_path, {}), looping(ToolUse("grep", {})))
    assert refusal.value.code == "harness-not-started"
