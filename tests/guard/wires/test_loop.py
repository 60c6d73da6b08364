from __future__ import annotations

import pytest

from runaway.guard.call import ASK, DENY, NOTE, NOTHING, STOP
from runaway.guard.transcripts.digests import result_digest
from tests.support.guard import FAILED, NEUTRAL, OK, REFUSED, Play, levels

OPEN = {"loop.same_result": (None, None, None, None)}
ONLY_SAME_CALL = {"limits": OPEN}


def test_equal_calls_in_a_row_climb_the_ladder_where_a_person_answers() -> None:
    play = Play(attended=True, policy=ONLY_SAME_CALL)
    assert levels(play, 20) == [NOTHING] * 7 + [ASK] * 4 + [DENY] * 8 + [STOP]


def test_an_unattended_run_is_denied_where_a_person_would_be_asked() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    assert levels(play, 20) == [NOTHING] * 7 + [DENY] * 12 + [STOP]


def test_a_different_call_ends_the_row() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    for _ in range(5):
        assert levels(play, 7) == [NOTHING] * 7
        assert play.call("other") == NOTHING


def test_a_denied_call_of_another_kind_does_not_end_a_row() -> None:
    play = Play(policy={"limits": {**OPEN, "loop.same_call": (None, None, 3, 50)}})
    assert levels(play, 3)[-1] == DENY
    assert levels(play, 2, "b") == [NOTHING, NOTHING]
    assert play.call("b") == STOP, "the second distinct trip of an unattended run"


@pytest.mark.parametrize(
    ("tool", "first", "second"),
    [
        ("Bash", {"command": "ls  ", "description": "x"}, {"command": "ls", "timeout": 5}),
        ("Edit", {"file_path": "a", "replace_all": False}, {"file_path": "a"}),
    ],
)
def test_arguments_that_change_nothing_do_not_make_another_call(
    tool: str, first: dict[str, object], second: dict[str, object]
) -> None:
    from runaway.guard.dialects.claude import identifying_arguments

    assert identifying_arguments(tool, first) == identifying_arguments(tool, second)


def test_the_same_result_among_other_calls_is_a_loop() -> None:
    play = Play(attended=True)
    seen = []
    for number in range(12):
        seen.append(play.ran("a"))
        play.ran(f"other {number}", result=f"r{number}")
    assert seen[:6] == [NOTHING] * 3 + [NOTE, NOTHING, ASK]


def test_results_that_differ_are_no_loop_until_the_row_is_very_long() -> None:
    play = Play(attended=True)
    seen = [play.ran("a", result=f"r{number}") for number in range(40)]
    assert seen == [NOTHING] * 39 + [ASK]


def test_results_that_nobody_knows_are_a_loop_when_the_row_is_long() -> None:
    assert levels(Play(attended=True), 8) == [NOTHING] * 7 + [ASK]


def test_two_results_in_turn_are_no_news() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    seen = [play.ran("a", result=f"r{number % 2}") for number in range(8)]
    assert seen == [NOTHING] * 7 + [DENY]


def test_a_result_that_changes_now_and_then_is_news() -> None:
    play = Play()
    seen = [play.ran("tail build.log", gap=10, result=f"r{number // 2}") for number in range(30)]
    assert set(seen) == {NOTHING}


def test_a_note_tells_of_the_result_that_came_last() -> None:
    play = Play()
    seen = [play.ran("a", result=f"r{number // 3}") for number in range(9)]
    assert seen == [NOTHING] * 3 + [NOTE, NOTHING, NOTHING] + [NOTE, NOTHING, NOTHING]


def test_a_success_in_between_ends_a_row_of_equal_failures() -> None:
    play = Play()
    outcomes = [FAILED, FAILED, OK, FAILED, FAILED, FAILED]
    seen = [play.ran("a", one, result_digest(one == FAILED, one)) for one in outcomes]
    assert max(seen) <= NOTE


def test_a_page_that_changes_at_each_key_is_no_loop() -> None:
    play = Play()
    key = "mcp__browser__press_key"
    pages = (result_digest(False, f"- page {number}\n" * 400) for number in range(30))
    assert {play.ran("ArrowDown", tool=key, result=page) for page in pages} == {NOTHING}


def failed_of_100(count: int) -> str:
    return result_digest(True, f"{count} failed, {100 - count} passed in 0.{count}s")


