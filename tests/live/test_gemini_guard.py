"""The main job on the real Gemini CLI: setup, a loop that is stopped, doctor, money, uninstall."""

from __future__ import annotations

import json
import shutil
import time
from typing import Any

import pytest

from runaway.guard.prices import cost
from runaway.guard.session import peek
from runaway.guard.usage import Usage as Tokens
from runaway.guard.words import MARKER
from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import DONE, distinct, looping, replies, spending
from runaway.installer.drill.server import ApiError, Reply, Request, Text, ToolUse, Usage
from runaway.installer.harnesses.gemini.drill import MODEL
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.live import checks
from tests.support.live.gemini_home import PLAIN, GeminiHome

CHOSEN = ("gemini",)
DENIED_AT, STOPPED_AT = 6, 12  # by loop.same_result: the same call, the same result


def shell(command: str, **arguments: Any) -> ToolUse:
    return ToolUse("run_shell_command", {"command": command, **arguments})


ECHO = shell("echo again")


def wire(home: GeminiHome, **wishes: float) -> Machine:
    result = setup.run(home.machine, setup.Options(CHOSEN, wishes=Wishes(None, **wishes)))
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


def memory(machine: Machine) -> dict[str, Any]:
    """Of the only session there was."""
    [path] = (machine.state / "sessions").glob("gemini-*")
    return peek(str(path))


def test_a_repeated_call_is_denied_and_then_ends_the_turn(gemini_home: GeminiHome) -> None:
    """Other words for it in each description keep Gemini CLI's own loop detection quiet."""
    gemini_home.write({"model": {}})
    machine = wire(gemini_home)
    run = gemini_home.run(distinct(lambda n: shell("echo again", description=f"try {n}")))
    assert denied(run) == list(range(DENIED_AT, STOPPED_AT))
    assert (len(run.requests), run.exit_code) == (STOPPED_AT, 0)
    assert run.ended_by_hook
    assert not errors(diagnose(machine))


def test_different_calls_are_never_touched_and_each_result_finds_its_call(
    gemini_home: GeminiHome,
) -> None:
    (gemini_home.project / "a.txt").write_text("one\n")
    machine = wire(gemini_home)
    calls = (
        shell("echo 1"),
        shell("pwd", dir_path="."),
        ToolUse("read_file", {"file_path": "a.txt"}),
        ToolUse("read_file", {"file_path": str(gemini_home.project / "a.txt")}),
        ToolUse("list_directory", {"dir_path": "."}),
        ToolUse("glob", {"pattern": "*.txt", "case_sensitive": True}),
        ToolUse("grep_search", {"pattern": "one"}),
        ToolUse("write_file", {"file_path": "b.txt", "content": "two\n"}),
        ToolUse(
            "replace",
            {"file_path": "b.txt", "instruction": "x", "old_string": "two", "new_string": "three"},
        ),
        ToolUse("write_todos", {"todos": [{"description": "x", "status": "pending"}]}),
    )
    run = gemini_home.run(replies(*(Reply((call,)) for call in calls), Reply((shell("true"),))))
    assert not any(call.failed for call in run.calls)
    records = memory(machine)["agents"][""]["calls"]
    assert len(records) == len(calls) + 1
    assert all(record[3] for record in records[:-1]), records


def test_parallel_calls_lose_no_count(gemini_home: GeminiHome) -> None:
    machine = wire(gemini_home)
    run = gemini_home.run(looping(ECHO, times=4, together=2))
    assert denied(run) == [7, 8]
    assert memory(machine)["agents"][""]["count"] == 8


def test_failing_rounds_are_stopped_even_when_every_call_differs(gemini_home: GeminiHome) -> None:
    wire(gemini_home)
    run = gemini_home.run(distinct(lambda n: shell(f"exit {n + 2}"), times=8))
    assert denied(run)[0] == 7


def test_a_call_that_two_entries_tell_counts_once(gemini_home: GeminiHome) -> None:
    machine = wire(gemini_home)
    options = setup.Options(CHOSEN, scope="project", project=gemini_home.project)
    assert setup.run(machine, options).exit_code == 0
    ours = gemini_home.project / ".gemini/settings.json"
    ours.write_text(ours.read_text().replace('"runaway"', '"another name"'))  # both are run now
    assert denied(gemini_home.run(looping(ECHO, times=7))) == [DENIED_AT, DENIED_AT + 1]


