"""Money out of a growing log into the memory of the session and the ledger of the day."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import Call
from runaway.guard.dialects import claude
from runaway.guard.fastjson import dumps, loads
from runaway.guard.ledger import Day, day_of, path_of, tell_note
from runaway.guard.policy import Policy
from runaway.guard.spending import DAYS, STEP, WINDOW, catch_up
from tests.guard.transcripts.records import (
    NOON,
    assistant,
    call,
    cost_state,
    dollars,
    prompt,
    result,
)


class Session:
    """A log that grows, and the guard's memory of it, stored between two looks."""

    def __init__(self, folder: Path, name: str = "s") -> None:
        self.name = name
        self.log = folder / f"{name}.jsonl"
        self.policy = Policy({}, str(folder / "state"))
        self.memory: Any = {"session": name}

    def grow(self, *lines: bytes) -> None:
        with self.log.open("ab") as file:
            file.write(b"".join(line + b"\n" for line in lines))

    def look(self, now: float = NOON + 60, *, saved: bool = True) -> dict[str, Any]:
        asked = Call("claude", self.name, cwd="/home/u", transcript=str(self.log))
        memory = loads(dumps(self.memory))
        catch_up(asked, memory, self.policy, claude, now)
        if saved:
            self.memory = loads(dumps(memory))
        spend = memory["spend"]
        assert isinstance(spend, dict)
        return spend

    def booked(self, now: float = NOON) -> float:
        return Day(self.policy.state, day_of(now)).machine

    def lines(self, now: float = NOON) -> int:
        return Path(path_of(self.policy.state, day_of(now))).read_bytes().count(b"\n")

    def step(self, dollars: float, now: float = NOON) -> None:
        """A line of the ledger as release 0.1 wrote it."""
        file = Path(path_of(self.policy.state, day_of(now)))
        file.parent.mkdir(parents=True, exist_ok=True)
        entry = {"dollars": dollars, "harness": "claude", "project": "/home/u"}
        with file.open("a") as opened:
            opened.write(dumps({**entry, "session": self.name}) + "\n")


@pytest.fixture
def session(tmp_path: Path) -> Session:
    return Session(tmp_path)


def test_what_comes_is_added_and_booked_once(session: Session) -> None:
    session.grow(prompt("go"), assistant("msg_1", 10), assistant("msg_2", 20, second=1))
    for _ in range(3):
        spend = session.look()
        assert spend["total"] == pytest.approx(dollars(10, 20))
        assert spend["last"] == pytest.approx(dollars(20))
    assert session.booked() == pytest.approx(dollars(10, 20))
    session.grow(assistant("msg_3", 30, second=2))
    assert session.look()["total"] == pytest.approx(dollars(10, 20, 30))
    assert session.booked() == pytest.approx(dollars(10, 20, 30))


def test_a_prompt_of_a_person_starts_its_own_sum(session: Session) -> None:
    session.grow(prompt("one", promptId="p1"), assistant("msg_1", 10))
    session.grow(prompt("two", second=2, promptId="p2"), assistant("msg_2", 20, second=3))
    spend = session.look()
    assert spend["prompt"] == pytest.approx(dollars(20))
    assert spend["total"] == pytest.approx(dollars(10, 20))
    assert session.memory["prompt"] == "p2"


def test_the_total_that_the_harness_tells_is_a_floor(session: Session) -> None:
    session.grow(assistant("msg_1", 10), cost_state(1.0))
    assert session.look()["total"] == pytest.approx(1.0)
    session.grow(assistant("msg_2", 10, second=5))
    assert session.look()["total"] == pytest.approx(1.0 + dollars(10))
    assert session.booked() == pytest.approx(1.0 + dollars(10))


def test_what_a_fork_has_copied_is_in_its_total_but_booked_by_its_origin(tmp_path: Path) -> None:
    origin, fork = Session(tmp_path, "origin"), Session(tmp_path, "fork")
    first = assistant("msg_1", 10)
    origin.grow(first)
    origin.look()
    fork.grow(assistant("msg_1", 10, sessionId="fork", requestSessionId="origin"))
    fork.grow(assistant("msg_2", 20, second=1))
    assert fork.look()["total"] == pytest.approx(dollars(10, 20))
    assert fork.booked() == pytest.approx(dollars(10, 20))


