"""The main job on the real Pi: setup, a loop that is stopped, money, doctor, uninstall."""

from __future__ import annotations

import json
from typing import Any

import pytest

from runaway.guard.session import file_name, peek
from runaway.guard.words import MARKER
from runaway.installer import sessions
from runaway.installer.commands import doctor, setup, uninstall
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import distinct, looping, replies, spending
from runaway.installer.drill.server import Reply, Request, Text, ToolUse, Usage
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.result import Result
from tests.support.files import tree
from tests.support.live import checks
from tests.support.live.pi_home import PRICES, PiHome
from tests.support.live.terminal import ENTER, ESCAPE

CHOSEN = ("pi",)
NOTED_AT, DENIED_AT, STOPPED_AT = 4, 6, 12  # by loop.same_result: the same call, the same result
ECHO = ToolUse("bash", {"command": "echo again", "timeout": 9})
USED = Usage(input=1000, output=100, cache_read=200)
DEAR = Usage(0, 60_000)  # $1.50
QUESTION = "Let it run once more?"
PASSAGE = "I will look at the file again, because something is missing in it. "


def wire(home: PiHome, **wishes: float) -> Machine:
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
    memory = peek(str(machine.state / "sessions" / file_name("pi", run.session)))
    return float(memory["spend"]["total"])


def dollars(used: Usage) -> float:
    going_in = used.input * PRICES["input"] + used.cache_read * PRICES["cacheRead"]
    return (going_in + used.output * PRICES["output"]) / 1e6


def contents(home: PiHome) -> dict[str, object]:
    return {name: facts[-1] for name, facts in tree(home.folder).items()}


def trips(machine: Machine) -> list[tuple[str, str]]:
    lines = (machine.state / "trips.jsonl").read_text().splitlines()
    return [(trip["rule"], trip["level"]) for trip in map(json.loads, lines)]


@pytest.mark.parametrize("arguments", [(), ("--no-session",)])
def test_a_loop_is_noted_denied_and_ended_and_its_money_is_known(
    pi_home: PiHome, arguments: tuple[str, ...]
) -> None:
    machine = wire(pi_home)
    assert not errors(diagnose(machine))
    run = pi_home.run(spending(looping(ECHO), lambda _: USED), *arguments)
    noted = [n for n, call in enumerate(run.calls, 1) if "(loop.same_result)" in str(call.result)]
    assert noted[0] == NOTED_AT
    assert denied(run) == list(range(DENIED_AT, STOPPED_AT))
    assert (len(run.requests), run.exit_code, run.ended_by_hook) == (STOPPED_AT, 1, True)
    assert "The turn ends here (loop.same_result)" in run.stderr
    assert spent(machine, run) == pytest.approx(STOPPED_AT * dollars(USED))
    assert sum(one.dollars for one in sessions.sessions(machine).rows) == spent(machine, run)


def test_failing_rounds_are_stopped_also_of_calls_that_no_handler_is_told_of(
    pi_home: PiHome,
) -> None:
    machine = wire(pi_home)
    invalid = (
        lambda n: ToolUse("bash", {"nothing": n}),  # not what its schema says
        lambda n: ToolUse("missing", {"n": n}),
    )
    run = pi_home.run(distinct(lambda n: invalid[n % 2](n), times=30))
    assert (run.exit_code, run.ended_by_hook) == (1, True)
    assert len(run.requests) == 6
    assert trips(machine)[-1] == ("failure.rounds", "stop")


def test_past_the_cap_no_request_is_sent(pi_home: PiHome) -> None:
    machine = wire(pi_home, session_cap=1.0)
    run = pi_home.run(spending(replies(), lambda _: DEAR))
    assert spent(machine, run) == pytest.approx(1.5)
    last = pi_home.run(replies(), session=run.session)
    assert (last.requests, last.exit_code) == ((), 1)
    assert "this session has cost $1.5" in last.stderr


def test_a_fork_is_not_charged_for_what_its_parent_paid(pi_home: PiHome) -> None:
    machine = wire(pi_home)
    parent = pi_home.run(spending(replies(), lambda _: DEAR))
    fork = pi_home.run(spending(replies(), lambda _: USED), "--fork", parent.session)
    assert fork.session != parent.session
    assert spent(machine, fork) == pytest.approx(dollars(USED))


