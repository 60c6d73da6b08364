from __future__ import annotations

import json

import pytest

from runaway.installer.commands import statusline
from runaway.installer.errors import Refusal
from runaway.installer.machine import Machine
from tests.support.installer import call, payload, registered, unwire, user_file, wire


def command(machine: Machine) -> str:
    told = statusline.run(machine).data["snippet"]["statusLine"]["command"]
    assert isinstance(told, str)
    return told


def test_the_printed_command_tells_the_state_of_the_session(wired: Machine) -> None:
    call(registered(wired), payload("mine"))
    assert call(command(wired), b'{"session_id": "mine"}') == (0, b"runaway: on guard\n")


@pytest.mark.parametrize("junk", [b"", b"no JSON", b"[]", b"\xff"])
def test_whatever_it_is_given_it_ends_well_and_says_nothing(wired: Machine, junk: bytes) -> None:
    assert call(command(wired), junk) == (0, b"")


def test_after_uninstall_it_says_nothing(wired: Machine) -> None:
    left = command(wired)
    unwire(wired)
    assert call(left, b'{"session_id": "mine"}') == (0, b"")


def test_a_status_line_of_ours_is_no_entry_of_the_guard(machine: Machine) -> None:
    wire(machine)
    settings = json.dumps(statusline.run(machine).data["snippet"]).encode()
    user_file(machine, settings)
    assert wire(machine).data["harnesses"][0]["action"] == "added"
    unwire(machine)
    assert user_file(machine).read_bytes() == settings


def test_without_the_guard_there_is_nothing_to_show(bare: Machine) -> None:
    with pytest.raises(Refusal) as caught:
        statusline.run(bare)
    assert caught.value.code == "not-installed"