def test_recent_money_is_forgotten_after_the_window_and_kept_in_steps(session: Session) -> None:
    session.grow(*[assistant(f"msg_{number}", 1, second=number) for number in range(200)])
    spend = session.look(NOON + 200)
    assert len(spend["recent"]) <= WINDOW / STEP + 1
    assert sum(step for _, step in spend["recent"]) == pytest.approx(dollars(*[1] * 200), abs=1e-4)
    session.grow(assistant("later", 1, second=WINDOW + 150))
    recent = sum(step for _, step in session.look(NOON + WINDOW + 150)["recent"])
    assert recent == pytest.approx(dollars(*[1] * 50), abs=6 * dollars(1))
    assert session.look(NOON + 10 * WINDOW)["recent"] == []


def test_a_session_over_midnight_is_booked_on_two_days(session: Session) -> None:
    night = time.mktime((*time.localtime(NOON)[:3], 23, 59, 59, 0, 0, -1))
    session.grow(assistant("msg_1", 10, timestamp=stamp(night)))
    session.grow(assistant("msg_2", 20, timestamp=stamp(night + 2)))
    session.look(night + 2)
    assert day_of(night) != day_of(night + 2)
    assert session.booked(night) == pytest.approx(dollars(10))
    assert session.booked(night + 2) == pytest.approx(dollars(20))


