"""The main job on the real OpenCode: setup, a loop that is stopped, money, doctor, uninstall."""

from __future__ import annotations

import json
import shutil
from typing import Any

import pytest

from runaway.guard.session import file_name, peek
from runaway.guard.words import MARKER
from runaway.installer import sessions
from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import DONE, distinct, looping, replies, spending
from runaway.installer.drill.server import Reply, Request, ToolUse, Usage
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.files import tree
from tests.support.live import checks
from tests.support.live.opencode_home import PRICES, OpenCodeHome

CHOSEN = ("opencode",)
NOTED_AT, DENIED_AT, STOPPED_AT = 4, 6, 12  # by loop.same_result: the same call, the same result
ECHO = ToolUse("bash", {"command": "echo again", "description": "says it"})
TASK = ToolUse("task", {"description": "t", "prompt": "do it", "subagent_type": "general"})
USED = Usage(input=1000, output=100, cache_read=200)
DEAR = Usage(0, 60_000)  # $1.50


def wire(home: OpenCodeHome, **wishes: float) -> Machine:
    options = setup.Options(CHOSEN, wishes=Wishes(None, **wishes))
    result = setup.run(home.machine, options)
    assert result.exit_code == 0, result.messages
    return home.machine


def diagnose(machine: Machine, *, drill: bool = False) -> Result:
    return doctor.run(machine, doctor.Options(CHOSEN, drill=drill), progress=lambda _: None)


def errors(result: Result) -> set[str]:
    return checks.failed(result.data["checks"])


def denied(run: DrillRun) -> list[int]:
    """Positions of the calls that the guard denied, counted from 1."""
    refused = {call.id for call in run.denied(MARKER)}
    return [number for number, call in enumerate(run.calls, 1) if call.id in refused]


def spent(machine: Machine, run: DrillRun) -> float:
    memory = peek(str(machine.state / "sessions" / file_name("opencode", run.session)))
    return float(memory["spend"]["total"])


def dollars(used: Usage) -> float:
    going_in = used.input * PRICES["input"] + used.cache_read * PRICES["cache_read"]
    return (going_in + used.output * PRICES["output"]) / 1e6


def test_a_loop_is_noted_denied_and_ended_and_its_money_is_known(
    opencode_home: OpenCodeHome,
) -> None:
    machine = wire(opencode_home)
    assert not errors(diagnose(machine))
    run = opencode_home.run(spending(looping(ECHO), lambda _: USED))
    noted = [n for n, call in enumerate(run.calls, 1) if "(loop.same_result)" in str(call.result)]
    assert noted[0] == NOTED_AT
    assert run.calls[NOTED_AT].result == "again\n"
    assert denied(run) == list(range(DENIED_AT, STOPPED_AT))
    assert (len(run.requests), run.exit_code, run.ended_by_hook) == (STOPPED_AT, 1, True)
    assert "The turn ends here (loop.same_result)" in run.stderr
    told = STOPPED_AT - 1  # of the response that is cut off OpenCode tells nothing
    assert spent(machine, run) == pytest.approx(told * dollars(USED))


def test_a_looping_subagent_is_ended_alone_and_paid_for_by_its_session(
    opencode_home: OpenCodeHome,
) -> None:
    machine = wire(opencode_home)
    twice = opencode_home.config / "plugins/runaway.js"  # loaded twice: counted once all the same
    twice.parent.mkdir()
    shutil.copyfile(opencode_home.plugin, twice)
    loop = looping(ECHO)

    def script(request: Request) -> Any:
        if request.agent:
            return loop(request)
        return Reply((TASK, ECHO)) if request.round == 1 else DONE

    run = opencode_home.run(spending(script, lambda _: USED))
    below = [call.failed for call in run.calls if call.agent]
    assert below == [False] * (DENIED_AT - 1) + [True] * (STOPPED_AT - DENIED_AT)
    [task, echo] = [call for call in run.calls if not call.agent]
    assert (task.result, echo.failed) == ("Task cancelled", False)
    assert (len(run.requests), run.exit_code) == (STOPPED_AT + 2, 0)  # its parent goes on
    assert spent(machine, run) == pytest.approx((STOPPED_AT - 1 + 2) * dollars(USED))


