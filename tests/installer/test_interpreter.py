from __future__ import annotations

import shlex
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from runaway.installer import interpreter
from runaway.installer.errors import Refusal
from runaway.installer.interpreter import OLDEST, choose, probe
from runaway.installer.machine import Machine, scratch_machine

NO_PYTHON = {
    "nothing at all": "",
    "another program": "echo hello",
    "a program that fails": "exit 1",
    "the Store's stand-in": "exit 49",
    "answers with one line": "echo 3.11",
    "no version": "echo three.eleven; echo tag; echo /x",
    "empty lines": "echo; echo; echo",
    "bytes that are no text": "printf '\\377\\376\\n\\377\\n\\377\\n'",
}


def program(folder: Path, script: str, name: str = "python3") -> Path:
    """A stand-in for an interpreter."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


def claims(version: str, real: Path | str) -> str:
    lines = (version, "cpython-" + version.replace(".", ""), str(real))
    return "; ".join(f"echo {shlex.quote(line)}" for line in lines)


def test_the_running_python_is_recognised() -> None:
    found = probe(Path(sys.executable))
    assert found is not None
    assert found.version == sys.version_info[:2]
    assert found.tag == sys.implementation.cache_tag


def test_an_environments_python_is_followed_to_the_one_it_was_made_from() -> None:
    found = probe(Path(sys.executable))
    assert found is not None
    assert not (found.path.parent.parent / "pyvenv.cfg").exists()


@pytest.mark.parametrize("script", NO_PYTHON.values(), ids=NO_PYTHON.keys())
def test_what_is_no_python_is_passed_over(tmp_path: Path, script: str) -> None:
    assert probe(program(tmp_path, script)) is None


def test_a_missing_file_and_a_folder_are_no_python(tmp_path: Path) -> None:
    assert probe(tmp_path / "missing") is None
    assert probe(tmp_path) is None


def test_a_file_that_may_not_be_run_is_no_python(tmp_path: Path) -> None:
    path = program(tmp_path, claims("3.12", "/x/python"))
    path.chmod(0o644)
    assert probe(path) is None


def test_a_python_that_hangs_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpreter, "PROBE_SECONDS", 0.05)
    assert probe(program(tmp_path, "exec sleep 60")) is None


def test_a_shim_is_replaced_by_what_it_stands_for(tmp_path: Path) -> None:
    real = tmp_path / "versions/3.12/bin/python3.12"
    found = probe(program(tmp_path / "shims", claims("3.12", real)))
    assert found is not None
    assert found.path == real


def test_a_shim_that_names_only_itself_is_passed_over(tmp_path: Path) -> None:
    shim = tmp_path / "shims/python3"
    assert probe(program(tmp_path / "shims", claims("3.12", shim))) is None


def only(monkeypatch: pytest.MonkeyPatch, *well_known: Path) -> None:
    """A machine with these Pythons in the well-known places and none that runs us."""
    monkeypatch.setattr(interpreter, "WELL_KNOWN", tuple(map(str, well_known)))
    monkeypatch.setattr(sys, "_base_executable", "/nonexistent/python3")


def test_the_first_well_known_python_is_taken_under_the_name_it_has_there(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = program(tmp_path / "a", claims("3.9", "/x/python3.9"))
    second = program(tmp_path / "b", claims("3.13", "/y/python3.13"))
    only(monkeypatch, tmp_path / "missing", first, second)
    assert choose(machine).path == first


def test_one_that_is_too_old_is_passed_over(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = program(tmp_path / "a", claims("3.8", "/x/python3.8"))
    new = program(tmp_path / "b", claims("3.10", "/y/python3.10"))
    only(monkeypatch, old, new)
    assert choose(machine) == (new, (3, 10), "cpython-310")


def test_the_path_is_the_last_resort(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch)
    program(tmp_path / "bin", claims("3.11", "/x/python3.11"))
    machine = scratch_machine(tmp_path, {"PATH": str(tmp_path / "bin")})
    assert choose(machine).path == Path("/x/python3.11")


def test_without_any_python_there_is_one_sentence_and_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    only(monkeypatch)
    with pytest.raises(Refusal) as caught:
        choose(scratch_machine(tmp_path, {"PATH": str(tmp_path)}))
    assert caught.value.code == "no-interpreter"
    assert ".".join(map(str, OLDEST)) in caught.value.text
    assert caught.value.fix


def test_apples_stand_in_is_never_run(
    tmp_path: Path, machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It would open a window; it is only a real Python beside the Command Line Tools."""
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(interpreter, "WELL_KNOWN", ("/usr/bin/python3",))
    other = program(tmp_path / "bin", claims("3.12", "/x/python3.12"))
    monkeypatch.setattr(sys, "_base_executable", str(other))
    assert choose(machine).path == Path("/x/python3.12")


def test_a_guard_for_all_runs_under_a_python_that_all_may_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with TemporaryDirectory(dir="/tmp") as folder:  # pytest keeps its own folders private
        private, common = (Path(folder, name, "python3") for name in ("private", "common"))
        for path in (private, common):
            program(path.parent, claims("3.11", path))
        Path(folder).chmod(0o755)
        private.parent.chmod(0o700)
        monkeypatch.setattr(interpreter, "_candidates", lambda _: iter((private, common)))
        machine = scratch_machine(Path(folder))
        assert choose(machine).path == private
        assert choose(machine._replace(shared=True)).path == common
        common.chmod(0o777)
        with pytest.raises(Refusal):
            choose(machine._replace(shared=True))