def test_fewer_failures_after_each_edit_are_progress() -> None:
    """A public case: bdfinst/agentic-dev-team#747."""
    play = Play()
    seen = []
    for count in range(19, 1, -1):
        play.ran(f"edit {count}", tool="Edit", result=f"done {count}")
        seen.append(play.ran("python3 t.py", FAILED, failed_of_100(count)))
    assert set(seen) == {NOTHING}


def test_the_same_failure_after_each_edit_is_none() -> None:
    play = Play(attended=True)
    seen = []
    for number in range(6):
        play.ran(f"edit {number}", tool="Edit", result=f"done {number}")
        seen.append(
            play.ran("python3 t.py", FAILED, result_digest(True, f"9 failed in 0.{number}s"))
        )
    assert seen == [NOTHING] * 3 + [NOTE, NOTHING, ASK]


@pytest.mark.parametrize(
    "change",
    [
        "sed -i 's/a/b/' a.py",
        "cat > a.py <<'EOF'\nx\nEOF",
        "git checkout a.py",
        "patch -p1 < a.diff",
    ],
)
def test_a_change_by_a_command_is_a_change_too(change: str) -> None:
    play = Play(attended=True)
    seen = []
    for number in range(6):
        play.ran(f"{change} # {number}", result=f"done {number}")
        seen.append(play.ran("make", FAILED, result_digest(True, f"9 failed in 0.{number}s")))
    assert seen == [NOTHING] * 3 + [NOTE, NOTHING, ASK], (
        "as the same result, not as an unchanged one"
    )


@pytest.mark.parametrize(
    "look", ["make 2>&1 | tail", "grep -n 'a -> b' x", "ls >/dev/null; test 2 >= 1"]
)
def test_looking_is_no_change(look: str) -> None:
    play = Play(attended=True)
    for number in range(3):
        play.ran(f"{look} # {number}", result=f"done {number}")
        play.ran("make", FAILED, result_digest(True, "9 failed"))
    assert play.call("make") == ASK


def test_a_file_read_again_after_each_edit_of_its_middle_is_progress() -> None:
    play = Play()
    for number in range(12):
        text = "x" * 4500 + f"line {number}" + "y" * 4500
        assert play.ran("a.py", tool="Read", result=result_digest(False, text)) == NOTHING
        play.ran(f"edit {number}", tool="Edit", result=f"done {number}")


def test_results_that_differ_by_their_time_are_equal_until_files_change() -> None:
    play = Play(attended=True)
    built = [result_digest(False, f"built in {number}s") for number in range(5)]
    seen = [play.ran("a", result=result) for result in built]
    play.ran("edit", tool="Edit", result="done")
    seen.append(play.ran("a", result=result_digest(False, "built in 9s")))
    assert seen == [NOTHING] * 3 + [NOTE, NOTHING, NOTHING]


def test_equal_results_are_equal_whatever_changed_in_between() -> None:
    play = Play(attended=True)
    seen = []
    for number in range(6):
        play.ran(f"edit {number}", tool="Edit", result=f"done {number}")
        seen.append(play.ran("a", result=result_digest(False, "all as before")))
    assert seen == [NOTHING] * 3 + [NOTE, NOTHING, ASK]


def test_the_same_failed_call_is_asked_about_at_the_fourth_even_if_slow() -> None:
    play = Play(attended=True)
    seen = [play.ran("a", FAILED, result_digest(True, "no"), gap=90) for _ in range(4)]
    assert seen == [NOTHING] * 3 + [ASK]


def test_equal_calls_of_one_response_fail_once() -> None:
    play = Play(attended=True)
    for number in range(4):
        assert play.call("a", id=f"c{number}") == NOTHING
    for number in range(4):
        play.result(FAILED, result_digest(True, "no"), id=f"c{number}", round="r")
    assert play.call("a") == NOTHING


def test_watching_is_no_loop() -> None:
    """A public case: macanderson/stella#394."""
    play = Play()
    seen = [play.ran("b1", tool="TaskOutput", gap=10, result=f"line {n}") for n in range(30)]
    assert set(seen) == {NOTHING}


def test_a_tool_that_only_waits_may_be_called_often_for_one_and_the_same_result() -> None:
    play = Play()
    seen = [play.ran("b1", tool="TaskOutput", gap=10, result="still running") for _ in range(40)]
    assert seen == [NOTHING] * 39 + [DENY]


def test_two_rules_about_one_call_are_one_trip() -> None:
    play = Play(policy={"limits": {"loop.same_result": [None, None, 3, None]}})
    seen = [play.ran("a") for _ in range(3)]
    seen += levels(play, 4)
    assert seen == [NOTHING, NOTHING] + [DENY] * 5