def test_failing_rounds_are_stopped_and_past_the_cap_no_request_is_sent_but_by_a_fork(
    opencode_home: OpenCodeHome,
) -> None:
    machine = wire(opencode_home, session_cap=1.0)
    tools = (
        lambda n: ToolUse("bash", {"command": f"exit {n + 2}", "description": "x"}),
        lambda n: ToolUse("read", {"filePath": f"/none/{n}"}),
        lambda n: ToolUse("bash", {"nothing": n}),  # not what its schema says
        lambda n: ToolUse("missing", {"n": n}),
    )
    failing = distinct(lambda n: tools[n % 4](n), times=8)
    script = spending(failing, lambda request: DEAR if request.round == 9 else Usage(0, 0))
    run = opencode_home.run(script)
    assert denied(run)[0] == 7
    assert spent(machine, run) == pytest.approx(1.5)
    last = opencode_home.run(replies(), "--session", run.session)
    assert (last.requests, last.exit_code) == ((), 1)
    assert "this session has cost $1.5" in last.stderr
    fork = opencode_home.run(
        spending(replies(), lambda _: USED), "--session", run.session, "--fork"
    )
    assert fork.session not in ("", run.session)
    assert spent(machine, fork) == pytest.approx(dollars(USED))  # not what its parent paid


def test_the_drill_passes_and_leaves_nothing(opencode_home: OpenCodeHome) -> None:
    machine = wire(opencode_home)
    before = tree(opencode_home.config)
    report = diagnose(machine, drill=True)
    assert not errors(report), report.lines
    assert tree(opencode_home.config) == before
    assert not (opencode_home.root / ".local/share/opencode").exists()
    assert (sessions.sessions(machine).rows, sessions.trips(machine).rows) == ((), ())
    assert sessions.days(machine).steps == {}


@pytest.mark.parametrize("value", ["1", "false"])
def test_the_doctor_and_opencode_agree_on_the_kill_switch(
    opencode_home: OpenCodeHome, value: str
) -> None:
    machine = wire(opencode_home)
    off = machine._replace(environ={**machine.environ, "OPENCODE_PURE": value})
    assert ("allowed.pure" in errors(diagnose(off))) is not (
        opencode_home.plugin.name in opencode_home.plugins(OPENCODE_PURE=value)
    )


def test_uninstall_leaves_the_folder_as_it_was(opencode_home: OpenCodeHome) -> None:
    assert opencode_home.plugin.name not in opencode_home.plugins()  # and makes files of its own
    before = {name: facts[-1] for name, facts in tree(opencode_home.config).items()}
    machine = wire(opencode_home)
    assert opencode_home.plugin.name in opencode_home.plugins()
    assert uninstall.run(machine, uninstall.Options(CHOSEN)).exit_code == 0
    assert {name: facts[-1] for name, facts in tree(opencode_home.config).items()} == before
    assert opencode_home.plugin.name not in opencode_home.plugins()


def test_in_a_project_too_and_harmless_once_its_launcher_is_deleted(
    opencode_home: OpenCodeHome,
) -> None:
    options = setup.Options(CHOSEN, scope="project", project=opencode_home.project)
    assert setup.run(opencode_home.machine, options).exit_code == 0
    opencode_home.settle(opencode_home.project / ".opencode")
    loop = looping(ECHO, times=10)

    def script(request: Request) -> Any:
        if request.round == DENIED_AT + 2:
            opencode_home.machine.launcher.unlink()
        return loop(request)

    assert denied(opencode_home.run(script)) == [DENIED_AT, DENIED_AT + 1]


def test_on_a_terminal_a_person_is_shown_what_the_guard_says(opencode_home: OpenCodeHome) -> None:
    machine = wire(opencode_home, session_cap=1.0)
    loop = looping(ECHO)

    def script(request: Request) -> Any:
        spoken = str(request.body["messages"]).count("once more")
        answer = spending(replies(), lambda _: DEAR) if spoken else loop
        return answer(request) if request.body.get("tools") else DONE  # a title asks for no tools

    with opencode_home.interactive(script) as screen:
        screen.wait_for("Ask anything")
        screen.submit("go on")
        screen.wait_for("The turn ends here (loop.")
        screen.submit("once more")
        screen.wait_for("Done.")
        screen.submit("and again")
        screen.wait_for("this session has cost $1.5")
    trips = [json.loads(line) for line in (machine.state / "trips.jsonl").read_text().splitlines()]
    assert [trip["level"] for trip in trips if trip["rule"].startswith("loop")][-1] == "stop"
    assert (trips[-1]["level"], trips[-1]["rule"]) == ("deny", "spend.session")
