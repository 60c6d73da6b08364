"""Older releases of the real programs: what they take is bound, and where they run no hook it is told."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runaway.guard.words import MARKER
from runaway.installer.commands import doctor, setup
from runaway.installer.drill.scripts import looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.machine import Machine, scratch_machine
from tests.live.conftest import installed
from tests.support.live import checks
from tests.support.live.claude_home import ClaudeHome, hooked
from tests.support.live.gemini_home import GeminiHome
from tests.support.live.recorder import Recorder
from tools.live_harnesses import CLAUDE_BEFORE, GEMINI_BEFORE

ECHO = ToolUse("Bash", {"command": "echo again", "description": "a test"})
CALLS = 9  # more than are allowed, whatever is known of their results


@pytest.fixture
def before(home: ClaudeHome) -> ClaudeHome:
    """The same home, in which the older release is started."""
    return home._replace(claude=installed(CLAUDE_BEFORE))


def machine_of(home: ClaudeHome, *programs: Path) -> Machine:
    """With these on its PATH, the first one being what a person starts."""
    path = ":".join(str(one.parent) for one in programs)
    return scratch_machine(home.root, {"PATH": f"{path}:/usr/bin:/bin"})


def errors(machine: Machine, name: str) -> set[str]:
    options = doctor.Options((name,))
    return checks.failed(doctor.run(machine, options, progress=lambda _: None).data["checks"])


def is_stopped(home: ClaudeHome) -> bool:
    run = home.run(looping(ECHO, times=CALLS), "--allowedTools", "Bash", tells_hooks=False)
    assert len(run.calls) == CALLS
    # With a second hook beside ours this release keeps the reason to itself.
    return {call.result for call in run.calls} != {"again"}


def test_beside_a_newer_release_only_what_the_older_one_takes_is_bound(
    home: ClaudeHome, before: ClaudeHome, recorder: Recorder
) -> None:
    home.write(hooked(PreToolUse=recorder.command()))
    machine = machine_of(home, home.claude, before.claude)
    assert setup.run(machine, setup.Options(("claude",))).exit_code == 0
    assert set(json.loads(home.settings.read_bytes())["hooks"]) == {"PreToolUse"}
    assert errors(machine, "claude") == set()
    assert is_stopped(before)
    assert len(recorder.inputs()) == CALLS, "a person's own hook runs too"


def test_after_a_downgrade_the_doctor_is_red_and_its_remedy_heals(
    home: ClaudeHome, before: ClaudeHome
) -> None:
    newer = machine_of(home, home.claude)
    assert setup.run(newer, setup.Options(("claude",))).exit_code == 0
    assert not is_stopped(before), "it drops the file for an event that it does not know"
    older = machine_of(home, before.claude)
    assert errors(older, "claude")
    assert setup.run(older, setup.Options(refresh=True)).exit_code == 0
    assert errors(older, "claude") == set()
    assert is_stopped(before)
    drilled = doctor.run(older, doctor.Options(("claude",), drill=True), progress=lambda _: None)
    assert drilled.exit_code == 0, drilled.lines


def test_a_gemini_cli_that_runs_no_hook_is_never_called_armed(gemini_home: GeminiHome) -> None:
    before = gemini_home._replace(gemini=installed(GEMINI_BEFORE))
    assert setup.run(before.machine, setup.Options(("gemini",))).exit_code == 0
    assert "allowed.release" in errors(before.machine, "gemini")
    run = before.run(looping(ToolUse("glob", {"pattern": "*"}), times=CALLS))
    assert not run.denied(MARKER)
