"""Money on the real Claude Code: the guard's total is the CLI's own, and a cap holds.

The CLI tells what a session has cost when it ends. The guard hears of a response one call later, so it
is asked once more then; `counted` is what it has added up itself, without the CLI's own total.
"""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, NamedTuple

import pytest

from runaway.guard.session import file_name, peek
from runaway.guard.words import MARKER
from runaway.installer import sessions
from runaway.installer.commands import pause, resume, setup
from runaway.installer.drill.outcome import DrillRun
from runaway.installer.drill.scripts import AGENT, DONE, delegating, distinct, spending
from runaway.installer.drill.server import Reply, Request, Script, ToolUse, Usage
from runaway.installer.launch_command import command_for
from runaway.installer.machine import Machine, scratch_machine
from runaway.installer.policy_edit import Wishes
from tests.support.live.claude_home import ClaudeHome

pytestmark = pytest.mark.live

CENT = 0.01
USAGE = Usage(input=20_000, output=3_000)
RESPONSE = 0.14  # dollars that one such response of Opus 5.5 costs
TOLD = "[runaway] this session has cost"


class Guarded(NamedTuple):
    """A home in which the guard is set up; sessions are kept, for money is read in their logs."""

    home: ClaudeHome
    machine: Machine

    def wish(self, **wishes: Any) -> None:
        done = setup.run(self.machine, setup.Options(("claude",), wishes=Wishes(**wishes)))
        assert done.exit_code == 0

    def run(self, script: Script, *arguments: str, **launch: Any) -> DrillRun:
        run = self.home.run(
            script, "--allowedTools", "Bash", "Agent", *arguments, keep_session=True, **launch
        )
        assert not run.exhausted
        assert self.health() == ""
        return run

    def again(self, run: DrillRun, script: Script, *arguments: str, prompt: str) -> DrillRun:
        """The session of `run` resumed."""
        return self.run(script, "--resume", run.session, *arguments, prompt=prompt)

    def ask(self, session: str) -> bytes:
        """One more call of the ended session, for the guard alone."""
        [transcript] = self.home.config.rglob(f"{session}.jsonl")
        payload = {
            "session_id": session,
            "transcript_path": str(transcript),
            "cwd": str(self.home.project),
            "hook_event_name": "PreToolUse",
            "tool_name": "Read",
            "tool_input": {"file_path": str(time.monotonic_ns())},
            "tool_use_id": f"toolu_{time.monotonic_ns()}",
        }
        command = command_for(self.machine.launcher, "claude")
        asked = subprocess.run(
            ["/bin/sh", "-c", command],
            input=json.dumps(payload).encode(),
            capture_output=True,
            check=True,
        )
        assert asked.stderr == b""
        return asked.stdout

    def state(self, session: str) -> dict[str, Any]:
        return peek(str(self.machine.state / "sessions" / file_name("claude", session)))

    def total(self, session: str) -> float:
        self.ask(session)
        return float(self.state(session)["spend"]["total"])

    def counted(self, session: str) -> float:
        return float(self.state(session)["logs"]["account"]["sum"])

    def health(self) -> str:
        log = self.machine.state / "health.log"
        return log.read_text() if log.exists() else ""

    def trips(self) -> list[dict[str, Any]]:
        log = self.machine.state / "trips.jsonl"
        return [json.loads(line) for line in log.read_bytes().splitlines()] if log.exists() else []

    def booked(self) -> float:
        """Dollars in the ledger of all sessions."""
        days = sessions.days(self.machine).steps.values()
        return sum(float(step["dollars"]) for steps in days for step in steps)

    def cli_states(self) -> list[float]:
        """The totals that the CLI wrote into its logs."""
        return [
            record["totalCostUSD"]
            for record in self.home.records()
            if record["type"] == "cost-state"
        ]


@pytest.fixture
def guarded(home: ClaudeHome) -> Guarded:
    machine = scratch_machine(home.root, {"PATH": f"{home.claude.parent}:/usr/bin:/bin"})
    guarded = Guarded(home, machine)
    guarded.wish()
    return guarded


def working(times: int, start: int = 0) -> Script:
    """`times` harmless calls, all of them different."""
    return distinct(
        lambda number: ToolUse("Bash", {"command": f"echo {start + number}"}), times=times
    )


def billed(script: Script, **usage: Any) -> Script:
    return spending(script, lambda _: USAGE._replace(**usage))


