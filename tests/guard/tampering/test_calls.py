"""Three tables of calls: what disarms the guard is for a person, everything else is nobody's business.

reported.jsonl holds calls that people reported, further.jsonl others, written down before the code, and
hard.jsonl some that are well hidden, or look worse than they are; not all of those are known for what
they are. Each line is a call in the words of a harness; `@HOME@` is the home, `trip` says whether it
would disarm.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from runaway.guard.call import NOTHING, OTHER, Call
from runaway.guard.dialects import dialect_of
from runaway.guard.judge import judge
from runaway.guard.policy import Policy
from tests.support.homes import EVERY, furnish

HERE = Path(__file__).parent
TABLES = {"reported": ("claude",), "further": EVERY}  # and whose settings hold the guard there
HARD = "hard"
CAUGHT, WRONG = 0.85, 0.0  # of the hard ones: at least, and at most


def lines(table: str) -> list[str]:
    return (HERE / f"{table}.jsonl").read_text().splitlines()


def cases() -> Iterator[Any]:
    for table in TABLES:
        for number, line in enumerate(lines(table), 1):
            yield pytest.param(table, line, id=f"{table}:{number}")


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[Path, Policy]]:
    found = {}
    for table, harnesses in {**TABLES, HARD: EVERY}.items():
        home = tmp_path_factory.mktemp(table)
        found[table] = (home, furnish(home, harnesses))
    return found


def judged(told: dict[str, Any], policy: Policy) -> str:
    dialect, tool = dialect_of(told["harness"]), told["tool"]
    call = Call(
        told["harness"],
        "s",
        tool=tool,
        kind=dialect.TOOL_KINDS.get(tool, OTHER),
        arguments=dialect.identifying_arguments(tool, told["input"]),
        id="t",
        cwd=told["cwd"],
    )
    verdict, level, _ = judge(call, {}, policy, 1.0)
    return verdict.rule if level != NOTHING else ""


@pytest.mark.parametrize(("table", "line"), [*cases()])
def test_what_disarms_the_guard_is_for_a_person_and_nothing_else(
    table: str,
    line: str,
    homes: dict[str, tuple[Path, Policy]],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    home, policy = homes[table]
    monkeypatch.setenv("HOME", str(home))
    told = json.loads(line.replace("@HOME@", str(home)))
    assert judged(told, policy) == ("tamper" if told["trip"] else "")


def test_of_well_hidden_calls_most_are_caught_and_of_innocent_ones_none(
    homes: dict[str, tuple[Path, Policy]], monkeypatch: pytest.MonkeyPatch
) -> None:
    home, policy = homes[HARD]
    monkeypatch.setenv("HOME", str(home))
    told = [json.loads(line.replace("@HOME@", str(home))) for line in lines(HARD)]
    disarming = [judged(one, policy) == "tamper" for one in told if one["trip"]]
    innocent = [judged(one, policy) == "tamper" for one in told if not one["trip"]]
    assert sum(disarming) / len(disarming) >= CAUGHT
    assert sum(innocent) / len(innocent) <= WRONG
