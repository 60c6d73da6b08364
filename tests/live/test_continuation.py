"""A Stop hook that never lets go, with one harmless call per lap, on the real Claude Code."""

from __future__ import annotations

import pytest

from runaway.installer.commands import setup
from runaway.installer.drill.server import ApiError, Reply, Request, Text, ToolUse
from runaway.installer.machine import scratch_machine
from tests.support.live.claude_home import ClaudeHome

pytestmark = pytest.mark.live

BLOCKING = 'echo \'{"decision":"block","reason":"go on"}\''
LIMIT = 25


def test_laps_of_a_stop_hook_end(home: ClaudeHome) -> None:
    home.write({"hooks": {"Stop": [{"hooks": [{"type": "command", "command": BLOCKING}]}]}})
    machine = scratch_machine(home.root, {"PATH": f"{home.claude.parent}:/usr/bin:/bin"})
    assert setup.run(machine, setup.Options(("claude",))).exit_code == 0

    def script(request: Request) -> Reply | ApiError:
        if request.round % 2 and request.round < 200:
            return Reply((ToolUse("Bash", {"command": f"echo {request.round}"}),))
        return Reply((Text("Done."),))

    run = home.run(script, "--allowedTools", "Bash", keep_session=True)
    assert run.ended_by_hook
    assert 2 * LIMIT <= len(run.requests) <= 2 * LIMIT + 6
