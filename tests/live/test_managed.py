"""`--scope managed` with the real programs: for every user, whatever that user's settings say."""

from __future__ import annotations

from pathlib import Path

import pytest

from runaway.guard.system import USERS_STATE
from runaway.guard.words import MARKER
from runaway.installer.commands import setup, uninstall
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.harnesses.base import Check
from runaway.installer.harnesses.drill_check import drill
from runaway.installer.harnesses.registry import harness_named
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live import cursor_home, namespace
from tests.support.live.claude_home import ClaudeHome
from tests.support.live.codex_home import CodexHome
from tools import cursor_engine

pytestmark = [
    pytest.mark.namespace,
    pytest.mark.skipif(not namespace.is_given(), reason="this machine gives no mount namespace"),
]

DENIED_AT, STOPPED_AT, TIMES = 6, 12, 15
BASH = ToolUse("Bash", {"command": "echo again"})
SHELL = ToolUse("exec_command", {"cmd": "echo again"})


def owned(root: Path, harness: str, program: Path) -> Machine:
    """A machine of which the program sees only /etc, with the guard put in by its owner."""
    machine = scratch_machine(root, {"PATH": f"{root / 'bin'}:/usr/bin:/bin"})
    namespace.furnish(machine.root / "etc", root)
    namespace.inside(program, machine.root / "etc", root / "bin")
    result = setup.run(machine, setup.Options((harness,), "managed"))
    assert result.exit_code == 0, result.messages
    return machine


def denied(run: DrillRun) -> list[int]:
    """Positions of the calls that the guard denied, counted from 1."""
    refused = {call.id for call in run.denied(MARKER)}
    return [number for number, call in enumerate(run.calls, 1) if call.id in refused]


def bad(machine: Machine, harness: str, project: Path) -> list[Check]:
    """What the doctor finds wrong in the settings, and with the real program."""
    module = harness_named(harness)
    found = [*module.checks(machine, project), *drill(module, machine, project, print)]
    return [check for check in found if check.level not in ("ok", "info")]


def has_state(machine: Machine, harness: str) -> bool:
    """Below the home of the user who ran the session."""
    sessions = machine.home / USERS_STATE.removeprefix("~/") / "sessions"
    return any(sessions.glob(f"{harness}-*"))


def test_no_switch_of_a_user_keeps_claude_code_from_being_stopped(home: ClaudeHome) -> None:
    machine = owned(home.root, "claude", home.claude)
    there = home._replace(claude=machine.home / "bin" / home.claude.name)
    there.write({"disableAllHooks": True})
    run = there.run(looping(BASH, times=TIMES), "--allowedTools", "Bash")
    assert denied(run) == list(range(DENIED_AT, STOPPED_AT + 1))
    assert run.ended_by_hook
    assert has_state(machine, "claude")
    assert bad(machine, "claude", home.project) == []


def test_codex_is_stopped_without_anybodys_trust(codex_home: CodexHome) -> None:
    machine = owned(codex_home.root, "codex", codex_home.codex)
    there = codex_home._replace(codex=machine.home / "bin" / codex_home.codex.name)
    there.config.mkdir()
    run = there.run(looping(SHELL, times=TIMES))
    assert denied(run) == list(range(DENIED_AT, TIMES + 1))
    assert has_state(machine, "codex")
    assert bad(machine, "codex", codex_home.project) == []


def test_what_the_owner_took_away_runs_unguarded_again(home: ClaudeHome) -> None:
    machine = owned(home.root, "claude", home.claude)
    assert uninstall.run(machine, uninstall.Options(managed=True)).exit_code == 0
    there = home._replace(claude=machine.home / "bin" / home.claude.name)
    run = there.run(looping(BASH, times=TIMES), "--allowedTools", "Bash")
    assert (denied(run), len(run.calls)) == ([], TIMES)


def test_cursor_runs_the_hooks_of_the_owner(tmp_path: Path) -> None:
    if not cursor_engine.installed():
        pytest.skip(cursor_engine.missing())
    engine = cursor_engine.copy(tmp_path / "engine")
    home = tmp_path / "a user's $HOME é"
    (home / "project").mkdir(parents=True)
    machine = owned(home, "cursor", engine.node)
    there = engine._replace(node=home / "bin" / engine.node.name)
    [outcome] = cursor_home.run(there, [cursor_home.Job(home, cursor_home.calls(10))])
    assert outcome.permissions.count("deny") == 10 - DENIED_AT + 1
    assert has_state(machine, "cursor")