def denied(run: DrillRun) -> int:
    return len(run.denied(MARKER))


def growing_cache(request: Request) -> Usage:
    return Usage(10, 500, 30_000 * request.round, 4_000, 7_000, web_searches=request.round % 2)


def with_a_cheaper_subagent(request: Request) -> Any:
    if not request.agent and request.round == 1:
        return Reply((ToolUse("Agent", {**AGENT.input, "model": "haiku"}),), USAGE)
    return billed(working(3, 50 if request.agent else 0))(request)


ONE_SESSION: dict[str, tuple[Script, tuple[str, ...]]] = {
    "plain": (billed(working(4)), ()),
    "cache for 5 minutes and for an hour": (spending(working(4), growing_cache), ()),
    "a subagent": (billed(delegating(working(3), main=working(2, 50))), ()),
    "fast": (billed(working(3), speed="fast"), ()),
    "in the US": (billed(working(3), inference_geo="us"), ()),
    "priority, which costs the same": (billed(working(3), service_tier="priority"), ()),
    "another model": (billed(working(3)), ("--model", "claude-sonnet-5-5")),
    "replies of another model than was asked": (
        spending(working(3), lambda _: USAGE, model="claude-haiku-5-5"),
        (),
    ),
    "two models": (with_a_cheaper_subagent, ("--model", "claude-sonnet-5-5")),
}


@pytest.mark.parametrize(("script", "arguments"), ONE_SESSION.values(), ids=ONE_SESSION.keys())
def test_the_guard_counts_what_the_cli_says_to_the_cent(
    guarded: Guarded, script: Script, arguments: tuple[str, ...]
) -> None:
    run = guarded.run(script, *arguments)
    assert run.cost_usd > 20 * CENT
    before = guarded.state(run.session)["spend"]["total"]
    assert before <= run.cost_usd + CENT / 100, "what is missing is the last responses"
    assert guarded.total(run.session) == pytest.approx(run.cost_usd, abs=CENT / 100)
    assert guarded.counted(run.session) == pytest.approx(run.cost_usd, abs=CENT / 100)
    assert guarded.booked() == pytest.approx(run.cost_usd, abs=CENT / 100)
    assert guarded.cli_states() == [run.cost_usd]


def test_a_resumed_session_goes_on_counting(guarded: Guarded) -> None:
    first = guarded.run(billed(working(2)))
    second = guarded.again(first, billed(working(2, 10)), prompt="go on")
    third = guarded.run(billed(working(2, 20)), "-c", prompt="go on")
    assert first.session == second.session == third.session
    assert third.cost_usd == pytest.approx(9 * RESPONSE)
    assert guarded.total(first.session) == pytest.approx(third.cost_usd)
    assert guarded.counted(first.session) == pytest.approx(third.cost_usd)
    assert guarded.booked() == pytest.approx(9 * RESPONSE)


def test_a_fork_inherits_the_total_but_the_day_counts_nothing_twice(guarded: Guarded) -> None:
    origin = guarded.run(billed(working(2)))
    fork = guarded.again(origin, billed(working(2, 10)), "--fork-session", prompt="a fork")
    assert fork.session != origin.session
    assert fork.cost_usd == pytest.approx(6 * RESPONSE)
    assert guarded.total(fork.session) == pytest.approx(fork.cost_usd)
    assert guarded.total(origin.session) == pytest.approx(origin.cost_usd)
    assert guarded.booked() == pytest.approx(6 * RESPONSE)


def test_compaction_leaves_no_record_but_is_in_the_total(guarded: Guarded) -> None:
    first = guarded.run(billed(working(2)))
    compacted = guarded.again(first, billed(lambda _: DONE), prompt="/compact")
    last = guarded.again(first, billed(working(2, 10)), prompt="go on")
    assert compacted.cost_usd > first.cost_usd
    assert guarded.total(first.session) == pytest.approx(last.cost_usd)
    assert guarded.counted(first.session) == pytest.approx(6 * RESPONSE)
    assert guarded.booked() == pytest.approx(last.cost_usd)