def below(request: Request) -> bool:
    """Does a subagent ask? Only those are offered a way to hand in their work."""
    [tools] = request.body["tools"]
    return any(tool["name"] == "complete_task" for tool in tools["functionDeclarations"])


def test_a_looping_subagent_is_denied_and_paid_for_by_its_session(gemini_home: GeminiHome) -> None:
    machine = wire(gemini_home)
    spawn = ToolUse("invoke_agent", {"agent_name": "generalist", "prompt": "do it"})
    own, theirs = Usage(input=2000, output=10), Usage(input=300, output=99)

    def script(request: Request) -> Reply | ApiError:
        asked = sum(content["role"] == "model" for content in request.body["contents"])
        if below(request):
            done = ToolUse("complete_task", {"result": {"response": "ok"}})
            return Reply((ECHO if asked < 8 else done,), theirs)
        return Reply((spawn if asked == 0 else shell("true"),), own) if asked < 2 else DONE

    run = gemini_home.run(script)
    assert denied(run)[0] == DENIED_AT
    spent = memory(machine)["spend"]["total"]
    agents = [theirs for request in run.requests if below(request)]
    assert spent == pytest.approx(dollars(own, own, *agents))


def test_the_drill_passes_and_leaves_nothing(
    gemini_home: GeminiHome,
) -> None:
    machine = wire(gemini_home)
    before = sorted(gemini_home.settings.parent.rglob("*"))
    report = diagnose(machine, drill=True)
    assert not errors(report), report.lines
    assert sorted(gemini_home.settings.parent.rglob("*")) == before


@pytest.mark.parametrize("lost", ["guard", "launch"])
def test_a_registered_command_whose_files_were_deleted_is_harmless_and_silent(
    gemini_home: GeminiHome, lost: str
) -> None:
    machine = wire(gemini_home)
    path = machine.data / lost
    shutil.rmtree(path) if path.is_dir() else path.unlink()
    run = gemini_home.run(looping(ECHO, times=1))
    assert not any(call.failed for call in run.calls)
    assert "ook" not in run.stderr


def test_uninstall_gives_the_file_back(gemini_home: GeminiHome) -> None:
    before = b"// mine\r\n" + json.dumps(PLAIN, indent="\t").encode()
    gemini_home.write(before)
    machine = wire(gemini_home)
    assert gemini_home.settings.read_bytes() != before
    uninstall.run(machine, uninstall.Options(CHOSEN))
    assert gemini_home.settings.read_bytes() == before
    gemini_home.run(looping(ECHO, times=1))
    assert not list((machine.state / "sessions").glob("*"))


# Money.


def dollars(*usages: Usage) -> float:
    """What the server billed, by the price table."""
    now = time.time()
    return sum(
        cost(MODEL, Tokens(used.input, used.output, used.cache_read), now, {})[0] for used in usages
    )


def test_spend_is_exact(gemini_home: GeminiHome) -> None:
    machine = wire(gemini_home)
    usage = Usage(input=1000, output=70, cache_read=500)
    script = spending(distinct(lambda n: shell(f"echo {n}"), times=3), lambda _: usage)
    assert len(gemini_home.run(script).requests) == 4
    assert memory(machine)["spend"]["total"] == pytest.approx(dollars(*[usage] * 3))
    gemini_home.run(spending(replies(), lambda _: usage), "--resume", "latest")
    assert memory(machine)["spend"]["total"] == pytest.approx(dollars(*[usage] * 4))


def test_past_the_cap_the_turn_ends_and_the_next_prompt_sends_no_request(
    gemini_home: GeminiHome,
) -> None:
    wire(gemini_home, session_cap=1.0)
    dear = spending(distinct(lambda n: shell(f"echo {n}")), lambda _: Usage(input=2_000_000))
    first = gemini_home.run(dear)
    assert (len(first.requests), first.ended_by_hook) == (1, True)
    again = gemini_home.run(replies(Reply((Text("hello"),))), "--resume", "latest")
    assert again.requests == ()
    assert f"Agent execution blocked: {MARKER}" in again.stderr
