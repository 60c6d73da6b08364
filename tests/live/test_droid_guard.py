"""The main job on the real Droid: setup, a loop that is stopped, doctor, uninstall."""

from __future__ import annotations

import json
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
from runaway.installer.drill.scripts import distinct, spending
from runaway.installer.drill.server import ApiError, Reply, Request, Text, ToolUse, Usage
from runaway.installer.harnesses.droid.drill import MODEL, again
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.live import checks
from tests.support.live.droid_home import DroidHome, execute, group

CHOSEN = ("droid",)
DENIED_AT = 6  # by loop.same_result: the log is written before the hook is called
STOPPED_AT = 12


def wire(home: DroidHome, **wishes: float) -> Machine:
    result = setup.run(home.machine, setup.Options(CHOSEN, wishes=Wishes(None, **wishes)))
    assert result.exit_code == 0, result.messages
    return home.machine


def diagnose(home: DroidHome, *, drill: bool = False) -> Result:
    options = doctor.Options(CHOSEN, project=home.project, drill=drill)
    return doctor.run(home.machine, options, progress=lambda _: None)


def errors(result: Result) -> set[str]:
    return checks.failed(result.data["checks"])


def denied(run: DrillRun) -> list[int]:
    """Positions of the calls that the model was told were denied, counted from 1."""
    refused = {call.id for call in run.denied(MARKER)}
    return [number for number, call in enumerate(run.calls, 1) if call.id in refused]


def memory(machine: Machine, session: str) -> dict[str, Any]:
    return peek(str(machine.state / "sessions" / file_name("droid", session)))


def test_a_repeated_call_is_denied_and_then_the_turn_is_ended(droid_home: DroidHome) -> None:
    wire(droid_home)
    assert not errors(diagnose(droid_home))
    run = droid_home.run(again("echo again"))
    assert denied(run) == list(range(DENIED_AT, STOPPED_AT))
    assert (len(run.requests), run.ended_by_hook) == (STOPPED_AT, True)
    [agent] = memory(droid_home.machine, run.session)["agents"].values()
    assert agent["count"] == STOPPED_AT
    assert len(agent["calls"]) == STOPPED_AT


def test_different_calls_are_never_touched(droid_home: DroidHome) -> None:
    wire(droid_home)
    run = droid_home.run(distinct(lambda number: execute(f"echo {number}"), times=12))
    assert len(run.calls) == 12
    assert not denied(run)
    assert run.text == "Done."


def test_parallel_calls_lose_no_count(droid_home: DroidHome) -> None:
    """A denied call now and then takes a parallel one with it, so the end may come a call later."""
    machine = wire(droid_home)
    run = droid_home.run(again("echo again", times=3, together=4))
    [agent] = memory(machine, run.session)["agents"].values()
    assert agent["count"] == len(agent["calls"]) == STOPPED_AT


def test_failing_rounds_are_stopped_even_when_every_call_differs(droid_home: DroidHome) -> None:
    wire(droid_home)
    run = droid_home.run(distinct(lambda number: execute(f"exit {number + 2}"), times=10))
    assert denied(run)[0] == 7


def test_the_drill_passes_only_when_wired_and_leaves_nothing_behind(droid_home: DroidHome) -> None:
    assert "drill" in errors(diagnose(droid_home, drill=True))
    wire(droid_home)
    report = diagnose(droid_home, drill=True)
    assert not errors(report), report.lines
    files = [path for path in (droid_home.root / ".factory").rglob("*") if path.is_file()]
    assert files == [droid_home.settings]


def test_a_registered_command_whose_launcher_was_deleted_is_harmless(
    droid_home: DroidHome,
) -> None:
    """Exit code 2 would deny."""
    machine = wire(droid_home)
    shutil.rmtree(machine.data)
    run = droid_home.run(again("echo again", times=1))
    assert [call.failed for call in run.calls] == [False]
    assert run.hooks


