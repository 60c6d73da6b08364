"""Which files the real Gemini CLI reads and which switches it heeds; the doctor must say the same."""

from __future__ import annotations

import json
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.words import MARKER
from runaway.installer.commands import doctor, setup
from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.machine import Machine
from tests.support.live import checks
from tests.support.live.gemini_home import PLAIN, GeminiHome
from tests.support.live.recorder import Recorder

CHOSEN = ("gemini",)
GLOB = ToolUse("glob", {"pattern": "*"})
TRUSTED = {"GEMINI_CLI_TRUST_WORKSPACE": "true"}


@pytest.fixture
def wired(gemini_home: GeminiHome) -> Machine:
    result = setup.run(gemini_home.machine, setup.Options(CHOSEN))
    assert result.exit_code == 0, result.messages
    return gemini_home.machine


def errors(machine: Machine, project: Path, **environ: str) -> set[str]:
    asked = machine._replace(environ={**machine.environ, **environ})
    result = doctor.run(asked, doctor.Options(CHOSEN, project=project), progress=lambda _: None)
    return checks.failed(result.data["checks"])


def guarded(home: GeminiHome, machine: Machine, **environ: str) -> bool:
    """Is a change of the guard's own folder, which is for a person, denied?"""
    look = ToolUse("run_shell_command", {"command": f"rm {shlex.quote(str(machine.data / 'x'))}"})
    run = home.run(looping(look, times=1), environment=environ)
    return bool(run.denied(MARKER))


def change(**changes: Any) -> Callable[[str], str]:
    return lambda text: json.dumps(json.loads(text) | changes)


def with_group(group: Any) -> Callable[[str], str]:
    """A stranger's group in front of ours."""

    def changed(text: str) -> str:
        settings = json.loads(text)
        settings["hooks"]["BeforeTool"].insert(0, group)
        return json.dumps(settings)

    return changed


COMMAND = {"type": "command", "command": "true"}
SILENT: dict[str, tuple[Callable[[str], str], str]] = {
    "a trailing comma": (lambda text: text.replace("\n}", ",\n}"), "allowed.file"),
    "a byte order mark": (lambda text: "\ufeff" + text, "allowed.file"),
    "a matcher that is no text": (with_group({"matcher": 5, "hooks": [COMMAND]}), "allowed.file"),
    "off in a text": (change(hooksConfig={"enabled": "false"}), "allowed.disabled"),
    "off by its name": (change(hooksConfig={"disabled": ["runaway"]}), "allowed.disabled"),
    "milliseconds": (lambda text: text.replace("10000", "10"), "installed.entry"),
}


@pytest.mark.parametrize(("edit", "check"), SILENT.values(), ids=SILENT.keys())
def test_what_the_doctor_calls_an_error_indeed_leaves_the_real_cli_unguarded(
    gemini_home: GeminiHome, wired: Machine, edit: Callable[[str], str], check: str
) -> None:
    gemini_home.settings.write_text(edit(gemini_home.settings.read_text()))
    assert check in errors(wired, gemini_home.project, **TRUSTED)
    assert not guarded(gemini_home, wired)


def test_what_the_doctor_lets_pass_indeed_leaves_the_guard_running(
    gemini_home: GeminiHome, wired: Machine
) -> None:
    """Comments, a group that is none, a switch of older releases, and switches of another type."""
    text = with_group(None)(gemini_home.settings.read_text())
    text = change(hooksConfig={"enabled": "x", "disabled": "xrunawayx"})(text)
    text = text.replace('"hooks": {', '"hooks": {"enabled": false,', 1)
    gemini_home.settings.write_text(f"// mine\n{text}/* end */")
    assert not errors(wired, gemini_home.project, **TRUSTED)
    assert guarded(gemini_home, wired)


def test_a_project_can_silence_the_guard_and_the_doctor_sees_it_there(
    gemini_home: GeminiHome, wired: Machine
) -> None:
    gemini_home.write({"hooks": None}, gemini_home.project / ".gemini/settings.json")
    assert errors(wired, gemini_home.project, **TRUSTED) == {"allowed.file"}
    assert not guarded(gemini_home, wired)


@pytest.mark.parametrize(("rule", "runs_there"), [("TRUST_FOLDER", True), ("DO_NOT_TRUST", False)])
def test_only_in_a_trusted_folder_hooks_run(
    gemini_home: GeminiHome, wired: Machine, rule: str, runs_there: bool
) -> None:
    rules = {str(gemini_home.project): rule}
    (gemini_home.root / ".gemini/trustedFolders.json").write_text(json.dumps(rules))
    assert errors(wired, gemini_home.project) == (set() if runs_there else {"trusted.folder"})
    assert guarded(gemini_home, wired, GEMINI_CLI_TRUST_WORKSPACE="") is runs_there


def test_a_variable_moves_the_settings(gemini_home: GeminiHome, wired: Machine) -> None:
    elsewhere = gemini_home.root / "elsewhere"
    gemini_home.write({}, elsewhere / ".gemini/settings.json")
    moved = wired._replace(environ={**wired.environ, "GEMINI_CLI_HOME": str(elsewhere)})
    setup.run(moved, setup.Options(CHOSEN))
    assert guarded(gemini_home, wired, GEMINI_CLI_HOME=str(elsewhere))


def test_a_hook_is_told_what_the_dialect_reads_and_runs_once_where_it_stands_twice(
    gemini_home: GeminiHome, recorder: Recorder
) -> None:
    hook = {"type": "command", "name": "x", "command": recorder.command()}
    hooks = {event: [{"hooks": [hook]}] * 2 for event in ("BeforeTool", "BeforeAgent")}
    gemini_home.write({"hooks": hooks})
    gemini_home.run(looping(GLOB, times=1), prompt="find it")
    spoken, called = recorder.inputs()
    assert (spoken["hook_event_name"], spoken["prompt"]) == ("BeforeAgent", "find it")
    assert (called["tool_name"], called["tool_input"]) == ("glob", {"pattern": "*"})
    assert called["transcript_path"] == str(gemini_home.logs()[0])
    assert {"session_id", "cwd", "timestamp"} <= called.keys()
    assert not {"tool_use_id", "agent_id", "permission_mode"} & called.keys()


def test_what_it_writes_itself_keeps_the_entry(gemini_home: GeminiHome) -> None:
    """A deprecated key makes it rewrite the file at its start."""
    gemini_home.write({**PLAIN, "general": {"disableAutoUpdate": True}})
    machine = gemini_home.machine
    setup.run(machine, setup.Options(CHOSEN))
    before = gemini_home.settings.read_bytes()
    assert guarded(gemini_home, machine)
    assert gemini_home.settings.read_bytes() != before
    assert not errors(machine, gemini_home.project, **TRUSTED)
