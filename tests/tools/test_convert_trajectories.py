from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runaway.installer.replay.events import CallMade, Prompt, ResultSeen
from runaway.installer.replay.readers import sessions
from tools import convert_trajectories


def step(action: str, observation: str | None = "", state: Any = '{"working_dir": "/repo"}') -> Any:
    return {"action": action, "observation": observation, "state": state}


def test_a_trajectory_becomes_a_session_that_replay_reads(tmp_path: Path) -> None:
    document = {"trajectory": [step("make\n", "/bin/bash: line 1: make: command not found"),
                               step("ls", "a\nb"), step("submit")]}  # fmt: skip
    (tmp_path / "run-7.traj").write_text(json.dumps(document))
    script, traj = convert_trajectories.__file__, tmp_path / "run-7.traj"
    subprocess.run([sys.executable, script, str(tmp_path / "out"), str(traj)], check=True)
    (session,) = sessions(tmp_path / "out/run-7.jsonl")
    prompt, *rest = session.events
    assert session.id == "run-7"
    assert isinstance(prompt, Prompt)
    calls = [event for event in rest if isinstance(event, CallMade)]
    assert [(e.arguments, e.cwd, e.kind) for e in calls] == [
        ({"command": "make"}, "/repo", "shell"),
        ({"command": "ls"}, "/repo", "shell"),
    ]
    results = [event for event in rest if isinstance(event, ResultSeen)]
    assert [event.outcome for event in results] == ["failed", "ok"]


@pytest.mark.parametrize(
    ("observation", "outcome"),
    [
        ("", "ok"),
        ("Usage of the word inside a text", "ok"),
        ("Your proposed edit has introduced new syntax error(s).", "failed"),
        ("Usage: edit <start_line>:<end_line>", "failed"),
        ("\nEXECUTION TIMED OUT", "failed"),
        ("Directory tests not found", "failed"),
        ("/bin/bash: line 3: javac: command not found", "failed"),
        ("Traceback (most recent call last):\n  File", "failed"),
    ],
)
def test_what_a_shell_or_editor_says_tells_a_failure(observation: str, outcome: str) -> None:
    lines = list(convert_trajectories.converted({"trajectory": [step("x", observation)]}, "r"))
    assert lines[-1]["outcome"] == outcome


def test_a_state_without_a_folder_is_none() -> None:
    assert [convert_trajectories.folder(state) for state in (None, "x", "[]", "{}")] == [""] * 4
