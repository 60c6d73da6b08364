"""The main job on the real Grok Build: setup, a loop that is stopped, doctor, money, uninstall."""

from __future__ import annotations

import json
import shlex
import time
from collections.abc import Callable
from typing import Any

import pytest

from runaway.guard.prices import cost
from runaway.guard.session import peek
from runaway.guard.usage import Usage as Tokens
from runaway.guard.words import MARKER
from runaway.installer.commands import doctor, setup, status, uninstall
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import distinct, looping, replies, spending
from runaway.installer.drill.server import ApiError, Reply, Request, Text, ToolUse, Usage
from runaway.installer.harnesses.grok.drill import MODEL
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.live import checks
from tests.support.live.grok_home import GrokHome

CHOSEN = ("grok",)
LATEST = range(6, 9)  # its log may be a call or two behind


def shell(command: str, description: str = "x") -> ToolUse:
    return ToolUse("run_terminal_command", {"command": command, "description": description})


def reworded(number: int) -> ToolUse:
    """The same call, worded anew."""
    return shell("echo again", f"try {number}")


def wire(home: GrokHome, *harnesses: str, **wishes: float) -> Machine:
    chosen = harnesses or CHOSEN
    result = setup.run(home.machine, setup.Options(chosen, wishes=Wishes(None, **wishes)))
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


def memories(machine: Machine) -> list[dict[str, Any]]:
    """Of all sessions, the first one first."""
    found = [dict(peek(str(path))) for path in (machine.state / "sessions").iterdir()]
    return sorted(found, key=lambda state: state["started"])


def dollars(*usages: Usage) -> float:
    """What the server billed, by the price table."""
    now = time.time()
    return sum(
        cost(MODEL, Tokens(used.input, used.output, used.cache_read), now, {})[0] for used in usages
    )


@pytest.mark.parametrize("harnesses", [CHOSEN, ("claude",), ("claude", "grok")], ids="+".join)
def test_a_loop_is_stopped_and_counted_once_as_groks_own_whoever_registered_the_guard(
    grok_home: GrokHome, harnesses: tuple[str, ...]
) -> None:
    machine = wire(grok_home, *harnesses)
    usage = Usage(input=2000, output=50, cache_read=500)
    run = grok_home.run(spending(distinct(reworded, times=12), lambda _: usage))
    first, *_ = denied(run)
    assert first in LATEST
    assert denied(run) == list(range(first, 13))
    [memory] = memories(machine)
    assert (memory["harness"], memory["agents"][""]["count"]) == ("grok", 12)
    [shown] = status.run(machine, time.time()).data["sessions"]
    assert shown["harness"] == "grok"
    assert shown["dollars"] == pytest.approx(dollars(*[usage] * 13))


def test_a_looping_subagent_is_denied_and_no_token_is_counted_twice(grok_home: GrokHome) -> None:
    """Its session is its own; the turn that started it tells its tokens once more."""
    machine = wire(grok_home)
    task = {"description": "d", "prompt": "do it", "subagent_type": "general-purpose"}
    spawn = ToolUse("spawn_subagent", {**task, "background": False})
    own, theirs = Usage(input=2000, output=10), Usage(input=300, output=99)

    def script(request: Request) -> Reply | ApiError:
        told = json.dumps(request.body["messages"])
        if "do it" in told and spawn.name not in told:
            return Reply((reworded(request.round),), theirs) if request.round < 9 else bye(theirs)
        return Reply((spawn,), own) if request.round == 1 else bye(own)

    run = grok_home.run(script)
    [_, subagent] = memories(machine)
    assert subagent["agents"][""]["count"] == 8
    stopped = [call[4] >= 3 for call in subagent["agents"][""]["calls"]]
    assert stopped.index(True) + 1 in LATEST
    assert len(run.requests) == 11
    status.run(machine, time.time())
    main, subagent = memories(machine)
    assert subagent["spend"]["total"] == pytest.approx(dollars(*[theirs] * 9))
    context = own.input + own.output
    least = Tokens(context, cache_read=context)  # of two requests
    floor = cost(MODEL, least, time.time(), {})[0]
    assert main["spend"]["total"] == pytest.approx(floor, rel=0.05)  # and a result of some tokens


