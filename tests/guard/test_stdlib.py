"""The guard needs nothing but a bare CPython, and gives the same answers under every one."""

from __future__ import annotations

import ast
import json
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import runaway.guard
from runaway.installer.interpreter import Interpreter
from tests.support.interpreters import interpreters
from tests.support.processes import PROGRAMS, Answer, Guard, deployed, payload, run
from tests.support.samples import golden, samples

SOURCES = Path(runaway.guard.__file__).parent
INTERNAL = {"_blake2", "_json", "posix"}  # C modules behind public ones, each with a fallback
# Tells on descriptor 3 which modules were loaded when the program exits.
LOADED = """
import sys
before = set(sys.modules)
import posix
leave = posix._exit
def tell(code):
    posix.write(3, " ".join(sorted(set(sys.modules) - before)).encode())
    leave(code)
posix._exit = tell
__file__ = sys.argv.pop(1)
with open(__file__, "rb") as file:
    code = file.read()
if __file__.endswith(".pyc"):
    import marshal
    exec(marshal.loads(code[16:]))
else:
    exec(compile(code, __file__, "exec"))
"""
SHELL = 'exec 3>"$0"; exec "$@"'
HOT = {
    "guard",
    "guard.approvals",
    "guard.call",
    "guard.changes",
    "guard.dialects",
    "guard.dialects.claude",
    "guard.fastjson",
    "guard.history",
    "guard.hook",
    "guard.judge",
    "guard.outcomes",
    "guard.policy",
    "guard.session",
    "guard.system",
    "guard.wires",
    "guard.wires.continuation",
    "guard.wires.failure",
    "guard.wires.ladder",
    "guard.wires.loop",
    "guard.wires.spend",
    "guard.wires.storm",
    "guard.wires.tamper",
    "__future__",
    "_blake2",
    "_json",
    "fcntl",
}
# What is loaded beside it when there is something new to read, and when there is something to say.
READING = {
    "guard.evidence",
    "guard.ledger",
    "guard.price_table",
    "guard.prices",
    "guard.spending",
    "guard.transcripts",
    "guard.transcripts.accounts",
    "guard.transcripts.claude",
    "guard.transcripts.digests",
    "guard.transcripts.session_files",
    "guard.transcripts.folders",
    "guard.transcripts.records",
    "guard.transcripts.tail",
    "guard.usage",
    "itertools",
}
SAYING = {
    "guard.masking",
    "guard.masking.addresses",
    "guard.masking.arguments",
    "guard.masking.commands",
    "guard.masking.named",
    "guard.masking.names",
    "guard.masking.scan",
    "guard.masking.shapes",
    "guard.masking.text",
    "guard.masking.values",
    "guard.trips",
    "guard.words",
}


def imports(file: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(file.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or ""


def test_nothing_is_imported_that_is_not_in_the_standard_library() -> None:
    files = list(SOURCES.rglob("*.py"))
    named = {name for file in files for name in imports(file)} - {"guard.hook"}
    assert len(files) > 20
    assert {name.partition(".")[0] for name in named} <= sys.stdlib_module_names | INTERNAL


def loaded(guard: Guard, tmp_path: Path, data: dict[str, Any]) -> set[str]:
    told = tmp_path / "loaded"
    python, *_, program, harness = guard.command()
    command = [
        "/bin/sh",
        "-c",
        SHELL,
        str(told),
        python,
        "-I",
        "-S",
        "-c",
        LOADED,
        program,
        harness,
    ]
    answer = run(command, data)
    assert (answer.exit_code, answer.stderr) == (0, b"")
    return set(told.read_text().split()) - {"marshal"}


@pytest.mark.parametrize("program", PROGRAMS)
def test_only_these_modules_are_loaded_for_a_call(
    guard: Guard, tmp_path: Path, program: str
) -> None:
    guard = guard._replace(program=program)
    log = payload(transcript_path=golden("cache"))
    guard.ask({**log, "session_id": "another", "tool_input": {}})  # folders are there
    first = loaded(guard, tmp_path, log)
    assert first == HOT | READING
    assert loaded(guard, tmp_path, {**log, "tool_use_id": "b"}) == HOT
    guard.policy(limits={"loop.same_call": [None, None, 1, None]})
    assert loaded(guard, tmp_path, payload(number=9)) == HOT | SAYING


def replayed(guard: Guard, *, few: bool = False) -> list[tuple[Answer, float]]:
    """The answer to each sample, and what the guard believes has been spent then."""
    answers = []
    for session, data in samples(few=few):
        answer = guard.ask(data)
        known = guard.session_file(session).exists()
        spend = guard.memory(session).get("spend", {}) if known else {}
        answers.append((answer, spend.get("total", 0.0)))
    return answers


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[Answer, float]]:
    return replayed(deployed(tmp_path_factory.mktemp("expected")))


def test_the_samples_are_worth_comparing(expected: list[tuple[Answer, float]]) -> None:
    seen = {answer.decision for answer, _ in expected}
    assert {"", "note", "deny", "stop"} <= seen
    assert all(answer.exit_code == 0 and answer.stderr == b"" for answer, _ in expected)
    assert sum(dollars > 0 for _, dollars in expected) >= 6
    rules = " ".join(answer.stdout.decode() for answer, _ in expected)
    for rule in ("loop.same_call", "loop.same_result", "storm", "tamper"):
        assert rule in rules


@pytest.mark.parametrize("few", [True, pytest.param(False, marks=pytest.mark.long)])
@pytest.mark.parametrize("interpreter", interpreters(), ids=lambda one: one.tag)
def test_every_python_gives_the_same_answers_from_source_and_frozen(
    tmp_path: Path, interpreter: Interpreter, few: bool, expected: list[tuple[Answer, float]]
) -> None:
    wanted = [
        answer
        for (session, _), answer in zip(samples(), expected, strict=True)
        if session in {sample.session for sample in samples(few=few)}
    ]
    frozen = deployed(tmp_path, interpreter)
    for guard in (frozen, frozen._replace(program="run.py")):
        assert replayed(guard, few=few) == wanted
        trips = (guard.state / "trips.jsonl").read_bytes().splitlines()
        assert len(trips) == sum(bool(answer.stdout) for answer, _ in wanted)
        assert all(json.loads(trip)["text"] for trip in trips)
        shutil.rmtree(guard.state)
