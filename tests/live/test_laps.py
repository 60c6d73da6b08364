"""A Stop hook that never lets go, with one harmless call per lap, on the real CLIs."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.session import peek
from runaway.guard.words import MARKER
from runaway.installer.commands import setup
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.server import ApiError, Reply, Request, Script, Text, ToolUse
from runaway.installer.machine import Machine
from tests.support.live.codex_home import CodexHome, group
from tests.support.live.droid_home import DroidHome, execute
from tests.support.live.gemini_home import GeminiHome
from tests.support.live.qwen_home import QwenHome

pytestmark = pytest.mark.live

LIMIT = 25
LAPS = 60  # at which the hook lets go, should nobody end it
BLOCK = json.dumps({"decision": "block", "reason": "go on"})


def hook(folder: Path) -> str:
    """The command of a Stop hook that lets go after LAPS."""
    file = folder.parent / "stop.sh"
    counted = f'n=$(wc -l < "$0.n"); echo >> "$0.n"; [ "$n" -ge {LAPS} ]'
    file.write_text(f": >> \"$0.n\"; if {counted}; then exit 0; fi; echo '{BLOCK}'\n")
    return f"sh '{file}'"


def lapping(call: Callable[[str], ToolUse]) -> Script:
    def script(request: Request) -> Reply | ApiError:
        if request.round % 2:
            return Reply((call(f"echo {request.round}"),))
        return Reply((Text("Done."),))

    return script


def wire(machine: Machine, harness: str) -> None:
    result = setup.run(machine, setup.Options((harness,)))
    assert result.exit_code == 0, result.messages


def laps(machine: Machine) -> int:
    [path] = (machine.state / "sessions").glob("*-*")
    told: Any = peek(str(path))
    return int(told["laps"])


def asked_at(run: DrillRun) -> int:
    """The first call that the guard denied, counted from 1."""
    refused = {call.id for call in run.denied(MARKER)}
    return next(number for number, call in enumerate(run.calls, 1) if call.id in refused)


def test_qwen(qwen_home: QwenHome) -> None:
    stop = {"hooks": [{"type": "command", "command": hook(qwen_home.root)}]}
    qwen_home.write({"hooks": {"Stop": [stop]}})
    wire(qwen_home.machine, "qwen")
    about = {"description": "x", "is_background": False}
    run = qwen_home.run(
        lapping(lambda command: ToolUse("run_shell_command", {"command": command, **about})),
        environment={"QWEN_CODE_STOP_HOOK_BLOCK_CAP": "100"},  # its own is 8
    )
    assert run.terminal_reason == "hook_stopped"
    assert laps(qwen_home.machine) == LIMIT
    assert 2 * LIMIT <= len(run.requests) <= 2 * LIMIT + 2


def test_gemini(gemini_home: GeminiHome) -> None:
    stop = {"hooks": [{"type": "command", "command": hook(gemini_home.root)}]}
    gemini_home.write({"hooks": {"AfterAgent": [stop]}})
    wire(gemini_home.machine, "gemini")
    run = gemini_home.run(
        lapping(lambda command: ToolUse("run_shell_command", {"command": command}))
    )
    assert run.ended_by_hook
    assert 2 * LIMIT <= len(run.requests) <= 2 * LIMIT + 2


def test_droid(droid_home: DroidHome) -> None:
    droid_home.write({"Stop": hook(droid_home.root)})
    wire(droid_home.machine, "droid")
    run = droid_home.run(lapping(execute))
    assert laps(droid_home.machine) == LIMIT
    assert 2 * LIMIT <= len(run.requests) <= 2 * LIMIT + 2


def test_codex(codex_home: CodexHome) -> None:
    codex_home.write({"Stop": [group(hook(codex_home.root))]})
    wire(codex_home.machine, "codex")
    script = lapping(lambda command: ToolUse("exec_command", {"cmd": command}))
    run = codex_home.run(script, "--dangerously-bypass-hook-trust")
    assert LIMIT <= asked_at(run) <= LIMIT + 1
    assert len(run.denied(MARKER)) == len(run.calls) - asked_at(run) + 1
    assert laps(codex_home.machine) == LAPS, "no hook can end a turn of Codex: its calls are denied"