@pytest.mark.parametrize(
    ("response", "rules"),
    [
        (PASSAGE * 1000, [("loop.response", "stop")]),
        ("".join(f"{n}: {PASSAGE}" for n in range(1000)), []),
    ],
    ids=["the same passage", "as long, but numbered"],
)
def test_a_response_that_repeats_itself_is_cut_and_a_long_one_is_not(
    pi_home: PiHome, response: str, rules: list[tuple[str, str]]
) -> None:
    machine = wire(pi_home)
    run = pi_home.run(replies(Reply((Text(response),), Usage(100, 100))))
    assert (run.exit_code, run.ended_by_hook) == (len(rules), bool(rules))
    assert ("repeated the same passage" in run.stderr) == bool(rules)
    assert (trips(machine) if rules else []) == rules


def test_the_drill_passes_and_leaves_nothing(pi_home: PiHome) -> None:
    pi_home.run(replies(), "--no-session")  # its first start makes files of its own
    machine = wire(pi_home)
    before = contents(pi_home)
    report = diagnose(machine, drill=True)
    assert not errors(report), report.lines
    assert contents(pi_home) == before
    assert (sessions.sessions(machine).rows, sessions.trips(machine).rows) == ((), ())
    assert sessions.days(machine).steps == {}


SWITCHES: dict[str, tuple[str, Any]] = {
    "excluded": ("settings.json", {"extensions": ["-extensions/runaway.js"]}),
    "excluded by a pattern": ("settings.json", {"extensions": ["!*.js"]}),
    "included again": (
        "settings.json",
        {"extensions": ["!**/*.js", "+extensions/runaway.js"]},
    ),
    "another one": ("settings.json", {"extensions": ["-extensions/other.js"]}),
    "an index": ("extensions/index.js", "export default () => {}"),
    "ignored": ("extensions/.gitignore", "*.js"),
    "no settings": ("settings.json", "{"),
    "a manifest": (
        "extensions/package.json",
        {"pi": {"extensions": ["package.json"]}},
    ),
}


@pytest.mark.parametrize("name", SWITCHES)
def test_the_doctor_and_pi_agree_on_what_switches_it_off(pi_home: PiHome, name: str) -> None:
    machine = wire(pi_home)
    file, contents = SWITCHES[name]
    text = contents if isinstance(contents, str) else json.dumps(contents)
    (pi_home.folder / file).write_text(text)
    run = pi_home.run(looping(ECHO, times=DENIED_AT))
    assert bool(errors(diagnose(machine))) is (denied(run) == [])


def test_uninstall_leaves_the_folder_as_it_was_and_pi_is_free(pi_home: PiHome) -> None:
    pi_home.run(replies(), "--no-session")
    before = contents(pi_home)
    machine = wire(pi_home)
    assert uninstall.run(machine, uninstall.Options(CHOSEN)).exit_code == 0
    assert contents(pi_home) == before
    run = pi_home.run(looping(ECHO, times=STOPPED_AT + 3))
    assert (denied(run), run.exit_code) == ([], 0)


def test_harmless_once_its_launcher_is_deleted(pi_home: PiHome) -> None:
    machine = wire(pi_home)
    loop = looping(ECHO, times=10)

    def script(request: Request) -> Any:
        if request.round == DENIED_AT + 2:
            machine.launcher.unlink()
        return loop(request)

    assert denied(pi_home.run(script)) == [DENIED_AT, DENIED_AT + 1]


def test_on_a_terminal_a_person_is_asked_and_shown_what_the_guard_says(pi_home: PiHome) -> None:
    machine, requests = wire(pi_home, session_cap=1.0), list[Request]()
    loop, refused = looping(ECHO), "The answer was no."

    def script(request: Request) -> Any:
        requests.append(request)
        done = refused in str(request.body["messages"])
        return spending(replies(), lambda _: DEAR)(request) if done else loop(request)

    with pi_home.interactive(script) as screen:
        screen.wait_for("0.0%/")
        screen.press("go on", until="go on")
        screen.send(ENTER)
        screen.wait_for(QUESTION)
        before = len(requests)
        screen.press(ENTER, until=lambda: len(requests) > before)
        screen.wait_for(QUESTION)
        assert len(requests) > before + 3  # yes has doubled the limit
        screen.press(ESCAPE, until="$1.5")
        screen.wait_for("was no.")
        screen.submit("once more")
        screen.wait_for("this session has cost $1.5")
    assert trips(machine)[-1] == ("spend.session", "deny")