def bye(usage: Usage) -> Reply:
    return Reply((Text("Done."),), usage)


def test_a_note_reaches_the_model(grok_home: GrokHome) -> None:
    """By the size of its context, before Grok tells the turn's tokens."""
    wire(grok_home, session_cap=0.3)
    dear = spending(distinct(lambda n: shell(f"echo {n}"), times=3), lambda _: Usage(input=100_000))
    run = grok_home.run(dear)
    assert "spend.session" in json.dumps(run.requests[-1].body["messages"])


def test_past_the_cap_every_call_is_denied_within_the_turn_and_the_next_prompt_is_held_back(
    grok_home: GrokHome,
) -> None:
    wire(grok_home, session_cap=0.15)
    dear = spending(distinct(lambda n: shell(f"echo {n}"), times=3), lambda _: Usage(input=100_000))
    assert denied(grok_home.run(dear)) == [2, 3]
    assert grok_home.run(replies(Reply((Text("hello"),))), "--continue").requests == ()


def test_the_drill_sees_a_loop_denied_and_leaves_nothing(grok_home: GrokHome) -> None:
    machine = wire(grok_home)
    before = sorted(grok_home.folder.rglob("*"))
    report = diagnose(machine, drill=True)
    assert not errors(report), report.lines
    [told] = (row["message"] for row in report.data["checks"] if row["check"] == "drill")
    assert told in [
        f"The real Grok Build: the looping call was denied after {first - 1} repeats, and so was every "
        "further one."
        for first in LATEST
    ]
    assert sorted(grok_home.folder.rglob("*")) == before


def test_uninstall_frees_it(grok_home: GrokHome) -> None:
    machine = wire(grok_home)
    uninstall.run(machine, uninstall.Options(CHOSEN))
    assert not grok_home.hooks.exists()
    assert denied(grok_home.run(distinct(reworded, times=12))) == []
    assert not list((machine.state / "sessions").glob("*"))


def guarded(home: GrokHome, machine: Machine) -> bool:
    """Is a change of the guard's own folder, which is for a person, denied?"""
    rm = shell(f"rm {shlex.quote(str(machine.data / 'x'))}")
    return bool(denied(home.run(looping(rm, times=1))))


def with_bad_timeout(home: GrokHome) -> None:
    hooks = json.loads(home.hooks.read_bytes())
    hooks["hooks"]["Stop"] = [{"hooks": [{"type": "command", "command": "true", "timeout": "9"}]}]
    home.hooks.write_text(json.dumps(hooks))


def named(home: GrokHome) -> None:
    (home.folder / "disabled-hooks").write_text("global/runaway:pre_tool_use[0].hooks[0]\n")


def pinned(home: GrokHome) -> None:
    (home.folder / "requirements.toml").write_text("allow_managed_hooks_only = true\n")


def unsettled(home: GrokHome) -> None:
    """What it puts up with: events that it does not know, switches that are Claude Code's."""
    hooks = json.loads(home.hooks.read_bytes())
    hooks["hooks"]["Other"] = 5
    home.hooks.write_text(json.dumps({**hooks, "disableAllHooks": True}))


@pytest.mark.parametrize(
    ("edit", "wanted"),
    [
        (with_bad_timeout, {"allowed.file"}),
        (named, {"allowed.disabled"}),
        (pinned, {"allowed.disabled"}),
        (unsettled, set()),
    ],
)
def test_the_doctor_and_the_real_cli_agree_on_what_leaves_it_unguarded(
    grok_home: GrokHome, edit: Callable[[GrokHome], None], wanted: set[str]
) -> None:
    machine = wire(grok_home)
    edit(grok_home)
    assert errors(diagnose(machine)) >= wanted
    assert guarded(grok_home, machine) is not bool(wanted)


def test_a_person_is_asked_and_yes_lets_it_run(grok_home: GrokHome) -> None:
    machine = wire(grok_home)
    with grok_home.interactive(distinct(reworded, times=12)) as terminal:
        terminal.submit("go")
        terminal.wait_for("Let it run once more?")
        terminal.press("3", until="Done.")
    [memory] = memories(machine)
    assert memory["granted"]
    assert memory["agents"][""]["count"] == 12
