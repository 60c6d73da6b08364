"""What status shows fits a terminal, and names the command for whatever is stopped or lifted."""

from __future__ import annotations

import shlex
import time
from pathlib import Path

import pytest

from runaway.guard.session import Session
from runaway.installer.commands import resume, status
from runaway.installer.fitting import fitted, middle_cut, width
from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine
from runaway.installer.policy_edit import Wishes
from runaway.installer.sessions import NOBODY, prefixes
from runaway.installer.status_page import MAX_LINES
from tests.support.installer import call, loop_until_denied, payload, registered, wire


def shown(machine: Machine) -> tuple[str, ...]:
    return status.run(machine, time.time()).lines


def test_a_stopped_session_is_told_with_the_command_that_lets_it_go_on(wired: Machine) -> None:
    loop_until_denied(wired, "a session's name")
    [line] = [line for line in shown(wired) if line.startswith("Stopped: ")]
    words = shlex.split(line.removeprefix("Stopped: ").partition(" lets it go on")[0])
    assert words[:3] == ["runaway", "resume", "--session"]
    assert "(loop.same_call)" in line
    assert status.run(wired, time.time()).data["sessions"][0]["stopped"] is True
    resume.run(wired, words[3], 0, None)
    assert not any(line.startswith("Stopped: ") for line in shown(wired))


def test_a_session_that_went_on_with_another_call_is_not_stopped(wired: Machine) -> None:
    loop_until_denied(wired)
    other = payload("loop", 9).replace(b"npm test", b"ls")
    assert call(registered(wired), other) == (0, b"")
    assert status.run(wired, time.time()).data["sessions"][0]["stopped"] is False


def test_a_lifted_session_is_told_with_the_command_that_ends_it(wired: Machine) -> None:
    loop_until_denied(wired, "loop")
    resume.run(wired, "loop", 0, time.time() + 3700)
    lines = shown(wired)
    index = next(at for at, line in enumerate(lines) if line.startswith("Lifted: "))
    assert lines[index + 1] == "  runaway resume --session loop --for 1s ends it"
    assert not any(line.startswith("Stopped: ") for line in lines)


def test_caps_stand_beside_what_is_spent(wired: Machine) -> None:
    wire(wired, wishes=Wishes(session_cap=20.0, day_cap=100.0))
    session = Session(str(wired.state), "claude", "s")
    session.state = {"session": "s", "harness": "claude", "started": 1, "seen": 2}
    session.state |= {"spend": {"total": 3.1}, "extra": 5}
    session.save()
    session.close()
    result = status.run(wired, time.time())
    assert result.data["caps"] == {"session": 20.0, "day": 100.0}
    assert "Spent today: $0.00 of $100.00 day cap" in result.lines
    assert any("$3.10 of $25.00 session cap" in line for line in result.lines)


def test_without_caps_none_is_claimed(wired: Machine) -> None:
    assert status.run(wired, time.time()).data["caps"] == {"session": None, "day": None}
    assert not any("cap" in line for line in shown(wired))


def test_everything_at_once_fits_a_terminal(wired: Machine, tmp_path: Path) -> None:
    for name in HARNESSES:
        wire(wired, harnesses=(name,))
    folder = tmp_path / ("日本 a very long name " * 8)
    for number in range(5):
        session = f"0197-stopped-{number}"
        loop_until_denied(wired, session)
        state = Session(str(wired.state), "claude", session)
        state.state["cwd"] = str(folder)
        state.save()
        state.close()
    for number in range(3):
        call(registered(wired), payload(f"lifted-{number}"))
        resume.run(wired, f"lifted-{number}", 0, time.time() + 3700)
    lines = shown(wired)
    assert len(lines) <= MAX_LINES
    assert max(map(width, lines)) <= 80
    assert any(line.startswith("Stopped: ") for line in lines)


@pytest.mark.parametrize("columns", [1, 2, 9, 20])
def test_a_path_loses_its_middle_and_a_sentence_its_end(columns: int) -> None:
    for text in ("/a/long/path/that/ends/here", "日本" * 20, "a\nb" * 9, "e\u0301" * 30):
        assert width(middle_cut(text, columns)) <= columns
        assert width(fitted(text, columns)) <= columns
    assert middle_cut("/a/long/path/that/ends/here", 9) == "/a/l…here"
    assert fitted("A sentence.", 5) == "A se…"


def test_what_fits_stays_as_it_is() -> None:
    assert (middle_cut("~/app", 5), fitted("Fits.", 5)) == ("~/app", "Fits.")


def test_a_shown_id_is_long_enough_to_find_one_session() -> None:
    ids = ["ses_0123456789", "ses_0123456788", "ses_0123", "another one", "x"]
    short = prefixes(NOBODY._replace(session=one) for one in ids)
    assert short["another one"] == "another "
    for name, beginning in short.items():
        found = [one for one in ids if one.startswith(beginning)]
        assert found == [name] or beginning == name
    assert prefixes([]) == {}
