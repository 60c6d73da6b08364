"""The main job on the real Qwen Code: setup, a loop that is stopped, doctor, money, uninstall."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.prices import cost
from runaway.guard.session import peek
from runaway.guard.usage import Usage as Tokens
from runaway.guard.words import MARKER
from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import distinct, looping, replies, spending
from runaway.installer.drill.server import ApiError, Reply, Request, Text, ToolUse, Usage
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.live import checks
from tests.support.live.qwen_home import PRICED, QwenHome
from tests.support.live.terminal import ENTER

CHOSEN = ("qwen",)


def shell(command: str, description: str = "x") -> ToolUse:
    return ToolUse(
        "run_shell_command",
        {"command": command, "description": description, "is_background": False},
    )


def again(number: int) -> ToolUse:
    """Other words for it in each description keep Qwen Code's own loop detection quiet."""
    return shell("echo again", f"try {number}")


def wire(home: QwenHome, **wishes: float) -> Machine:
    result = setup.run(home.machine, setup.Options(CHOSEN, wishes=Wishes(None, **wishes)))
    assert result.exit_code == 0, result.messages
    return home.machine


def diagnose(machine: Machine, project: Path | None = None, *, drill: bool = False) -> Result:
    options = doctor.Options(CHOSEN, project=project, drill=drill)
    return doctor.run(machine, options, progress=lambda _: None)


def errors(result: Result) -> set[str]:
    return checks.failed(result.data["checks"])


def denied(run: DrillRun) -> list[int]:
    """Positions of the calls that the guard denied, counted from 1."""
    refused = {call.id for call in run.denied(MARKER)}
    return [number for number, call in enumerate(run.calls, 1) if call.id in refused]


def memory(machine: Machine) -> dict[str, Any]:
    """Of the only session there was."""
    [path] = (machine.state / "sessions").glob("qwen-*")
    return peek(str(path))


def test_different_calls_are_never_touched_failing_rounds_are_stopped_and_all_is_paid_for(
    qwen_home: QwenHome,
) -> None:
    machine = wire(qwen_home)
    usage = Usage(input=1000, output=70, cache_read=500)
    different = distinct(lambda n: shell(f"exit {n}" if n > 1 else f"echo {n}"), times=9)
    run = qwen_home.run(spending(different, lambda _: usage))
    assert denied(run) == [2 + 7]
    assert len(run.requests) == 10  # the last one is read with the next prompt
    assert memory(machine)["spend"]["total"] == pytest.approx(dollars(*[usage] * 9))


def test_a_looping_subagent_is_denied_and_paid_for_by_its_session(qwen_home: QwenHome) -> None:
    machine = wire(qwen_home)
    task = {"description": "d", "prompt": "do it", "subagent_type": "general-purpose"}
    spawn = ToolUse("agent", {**task, "run_in_background": False})
    own, theirs = Usage(input=2000, output=10), Usage(input=300, output=99)

    def below(request: Request) -> bool:
        return "do it" in json.dumps(request.body["messages"][0])

    def script(request: Request) -> Reply | ApiError:
        asked = sum(message["role"] == "assistant" for message in request.body["messages"])
        if below(request):
            return Reply((again(asked),), theirs) if asked < 8 else Reply((Text("ok"),), theirs)
        if asked < 2:
            return Reply((spawn if asked == 0 else shell("sleep 3"),), own)
        return Reply((Text("Done."),), own)

    run = qwen_home.run(script)
    state = memory(machine)
    [agent] = (name for name in state["agents"] if name)
    assert [call[4] >= 3 for call in state["agents"][agent]["calls"]] == [False] * 5 + [True] * 3
    billed = [theirs if below(request) else own for request in run.requests]
    assert state["spend"]["total"] == pytest.approx(dollars(*billed[:-1]))


def test_the_drill_sees_a_loop_denied_and_its_turn_ended_and_leaves_nothing(
    qwen_home: QwenHome,
) -> None:
    machine = wire(qwen_home)
    before = sorted(qwen_home.settings.parent.rglob("*"))
    report = diagnose(machine, drill=True)
    assert not errors(report), report.lines
    [told] = (row["message"] for row in report.data["checks"] if row["check"] == "drill")
    repeats = range(5, 8)  # its log may be a call behind
    assert told in [
        f"The real Qwen Code: the looping call was denied after {number} repeats and the turn ended "
        "after 12 requests."
        for number in repeats
    ]
    assert sorted(qwen_home.settings.parent.rglob("*")) == before


