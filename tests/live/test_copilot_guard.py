"""The main job on the real Copilot CLI: setup, a loop that is stopped, doctor, uninstall."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable
from typing import Any

import pytest

from runaway.guard.prices import cost
from runaway.guard.session import file_name, peek
from runaway.guard.usage import Usage as Tokens
from runaway.guard.words import MARKER
from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import distinct, looping, replies, spending
from runaway.installer.drill.server import Reply, Request, Text, ToolUse, Usage
from runaway.installer.harnesses.copilot.drill import MODEL
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.live import checks
from tests.support.live.copilot_home import CopilotHome
from tests.support.live.terminal import ENTER

CHOSEN = ("copilot",)
LATE = 8  # by loop.same_call: the log, which tells results, is half a second late
ECHO = ToolUse("bash", {"command": "echo again", "description": "say it"})


def wire(home: CopilotHome, *harnesses: str, **wishes: float) -> Machine:
    options = setup.Options(harnesses or CHOSEN, wishes=Wishes(None, **wishes))
    result = setup.run(home.machine, options)
    assert result.exit_code == 0, result.messages
    return home.machine


def diagnose(home: CopilotHome, *, drill: bool = False) -> Result:
    options = doctor.Options(CHOSEN, project=home.project, drill=drill)
    return doctor.run(home.machine, options, progress=lambda _: None)


def errors(result: Result) -> set[str]:
    return checks.failed(result.data["checks"])


def denied(run: DrillRun) -> list[int]:
    """Positions of the calls that the guard denied, counted from 1."""
    refused = {call.id for call in run.denied(MARKER)}
    return [number for number, call in enumerate(run.calls, 1) if call.id in refused]


def memory(machine: Machine, session: str) -> dict[str, Any]:
    return peek(str(machine.state / "sessions" / file_name("copilot", session)))


def test_a_repeated_call_is_denied_for_good_and_so_is_every_other_in_the_end(
    copilot_home: CopilotHome,
) -> None:
    wire(copilot_home)
    assert not errors(diagnose(copilot_home))
    run = copilot_home.run(looping(ECHO, times=22))
    first, *_ = denied(run)
    assert first in range(6, LATE + 1)
    assert denied(run) == list(range(first, 23))
    [agent] = memory(copilot_home.machine, run.session)["agents"].values()
    assert agent["count"] == 22
    assert agent["over"][0] in ("loop.same_result", "loop.same_call")


def test_different_calls_are_never_touched(copilot_home: CopilotHome) -> None:
    wire(copilot_home)
    calls = distinct(lambda number: ToolUse("bash", {"command": f"echo {number}"}), times=12)
    run = copilot_home.run(calls)
    assert len(run.calls) == 12
    assert not denied(run)


def test_parallel_calls_lose_no_count(copilot_home: CopilotHome) -> None:
    wire(copilot_home)
    run = copilot_home.run(looping(ECHO, times=3, together=4))
    assert len(denied(run)) in range(len(run.calls) - LATE + 1, len(run.calls) - 4)


def test_failing_rounds_are_stopped_even_when_every_call_differs(copilot_home: CopilotHome) -> None:
    wire(copilot_home)
    fails = distinct(lambda n: ToolUse("bash", {"command": f"exit {n + 2}"}), times=14)
    first, *_ = denied(copilot_home.run(copilot_home.unhurried(fails)))
    assert first in range(7, 14)


def test_wired_in_claude_codes_project_file_too_each_call_counts_once(
    copilot_home: CopilotHome,
) -> None:
    """Copilot runs both where the folder is trusted."""
    wire(copilot_home)
    wire_claude(copilot_home)
    copilot_home.trust()
    run = copilot_home.run(looping(ECHO, times=10))
    first, *_ = denied(run)
    assert first in range(6, LATE + 1)
    [agent] = memory(copilot_home.machine, run.session)["agents"].values()
    assert agent["count"] == 10


def test_wired_in_claude_codes_project_file_alone_copilot_is_guarded_in_its_own_words(
    copilot_home: CopilotHome,
) -> None:
    wire_claude(copilot_home)
    copilot_home.trust()
    run = copilot_home.run(looping(ECHO, times=10))
    assert denied(run)
    assert memory(copilot_home.machine, run.session)["harness"] == "copilot"


def wire_claude(home: CopilotHome) -> None:
    options = setup.Options(("claude",), scope="project", project=home.project)
    assert setup.run(home.machine, options).exit_code == 0


def test_the_drill_passes_only_when_wired_and_leaves_nothing_behind(
    copilot_home: CopilotHome,
) -> None:
    assert "drill" in errors(diagnose(copilot_home, drill=True))
    wire(copilot_home)
    before = {path: path.read_bytes() for path in copilot_home.config.rglob("*") if path.is_file()}
    report = diagnose(copilot_home, drill=True)
    assert not errors(report), report.lines
    after = {path: path.read_bytes() for path in copilot_home.config.rglob("*") if path.is_file()}
    assert after == before


def test_a_registered_command_whose_launcher_was_deleted_is_harmless(
    copilot_home: CopilotHome,
) -> None:
    """Any exit code but 0 would deny."""
    machine = wire(copilot_home)
    shutil.rmtree(machine.data)
    run = copilot_home.run(looping(ECHO, times=1))
    assert [call.failed for call in run.calls] == [False]
    assert run.hooks


def test_after_uninstall_nothing_of_ours_is_run(copilot_home: CopilotHome) -> None:
    machine = wire(copilot_home)
    uninstall.run(machine, uninstall.Options(CHOSEN))
    assert not copilot_home.config.exists()
    run = copilot_home.run(looping(ECHO, times=1))
    assert [call.failed for call in run.calls] == [False]
    assert not run.hooks


def in_file(change: Callable[[str], str]) -> Callable[[CopilotHome], None]:
    def act(home: CopilotHome) -> None:
        home.hooks.write_text(change(home.hooks.read_text()))

    return act


def in_project(name: str) -> Callable[[CopilotHome], None]:
    def act(home: CopilotHome) -> None:
        home.trust()
        path = home.project / name
        path.parent.mkdir(parents=True)
        path.write_text('{"disableAllHooks": true}')

    return act


@pytest.mark.parametrize(
    ("act", "check"),
    [
        (in_file(lambda text: "// mine\n" + text), "allowed.file"),
        (in_file(lambda text: text.replace("{", '{"version": 2,', 1)), "allowed.file"),
        (in_file(lambda text: text.replace("{", '{"disableAllHooks": true,', 1)), "allowed.file"),
        (in_project(".github/copilot/settings.json"), "allowed.disabled"),
    ],
    ids=["comment", "version", "off in the file", "off in the project"],
)
def test_what_the_doctor_calls_an_error_indeed_leaves_the_real_cli_unguarded(
    copilot_home: CopilotHome, act: Callable[[CopilotHome], None], check: str
) -> None:
    wire(copilot_home)
    act(copilot_home)
    assert check in errors(diagnose(copilot_home))
    run = copilot_home.run(looping(ECHO, times=9))
    assert len(run.calls) == 9
    assert not denied(run)


# Subagents and money.


def dollars(*usages: Usage) -> float:
    """What the server billed, by the price table."""
    now = time.time()
    return sum(
        cost(MODEL, Tokens(used.input, used.output, used.cache_read, used.cache_write_5m), now, {})[
            0
        ]
        for used in usages
    )


def test_a_looping_subagent_is_denied_and_paid_by_its_session(copilot_home: CopilotHome) -> None:
    machine = wire(copilot_home)
    task = {"description": "d", "prompt": "BELOW", "agent_type": "general-purpose", "name": "n"}
    own, below = Usage(input=2000, output=10), Usage(input=300, output=99)
    inside: list[Request] = []

    def script(request: Request) -> Reply:
        if "BELOW" in str(request.body["messages"][0]):
            inside.append(request)
            return Reply((ECHO,) if len(inside) <= 12 else (Text("Done."),), below)
        if len(request.body["messages"]) == 1:
            return Reply((ToolUse("task", {**task, "mode": "sync"}),), own)
        return Reply((Text("Done."),), own)

    run = copilot_home.run(script)
    first, *_ = denied(run)
    assert first in range(6, LATE + 1)
    assert denied(run) == list(range(first, 13))
    copilot_home.run(spending(replies(), lambda _: Usage(0, 0)), f"--resume={run.session}")
    state = memory(machine, run.session)
    expected = dollars(*[below] * len(inside), *[own] * (len(run.requests) - len(inside)))
    assert state["spend"]["total"] == pytest.approx(expected)
    assert state["storm"]["spawned"] == 1


def test_past_the_cap_the_next_prompt_sends_no_request_not_even_in_another_session(
    copilot_home: CopilotHome,
) -> None:
    usage = Usage(input=100_000, output=70, cache_read=40_000, cache_write_5m=20_000)
    machine = wire(copilot_home, session_cap=0.5, day_cap=0.5)
    first = copilot_home.run(spending(replies(Reply((ECHO,))), lambda _: usage))
    assert len(first.requests) == 2
    again = copilot_home.run(replies(), f"--resume={first.session}")
    assert again.requests == ()
    assert MARKER in again.stderr
    assert memory(machine, first.session)["spend"]["total"] == pytest.approx(dollars(usage, usage))
    assert copilot_home.run(replies()).requests == ()


# With a person.


def test_a_person_is_asked_and_a_yes_starts_the_count_anew(copilot_home: CopilotHome) -> None:
    wire(copilot_home)
    script = copilot_home.unhurried(looping(ECHO, times=8))
    with copilot_home.interactive(script) as terminal:
        terminal.submit("go on")
        terminal.wait_for("Hook permission request")
        assert MARKER in terminal.text
        terminal.press(ENTER, until="Done.")
    [log] = (copilot_home.config / "session-state").glob("*/events.jsonl")
    assert memory(copilot_home.machine, log.parent.name)["granted"]
    results = [
        event["data"]["success"]
        for event in copilot_home.events(log.parent.name)
        if event["type"] == "tool.execution_complete"
    ]
    assert results == [True] * 8
