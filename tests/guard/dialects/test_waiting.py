from __future__ import annotations

import pytest

from runaway.guard.call import WAIT
from runaway.guard.dialects import claude, codex, copilot, droid, gemini, grok, qwen

TOOLS = {
    claude: ("TaskOutput", "WaitForMcpServers", "ListAgents", "BashOutput", "AgentOutputTool"),
    codex: ("collaborationwait_agent", "clocksleep", "wait_for_environment"),
    copilot: ("read_bash", "read_agent", "list_agents"),
    droid: ("TaskOutput", "WaitForScript"),
    gemini: ("list_background_processes", "read_background_output"),
    grok: ("get_command_or_subagent_output", "scheduler_list"),
    qwen: ("list_agents", "wait_threads"),
}


@pytest.mark.parametrize("dialect", TOOLS)
def test_tools_that_only_wait_are_known(dialect: object) -> None:
    kinds = dialect.TOOL_KINDS  # type: ignore[attr-defined]
    assert {kinds.get(tool) for tool in TOOLS[dialect]} == {WAIT}  # type: ignore[index]


def test_a_tool_that_runs_a_command_is_none_of_them() -> None:
    """What only waits is not looked at for tampering."""
    assert claude.TOOL_KINDS.get("Monitor") != WAIT