def test_uninstall_gives_the_file_back(qwen_home: QwenHome) -> None:
    before = b'// mine\r\n{\r\n\t"$version": 4\r\n}'
    qwen_home.write({})
    qwen_home.settings.write_bytes(before)
    machine = wire(qwen_home)
    assert qwen_home.settings.read_bytes() != before
    uninstall.run(machine, uninstall.Options(CHOSEN))
    assert qwen_home.settings.read_bytes() == before
    qwen_home.run(looping(shell("true"), times=1))
    assert not list((machine.state / "sessions").glob("*"))


# Which files it reads and which switches it heeds.


def guarded(home: QwenHome, machine: Machine, **environ: str) -> bool:
    """Is a change of the guard's own folder, which is for a person, denied?"""
    run = home.run(
        looping(shell(f"rm {shlex.quote(str(machine.data / 'x'))}"), times=1), environment=environ
    )
    return bool(denied(run))


def change(**changes: Any) -> Callable[[str], str]:
    return lambda text: json.dumps(json.loads(text) | changes)


def with_odd_matcher(text: str) -> str:
    settings = json.loads(text)
    group = {"matcher": 5, "hooks": [{"type": "command", "command": "true"}]}
    settings["hooks"]["PreToolUse"].insert(0, group)
    return json.dumps(settings)


SILENT: dict[str, tuple[Callable[[str], str], str]] = {
    "a matcher that is no text": (with_odd_matcher, "allowed.file"),
    "off": (change(disableAllHooks="x"), "allowed.disabled"),
}


@pytest.mark.parametrize(("edit", "check"), SILENT.values(), ids=SILENT.keys())
def test_what_the_doctor_calls_an_error_indeed_leaves_the_real_cli_unguarded(
    qwen_home: QwenHome, edit: Callable[[str], str], check: str
) -> None:
    machine = wire(qwen_home)
    qwen_home.settings.write_text(edit(qwen_home.settings.read_text()))
    assert check in errors(diagnose(machine))
    assert not guarded(qwen_home, machine)


def test_what_the_doctor_lets_pass_indeed_leaves_the_guard_running(qwen_home: QwenHome) -> None:
    """A mark, comments, switches of Gemini CLI, a project that outranks the user's switch."""
    machine = wire(qwen_home)
    off = change(disableAllHooks=True, hooksConfig={"enabled": False})
    text = off(qwen_home.settings.read_text())
    qwen_home.settings.write_text(f"\ufeff// mine\n{text}/* end */")
    qwen_home.write(
        {"disableAllHooks": False, "hooks": None}, qwen_home.project / ".qwen/settings.json"
    )
    assert not errors(diagnose(machine, qwen_home.project))
    assert guarded(qwen_home, machine)


def test_a_person_is_asked_and_yes_lets_it_run(qwen_home: QwenHome) -> None:
    qwen_home.write({"general": {"enableAutoUpdate": False}})
    machine = wire(qwen_home)
    # On a busy machine Qwen Code loses what a command printed now and then, so it may be asked later.
    with qwen_home.interactive(distinct(again, times=14), "--yolo") as terminal:
        terminal.submit("go")
        terminal.wait_for("Let it run once more?")
        terminal.press(ENTER, until="Done.")
    assert memory(machine)["granted"]
    assert memory(machine)["agents"][""]["count"] == 14


# Money.


def dollars(*usages: Usage) -> float:
    """What the server billed, by the price table."""
    now = time.time()
    return sum(
        cost(PRICED, Tokens(used.input, used.output, used.cache_read), now, {})[0]
        for used in usages
    )


def test_past_the_cap_the_turn_ends_and_the_next_prompt_sends_no_request(
    qwen_home: QwenHome,
) -> None:
    wire(qwen_home, session_cap=1.0)
    dear = spending(distinct(lambda n: shell(f"echo {n}")), lambda _: Usage(input=1_000_000))
    assert len(qwen_home.run(dear).requests) == 1
    assert qwen_home.run(replies(Reply((Text("hello"),))), "--continue").requests == ()
