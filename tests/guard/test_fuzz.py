"""A short run of `make fuzz`, with new rounds every time outside CI."""

from __future__ import annotations

import os
import random

import pytest

from tools import fuzz

SEED = 1 if "CI" in os.environ else random.SystemRandom().randrange(10**6)


def test_thousands_of_payloads_and_logs_do_no_harm() -> None:
    print(f"seed {SEED}")
    report = fuzz.within(3000, SEED)
    assert {"nothing", "note", "deny", "end", "block"} <= set(report.answers)
    assert not any(where.startswith(fuzz.HARMFUL) for where in report.errors)
    assert sum(report.errors.values()) < report.rounds / 3, "most payloads are judged"


def test_harmed_state_files_deny_nothing_and_book_nothing_twice() -> None:
    print(f"seed {SEED}")
    report = fuzz.states(150, SEED)
    assert sum(report.answers.values()) == 4 * 150
    assert not report.errors


def test_some_of_them_against_real_processes() -> None:
    report = fuzz.processes(25, SEED)
    assert sum(report.answers.values()) == 25


@pytest.mark.parametrize(
    "output",
    [b"{}{}", b"null", b'"text"', b'{"surprise":1}', "é".encode(),
     b'{"hookSpecificOutput":{"permissionDecision":"allow"}}'],
)  # fmt: skip
def test_an_answer_that_no_harness_understands_is_found(output: bytes) -> None:
    with pytest.raises((ValueError, fuzz.Failed)):
        fuzz.valid("claude", output)


def test_the_same_seed_gives_the_same_rounds() -> None:
    seen = [fuzz.within(200, 7).answers for _ in range(2)]
    assert seen[0] == seen[1]
