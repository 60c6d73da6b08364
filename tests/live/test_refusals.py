"""A refusal by a program, on the real CLIs: repeated for ever it is a loop, and it is denied."""

from __future__ import annotations

import pytest

from runaway.guard.words import MARKER
from runaway.installer.commands import setup
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import distinct, looping
from runaway.installer.drill.server import ToolUse
from runaway.installer.machine import scratch_machine
from runaway.installer.policy_edit import Wishes
from tests.support.live.claude_home import ClaudeHome
from tests.support.live.codex_home import CodexHome
from tests.support.live.opencode_home import OpenCodeHome

pytestmark = pytest.mark.live

DENIED_AT = 6  # by loop.same_result and by failure.rounds


def denied(run: DrillRun) -> list[int]:
    """Positions of the calls that the guard denied, counted from 1."""
    refused = {call.id for call in run.denied(MARKER)}
    return [number for number, call in enumerate(run.calls, 1) if call.id in refused]


def test_claude_code_repeats_what_its_permissions_deny(home: ClaudeHome) -> None:
    home.write({"permissions": {"deny": ["Bash(rm:*)"]}})
    machine = scratch_machine(home.root, {"PATH": f"{home.claude.parent}:/usr/bin:/bin"})
    assert setup.run(machine, setup.Options(("claude",))).exit_code == 0
    run = home.run(looping(ToolUse("Bash", {"command": "rm x"}), times=30), keep_session=True)
    assert denied(run)[0] <= DENIED_AT
    assert run.ended_by_hook


def test_codex_repeats_what_its_sandbox_keeps_from_being_written(codex_home: CodexHome) -> None:
    options = setup.Options(("codex",), trust_codex_hook=True, wishes=Wishes(None))
    assert setup.run(codex_home.machine, options).exit_code == 0
    patch = "*** Begin Patch\n*** Add File: {}/new.txt\n+hi\n*** End Patch\n"
    call = ToolUse("apply_patch", {"input": patch.format(codex_home.root)})
    run = codex_home.run(looping(call, times=12), sandbox="read-only")
    assert denied(run)[0] <= DENIED_AT


def test_codex_searches_ten_times_in_vain(codex_home: CodexHome) -> None:
    """Source: adolfousier/opencrabs#660, xintaofei/codeg#651."""
    options = setup.Options(("codex",), trust_codex_hook=True, wishes=Wishes(None))
    assert setup.run(codex_home.machine, options).exit_code == 0
    greps = distinct(
        lambda n: ToolUse("exec_command", {"cmd": f"grep z{n}z /etc/hostname"}), times=10
    )
    assert not denied(codex_home.run(greps))


def test_opencode_repeats_what_its_permissions_deny(opencode_home: OpenCodeHome) -> None:
    options = setup.Options(("opencode",), wishes=Wishes(None))
    assert setup.run(opencode_home.machine, options).exit_code == 0
    rules = {"permission": {"bash": {"*": "allow", "rm *": "deny"}}}
    call = ToolUse("bash", {"command": "rm x", "description": "x"})
    run = opencode_home.run(looping(call, times=30), settings=rules)
    assert denied(run)[0] <= DENIED_AT
    assert run.ended_by_hook
