from __future__ import annotations

from typing import Any

import pytest

from runaway.guard.call import ASK, DENY, NOTE, NOTHING, STOP
from tests.support.guard import Play


def play(spend: dict[str, Any], **options: Any) -> Play:
    made = Play(**options)
    made.memory["spend"] = {"total": 0.0, "prompt": 0.0, "last": 0.0, "recent": [], **spend}
    return made


@pytest.mark.parametrize(
    ("dollars", "level"),
    [(9.99, NOTHING), (10, NOTE), (24.9, NOTE), (25, ASK), (50, DENY), (75, STOP)],
)
def test_dollars_since_the_prompt(dollars: float, level: int) -> None:
    assert play({"prompt": dollars}, attended=True).call() == level


@pytest.mark.parametrize(("dollars", "level"), [(9, NOTHING), (10, NOTE), (15, ASK), (30, STOP)])
def test_dollars_in_five_minutes(dollars: float, level: int) -> None:
    assert play({"recent": [[1000, dollars / 2]] * 2}, attended=True).call() == level


def test_a_note_about_money_is_given_once() -> None:
    session = play({"prompt": 11}, attended=True)
    assert [session.call(str(n)) for n in range(3)] == [NOTE, NOTHING, NOTHING]


def test_a_note_about_the_day_is_given_once_a_day() -> None:
    session = play({"day": (51, 51)}, attended=True)
    assert [session.call(str(n)) for n in range(3)] == [NOTE, NOTHING, NOTHING]
    session.memory["spend"]["day_noted"] = (0.0, "tomorrow")
    assert session.call("3") == NOTE


def test_what_another_session_was_told_of_the_day_is_not_told_again() -> None:
    session = play({"day": (60, 60), "day_noted": (51, "today")}, attended=True)
    assert session.call("1") == NOTHING
    session.memory["spend"]["day"] = (150, 150)
    assert session.call("2") == ASK


def test_a_note_below_a_limit_leaves_the_note_at_the_limit() -> None:
    """A project's own limit is lower than the user's."""
    session = play({"day": (60, 60), "day_noted": (10, "today")}, attended=True)
    assert session.call() == NOTE


def test_a_cap_is_noted_at_half_and_at_four_fifths() -> None:
    session = play({"total": 5.0}, attended=True, policy={"session_cap": 10})
    assert session.call("1") == NOTE
    session.memory["spend"]["total"] = 7.0
    assert session.call("2") == NOTHING
    session.memory["spend"]["total"] = 8.0
    assert session.call("3") == NOTE
    assert session.call("4") == NOTHING


def test_one_more_response_must_fit_under_the_cap() -> None:
    session = play({"total": 9.5, "last": 0.6}, attended=True, policy={"session_cap": 10})
    assert session.call() == ASK


def test_near_the_cap_an_unattended_run_is_denied_once_and_then_ended() -> None:
    session = play({"total": 9.7, "last": 0.2}, policy={"session_cap": 10})
    assert session.call("1") == DENY, "what the model answers to it must fit under the cap too"
    assert session.call("2") == STOP


def test_a_response_that_is_not_in_the_log_yet_counts_as_much_as_the_last_one() -> None:
    session = play({"total": 9.0, "last": 0.4}, policy={"session_cap": 10})
    session.memory["logs"] = {"files": {"": [0]}}
    session.announce("1", "t1", tool="Bash")
    assert session.call("1") == NOTE, "$9.00, and $9.20 would be too much"
    assert session.call("2") == DENY, "$9.40"


def test_an_unattended_run_has_a_cap_even_when_the_user_set_none() -> None:
    assert play({"total": 49.0}).call() == NOTE
    assert play({"total": 50.1}).call() == STOP
    assert play({"total": 50.1}, attended=True).call() == NOTHING


def test_money_added_by_resume_raises_the_cap() -> None:
    session = play({"total": 10.5}, policy={"session_cap": 10})
    session.memory["extra"] = 15
    assert session.call() == NOTHING


def test_the_cap_of_a_day_counts_all_projects_and_the_default_one_project() -> None:
    assert play({"day": [1.0, 99.0]}, attended=True, policy={"day_cap": 90}).call() == STOP
    assert play({"day": [151.0, 151.0]}, attended=True).call() == ASK
    assert play({"day": [1.0, 151.0]}, attended=True).call() == NOTHING


def test_a_new_prompt_does_not_clear_money() -> None:
    session = play({"total": 60.0})
    session.call()
    session.prompt_id = "p2"
    assert session.call() >= DENY
