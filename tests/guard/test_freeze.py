"""The frozen file holds the whole guard and behaves like its sources."""

from __future__ import annotations

import importlib.util
import json
import marshal
import subprocess
from pathlib import Path
from types import CodeType

import pytest

import runaway.guard
from runaway.guard.freeze import groups, modules
from tests.guard.processes import Guard, payload, run

PACKAGE = Path(runaway.guard.__file__).parent


def test_every_module_but_the_two_programs_is_in_it() -> None:
    found = {name: is_package for name, is_package, _ in modules(str(PACKAGE))}
    wanted = {
        ".".join(("guard", *file.relative_to(PACKAGE).with_suffix("").parts))
        for file in PACKAGE.rglob("*.py")
        if file.name not in ("run.py", "freeze.py")
    }
    assert set(found) == {name.removesuffix(".__init__") for name in wanted}
    assert {name for name, is_package in found.items() if is_package} == {
        "guard",
        "guard.dialects",
        "guard.transcripts",
        "guard.wires",
    }


def test_a_group_is_loaded_in_the_order_of_its_imports(guard: Guard) -> None:
    """In a process of its own, because a module is imported only once."""
    program = "import sys; sys.path.insert(0, sys.argv[1]); from guard import freeze; import json; "
    program += "print(json.dumps(freeze.groups(sys.argv[1] + '/guard')))"
    python, *_ = guard.command()
    answer = run([python, "-I", "-S", "-c", program, str(guard.code)], b"")
    assert answer.stderr == b""
    found = json.loads(answer.stdout)
    assert set(found) == {"guard.hook", "guard.spending"}
    for first, needed in found.items():
        assert first not in needed
        assert len(set(needed)) == len(needed)
    hook = found["guard.hook"]
    assert hook.index("guard.call") < hook.index("guard.history") < hook.index("guard.judge")
    assert callable(groups)


def test_it_is_an_ordinary_compiled_file_with_nothing_of_this_machine_in_its_code(
    guard: Guard,
) -> None:
    data = (guard.code / "guard.pyc").read_bytes()
    if guard.interpreter.tag == importlib.util.cache_from_source("x.py").split(".")[-2]:
        assert data[:4] == importlib.util.MAGIC_NUMBER
        assert isinstance(marshal.loads(data[16:]), CodeType)
    assert str(PACKAGE).encode() not in data
    assert str(guard.machine.data).encode() in data, "where policy and state are found"


def test_freezing_twice_gives_the_same_bytes(guard: Guard, tmp_path: Path) -> None:
    python, *_ = guard.command()
    freeze = [python, "-I", "-S", str(guard.code / "guard/freeze.py")]
    for name in ("one", "two"):
        command = [*freeze, str(tmp_path / name), str(guard.machine.data)]
        assert run(command, b"") == (0, b"", b"")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()


def test_a_file_that_is_there_is_not_overwritten(guard: Guard, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("mine")
    python, *_ = guard.command()
    command = [python, "-I", "-S", str(guard.code / "guard/freeze.py"), str(tmp_path / "out"), "/x"]
    assert run(command, b"").exit_code == 1
    assert (tmp_path / "out").read_text() == "mine"


@pytest.mark.parametrize("damage", ["cut off", "another version", "empty"])
def test_a_frozen_file_that_does_not_fit_leaves_the_work_to_the_sources(
    guard: Guard, damage: str
) -> None:
    frozen = guard.code / "guard.pyc"
    whole = frozen.read_bytes()
    broken = {"cut off": whole[:5000], "another version": b"\x00" * 4 + whole[4:], "empty": b""}
    frozen.write_bytes(broken[damage])
    try:
        guard.policy(limits={"loop.same_call": [None, None, 2, None]})
        seen = [guard.ask_registered(payload(number=number)) for number in range(2)]
    finally:
        frozen.write_bytes(whole)
    assert all(answer.exit_code == 0 for answer in seen)
    if damage != "empty":  # an empty program is one that succeeds
        assert [answer.decision for answer in seen] == ["", "deny"]


def test_both_programs_answer_alike_and_share_the_state(guard: Guard) -> None:
    source = guard._replace(program="run.py")
    guard.policy(limits={"loop.same_call": [None, None, 3, 4]})
    seen = [one.ask(payload(number=n)).decision for n, one in enumerate((guard, source) * 2)]
    assert seen == ["", "", "deny", "stop"]
    assert guard.calls() == 4


def test_the_frozen_program_needs_no_file_beside_it(guard: Guard, tmp_path: Path) -> None:
    copy = tmp_path / "guard.pyc"
    copy.write_bytes((guard.code / "guard.pyc").read_bytes())
    python, *_ = guard.command()
    done = subprocess.run(
        [python, "-I", "-S", str(copy), "claude"],
        input=json.dumps(payload()).encode(),
        capture_output=True,
        cwd=tmp_path,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert guard.calls() == 1
