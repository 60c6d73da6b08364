from __future__ import annotations

from typing import Any

import pytest

from runaway.guard import transcripts
from runaway.guard.call import AFTER_CALLS, ASK, DENY, NOTE, ON_PROMPT, STOP, Call, Verdict
from runaway.guard.masking.text import MASK, masked
from runaway.guard.policy import DEFAULTS
from runaway.guard.words import MARKER, SHORT, WHAT, explain, short_arguments

RULES = (*DEFAULTS, "spend.session", "spend.machine_day", "tamper")
CALL = Call("claude", "s", tool="Bash", arguments={"command": "npm test"}, id="t")


def said(rule: str, level: int, count: float = 8, call: Call = CALL) -> str:
    return explain(call, Verdict(level, rule, count), level)


@pytest.mark.parametrize("level", [NOTE, ASK, DENY, STOP])
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_has_words_at_every_step(rule: str, level: int) -> None:
    text = said(rule, level)
    assert text.startswith(MARKER + " ")
    assert "Bash call" in text or rule == "loop.response"  # which is about no call
    assert "`npm test`" in text
    assert f"({rule})" in text
    assert "{" not in text
    assert "\n" not in text


def test_there_are_words_for_the_rules_that_exist_and_no_others() -> None:
    assert set(WHAT) == set(RULES)


@pytest.mark.parametrize(
    ("stage", "word"), [(ON_PROMPT, "this prompt"), (AFTER_CALLS, "this call")]
)
def test_where_no_single_call_is_meant_none_is_named(stage: str, word: str) -> None:
    text = said("spend.session", DENY, 9.5, Call("claude", "s", stage=stage))
    assert f"this session has cost $9.50; now {word}." in text
    assert "`null`" not in text


def test_counts_and_dollars_are_written_as_people_write_them() -> None:
    assert " 8 times in a row" in said("loop.same_call", ASK, 8)
    assert " $12.30 were spent" in said("spend.prompt", ASK, 12.3000001)
    assert " 1e+06 " not in said("loop.calls_per_prompt", NOTE, 400)


def test_each_step_tells_its_reader_what_to_do() -> None:
    assert said("loop.same_call", ASK).endswith("Let it run once more? (loop.same_call)")
    assert "try something different" in said("loop.same_call", DENY)
    assert "runaway resume" in said("loop.same_call", STOP)
    assert "--add" in said("spend.session", STOP)
    assert "Yes doubles this limit" in said("spend.session", ASK)


def test_a_turn_that_should_have_ended_is_told_so() -> None:
    text = explain(CALL, Verdict(STOP, "loop.same_call", 20, "over"), DENY)
    assert text.startswith(f"{MARKER} This turn should have ended (loop.same_call)")


def test_the_marker_is_the_one_by_which_transcripts_are_read() -> None:
    assert MARKER == transcripts.MARKER


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"command": "ls   -l\n\t x"}, "`ls -l x`"),
        ({"file_path": "/a", "n": 1}, '`{"file_path":"/a","n":1}`'),
        (None, "`null`"),
        ({"command": 7}, '`{"command":7}`'),
        ({"command": "x " * 100}, "`" + ("x " * 100)[: SHORT - 1] + "…`"),
        ({"command": "\ud83d\x00"}, "`\ud83d\x00`"),
    ],
)
def test_arguments_are_one_short_line(arguments: Any, line: str) -> None:
    assert short_arguments(Call("claude", "s", tool="T", arguments=arguments)) == line


SECRET = "Zq7xYw0123456789abcdef"
HIDDEN = [
    f"curl -H 'Authorization: Bearer {SECRET}' https://x",
    "curl -H 'Authorization: Bearer short'",
    f"export GITHUB_TOKEN=ghp_{SECRET}",
    "DB_PASSWORD=hunter2 make",
    "mysql --password hunter2",
    "mysql --password=hunter2",
    '{"password":"hunter2"}',
    '{"apiKey": "hunter2"}',
    "AWS_SECRET_ACCESS_KEY=hunter2/with+slash",
    "git clone https://me:hunter2@example.com/x",
    f"openai sk-{SECRET}",
    f"jwt eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.{SECRET}",
    "login --token 'hunter2'",
]
SHOWN = [
    "npm test",
    "git commit -m 'fix the token bug'",
    "cat /home/u/0123456789abcdef0123456789abcdef/file.txt",
    "pytest tests/test_secret_handling.py::test_password",
    "ssh git@github.com:owner/repo",
    "pkg-config --libs something-long-enough-to-see",
    "a = b; c: d",
    "",
]


@pytest.mark.parametrize("text", HIDDEN)
def test_secrets_are_masked(text: str) -> None:
    shown = masked(text)
    assert MASK in shown
    for secret in (SECRET, "hunter2", "short", "eyJzdWIi"):
        assert secret not in shown


@pytest.mark.parametrize("text", SHOWN)
def test_what_is_no_secret_is_shown(text: str) -> None:
    assert masked(text) == text


def test_a_secret_that_is_cut_off_by_the_length_is_masked_all_the_same() -> None:
    command = "x" * (SHORT - 20) + f" TOKEN={SECRET}"
    assert "Zq7x" not in short_arguments(Call("claude", "s", arguments={"command": command}))