def test_a_compaction_within_a_turn_is_in_the_total_once_the_cli_has_ended(
    guarded: Guarded,
) -> None:
    def fills_up(request: Request) -> Usage:
        return Usage(input=970_000) if request.round == 3 else USAGE

    def works_or_sums_up(request: Request) -> Any:
        asked_to = "<summary>" in json.dumps(request.body["messages"][-1])
        return DONE if asked_to else working(6)(request)

    run = guarded.run(spending(works_or_sums_up, fills_up))
    assert any(record.get("isCompactSummary") for record in guarded.home.records())
    assert guarded.total(run.session) == pytest.approx(run.cost_usd)
    assert guarded.counted(run.session) < run.cost_usd - CENT


RISING: dict[str, Callable[[Request], Usage]] = {
    "steady": lambda _: USAGE,
    "rising": lambda request: Usage(input=4_000 * request.round, output=500 * request.round),
}


@pytest.mark.parametrize("usage", RISING.values(), ids=RISING.keys())
def test_a_run_is_denied_and_ended_at_its_cap_within_one_response(
    guarded: Guarded, usage: Callable[[Request], Usage]
) -> None:
    guarded.wish(session_cap=1.0)
    run = guarded.run(spending(working(60), usage))
    dearest = guarded.state(run.session)["spend"]["last"]
    assert run.ended_by_hook
    assert denied(run) in (1, 2)
    assert 1 - 2.5 * dearest < run.cost_usd <= 1 + dearest
    rules = [trip["level"] for trip in guarded.trips() if trip["rule"] == "spend.session"]
    assert rules[0] == "note"
    assert rules[-1] == "stop"
    assert guarded.trips()[-1]["text"].startswith(TOLD)


def test_a_subagent_is_ended_by_the_cap_of_its_session_and_so_is_the_main_agent(
    guarded: Guarded,
) -> None:
    guarded.wish(session_cap=1.0)
    run = guarded.run(billed(delegating(working(60), main=working(60, 100))))
    assert run.ended_by_hook
    assert run.cost_usd <= 1 + 2 * RESPONSE


def test_two_sessions_at_once_overshoot_the_cap_of_the_day_by_one_response_each_at_most(
    guarded: Guarded,
) -> None:
    guarded.wish(day_cap=2.0)
    with ThreadPoolExecutor(2) as both:
        runs = list(both.map(lambda start: guarded.run(billed(working(60, start))), (100, 200)))
    assert all(run.ended_by_hook for run in runs)
    spent = sum(run.cost_usd for run in runs)
    assert 2 - 6 * RESPONSE < spent <= 2 + 2 * RESPONSE
    assert {trip["rule"] for trip in guarded.trips()} == {"spend.machine_day"}


def test_a_new_session_cannot_spend_past_the_cap_of_the_day(guarded: Guarded) -> None:
    guarded.wish(day_cap=1.0)
    guarded.run(billed(working(60)))
    late = guarded.run(billed(working(60, 100)))
    assert late.ended_by_hook
    assert late.cost_usd <= 3 * RESPONSE


def test_observing_answers_nothing_and_logs_everything(guarded: Guarded) -> None:
    guarded.wish(session_cap=1.0, mode="observe")
    run = guarded.run(billed(working(10)))
    assert denied(run) == 0
    assert run.cost_usd == pytest.approx(11 * RESPONSE)
    assert not any(hook.stdout for hook in run.hooks)
    assert {"note", "stop"} <= {trip["level"] for trip in guarded.trips()}
    assert not any(trip["answered"] for trip in guarded.trips())


def test_a_pause_lets_everything_pass_until_it_ends(guarded: Guarded) -> None:
    guarded.wish(session_cap=0.5)
    now = time.time()
    pause.run(guarded.machine, now + 600, now)
    run = guarded.run(billed(working(8)))
    assert denied(run) == 0
    assert len(run.calls) == 8
    pause.run(guarded.machine, 0.0, now)
    assert guarded.again(run, billed(working(8, 10)), prompt="go on").ended_by_hook


def test_a_capped_session_goes_on_with_added_dollars_and_no_further(guarded: Guarded) -> None:
    guarded.wish(session_cap=0.5)
    capped = guarded.run(billed(working(60)))
    assert capped.ended_by_hook
    still = guarded.again(capped, billed(working(60, 100)), prompt="go on")
    assert still.ended_by_hook
    assert len(still.calls) == 1
    resume.run(guarded.machine, capped.session, 1.0, None)
    more = guarded.again(capped, billed(working(60, 200)), prompt="go on")
    assert more.ended_by_hook
    assert len(more.calls) - denied(more) >= 3
    assert more.cost_usd <= 1.5 + RESPONSE