def test_what_is_told_counts_results_and_no_denials() -> None:
    play = Play()
    for _ in range(8):
        verdict, level = play.verdict("a")
        play.result(OK if level < DENY else NEUTRAL)
    assert (verdict.rule, verdict.count, level) == ("loop.same_result", 5, DENY)


def test_refused_calls_are_no_repeats() -> None:
    play = Play(attended=True)
    for _ in range(30):
        play.call("a")
        play.result(NEUTRAL)
    assert play.call("a") == NOTHING


def test_slow_repeats_are_polling() -> None:
    play = Play(attended=True)
    assert [play.ran("a", gap=45) for _ in range(39)].count(NOTHING) >= 38
    assert play.ran("a", gap=45) == ASK


def test_fast_repeats_after_slow_ones_are_a_loop_again() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    levels(play, 10, gap=45)
    assert play.call("a", gap=1) == DENY


def test_an_approval_starts_the_call_anew_with_twice_the_limit() -> None:
    play = Play(attended=True)
    for _ in range(5):
        play.ran("a")
    assert play.call("a") == ASK
    play.result()  # it ran: the person said yes
    seen = [play.ran("a") for _ in range(12)]
    assert seen.index(NOTE) + 1 == 8
    assert seen.index(ASK) + 1 == 12


def test_a_refused_ask_grants_nothing() -> None:
    play = Play(attended=True)
    for _ in range(5):
        play.ran("a")
    assert play.call("a") == ASK
    play.result(NEUTRAL)
    assert play.call("a") == ASK


def test_agents_count_apart() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    assert levels(play, 7, agent="one") == [NOTHING] * 7
    assert levels(play, 7, agent="two") == [NOTHING] * 7
    assert levels(play, 7) == [NOTHING] * 7
    assert play.call(agent="one") == DENY


def test_the_same_call_id_is_counted_once_and_gets_the_same_answer() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    levels(play, 7)
    assert [play.call(id="twice") for _ in range(5)] == [DENY] * 5
    assert play.call(id="next") == DENY
    assert play.memory["agents"][""]["calls"][-1][5] == 9


def test_a_new_prompt_of_a_person_clears_the_counts() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    levels(play, 7)
    play.prompt_id = "p2"
    assert levels(play, 7) == [NOTHING] * 7


def test_a_prompt_that_nobody_wrote_clears_nothing() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    play.memory["logs"] = {"files": {"": [0]}}
    play.prompt("p1")
    levels(play, 7)
    play.prompt("p2", human=False)
    play.prompt_id = "p2"
    assert play.call() == DENY


def test_many_calls_since_the_prompt_are_noted_and_asked_about() -> None:
    play = Play(attended=True)
    seen = [play.call(str(number)) for number in range(400)]
    assert [number for number, level in enumerate(seen, 1) if level] == [200, 400]
    assert seen[199] == NOTE
    assert seen[399] == ASK


def test_an_unattended_run_is_never_denied_for_the_number_of_its_calls() -> None:
    play = Play()
    seen = [play.call(str(number)) for number in range(450)]
    assert [number for number, level in enumerate(seen, 1) if level] == [200, 400]
    assert max(seen) == NOTE


def test_a_failing_call_that_reaches_no_hook_counts_by_its_result() -> None:
    play = Play()
    play.call("x")
    for number in range(6):
        play.announce("edit", f"e{number}")
        play.result(FAILED, id=f"e{number}", round="r")
    records = play.memory["agents"][""]["calls"]
    assert len(records) == 7
    assert records[-1][5] == 6


def test_the_first_call_after_a_prompt_that_the_log_does_not_tell_of_yet_is_no_loop() -> None:
    play = Play(policy=ONLY_SAME_CALL)
    play.memory["logs"] = {"files": {"": [0]}}
    play.prompt("p1")
    levels(play, 7)
    play.prompt_id = "p2"
    assert play.call() == NOTHING, "a person may have said: again"
    assert play.call() == DENY, "the next one would know"
    play.prompt_id = "p1"
    assert play.call() == DENY


def test_one_call_that_a_program_refuses_for_ever_is_a_loop_whatever_reason_it_gives() -> None:
    """Source: Gitlawb/zero#866, NousResearch/hermes-agent#43201."""
    play = Play()
    seen = [play.ran("rm x", REFUSED, f"reason {'x' * number}") for number in range(6)]
    assert max(seen[:5]) < DENY
    assert seen[5] == DENY
