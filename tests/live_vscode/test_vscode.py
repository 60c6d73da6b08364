"""The main job in the chat of the real VS Code: setup, a loop that is stopped, uninstall, free."""

from __future__ import annotations

from pathlib import Path

import pytest

from runaway.guard.words import MARKER
from runaway.installer.commands import doctor, setup, status, uninstall
from runaway.installer.drill.outcome import Call
from runaway.installer.drill.scripts import DONE
from runaway.installer.drill.server import ApiError, Reply, Request, Script, ToolUse
from runaway.installer.harnesses.vscode import paths
from tests.support.live.vscode_home import DENIED, TOOL, VSCodeHome
from tools import live_vscode
from tools.live_harnesses import NODE_22, binary

CHOSEN = ("vscode",)
TIMES = 12


@pytest.fixture
def home(tmp_path: Path) -> VSCodeHome:
    if reason := live_vscode.missing():
        pytest.skip(reason)
    server, node, chromium = (
        binary(live_vscode.CODE_SERVER),
        binary(NODE_22),
        live_vscode.chromium(),
    )
    assert server
    assert node
    assert chromium
    found = VSCodeHome(server, node, chromium, tmp_path / "home")
    found.project.mkdir(parents=True)
    return found


def again(number: int) -> ToolUse:
    """The same call, with other words for the person each time."""
    words = {"explanation": f"try {number}", "goal": f"attempt {number}"}
    told = {"mode": "sync", "isBackground": False, "timeout": 0}
    return ToolUse(TOOL, {"command": "echo again", **words, **told})


def loop(times: int) -> Script:
    """Titles and the like are asked without tools."""
    asked = 0

    def script(request: Request) -> Reply | ApiError:
        nonlocal asked
        if not any(tool.get("name") == TOOL for tool in request.body.get("tools", ())):
            return DONE
        asked += 1
        return Reply((again(asked),)) if asked <= times else DONE

    return script


def denied(calls: tuple[Call, ...]) -> list[int]:
    """Positions of the calls that the guard denied, counted from 1."""
    return [
        number
        for number, call in enumerate(calls, 1)
        if (call.result or "").removeprefix(DENIED).startswith(MARKER)
    ]


def test_a_looping_chat_is_stopped_and_free_again_after_uninstall(home: VSCodeHome) -> None:
    machine = home.machine
    assert setup.run(machine, setup.Options(CHOSEN)).exit_code == 0
    machine.config_file.parent.mkdir(parents=True, exist_ok=True)
    machine.config_file.write_text('[harness.vscode]\nask = "deny"\n')
    assert setup.run(machine, setup.Options(CHOSEN)).exit_code == 0
    report = doctor.run(machine, doctor.Options(CHOSEN), progress=lambda _: None)
    assert report.exit_code == 0, report.lines
    assert denied(home.chat(loop(TIMES))) == list(range(8, TIMES + 1))
    [shown] = status.run(machine, 0).data["sessions"]
    assert shown["harness"] == "vscode"
    assert [folder.is_dir() for folder in paths.transcript_folders(machine)] == [True]
    report = doctor.run(machine, doctor.Options(CHOSEN), progress=lambda _: None)
    assert report.exit_code == 0, report.lines  # the session in the transcript is known
    assert uninstall.run(machine, uninstall.Options(CHOSEN)).exit_code == 0
    assert denied(home.chat(loop(TIMES))) == []
