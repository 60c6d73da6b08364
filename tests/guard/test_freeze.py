"""The frozen files hold the whole guard and behave like its sources (every Python: test_stdlib.py)."""

from __future__ import annotations

import marshal
import shutil
import sys
from pathlib import Path

import pytest

import runaway.guard
from runaway.installer.deploy import deploy
from runaway.installer.harnesses import claude
from runaway.installer.interpreter import choose
from runaway.installer.launch_command import command_for
from runaway.installer.machine import scratch_machine
from runaway.installer.self_test import answer
from tests.support.processes import Guard, payload, run
from tests.support.samples import golden

PACKAGE = Path(runaway.guard.__file__).parent


def frozen_files(folder: Path) -> dict[str, bytes]:
    found = [folder / "guard.pyc", *folder.glob("frozen/*")]
    return {str(file.relative_to(folder)): file.read_bytes() for file in found}


def test_every_module_is_in_it_once_loaded_from_nowhere_else(guard: Guard) -> None:
    """Without the sources beside it everything still works."""
    aside = guard.code / "guard.aside"
    (guard.code / "guard").rename(aside)
    try:
        guard.policy(limits={"loop.same_call": [None, None, 2, None]})
        log = payload(transcript_path=golden("cache"))
        assert guard.ask(log) == (0, b"", b"")
        assert guard.ask({**log, "tool_use_id": "b"}).decision == "deny"
        assert guard.ask(b"").exit_code == 0
    finally:
        aside.rename(guard.code / "guard")
    assert guard.memory()["spend"]["total"] > 0
    assert len(guard.health()) == 1


def test_nothing_of_this_machine_is_in_it(guard: Guard) -> None:
    files = frozen_files(guard.code)
    assert not any(str(PACKAGE).encode() in data for data in files.values())
    assert not any(str(guard.machine.home).encode() in data for data in files.values())


@pytest.mark.skipif(sys.version_info[:2] != (3, 11), reason="byte code of the Python that reads it")
def test_the_program_is_an_ordinary_compiled_file(guard: Guard) -> None:
    if guard.interpreter.version == (3, 11):
        marshal.loads((guard.code / "guard.pyc").read_bytes()[16:])


def test_freezing_twice_gives_the_same_bytes(guard: Guard, tmp_path: Path) -> None:
    python, *_ = guard.command()
    for name in ("one", "two"):
        shutil.copytree(guard.code / "guard", tmp_path / name / "guard")
        freeze = [python, "-I", "-S", str(tmp_path / name / "guard/freeze.py")]
        assert run([*freeze, str(tmp_path / name)], b"") == (0, b"", b"")
    assert frozen_files(tmp_path / "one") == frozen_files(tmp_path / "two") != {}


@pytest.mark.parametrize("damage", ["cut off", "of another version"])
def test_a_program_that_does_not_fit_leaves_the_work_to_the_sources(
    guard: Guard, damage: str
) -> None:
    frozen = guard.code / "guard.pyc"
    whole = frozen.read_bytes()
    frozen.write_bytes(whole[:5000] if damage == "cut off" else b"\x00" * 4 + whole[4:])
    try:
        guard.policy(limits={"loop.same_call": [None, None, 2, None]})
        seen = [guard.ask_registered(payload(number=number)) for number in range(2)]
    finally:
        frozen.write_bytes(whole)
    assert [(answer.exit_code, answer.decision) for answer in seen] == [(0, ""), (0, "deny")]


def test_both_programs_answer_alike_and_share_policy_and_state(guard: Guard) -> None:
    source = guard._replace(program="run.py")
    guard.policy(limits={"loop.same_call": [None, None, 3, 4]})
    seen = [one.ask(payload(number=n)).decision for n, one in enumerate((guard, source) * 2)]
    assert seen == ["", "", "deny", "stop"]
    assert guard.calls() == 4


@pytest.mark.parametrize("damage", [b"", b"not a group", None])
def test_a_lost_or_damaged_group_is_replaced_by_the_source_beside_it(
    tmp_path: Path, damage: bytes | None
) -> None:
    machine = scratch_machine(tmp_path)
    code = deploy(machine, choose(machine)).code
    for group in (code / "frozen").iterdir():
        group.unlink()
        if damage is not None:
            group.write_bytes(damage)
    command = command_for(machine.launcher, "claude")
    answers = [answer(command, claude.sample_payload("s", number)) for number in range(8)]
    assert answers[:7] == [(0, b"")] * 7
    assert claude.is_denial(answers[7][1])
    assert not (machine.data / "health.log").exists()