def stamp(when: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%S.000Z", time.gmtime(when))


def test_a_log_that_was_replaced_takes_nothing_back(session: Session) -> None:
    session.grow(assistant("msg_1", 10), assistant("msg_2", 20))
    session.look()
    session.log.unlink()
    session.grow(assistant("msg_1", 10), assistant("msg_9", 900, second=1))
    assert session.look()["total"] == pytest.approx(dollars(10, 20, 900))
    assert session.booked() == pytest.approx(dollars(10, 20, 900))


def test_a_log_that_is_deleted_at_every_call_hides_nothing(session: Session) -> None:
    """A public case: omnigent-ai/omnigent#1176."""
    for number in range(20):
        session.grow(assistant(f"msg_{number}", 10, second=number))
        assert session.look()["total"] == pytest.approx(dollars(*[10] * (number + 1)))
        session.log.unlink()


def test_an_agent_that_only_its_log_tells_of_counts_as_started(session: Session) -> None:
    session.grow(assistant("msg_1", 10))
    agents = session.log.with_suffix("") / "subagents/workflows/run"
    agents.mkdir(parents=True)
    for number in range(3):
        (agents / f"agent-{number}.jsonl").write_bytes(assistant(f"msg_a{number}", 5) + b"\n")
    session.look()
    assert "met" not in session.memory.get("storm", {}), "they are older than the guard"
    for number in range(3, 7):
        (agents / f"agent-{number}.jsonl").write_bytes(assistant(f"msg_a{number}", 5) + b"\n")
    session.grow(assistant("msg_2", 10, second=2))
    session.look()
    session.look()
    assert session.memory["storm"]["met"] == 4


def test_an_unknown_model_is_never_free_and_is_named(session: Session) -> None:
    line = assistant("msg_1", 10).replace(b"claude-opus-5-5", b"claude-opus-99")
    session.grow(line)
    spend = session.look()
    assert spend["total"] >= dollars(10)
    assert spend["unknown"] == "claude-opus-99"


def test_results_and_prompts_are_learned_on_the_way(session: Session) -> None:
    session.grow(assistant("msg_1", 10, content=[call("t1", "Edit", file_path="/a")]))
    session.grow(result("t1", "<tool_use_error>absent</tool_use_error>", error=True))
    session.look()
    agent = session.memory["agents"][""]
    assert len(agent["calls"]) == 1
    assert agent["failing"][0] == 1


def test_the_money_of_the_day_is_that_of_all_sessions(tmp_path: Path) -> None:
    one, two = Session(tmp_path, "one"), Session(tmp_path, "two")
    now = NOON + 60
    one.grow(assistant("msg_1", 10))
    assert one.look(now)["day"] == pytest.approx([dollars(10)] * 2)
    two.grow(assistant("msg_2", 20))
    assert two.look(now)["day"] == pytest.approx([dollars(10, 20)] * 2)
    one.grow(assistant("msg_3", 30, second=1))
    assert one.look(now)["day"] == pytest.approx([dollars(10, 20, 30)] * 2)


def test_a_note_about_the_day_holds_for_all_sessions_until_midnight(tmp_path: Path) -> None:
    one, two = Session(tmp_path, "one"), Session(tmp_path, "two")
    now = NOON + 60
    one.grow(assistant("msg_1", 10))
    one.look(now)
    tell_note(one.policy.state, Call("claude", "one", cwd="/home/u"), 51.0, now)
    two.grow(assistant("msg_2", 20))
    assert two.look(now)["day_noted"][0] == 51.0
    assert two.look(now + 86400)["day_noted"][0] == 0.0


def test_a_note_that_the_ledger_does_not_know_is_remembered_for_its_day(session: Session) -> None:
    session.grow(assistant("msg_1", 10))
    today = session.look()["day_noted"][1]
    session.memory["spend"]["day_noted"] = (51.0, today)
    assert session.look()["day_noted"][0] == 51.0
    assert session.look(NOON + 86400)["day_noted"][0] == 0.0


# -- what is told again, or never saved


@pytest.mark.parametrize("beginning", [0, 1], ids=["from the first call", "later"])
def test_what_cannot_be_saved_is_booked_once(session: Session, beginning: int) -> None:
    session.grow(assistant("msg_1", 10))
    for _ in range(beginning):
        session.look()
    session.grow(assistant("msg_2", 20, second=1))
    for _ in range(40):
        spend = session.look(saved=False)
        assert spend["total"] == pytest.approx(dollars(10, 20))
        assert spend["day"] == pytest.approx([dollars(10, 20)] * 2)
    assert session.booked() == pytest.approx(dollars(10, 20))
    assert session.lines() == 1 + beginning
    session.grow(assistant("msg_3", 30, second=2))
    assert session.look()["day"] == pytest.approx([dollars(10, 20, 30)] * 2)


def test_money_that_was_booked_by_a_call_that_was_killed_is_not_booked_again(
    session: Session,
) -> None:
    session.grow(assistant("msg_1", 10))
    session.look(saved=False)
    session.grow(assistant("msg_2", 20, second=1))
    assert session.look()["day"] == pytest.approx([dollars(10, 20)] * 2)
    assert session.booked() == pytest.approx(dollars(10, 20))


def test_a_session_whose_memory_is_lost_finds_its_money_again(session: Session) -> None:
    session.grow(assistant("msg_1", 10), assistant("msg_2", 20, second=1))
    session.look()
    for _ in range(3):
        session.memory = {}
        assert session.look()["day"] == pytest.approx([dollars(10, 20)] * 2)
    session.grow(assistant("msg_3", 30, second=2))
    session.look()
    assert session.booked() == pytest.approx(dollars(10, 20, 30))


def test_a_line_of_the_ledger_that_was_lost_is_told_again(session: Session) -> None:
    session.grow(assistant("msg_1", 10))
    session.look()
    Path(path_of(session.policy.state, day_of(NOON))).write_bytes(b'{"harness":"claude","pro')
    session.look()
    assert session.booked() == pytest.approx(dollars(10))


def test_a_memory_that_is_lost_after_midnight_books_each_day_once(session: Session) -> None:
    night = time.mktime((*time.localtime(NOON)[:3], 23, 59, 59, 0, 0, -1))
    for number, moment in enumerate((night - 5, night, night + 2, night + 9)):
        session.grow(assistant(f"msg_{number}", 10, timestamp=stamp(moment)))
        session.look(night + 10)
    for _ in range(3):
        session.memory = {}
        spend = session.look(night + 10)
        assert spend["day"] == pytest.approx([dollars(10, 10)] * 2)
        assert spend["total"] == pytest.approx(dollars(10, 10, 10, 10))
    assert session.booked(night) == pytest.approx(dollars(10, 10))
    assert session.booked(night + 2) == pytest.approx(dollars(10, 10))


def test_only_the_latest_days_of_a_long_session_are_remembered(session: Session) -> None:
    for number in range(DAYS + 9):
        moment = NOON + number * 86400
        session.grow(assistant(f"msg_{number}", 10, timestamp=stamp(moment)))
    session.look(NOON + (DAYS + 9) * 86400)
    assert len(session.memory["logs"]["days"]) == DAYS
    assert session.booked(NOON) == pytest.approx(dollars(10))


def test_a_log_that_was_replaced_while_nothing_could_be_saved_is_booked_once(
    session: Session,
) -> None:
    session.grow(assistant("msg_1", 10), assistant("msg_2", 20))
    session.look()
    session.log.unlink()
    session.grow(assistant("msg_1", 10), assistant("msg_9", 900, second=1))
    for _ in range(5):
        session.look(saved=False)
    assert session.booked() == pytest.approx(dollars(10, 20, 900))


def test_a_total_that_a_fork_has_copied_is_booked_by_its_origin(tmp_path: Path) -> None:
    origin, fork = Session(tmp_path, "origin"), Session(tmp_path, "fork")
    origin.grow(assistant("msg_1", 10), cost_state(1.0))
    origin.look()
    fork.grow(assistant("msg_1", 10, sessionId="fork", requestSessionId="origin"))
    fork.grow(cost_state(1.0), assistant("msg_2", 20, second=1))
    nothing: Any = {}
    for memory in (nothing, fork.memory):
        fork.memory = memory
        assert fork.look()["total"] == pytest.approx(1.0 + dollars(20))
        assert fork.booked() == pytest.approx(1.0 + dollars(20))


def test_a_ledger_that_cannot_be_written_is_told_in_the_health_log(session: Session) -> None:
    ledger = Path(session.policy.state) / "ledger"
    ledger.parent.mkdir(parents=True)
    ledger.write_text("no folder")
    session.grow(assistant("msg_1", 10))
    assert session.look()["day"] == pytest.approx([dollars(10)] * 2)
    [line] = (ledger.parent / "health.log").read_text().splitlines()
    assert "Not a directory" in line


# -- sessions that were at work under release 0.1, which booked steps


@pytest.mark.parametrize("saved", [True, False])
def test_a_session_goes_on_from_the_steps_of_the_earlier_release(
    session: Session, saved: bool
) -> None:
    session.grow(assistant("msg_1", 10))
    session.look()
    logs = session.memory["logs"]
    del logs["days"]
    logs.update(booked=dollars(10), again=0.0, ledger={"day": day_of(NOON), "offset": 9})
    Path(path_of(session.policy.state, day_of(NOON))).unlink()
    session.step(0.75 * dollars(10))
    session.step(0.25 * dollars(10))
    session.grow(assistant("msg_2", 20, second=1))
    for _ in range(5):
        spend = session.look(saved=saved)
        assert spend["day"] == pytest.approx([dollars(10, 20)] * 2)
        assert spend["total"] == pytest.approx(dollars(10, 20))
    session.memory = {}
    assert session.look()["day"] == pytest.approx([dollars(10, 20)] * 2)


def test_a_log_that_the_earlier_release_began_to_read_again_is_not_booked_again(
    session: Session,
) -> None:
    session.step(dollars(10, 20))
    session.grow(assistant("msg_1", 10))
    session.memory["logs"] = {"booked": dollars(10, 20), "again": dollars(10, 20)}
    assert session.look()["day"] == pytest.approx([dollars(10, 20)] * 2)
    session.grow(assistant("msg_2", 25, second=1))
    assert session.look()["day"] == pytest.approx([dollars(10, 25)] * 2)
