"""`runaway replay` as a person calls it: where it looks, and what it says of what it found."""

from __future__ import annotations

from pathlib import Path

import pytest

from runaway.guard.transcripts import READERS
from runaway.installer.commands import replay
from runaway.installer.errors import Refusal
from runaway.installer.machine import Machine, scratch_machine
from runaway.installer.replay.folders import log_folders
from runaway.installer.result import Result
from tests.installer.replay.writers import WRITERS, Step

TRANSCRIPTS = "User/workspaceStorage/0a1b/GitHub.copilot-chat/transcripts"
STEPS = [Step(0, 0), Step(1, 1, "x", {"a": 1})]
MOVED = {  # variable -> where it moves the folder of logs, below the folder that it names
    "claude": ("CLAUDE_CONFIG_DIR", "projects"),
    "codex": ("CODEX_HOME", "sessions"),
    "copilot": ("COPILOT_HOME", "session-state"),
    "droid": ("FACTORY_HOME_OVERRIDE", ".factory/sessions"),
    "gemini": ("GEMINI_CLI_HOME", ".gemini/tmp"),
    "grok": ("GROK_HOME", "sessions"),
    "opencode": ("XDG_DATA_HOME", "opencode"),
    "pi": ("PI_CODING_AGENT_DIR", "sessions"),
    "qwen": ("QWEN_HOME", "projects"),
    "vscode": ("XDG_CONFIG_HOME", f"Code/{TRANSCRIPTS}"),
}


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return scratch_machine(tmp_path)


def logs(machine: Machine, harness: str) -> Path:
    """Where it keeps them; an editor's folder counts once it is there."""
    configs = machine.environ.get("XDG_CONFIG_HOME", machine.home / ".config")
    if harness == "vscode":
        Path(configs, "Code", TRANSCRIPTS).mkdir(parents=True, exist_ok=True)
    [folder] = log_folders(machine)[harness]
    return folder


def run(machine: Machine, *paths: Path) -> Result:
    return replay.run(machine, paths, lambda _done, _all: None)


def test_the_sessions_of_every_harness_whose_log_the_guard_reads_are_found(
    machine: Machine,
) -> None:
    for harness in READERS:
        WRITERS[harness].write(logs(machine, harness) / "project", STEPS)
    assert run(machine).data["summary"]["sessions"] == len(READERS)


@pytest.mark.parametrize("harness", MOVED)
def test_a_variable_of_the_harness_moves_its_logs(harness: str, machine: Machine) -> None:
    variable, inside = MOVED[harness]
    there = machine._replace(environ={variable: str(machine.home / "elsewhere")})
    assert logs(there, harness) == machine.home / "elsewhere" / inside
    assert logs(machine, harness).is_relative_to(machine.home)


def test_every_folder_is_known_to_be_movable(machine: Machine) -> None:
    unmoved = {"antigravity"}
    assert log_folders(machine).keys() == MOVED.keys() | unmoved >= set(READERS)


def test_files_that_are_no_session_log_are_counted_and_said(machine: Machine) -> None:
    folder = machine.home / "logs"
    WRITERS["qwen"].write(folder, STEPS)
    (folder / "package.json").write_text("{}")
    told = run(machine, folder)
    assert told.data["foreign_files"] == 1
    assert told.lines[-1] == "1 file was no session log and left out."
    (folder / "other.jsonl").write_text("text\n")
    assert run(machine, folder).lines[-1] == "2 files were no session log and left out."


def test_where_nothing_was_left_out_nothing_is_said_of_it(machine: Machine) -> None:
    WRITERS["droid"].write(machine.home / "logs", STEPS)
    assert not [line for line in run(machine, machine.home / "logs").lines if "left out" in line]


def test_a_machine_without_sessions_is_told_what_to_name(machine: Machine) -> None:
    with pytest.raises(Refusal, match="No past sessions were found"):
        run(machine)
