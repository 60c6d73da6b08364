"""`runaway stop` while a real Claude Code works with dozens of agents: nothing runs two seconds later."""

from __future__ import annotations

import threading
import time

import pytest

from runaway.installer.commands import halt, setup
from runaway.installer.commands.halt import What
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import replies
from runaway.installer.drill.server import ApiError, Reply, Request, ToolUse
from runaway.installer.machine import Machine, scratch_machine
from tests.support.live.claude_home import ClaudeHome

pytestmark = pytest.mark.live

ALLOWED = ("--allowedTools", "Bash", "Agent", "Workflow")
AGENTS = 24
WORKFLOW = f"""export const meta = {{name: "many", description: "many agents"}}
await parallel(Array.from({{length: {AGENTS}}}, (_, i) => () => agent(`one, ${{i}}`)))
return "done"
"""
SPAWNS = {
    "subagents": tuple(
        ToolUse(
            "Agent",
            {
                "description": f"part {number}",
                "prompt": f"one, {number}",
                "subagent_type": "general-purpose",
                "run_in_background": True,
            },
        )
        for number in range(AGENTS)
    ),
    "a Workflow": (ToolUse("Workflow", {"script": WORKFLOW}),),
}


@pytest.fixture
def machine(home: ClaudeHome) -> Machine:
    """With limits so high that nothing but `stop` stops."""
    machine = scratch_machine(home.root, {"PATH": f"{home.claude.parent}:/usr/bin:/bin"})
    machine.config.mkdir(parents=True)
    (machine.config / "config.toml").write_text(
        "[limits]\n"
        '"storm.subagents_per_prompt" = [0, 0, 0, 0]\n"storm.subagents_per_minute" = [0, 0, 0, 0]\n'
        '"loop.calls_per_prompt" = [0, 0, 0, 0]\n"continuation.laps" = [0, 0, 0, 0]\n'
    )
    assert setup.run(machine, setup.Options(("claude",))).exit_code == 0
    return machine


@pytest.mark.parametrize("spawns", SPAWNS.values(), ids=SPAWNS.keys())
def test_two_seconds_after_stop_nothing_runs(
    home: ClaudeHome, machine: Machine, spawns: tuple[ToolUse, ...]
) -> None:
    marks, asked = home.project / "marks", [0]
    at_work = threading.Event()

    def script(request: Request) -> Reply | ApiError:
        """The main agent starts them; they, and it, make ever new calls and never end."""
        asked[0] += 1
        if asked[0] == 1:
            return replies(Reply(spawns))(request)
        if asked[0] > 3 * AGENTS:
            at_work.set()
        command = f"date +%s.%N >>marks; echo {asked[0]}"
        return Reply((ToolUse("Bash", {"command": command}),))

    done: list[DrillRun] = []
    run = threading.Thread(target=lambda: done.append(home.run(script, *ALLOWED, timeout=120)))
    run.start()
    assert at_work.wait(90)
    halt.stop(machine, What())
    stopped = time.time()
    run.join(60)
    assert not run.is_alive(), "the turn should have ended"
    times = [float(line) for line in marks.read_text().split()]
    assert min(times) < stopped, "agents were at work"
    assert max(times) < stopped + 2
    assert len(done[0].requests) < asked[0] + 1