def test_uninstall_gives_back_the_settings(droid_home: DroidHome) -> None:
    before = b'// mine\r\n{"model": "x", "hooks": {"Stop": []}}\r\n'
    droid_home.settings.parent.mkdir()
    droid_home.settings.write_bytes(before)
    machine = wire(droid_home)
    assert denied(droid_home.run(again("echo again", times=7)))
    uninstall.run(machine, uninstall.Options(CHOSEN))
    assert droid_home.settings.read_bytes() == before
    assert not droid_home.run(again("echo again", times=7)).hooks


def changed(change: Callable[[dict[str, Any]], object]) -> Callable[[DroidHome], None]:
    def act(home: DroidHome) -> None:
        settings = json.loads(home.settings.read_bytes())
        change(settings["hooks"])
        home.settings.write_text(json.dumps(settings))

    return act


def beside(name: str, text: dict[str, Any]) -> Callable[[DroidHome], None]:
    def act(home: DroidHome) -> None:
        path = home.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(text))

    return act


OFF = {"hooks": {"hooksDisabled": True}}
UNGUARDED: dict[str, tuple[Callable[[DroidHome], None], str]] = {
    "a broken sibling": (changed(lambda hooks: hooks.update(Stop=[{}])), "allowed.file"),
    "a timeout in text": (
        changed(lambda hooks: hooks.update(Stop=[group("x", timeout="1")])),
        "allowed.file",
    ),
    "switched off": (changed(lambda hooks: hooks.update(hooksDisabled=True)), "allowed.disabled"),
    "switched off by the project": (
        beside("project/.factory/settings.json", OFF),
        "allowed.disabled",
    ),
    "another file": (
        beside(".factory/hooks.json", {"PreToolUse": [group("true")]}),
        "allowed.other",
    ),
}


@pytest.mark.parametrize(("act", "check"), UNGUARDED.values(), ids=UNGUARDED)
def test_what_the_doctor_calls_an_error_indeed_leaves_the_real_cli_unguarded(
    droid_home: DroidHome, act: Callable[[DroidHome], None], check: str
) -> None:
    wire(droid_home)
    act(droid_home)
    assert check in errors(diagnose(droid_home))
    run = droid_home.run(again("echo again", times=7))
    assert len(run.calls) == 7
    assert not denied(run)


# Money.


def dollars(*usages: Usage) -> float:
    """What the server billed, by the price table."""
    now = time.time()
    return sum(
        cost(MODEL, Tokens(used.input, used.output, used.cache_read, used.cache_write_5m), now, {})[0]
        for used in usages
    )  # fmt: skip


def test_spend_is_exact_at_every_call(droid_home: DroidHome) -> None:
    machine = wire(droid_home)
    usage = Usage(input=1000, output=70, cache_read=500, cache_write_5m=40)
    calls = distinct(lambda number: execute(f"echo {number}"), times=3)
    run = droid_home.run(spending(calls, lambda _: usage))
    assert len(run.requests) == 4
    spent = memory(machine, run.session)["spend"]["total"]  # but for the last response
    assert spent == pytest.approx(dollars(*[usage] * 3))


def test_past_the_cap_the_turn_is_ended(droid_home: DroidHome) -> None:
    wire(droid_home, session_cap=1.0)
    calls = distinct(lambda number: execute(f"echo {number}"), times=9)
    run = droid_home.run(spending(calls, lambda _: Usage(input=100_000)))
    assert run.ended_by_hook
    assert len(run.requests) in (3, 4)


def test_a_looping_subagent_is_stopped_and_its_caller_goes_on(droid_home: DroidHome) -> None:
    wire(droid_home)
    task = {"subagent_type": "worker", "description": "Do it", "prompt": "BELOW", "await": True}
    inside: list[Request] = []
    echo = again("echo again")

    def script(request: Request) -> Reply | ApiError:
        if "# Task Tool Invocation" in str(request.body["messages"][0:2]):
            inside.append(request)
            return echo(request._replace(round=len(inside)))
        if not any(message["role"] == "assistant" for message in request.body["messages"]):
            return Reply((ToolUse("Task", task),))
        return Reply((Text("Done."),))

    run = droid_home.run(script)
    assert run.text == "Done."
    assert len(inside) == STOPPED_AT
