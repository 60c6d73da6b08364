"""The main job on the real Claude Code: setup, a loop that is stopped, doctor, uninstall."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

import pytest

from runaway.guard.words import MARKER
from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import delegating, distinct, looping, replies
from runaway.installer.drill.server import ApiError, Reply, Request, ToolUse
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live import checks
from tests.support.live.claude_home import ClaudeHome

pytestmark = pytest.mark.live

CHOSEN = ("claude",)
DENIED_AT, STOPPED_AT = 6, 12  # by loop.same_result: the same call, the same result
FAILED_AT = 4  # by loop.same_failure
ECHO = ToolUse("Bash", {"command": "echo again"})
ALLOWED = ("--allowedTools", "Bash", "Agent", "Workflow")


@pytest.fixture
def machine(home: ClaudeHome) -> Machine:
    machine = scratch_machine(home.root, {"PATH": f"{home.claude.parent}:/usr/bin:/bin"})
    assert setup.run(machine, setup.Options(CHOSEN)).exit_code == 0
    return machine


def denied(run: DrillRun) -> list[int]:
    """Positions of the calls that the guard denied, counted from 1."""
    refused = {call.id for call in run.denied(MARKER)}
    return [number for number, call in enumerate(run.calls, 1) if call.id in refused]


def test_a_repeated_call_is_denied_at_the_configured_count_and_then_ends_the_turn(
    home: ClaudeHome, machine: Machine
) -> None:
    run = home.run(looping(ECHO, times=60), *ALLOWED)
    assert denied(run) == list(range(DENIED_AT, STOPPED_AT + 1))
    assert run.ended_by_hook
    assert len(run.requests) == STOPPED_AT


def test_a_count_from_the_policy_is_the_one_that_counts(home: ClaudeHome, machine: Machine) -> None:
    machine.config.mkdir(parents=True)
    (machine.config / "config.toml").write_text(
        '[limits]\n"loop.same_call" = [0, 0, 3, 5]\n"loop.same_result" = [0, 0, 0, 0]\n'
    )
    setup.run(machine, setup.Options(CHOSEN))
    run = home.run(looping(ECHO, times=60), *ALLOWED)
    assert denied(run) == [3, 4, 5]
    assert run.ended_by_hook


def test_different_calls_are_never_touched(home: ClaudeHome, machine: Machine) -> None:
    script = distinct(lambda number: ToolUse("Bash", {"command": f"echo {number}"}), times=30)
    run = home.run(script, *ALLOWED)
    assert len(run.calls) == 30
    assert not denied(run)
    assert not run.ended_by_hook


def test_parallel_calls_lose_no_count(home: ClaudeHome, machine: Machine) -> None:
    run = home.run(looping(ECHO, times=60, together=5), *ALLOWED)
    assert len(denied(run)) == len(run.calls) - (DENIED_AT - 1)
    assert run.ended_by_hook


def test_calls_of_a_subagent_count_apart_from_those_of_the_main_agent(
    home: ClaudeHome, machine: Machine
) -> None:
    below = DENIED_AT - 1
    script = delegating(looping(ECHO, times=below), main=looping(ECHO, times=below))
    run = home.run(script, *ALLOWED)
    assert sum(call.agent != "" and call.tool == "Bash" for call in run.calls) == below
    assert sum(call.agent == "" and call.tool == "Bash" for call in run.calls) == below
    assert not denied(run)


def test_a_looping_subagent_is_stopped(home: ClaudeHome, machine: Machine) -> None:
    run = home.run(delegating(looping(ECHO, times=60)), *ALLOWED)
    loops = [request for request in run.requests if request.agent]
    assert len(loops) == STOPPED_AT


@pytest.mark.parametrize(
    ("settings", "check"),
    [
        (lambda text: text.replace("{", '{ "disableAllHooks": true,', 1), "allowed.disabled"),
        (lambda text: "// a note\n" + text, "allowed.file"),
        (
            lambda text: text.replace('"PreToolUse": [', '"PreToolUse": [{"type": "command"},'),
            "allowed.file",
        ),
    ],
    ids=["disableAllHooks", "comment", "broken sibling entry"],
)
def test_what_the_doctor_calls_an_error_indeed_leaves_the_real_cli_unguarded(
    home: ClaudeHome, machine: Machine, settings: Callable[[str], str], check: str
) -> None:
    home.settings.write_text(settings(home.settings.read_text()))
    report = doctor.run(machine, doctor.Options(CHOSEN), progress=lambda _: None)
    failed = checks.failed(report.data["checks"])
    assert check in failed
    assert report.exit_code == 1
    run = home.run(looping(ECHO, times=DENIED_AT + 4), *ALLOWED)
    assert not denied(run)
    assert len(run.calls) == DENIED_AT + 4


def read_missing(home: ClaudeHome) -> ToolUse:
    """A call that needs no PATH; outside the project it would be refused by permission."""
    return ToolUse("Read", {"file_path": str(home.project / "missing")})


@pytest.mark.parametrize("path", ["$HOME/bin:$PATH", "{planted}:/usr/bin:/bin"])
@pytest.mark.parametrize("scope", ["user", "project"])
def test_a_search_path_in_the_settings_disarms_nothing(
    home: ClaudeHome, machine: Machine, scope: str, path: str
) -> None:
    planted = home.project / "bin"
    planted.mkdir()
    for name in ("sh", "date", "python3"):
        (planted / name).write_text(f"#!/bin/sh\ntouch '{home.root}/ran'\n")
        (planted / name).chmod(0o755)
    file = home.settings if scope == "user" else home.project / ".claude/settings.json"
    file.parent.mkdir(exist_ok=True)
    settings = json.loads(file.read_text()) if file.exists() else {}
    file.write_text(json.dumps(settings | {"env": {"PATH": path.format(planted=planted)}}))
    run = home.run(looping(read_missing(home), times=60), *ALLOWED)
    assert run.denied(MARKER)
    assert run.ended_by_hook
    assert not (home.root / "ran").exists()


def test_an_earlier_entry_is_disarmed_by_it_and_the_doctor_says_so(
    home: ClaudeHome, machine: Machine
) -> None:
    settings = home.settings.read_text().replace('"exec /bin/sh -c', '"sh -c')
    home.settings.write_text(json.dumps(json.loads(settings) | {"env": {"PATH": "$HOME/bin"}}))
    report = doctor.run(machine, doctor.Options(CHOSEN, home.project), progress=lambda _: None)
    failed = checks.failed(report.data["checks"])
    assert failed == {"installed.entry"}
    run = home.run(looping(read_missing(home), times=12), *ALLOWED)
    assert len(run.calls) == 12
    assert not run.denied(MARKER)


def test_the_drill_proves_it_and_fails_when_hooks_are_off(
    home: ClaudeHome, machine: Machine
) -> None:
    options = doctor.Options(CHOSEN, drill=True)
    report = doctor.run(machine, options, progress=lambda _: None)
    assert report.exit_code == 0, report.lines
    drill = next(row for row in report.data["checks"] if row["check"] == "drill")
    assert drill["level"] == "ok"
    home.settings.write_text(
        json.dumps({"disableAllHooks": True, **json.loads(home.settings.read_text())})
    )
    report = doctor.run(machine, options, progress=lambda _: None)
    drill = next(row for row in report.data["checks"] if row["check"] == "drill")
    assert drill["level"] == "error"


def test_after_uninstall_the_real_cli_runs_free_and_the_file_is_as_before(
    home: ClaudeHome,
) -> None:
    before = b'{"cleanupPeriodDays": 99}'
    home.write(before)
    machine = scratch_machine(home.root)
    setup.run(machine, setup.Options(CHOSEN))
    uninstall.run(machine, uninstall.Options(CHOSEN, restore=True))
    assert home.settings.read_bytes() == before
    run = home.run(looping(ECHO, times=DENIED_AT + 4), *ALLOWED)
    assert not denied(run)
    assert len(run.calls) == DENIED_AT + 4


@pytest.mark.parametrize("lost", ["guard", "launch"])
def test_a_registered_command_whose_files_were_deleted_is_harmless(
    home: ClaudeHome, machine: Machine, lost: str
) -> None:
    path = machine.data / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    run = home.run(looping(ECHO, times=DENIED_AT + 4), *ALLOWED)
    assert not any(call.failed for call in run.calls)
    assert len(run.calls) == DENIED_AT + 4


def test_a_failing_edit_that_no_hook_can_deny_ends_the_turn(
    home: ClaudeHome, machine: Machine
) -> None:
    (home.project / "file.txt").write_text("nothing of it is in here\n")
    edit = ToolUse(
        "Edit",
        {"file_path": str(home.project / "file.txt"), "old_string": "absent", "new_string": "x"},
    )
    read = ToolUse("Read", {"file_path": str(home.project / "file.txt")})
    script = looping(edit, times=60)

    def reads_first(request: Request) -> Reply | ApiError:
        return (
            Reply((read,))
            if request.round == 1
            else script(request._replace(round=request.round - 1))
        )

    run = home.run(reads_first, "--allowedTools", "Edit", "Read")
    assert not run.denied(MARKER)
    assert sum(call.tool == "Edit" for call in run.calls) == FAILED_AT
    assert run.terminal_reason == "hook_stopped" or len(run.requests) == FAILED_AT + 1


def test_calls_of_a_session_that_is_kept_are_judged_by_their_transcript(
    home: ClaudeHome, machine: Machine
) -> None:
    run = home.run(looping(ECHO, times=60), *ALLOWED, keep_session=True)
    assert denied(run) == list(range(DENIED_AT, STOPPED_AT + 1))
    assert run.ended_by_hook


def test_failing_rounds_are_stopped_even_when_every_call_differs(
    home: ClaudeHome, machine: Machine
) -> None:
    script = distinct(lambda number: ToolUse("Bash", {"command": f"exit {number + 2}"}), times=60)
    run = home.run(script, *ALLOWED, keep_session=True)
    assert denied(run)[0] == 7
    assert run.ended_by_hook
    assert len(run.calls) < 30


WORKFLOW = """export const meta = { name: "many", description: "many agents", phases: [] }
const found = await parallel(Array.from({ length: 60 }, (_, n) => () => agent("look at " + n)))
return found.length
"""


def test_agents_that_one_call_starts_by_the_dozen_are_stopped(
    home: ClaudeHome, machine: Machine
) -> None:
    """Public cases: anthropics/claude-code#79953, #95816."""

    def script(request: Request) -> Reply | ApiError:
        if not request.agent:
            return replies(Reply((ToolUse("Workflow", {"script": WORKFLOW}),)))(request)
        call = ToolUse("Bash", {"command": f"echo {request.agent}"})
        return replies(Reply((call,)))(request)

    run = home.run(script, *ALLOWED, keep_session=True)
    agents = {request.agent for request in run.requests if request.agent}
    ran = {request.agent for request in run.requests if request.agent and request.round > 1}
    assert len(agents) == 60
    assert len(ran) == 15, "as many within a minute; each other's turn ends at its first call"
