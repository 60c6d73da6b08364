"""What holds for every harness alike."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from runaway.installer.harnesses.registry import HARNESSES
from runaway.installer.machine import Machine

ALL = pytest.mark.parametrize("name", HARNESSES)


@ALL
def test_the_registry_names_a_harness_as_it_names_itself(name: str) -> None:
    assert name == HARNESSES[name].NAME


@ALL
def test_a_pipe_in_the_place_of_its_file_keeps_nobody_waiting(machine: Machine, name: str) -> None:
    harness = HARNESSES[name]
    path = harness.path(machine, "user", machine.home)
    path.parent.mkdir(parents=True, exist_ok=True)
    os.mkfifo(path)
    found = list(harness.checks(machine, machine.home))
    assert any(check.level == "error" for check in found)


@ALL
def test_a_machine_without_it_has_no_entry_of_it(machine: Machine, name: str) -> None:
    found = {check.check: check.level for check in HARNESSES[name].checks(machine, machine.home)}
    assert found["installed.entry"] == "error"


@ALL
@pytest.mark.parametrize("number", [0, 1, 59, 60, 99])
def test_its_sample_is_what_its_own_dialect_reads(name: str, number: int) -> None:
    from runaway.guard.dialects import dialect_of
    from runaway.guard.fastjson import decode, loads

    call = dialect_of(name).read(loads(decode(HARNESSES[name].sample_payload("s", number))), 1.8e9)
    assert (call.harness, call.session) == (name, "s")


@ALL
@pytest.mark.parametrize("answer", [b"", b"{}", b"[]", b"no json", b'{"decision": 1}'])
def test_what_is_no_denial_is_none(name: str, answer: bytes) -> None:
    assert not HARNESSES[name].is_denial(answer)


@ALL
def test_its_page_says_what_it_really_does(name: str) -> None:
    pages = Path(__file__).parents[3] / "docs/harnesses"
    assert (pages / f"{name}.md").is_file()
